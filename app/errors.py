"""What can go wrong, as one small tree.

PorticoError              something the caller is told: a stable code, an HTTP status, a plain message
├── RequestError          the request cannot be understood or is not allowed: nothing was executed
│   └── OverLimit         it is larger than a limit, which the message names
├── AccessError           who calls could not be established, or may not be whom it claims
├── DatabaseError         PostgreSQL refused a statement (SQLSTATE, primary message, detail, hint)
└── Unavailable           the database, a connection or another server cannot be had now; try again

Anything else that is raised is a fault of ours: it is logged, and the caller reads INTERNAL_ERROR.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.sqlstates import code_of


class PorticoError(Exception):
    """An error that the caller is told. ``message`` never holds SQL, secrets or internal paths."""

    code = "INTERNAL_ERROR"
    status = 500
    path: tuple[str, ...] = ()
    """The response key of the root field that failed, where one is to blame."""

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
    """``retry_after`` is in seconds and becomes the Retry-After header; None where trying again may do harm."""

    code = "UNAVAILABLE"
    status = 503
    retry_after: int | None = 1


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What PostgreSQL said of a failed statement; field names of its protocol, '' where it said nothing."""

    sqlstate: str
    message: str
    detail: str = ""
    hint: str = ""
    table: str = ""
    column: str = ""
    constraint: str = ""


class DatabaseError(PorticoError):
    """Its code is the name of its SQLSTATE, of which app.sqlstates has the table."""

    status = 200

    def __init__(self, diagnosis: Diagnosis) -> None:
        super().__init__(diagnosis.message, code=code_of(diagnosis.sqlstate))
        self.diagnosis = diagnosis
