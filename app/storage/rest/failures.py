"""What PostgreSQL or the backend refused, as errors of the storage API."""

from __future__ import annotations

import logging
from typing import Literal

from app.database import RoleRefused, StatementError, StatementTimeout
from app.errors import AccessError, PorticoError, Unavailable
from app.storage.bytes.backend import BackendFull, BackendUnavailable, BackendUnusable, BlobMissing, StreamCutShort
from app.storage.errors import (
    StorageError,
    access_denied,
    already_exists,
    database_error,
    insufficient_space,
    internal_error,
    invalid_parameter,
    invalid_request,
    missing_blob,
    related_missing,
    slow_down,
)

_log = logging.getLogger("portico.storage")

Table = Literal["buckets", "objects"]

_ROW_LEVEL_SECURITY = "new row violates row-level security policy"
_SCHEMA = {
    "42P17": "DatabaseInvalidObjectDefinition",
    "42703": "DatabaseSchemaMismatch",
    "42P01": "DatabaseSchemaMismatch",
    "3F000": "DatabaseSchemaMismatch",
}
_OWN_ROLES = frozenset({"anon", "authenticated", "service_role"})
_NOT_INSTALLED = "`portico init` installs what is missing, and `portico doctor` tells what that is."


def as_storage_error(error: PorticoError) -> StorageError:
    """The error for the caller where the operation has not said more; what the operator must know is logged."""
    if isinstance(error, StorageError):
        return error
    if isinstance(error, StatementTimeout):
        return _timed_out()
    if isinstance(error, StatementError):
        return _statement_failed(error)
    if isinstance(error, RoleRefused):
        return _role_refused(error)
    if isinstance(error, BlobMissing):
        return missing_blob()
    if isinstance(error, BackendFull):
        _log.error("the storage is full: %s", error.__cause__)
        return insufficient_space()
    if isinstance(error, BackendUnavailable | BackendUnusable):
        reason = error if isinstance(error, BackendUnusable) else error.__cause__
        _log.error("the storage backend cannot be had: %s", reason)
        return StorageError("StorageUnavailable", 503, "The storage is not available", status=503,
                            headers=(("retry-after", "1"),))  # fmt: skip
    if isinstance(error, StreamCutShort):
        return invalid_request("The body has another length than was declared")
    if isinstance(error, Unavailable):
        if error.code == "POOL_TIMEOUT":
            return slow_down("Too many connections issued to the database", logical=429)
        return _timed_out()
    if isinstance(error, AccessError):
        return access_denied(error.message)
    _log.error("unexpected: %s", error.message, exc_info=error)
    return internal_error()


def _timed_out() -> StorageError:
    return StorageError(
        "DatabaseTimeout", 544, "The connection to the database timed out", status=544, headers=(("retry-after", "1"),)
    )


def _role_refused(error: RoleRefused) -> StorageError:
    state = error.diagnosis.sqlstate
    if state == "22023":
        why = f"The database has no role {error.role}."
    else:
        why = f"The database user of the service is no member of the role {error.role}."
    if error.role in _OWN_ROLES:
        _log.error("%s %s", why, _NOT_INSTALLED)
        why = f"{why} {_NOT_INSTALLED}"
    return database_error(state, hint=why)


def _statement_failed(error: StatementError) -> StorageError:
    diagnosis = error.diagnosis
    state = diagnosis.sqlstate
    if state == "42501":
        return access_denied(_ROW_LEVEL_SECURITY)
    if state == "23505":
        return already_exists("Resource")
    if state == "23503":
        return related_missing()
    if state == "55P03":
        return StorageError("ResourceLocked", 423, "The resource is locked")
    if state == "25006":
        return StorageError("DatabaseReadOnly", 503, "The database is read-only")
    if state == "22P02":
        return invalid_parameter(diagnosis.column or "value")
    _log.error("the database refused a statement: %s %s", state, diagnosis.message)
    if state in _SCHEMA:
        return StorageError(
            _SCHEMA[state], 503, "The database's storage schema is not as it should be", hint=_NOT_INSTALLED
        )
    return database_error(state)


def refused(error: StatementError, *, role: str, action: str, table: Table) -> StorageError:
    """A refusal for want of rights, with a hint at what is missing; other failures as ``as_storage_error`` has them."""
    if error.diagnosis.sqlstate != "42501" or isinstance(error, StatementTimeout):
        return as_storage_error(error)
    if error.diagnosis.message.startswith("permission denied"):
        why = "it has no such privilege (GRANT)"
    else:
        why = "no policy allows it"
    return access_denied(_ROW_LEVEL_SECURITY, hint=_hint(role, action, table, why))


def nothing_affected(*, role: str, action: str, table: Table, message: str = "Access denied") -> StorageError:
    """A refusal that PostgreSQL tells by changing no row, though there was one."""
    return access_denied(message, hint=_hint(role, action, table, "no policy allows it"))


def row_level_security(*, role: str, action: str, table: Table) -> StorageError:
    return nothing_affected(role=role, action=action, table=table, message=_ROW_LEVEL_SECURITY)


def _hint(role: str, action: str, table: Table, why: str) -> str:
    return f"The role {role} may not {action} on storage.{table}: {why}."
