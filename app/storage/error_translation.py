"""Translates errors of the database, the backend and the pool into storage errors."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Literal

from app.database import RoleRefused, StatementError, StatementTimeout
from app.database.wire.sqlstates import (
    FOREIGN_KEY_VIOLATION,
    INSUFFICIENT_PRIVILEGE,
    INVALID_OBJECT_DEFINITION,
    INVALID_PARAMETER_VALUE,
    INVALID_SCHEMA_NAME,
    INVALID_TEXT_REPRESENTATION,
    LOCK_NOT_AVAILABLE,
    READ_ONLY_SQL_TRANSACTION,
    UNDEFINED_COLUMN,
    UNDEFINED_TABLE,
    UNIQUE_VIOLATION,
)
from app.errors import AccessError, PorticoError, Unavailable
from app.identity import OWN_ROLES
from app.storage.bytes.backend import BackendFull, BackendUnavailable, BackendUnusable, BlobMissing, StreamCutShort
from app.storage.errors import (
    AccessDenied,
    AlreadyExists,
    BackendDown,
    BytesMissing,
    DatabaseReadOnly,
    DatabaseRefused,
    DatabaseTimeout,
    DeletionNotPermitted,
    Fault,
    InvalidValue,
    KeysUnavailable,
    LengthMismatch,
    NotPermitted,
    RelatedMissing,
    RowLocked,
    SchemaMismatch,
    StorageError,
    StorageFull,
    TooManyConnections,
)

log = logging.getLogger("portico.storage")

Table = Literal["buckets", "objects", "versions"]

_SCHEMA_STATES = frozenset({INVALID_OBJECT_DEFINITION, UNDEFINED_COLUMN, UNDEFINED_TABLE, INVALID_SCHEMA_NAME})
_UNAVAILABLE: Mapping[str, type[StorageError]] = {
    "POOL_TIMEOUT": TooManyConnections,
    "KEYS_UNAVAILABLE": KeysUnavailable,
}
_SKIPPED = "no policy allows it, or a trigger skips the row"
_NOT_INSTALLED = "`portico doctor` shows what is missing, and `portico init` installs it."

_NOT_CONVERTED = (
    "PostgreSQL could not convert a value. If a policy or a trigger of storage.objects casts a part of the name to a "
    "type, as in (storage.foldername(name))[1]::int, compare texts instead."
)


def translate(ex: PorticoError) -> StorageError:
    """The storage error for ``ex``; ``ex`` itself if it already is one. Logs what the operator must know."""
    if isinstance(ex, StorageError):
        return ex
    if isinstance(ex, StatementTimeout):
        return DatabaseTimeout()
    if isinstance(ex, StatementError):
        return _statement_failed(ex)
    if isinstance(ex, RoleRefused):
        return _role_refused(ex)
    if isinstance(ex, BlobMissing):
        return BytesMissing()
    if isinstance(ex, BackendFull):
        log.error("the storage is full: %s", ex.__cause__)
        return StorageFull()
    if isinstance(ex, BackendUnavailable | BackendUnusable):
        log.error("the storage backend cannot be used: %s", ex if isinstance(ex, BackendUnusable) else ex.__cause__)
        return BackendDown()
    if isinstance(ex, StreamCutShort):
        return LengthMismatch()
    if isinstance(ex, Unavailable):
        return _UNAVAILABLE.get(ex.code, DatabaseTimeout)()
    if isinstance(ex, AccessError):
        return AccessDenied(ex.message)
    log.error("unexpected: %s", ex.message, exc_info=ex)
    return Fault()


def _role_refused(ex: RoleRefused) -> StorageError:
    state = ex.diagnosis.sqlstate
    if state == INVALID_PARAMETER_VALUE:
        why = f"The database has no role {ex.role}."
    else:
        why = f"The database user of the service is not a member of the role {ex.role}."
    if ex.role in OWN_ROLES:
        log.error("%s %s", why, _NOT_INSTALLED)
        why = f"{why} {_NOT_INSTALLED}"
    return DatabaseRefused(state, hint=why)


def _statement_failed(ex: StatementError) -> StorageError:
    diagnosis = ex.diagnosis
    state = diagnosis.sqlstate
    if state == INSUFFICIENT_PRIVILEGE:
        return NotPermitted()
    if ex.state == UNIQUE_VIOLATION:
        return AlreadyExists()
    if ex.state == FOREIGN_KEY_VIOLATION:
        return RelatedMissing()
    if state == LOCK_NOT_AVAILABLE:
        return RowLocked()
    if state == READ_ONLY_SQL_TRANSACTION:
        return DatabaseReadOnly()
    if ex.state == INVALID_TEXT_REPRESENTATION:
        log.warning("the database could not convert a value: %s", diagnosis.message)
        return InvalidValue(diagnosis.column or "value", hint=_NOT_CONVERTED)
    log.error("the database refused a statement: %s %s", state, diagnosis.message)
    if state in _SCHEMA_STATES:
        return SchemaMismatch(state, hint=_NOT_INSTALLED)
    return DatabaseRefused(state)


def refused(ex: StatementError, *, role: str, action: str, table: Table) -> StorageError:
    """NotPermitted with a hint that names the missing privilege or policy; otherwise the result of ``translate``."""
    if ex.diagnosis.sqlstate != INSUFFICIENT_PRIVILEGE or isinstance(ex, StatementTimeout):
        return translate(ex)
    if ex.diagnosis.message.startswith("permission denied"):
        why = "it has no such privilege (GRANT)"
    else:
        why = "no policy allows it"
    return NotPermitted(hint=_hint(role, action, table, why))


def no_row_inserted(*, role: str, table: Table) -> StorageError:
    """The error when an insert writes no row, which PostgreSQL reports as success."""
    return NotPermitted(hint=_hint(role, "INSERT", table, "a trigger skips the row"))


def no_row_updated(*, role: str, table: Table) -> StorageError:
    """The error when no policy allows an update: PostgreSQL then updates no row and reports no error."""
    return NotPermitted(hint=_hint(role, "UPDATE", table, _SKIPPED))


def no_row_deleted(*, role: str, table: Table) -> StorageError:
    """The error when no policy allows a delete, for which PostgreSQL reports no error either."""
    return DeletionNotPermitted(hint=_hint(role, "DELETE", table, _SKIPPED))


def _hint(role: str, action: str, table: Table, why: str) -> str:
    return f"The role {role} may not {action} on storage.{table}: {why}."
