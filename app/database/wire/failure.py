"""PostgreSQL's failures as exceptions of the service.

StatementError            a statement failed; ``statement_index`` is its index
├── StatementTimeout      it took longer than statement_timeout (SQLSTATE 57014)
└── SchemaOutdated        the plan was made for another schema version: plan again (SQLSTATE PTSCH)
RowTooLarge               a row is larger than the request's limit (an OverLimit)
RoleRefused               the service may not act as the caller's role (an AccessError, 403)
ConnectionLost            the connection broke; never leaves app.database, it becomes Unavailable
"""

from __future__ import annotations

import logging
import re

from app.database.wire.log_throttle import LogThrottle
from app.database.wire.sqlstates import (
    DATATYPE_MISMATCH,
    FEATURE_NOT_SUPPORTED,
    INSUFFICIENT_PRIVILEGE,
    INTERNAL_ERROR,
    INVALID_PARAMETER_VALUE,
    INVALID_SQL_STATEMENT_NAME,
    PROTOCOL_VIOLATION,
    QUERY_CANCELED,
    UNDEFINED_COLUMN,
    UNDEFINED_OBJECT,
)
from app.errors import UNNAMED_SQLSTATE, AccessError, DatabaseError, Diagnosis, OverLimit, PorticoError, Unavailable

SCHEMA_OUTDATED = "PTSCH"
"""SQLSTATE that ``graphql.assert_schema_version`` raises."""

REFUSED_BY_POLICY = "ExecWithCheckOptions"
"""The function in PostgreSQL that refuses a row that a policy forbids, with the SQLSTATE of a missing privilege."""

log = logging.getLogger("portico.database")

_RAISING = frozenset(
    {"exec_stmt_raise", "exec_stmt_assert", "PLy_output", "PLy_elog_impl", "do_util_elog", "pltcl_elog", "plv8_Elog"}
)
"""The functions of procedural languages through which a database function raises an error on purpose."""

_OF_THE_SERVICE = frozenset({SCHEMA_OUTDATED, QUERY_CANCELED})
"""SQLSTATEs that describe the outcome of the request. If a database function raises them, they mean nothing."""

_ROLE_SQLSTATES = frozenset({INVALID_PARAMETER_VALUE, INSUFFICIENT_PRIVILEGE, UNDEFINED_OBJECT})
_FIND_OTHER_ROWS = frozenset({"CheckVarSlotCompatibility", "ExecEvalWholeRowVar", "tupledesc_match"})
"""The functions in PostgreSQL that compare a row's type with the one for which the plan was made."""

_UNAVAILABLE = {
    "53300": "The database accepts no more connections now.",
    "57P01": "The database is shutting down or ended the connection.",
    "57P02": "The database is restarting after a failure.",
    "57P03": "The database is starting up.",
    "57P05": "The database ended an idle connection.",
}
_ON_ANOTHER_SERVER = re.compile(r"while executing command on \S+:\d+")
_UNREACHABLE = "The database cannot reach another server that has a part of the data."

_FIELDS = {
    "C": "sqlstate", "M": "message", "D": "detail", "H": "hint", "t": "table", "c": "column", "n": "constraint",
    "W": "where", "P": "position",
}  # fmt: skip


class StatementError(DatabaseError):
    """A statement failed, and with it the whole request.

    ``statement_index``: 0 is the context statement, 1 the first data statement, and so on. If the commit itself failed
    (deferred constraints), it is one more than the last statement's.
    """

    def __init__(self, diagnosis: Diagnosis, statement_index: int, routine: str = "") -> None:
        super().__init__(diagnosis)
        self.statement_index = statement_index
        self.routine = routine

    @property
    def state(self) -> str:
        """The SQLSTATE if PostgreSQL itself raised the error; '' if a database function raised it on purpose, since it
        can choose any SQLSTATE. The server function that reports the error shows which, in every message language."""
        return "" if self.routine in _RAISING else self.diagnosis.sqlstate

    @property
    def lost_preparation(self) -> bool:
        """Whether the server no longer has, or no longer accepts, a statement prepared on this connection."""
        state = self.diagnosis.sqlstate
        if state == FEATURE_NOT_SUPPORTED:
            # This state has many other meanings; the server function that raised it identifies the case.
            return self.routine == "RevalidateCachedQuery"
        return state == INVALID_SQL_STATEMENT_NAME or self.has_stale_plan

    @property
    def has_stale_plan(self) -> bool:
        """Whether PostgreSQL ran a plan that was made for another row type. PostgreSQL plans a prepared statement again
        when a table that it names changes, but not when the row type of a function that it calls changes."""
        return self.routine in _FIND_OTHER_ROWS and self.diagnosis.sqlstate in (DATATYPE_MISMATCH, UNDEFINED_COLUMN)


class StatementTimeout(StatementError):
    """The statement ran longer than the timeout."""


class SchemaOutdated(StatementError):
    """The schema has another version than the context of the statement names."""


class RowTooLarge(OverLimit):
    """A row was larger than the request's limit. The statements have taken effect."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"The answer is larger than {limit} bytes (ANSWER_LIMIT)", status=200)


class RoleRefused(AccessError):
    """``diagnosis`` is PostgreSQL's error: 22023 for an unknown role, 42501 if the login role is not a member."""

    code = "ROLE_NOT_ALLOWED"
    status = 403

    def __init__(self, role: str, diagnosis: Diagnosis) -> None:
        super().__init__(f"The service may not act as the role {role!r}.")
        self.role = role
        self.diagnosis = diagnosis


class ConnectionLost(Exception):
    """The connection can no longer be used.

    ``answered``: the server had begun to respond to the request. ``unapplied``: it is certain that nothing was
    committed. ``diagnosis``: the server's last error, if any. ``silent``: the server sent nothing for longer than
    permitted.
    """

    def __init__(
        self,
        reason: str,
        *,
        answered: bool,
        unapplied: bool,
        diagnosis: Diagnosis | None = None,
        silent: bool = False,
    ) -> None:
        super().__init__(reason)
        self.silent = silent
        self.answered = answered
        self.unapplied = unapplied
        self.diagnosis = diagnosis

    def explained(self) -> Unavailable:
        """The error for clients, of a request that changed nothing."""
        if self.silent:
            return Unavailable("The database did not answer in time.", code="DATABASE_TIMEOUT", hint="Try again.")
        return unavailable(self.diagnosis, "The connection to the database was lost.")


def read_diagnosis(body: bytes) -> tuple[Diagnosis, dict[str, str]]:
    """The fields of an ErrorResponse: the known ones as a Diagnosis, and all of them by their one-letter code."""
    fields = {part[:1].decode(): part[1:].decode(errors="replace") for part in body.split(b"\0") if part}
    return Diagnosis(**{name: fields.get(letter, "") for letter, name in _FIELDS.items()}), fields


def _lost_by_citus(diagnosis: Diagnosis) -> bool:
    """Whether Citus lost its connection to another server: it then reports the text of libpq as an internal error."""
    return diagnosis.sqlstate == INTERNAL_ERROR and _ON_ANOTHER_SERVER.fullmatch(diagnosis.where) is not None


def explain(error: StatementError, role: str | None, throttle: LogThrottle) -> PorticoError:
    """The error to report for a failed statement. A problem that the operator must fix is logged, as ``throttle``
    allows: clients only learn that the database is unavailable."""
    diagnosis, index = error.diagnosis, error.statement_index
    # In the service's own statements no function of a user can raise a SQLSTATE.
    state = diagnosis.sqlstate if role is None else error.state
    is_unreachable = (state.startswith("08") and state != PROTOCOL_VIOLATION) or _lost_by_citus(diagnosis)
    if state in _UNAVAILABLE or state.startswith("53") or is_unreachable:
        if throttle.allows(state):
            log.warning("the database cannot run statements: %s (SQLSTATE %s)", diagnosis.message, state)
        return unavailable(diagnosis, _UNREACHABLE) if is_unreachable else unavailable(diagnosis)
    # Only the statement that sets the context compares the versions.
    if diagnosis.sqlstate == SCHEMA_OUTDATED and index == 0:
        return SchemaOutdated(diagnosis, index)
    if state == QUERY_CANCELED:
        return StatementTimeout(diagnosis, index)
    # The same statement sets the role's own settings, which may fail with the same codes. Only the message about the
    # role contains its name, in every language.
    if index == 0 and role is not None and state in _ROLE_SQLSTATES and role in diagnosis.message:
        return RoleRefused(role, diagnosis)
    if diagnosis.sqlstate in _OF_THE_SERVICE:
        error.code = UNNAMED_SQLSTATE
    return error


def is_misconfigured(sqlstate: str) -> bool:
    """Whether a server refused a connection because of a wrong configuration of the service or of the server: the user
    or its password, the database, a right or a parameter."""
    return sqlstate.startswith(("22", "28", "3D", "42", "55", "F0"))


def unavailable(diagnosis: Diagnosis | None, otherwise: str = "The database cannot be reached.") -> Unavailable:
    """An Unavailable whose message contains no host, user or database; the log has those."""
    state = diagnosis.sqlstate if diagnosis is not None else ""
    if state.startswith("53") and state not in _UNAVAILABLE:
        otherwise = "The database has not enough memory, disk space or connections."
    hint = "The operator has to correct the service's connection." if is_misconfigured(state) else "Try again."
    return Unavailable(_UNAVAILABLE.get(state, otherwise), code="DATABASE_UNAVAILABLE", hint=hint)


def outcome_unknown() -> Unavailable:
    """The error of a write that may have been applied: the connection was lost after the request was sent whole."""
    error = Unavailable(
        "The connection to the database was lost; it is unknown whether the change was saved.",
        code="OUTCOME_UNKNOWN",
        hint="Read what was to be changed before trying again.",
    )
    error.retry_after = None
    return error
