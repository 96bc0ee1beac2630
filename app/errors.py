"""The exceptions that clients see, as one small tree.

PorticoError              an error that clients see: a stable code, an HTTP status, a plain message
├── RequestError          the request cannot be understood or is not allowed: nothing was executed
│   └── OverLimit         it is larger than a limit, which the message names
├── AccessError           the caller could not be identified, or is not who it claims to be
├── DatabaseError         PostgreSQL refused a statement (SQLSTATE, primary message, detail, hint)
└── Unavailable           the database, a connection or another server is not available; try again

Any other exception is a bug: it is logged, and the caller gets INTERNAL_ERROR.
"""

from __future__ import annotations

from dataclasses import dataclass

SQLSTATE_CODES = {
    "21000": "CARDINALITY_VIOLATION",
    "22": "DATA_EXCEPTION",
    "22001": "STRING_DATA_RIGHT_TRUNCATION",
    "22003": "NUMERIC_VALUE_OUT_OF_RANGE",
    "22007": "INVALID_DATETIME_FORMAT",
    "22008": "DATETIME_FIELD_OVERFLOW",
    "22012": "DIVISION_BY_ZERO",
    "22P02": "INVALID_TEXT_REPRESENTATION",
    "23": "INTEGRITY_CONSTRAINT_VIOLATION",
    "23001": "RESTRICT_VIOLATION",
    "23502": "NOT_NULL_VIOLATION",
    "23503": "FOREIGN_KEY_VIOLATION",
    "23505": "UNIQUE_VIOLATION",
    "23514": "CHECK_VIOLATION",
    "23P01": "EXCLUSION_VIOLATION",
    "25006": "READ_ONLY_SQL_TRANSACTION",
    "40": "TRANSACTION_ROLLBACK",
    "40001": "SERIALIZATION_FAILURE",
    "40P01": "DEADLOCK_DETECTED",
    "42501": "INSUFFICIENT_PRIVILEGE",
    "42601": "SYNTAX_ERROR",
    "428C9": "GENERATED_ALWAYS",
    "44": "WITH_CHECK_OPTION_VIOLATION",
    "54": "PROGRAM_LIMIT_EXCEEDED",
    "55P03": "LOCK_NOT_AVAILABLE",
    "57014": "STATEMENT_TIMEOUT",
    "P0001": "RAISE_EXCEPTION",
    "PTSCH": "SCHEMA_OUTDATED",
}
"""The codes of the database's errors, by SQLSTATE or by its class, the first two characters. The names are those of the
appendix "PostgreSQL Error Codes" in the PostgreSQL documentation. A state that is not listed gets its class's name."""

UNNAMED_SQLSTATE = "DATABASE_ERROR"


class PorticoError(Exception):
    """An error that clients see. ``message`` never contains SQL, secrets or internal paths."""

    code = "INTERNAL_ERROR"
    status = 500
    path: tuple[str, ...] = ()
    """The response key of the root field that failed, if one did."""
    role = ""
    """The caller's database role, if the caller was identified before the error was raised."""

    def __init__(
        self, message: str, *, code: str | None = None, status: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code
        if status is not None:
            self.status = status


class RequestError(PorticoError):
    code = "BAD_REQUEST"
    status = 400


class OverLimit(RequestError):
    code = "LIMIT_EXCEEDED"


class AccessError(PorticoError):
    code = "UNAUTHENTICATED"
    status = 401


class Unavailable(PorticoError):
    """``retry_after`` is in seconds and becomes the Retry-After header; None if a retry may do harm."""

    code = "UNAVAILABLE"
    status = 503
    retry_after: int | None = 1


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """PostgreSQL's report about a failed statement: fields of its protocol, '' if absent. ``where`` is the call stack
    of database functions, with the statement of each. ``position``: the character of the statement, counted from 1."""

    sqlstate: str
    message: str
    detail: str = ""
    hint: str = ""
    table: str = ""
    column: str = ""
    constraint: str = ""
    where: str = ""
    position: str = ""


class DatabaseError(PorticoError):
    """Its code is the name of its SQLSTATE; see SQLSTATE_CODES."""

    status = 200

    def __init__(self, diagnosis: Diagnosis) -> None:
        super().__init__(diagnosis.message, code=code_of(diagnosis.sqlstate))
        self.diagnosis = diagnosis


def code_of(sqlstate: str) -> str:
    """The stable name of an SQLSTATE."""
    return SQLSTATE_CODES.get(sqlstate) or SQLSTATE_CODES.get(sqlstate[:2], UNNAMED_SQLSTATE)
