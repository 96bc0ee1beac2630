"""The commit of a write: one transaction makes the object's row name the new bytes.

The caller's policies check exactly the row that is written. If they checked a different row, before the size and the
entity tag were known, the transaction first tries the write as the caller and rolls that back.

A permission covers the revision that was there, or a new object. If the commit finds something else, the permission is
checked again, so a concurrent change is never overwritten without the caller's own rights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.database import BoundStatement, Row, StatementError
from app.database.wire.sqlstates import FOREIGN_KEY_VIOLATION
from app.identity import SERVICE_ROLE
from app.storage import sql_writes
from app.storage.bytes.blobs import discarded_if_refused
from app.storage.error_translation import no_row_inserted, no_row_updated, refused, translate
from app.storage.errors import ObjectExists, RelatedMissing, RowLocked, StorageError
from app.storage.permission_trial import PermittedWrite, Write, check_write, tried_as
from app.storage.permissions import TriedWrite, trial_calls, trial_refusal, try_apart, try_write_as_service
from app.storage.records import NewBytes
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, json_value, number, owner_columns, tag_values, text
from app.storage.sql import NOTHING, Projection
from app.storage.sql_writes import commit_new, commit_over
from app.storage.storage import TRIAL, Storage
from app.storage.tags import check_installed
from app.storage.upkeep.events import ObjectEvent

# Each further attempt means that another writer was faster.
_MAX_ATTEMPTS = 100
# An object can appear just before the insert and be gone just after it, but hardly this often during one write. Then a
# trigger skips the row.
_MAX_SKIPPED = 10


@dataclass(frozen=True, slots=True)
class ExtraCalls:
    """Statements that a commit runs in the same transaction, after the row is written.

    If the first of ``calls`` returns no row, nothing is committed and ``lost()`` is raised.
    """

    calls: Sequence[BoundStatement]
    lost: Callable[[], StorageError]


def commit(
    storage: Storage,
    request: RequestContext,
    write: Write,
    allowed: PermittedWrite,
    new: NewBytes,
    projection: Projection = NOTHING,
    extra: ExtraCalls | None = None,
) -> Row:
    """Make the row name the new bytes; returns the row's id, its ``projection``, and whether it is one of
    several versions, where the database knows that. If it fails, the bytes are deleted.

    If the object was replaced or deleted meanwhile, the write is checked again. Raises what ``check_write`` raises,
    also when the policies refuse the complete row. Raises RelatedMissing when the bucket is gone, NotPermitted when
    service_role may not insert, update or see the row, and RowLocked when other writers keep winning.
    """
    skipped = 0
    with discarded_if_refused(storage.backend, new.version):
        for _ in range(_MAX_ATTEMPTS):
            before = allowed.permission.replaces
            rows = _commit_allowed(storage, request, write, allowed, new, projection, extra)
            if rows:
                if extra is not None or before is not None:
                    # Some bytes are no longer named by a row.
                    storage.note_freed()
                return rows[0]
            allowed = check_write(storage, request, write, new.metadata)
            if allowed.permission.replaces == before:
                if before is not None:
                    raise no_row_updated(role=SERVICE_ROLE, table="objects")
                # Either an object appeared and is gone again, or service_role cannot see it: then this raises. The
                # result is not a permission for the caller.
                check_write(storage, request, write, new.metadata, try_write_as_service)
                skipped += 1
                if skipped == _MAX_SKIPPED:
                    raise no_row_inserted(role=SERVICE_ROLE, table="objects")
        raise RowLocked


def commit_untried(storage: Storage, request: RequestContext, write: Write, new: NewBytes) -> Row | None:
    """Commit a write of service_role without checking the permission first. Returns the object's id, whether one was
    replaced, and the last column as in ``commit``; None if nothing was written because an existing object or the
    bucket's rules may forbid it: then the permission must be checked. The bytes are deleted if it raises."""
    check_installed(storage, write.tags)
    tagged = storage.features.has_tags
    statement = (sql_writes.commit_untried_over if write.upsert else sql_writes.commit_untried)(tagged)
    rules = number(new.metadata["size"]), text(new.metadata["mimetype"])
    values = (*_values(write, new), *rules, *tag_values(write.tags, tagged=tagged))
    with discarded_if_refused(storage.backend, new.version):
        rows = _change(storage, request, write, write.event, (statement, values), new)
    if not rows:
        return None
    if rows[0][1] == b"t":
        storage.note_freed()
    return rows[0]


def _values(write: Write, new: NewBytes) -> tuple[RawValue, ...]:
    return (
        text(write.name.bucket),
        text(write.name.key),
        *owner_columns(write.owner),
        text(new.version),
        json_value(new.metadata),
        json_value(write.user_metadata),
    )


def _commit_allowed(
    storage: Storage,
    request: RequestContext,
    write: Write,
    allowed: PermittedWrite,
    new: NewBytes,
    projection: Projection,
    extra: ExtraCalls | None,
) -> list[Row]:
    """The written row. There is none if the object to replace has changed, or if an object now exists."""
    values, replaces = _values(write, new), allowed.permission.replaces
    tagged = storage.features.has_tags
    tags = tag_values(write.tags, tagged=tagged)
    complete = tried_as(write, new.metadata)
    tried = None if request.role == SERVICE_ROLE or allowed.tried == complete else complete
    if replaces is None:
        call: BoundStatement = commit_new(projection, tagged), (*values, *tags)
        return _change(storage, request, write, write.event, call, new, extra, tried)
    call = commit_over(projection, tagged), (*values, replaces.id, replaces.number, *tags)
    return _change(storage, request, write, write.replacing_event or write.event, call, new, extra, tried)


def _change(
    storage: Storage,
    request: RequestContext,
    write: Write,
    kind: str,
    call: BoundStatement,
    new: NewBytes,
    extra: ExtraCalls | None = None,
    tried: TriedWrite | None = None,
) -> list[Row]:
    """Run ``call`` and return its rows; each causes an event of this kind. ``tried`` is tried first; if an object that
    it may not replace exists, there are no rows."""

    def events(results: list[list[Row]]) -> list[ObjectEvent]:
        return [ObjectEvent(kind, *write.name, *new, upload_type=write.upload_type) for _ in results[0]]

    def check(results: list[list[Row]]) -> None:
        if extra is not None and results[0] and not results[1]:
            raise extra.lost()

    calls = [call] if extra is None else [call, *extra.calls]
    if tried is not None and storage.database.separates_service:
        try:
            try_apart(storage, request, tried)
        except ObjectExists:
            return []
        tried = None
    trial = [] if tried is None else trial_calls(storage, request, tried)
    try:
        return storage.change(
            request, request.service_context(), calls, events, check=check if extra else None, trial=trial
        )[0]
    except StatementError as ex:
        if tried is not None and ex.statement_index == TRIAL + len(trial) - 1:
            refusal = trial_refusal(ex, request.role, upsert=tried.upsert)
            if isinstance(refusal, ObjectExists):
                return []
            raise refusal from None
        if ex.state == FOREIGN_KEY_VIOLATION:
            raise RelatedMissing from None
        if request.role == SERVICE_ROLE:
            # A write of service_role was not tried before, so the cause may be a missing privilege or policy.
            raise refused(ex, role=request.role, action="INSERT or UPDATE", table="objects") from None
        raise translate(ex) from None
