"""May the caller write this object? The database decides: the write is tried as the caller's role, then rolled back.

The trial writes the row that the commit will write, except for ``version``, which only the service may set, and for
columns with defaults. Before the bytes are read, their entity tag and perhaps their size are unknown; so the commit
tries the complete row once more.

Writes of service_role are not tried: the commit has the same rights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.database import BoundStatement, Row, StatementError
from app.database.wire.sqlstates import FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION
from app.identity import SERVICE_ROLE
from app.storage.error_translation import refused, translate
from app.storage.errors import NoSuchBucket, ObjectExists, RelatedMissing, StorageError
from app.storage.records import Bucket, ObjectName, Revision
from app.storage.request_context import RequestContext
from app.storage.row_decoding import json_value, known, owner_columns, read_bucket, tag_values, text
from app.storage.sql import BECOME, TARGET_THEN_ROLE
from app.storage.sql_writes import try_insert, try_upsert
from app.storage.storage import Storage


@dataclass(frozen=True, slots=True)
class TriedWrite:
    """The write to try. Policies can test the owner, ``metadata``, ``user_metadata`` and ``tags`` of the future
    object."""

    name: ObjectName
    upsert: bool
    owner: object
    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any] | None
    tags: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Permission:
    """A permitted write to ``bucket``: it replaces exactly the revision ``replaces``, or creates an object if None.

    It does not cover any other object that may have that name at the commit.
    """

    bucket: Bucket
    replaces: Revision | None


def try_write(storage: Storage, request: RequestContext, tried: TriedWrite) -> Permission:
    """The permission for the write. Raises NoSuchBucket, or why the database refuses: NotPermitted, ObjectExists, ...

    One round trip reads the bucket and the object; for roles other than service_role, it also switches to the caller's
    role, writes the row, and rolls back. If the object changes after it was read, the commit does not find that
    revision.
    """
    if request.role == SERVICE_ROLE:
        return _permission(_target(storage, request, tried.name), tried)
    return _permission(_tried(storage, request, tried, request.role), tried)


def try_write_as_service(storage: Storage, request: RequestContext, tried: TriedWrite) -> Permission:
    """The same, but the write is tried as service_role, regardless of the caller."""
    return _permission(_tried(storage, request, tried, SERVICE_ROLE), tried)


def trial_calls(storage: Storage, request: RequestContext, tried: TriedWrite) -> list[BoundStatement]:
    """Statements that try the write as the caller in a transaction of the service. The transaction must undo them."""
    return [(BECOME, (request.role.encode(),)), _trial(storage, tried)]


def _permission(row: Row, tried: TriedWrite) -> Permission:
    bucket = read_bucket(row[:5])
    if bucket is None:
        raise NoSuchBucket
    identifier, number, entity_tag = row[5:]
    if identifier is None:
        return Permission(bucket, None)
    if not tried.upsert:
        raise ObjectExists
    return Permission(bucket, Revision(identifier, known(number), (entity_tag or b"").decode()))


def _target(storage: Storage, request: RequestContext, name: ObjectName) -> Row:
    """The row of ``TARGET_THEN_ROLE``, without a trial. Raises RelatedMissing without a bucket, as a write would."""
    row = _read_target(storage, request, name)
    if read_bucket(row[:5]) is None:
        raise RelatedMissing
    return row


def _read_target(storage: Storage, request: RequestContext, name: ObjectName) -> Row:
    try:
        return storage.database.run(request.service_context(), [_target_call(name, SERVICE_ROLE)], read_only=True)[0][0]
    except StatementError as ex:
        raise translate(ex) from None


def _tried(storage: Storage, request: RequestContext, tried: TriedWrite, role: str) -> Row:
    """Try the write as the role and return the row of ``TARGET_THEN_ROLE``."""
    if role != SERVICE_ROLE and storage.database.separates_service:
        target = _read_target(storage, request, tried.name)
        try_apart(storage, request, tried)
        return target
    with storage.database.transaction(request.service_context()) as transaction:
        try:
            return transaction.attempt([_target_call(tried.name, role), _trial(storage, tried)])[0][0]
        except StatementError as ex:
            if ex.statement_index == 1:
                raise translate(ex) from None
            raise trial_refusal(ex, role, upsert=tried.upsert) from None


def try_apart(storage: Storage, request: RequestContext, tried: TriedWrite) -> None:
    """Try the write as the caller in a separate transaction, for a service whose own login cannot switch to the
    caller's role. Raises why the database refuses."""
    with storage.database.transaction(request.own_context()) as transaction:
        try:
            transaction.attempt([_trial(storage, tried)])
        except StatementError as ex:
            raise trial_refusal(ex, request.role, upsert=tried.upsert) from None


def _trial(storage: Storage, tried: TriedWrite) -> BoundStatement:
    tagged = storage.features.has_tags
    trial = try_upsert if tried.upsert else try_insert
    return trial(tagged), (
        text(tried.name.bucket),
        text(tried.name.key),
        *owner_columns(tried.owner),
        json_value(tried.metadata),
        json_value(tried.user_metadata),
        *tag_values(tried.tags, tagged=tagged),
    )


def _target_call(name: ObjectName, role: str) -> BoundStatement:
    return TARGET_THEN_ROLE, (text(name.bucket), text(name.key), role.encode())


def trial_refusal(ex: StatementError, role: str, *, upsert: bool) -> StorageError:
    """The error for a failed trial; ObjectExists if the only obstacle is that the object exists."""
    state = ex.state
    if state == UNIQUE_VIOLATION:
        return ObjectExists()
    if state == FOREIGN_KEY_VIOLATION:
        return RelatedMissing()
    action = "INSERT, UPDATE or SELECT" if upsert else "INSERT"
    return refused(ex, role=role, action=action, table="objects")
