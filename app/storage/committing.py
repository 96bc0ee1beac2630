"""The commit of a write: one transaction makes the object's row name the new bytes.

The caller's policies judge exactly the row that is written: if they were shown another one, before all was known of the
bytes, the transaction first tries the write as the caller, and undoes that.

A permission covers the revision that was there, or a new object. If the commit finds something else, permission is
asked for again, so a concurrent change is never overwritten without the caller's own rights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.database import BoundStatement, Row, StatementError
from app.database.wire.sqlstates import FOREIGN_KEY_VIOLATION
from app.identity import SERVICE_ROLE
from app.storage.bytes.blobs import discarded_if_refused
from app.storage.error_translation import no_row_inserted, no_row_updated, refused, translate
from app.storage.errors import ObjectExists, RelatedMissing, RowLocked, StorageError
from app.storage.permission_trial import Judged, Write, judge, tried_as
from app.storage.permissions import TriedWrite, trial_calls, trial_refusal, try_apart, try_write_as_service
from app.storage.records import NewBytes
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, json_value, number, owner_columns, text
from app.storage.sql import NOTHING, Projection
from app.storage.sql_writes import COMMIT_UNTRIED, COMMIT_UNTRIED_OVER, commit_new, commit_over
from app.storage.storage import TRIAL, Storage
from app.storage.upkeep.events import ObjectEvent

# Each further attempt means that another writer was faster.
_MOST_JUDGEMENTS = 100
# So often in one write an object hardly comes just before the insert and goes just after it: a trigger skips the row.
_MOST_UNWRITTEN = 10


@dataclass(frozen=True, slots=True)
class Along:
    """What a commit does besides, in the same transaction and after the row is written.

    If the first of ``calls`` gives no row, nothing is committed and ``lost()`` is raised.
    """

    calls: Sequence[BoundStatement]
    lost: Callable[[], StorageError]


def commit(
    storage: Storage,
    request: RequestContext,
    write: Write,
    judged: Judged,
    new: NewBytes,
    projection: Projection = NOTHING,
    along: Along | None = None,
) -> Row:
    """Make the row name the new bytes; gives the row's id and its ``projection``. If that fails, the bytes are deleted.

    Only the judged write is done: if the object was replaced or deleted meanwhile, the write is judged again. Raises
    what ``judge`` raises, also where the policies refuse the row now that all of it is known; RelatedMissing when the
    bucket is gone, NotPermitted when service_role may not insert or update the row or see it, and RowLocked when other
    writers keep winning.
    """
    with discarded_if_refused(storage.backend, new.version):
        return _commit(storage, request, write, judged, new, projection, along)


def commit_untried(storage: Storage, request: RequestContext, write: Write, new: NewBytes) -> RawValue:
    """The id of an object of service_role, committed without a permission; None where it needs one: the object or the
    bucket's rules may stand in the way. Raises what forbids it; then the bytes are deleted."""
    statement = COMMIT_UNTRIED_OVER if write.upsert else COMMIT_UNTRIED
    values = (*_values(write, new), number(new.metadata["size"]), text(new.metadata["mimetype"]))
    with discarded_if_refused(storage.backend, new.version):
        rows = _change(storage, request, write, write.event, (statement, values), new)
    if not rows:
        return None
    identifier, replaced = rows[0]
    if replaced == b"t":
        storage.note_freed()
    return identifier


def _values(write: Write, new: NewBytes) -> tuple[RawValue, ...]:
    return (
        text(write.name.bucket),
        text(write.name.key),
        *owner_columns(write.owner),
        text(new.version),
        json_value(new.metadata),
        json_value(write.user_metadata),
    )


def _commit(
    storage: Storage,
    request: RequestContext,
    write: Write,
    judged: Judged,
    new: NewBytes,
    projection: Projection,
    along: Along | None,
) -> Row:
    unwritten = 0
    for _ in range(_MOST_JUDGEMENTS):
        before = judged.permission.replaces
        rows = _commit_as_judged(storage, request, write, judged, new, projection, along)
        if rows:
            if along is not None or before is not None:
                # There are bytes that no row names any more.
                storage.note_freed()
            return rows[0]
        judged = judge(storage, request, write, new.metadata)
        if judged.permission.replaces == before:
            if before is not None:
                raise no_row_updated(role=SERVICE_ROLE, table="objects")
            # Either an object came and went, or service_role does not see it, which this tells. It permits the caller
            # nothing.
            judge(storage, request, write, new.metadata, try_write_as_service)
            unwritten += 1
            if unwritten == _MOST_UNWRITTEN:
                raise no_row_inserted(role=SERVICE_ROLE, table="objects")
    raise RowLocked


def _commit_as_judged(
    storage: Storage,
    request: RequestContext,
    write: Write,
    judged: Judged,
    new: NewBytes,
    projection: Projection,
    along: Along | None,
) -> list[Row]:
    """The row, or none if the object is no longer the one to replace, or exists now and did not before."""
    values, replaces = _values(write, new), judged.permission.replaces
    written = tried_as(write, new.metadata)
    tried = None if request.role == SERVICE_ROLE or judged.tried == written else written
    if replaces is None:
        return _change(storage, request, write, write.event, (commit_new(projection), values), new, along, tried)
    call = commit_over(projection), (*values, replaces.id, replaces.number)
    return _change(storage, request, write, write.replacing_event or write.event, call, new, along, tried)


def _change(
    storage: Storage,
    request: RequestContext,
    write: Write,
    kind: str,
    call: BoundStatement,
    new: NewBytes,
    along: Along | None = None,
    tried: TriedWrite | None = None,
) -> list[Row]:
    """The rows of ``call``, each the cause of an event of this kind; none if ``tried``, which comes first, would
    replace an object that it may not."""

    def events(results: list[list[Row]]) -> list[ObjectEvent]:
        return [ObjectEvent(kind, *write.name, *new, upload_type=write.upload_type) for _ in results[0]]

    def check(results: list[list[Row]]) -> None:
        if along is not None and results[0] and not results[1]:
            raise along.lost()

    calls = [call] if along is None else [call, *along.calls]
    if tried is not None and storage.database.separates_service:
        try:
            try_apart(storage, request, tried)
        except ObjectExists:
            return []
        tried = None
    trial = [] if tried is None else trial_calls(request, tried)
    try:
        return storage.change(
            request, request.service_context(), calls, events, check=check if along else None, trial=trial
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
            # Its write was not tried before.
            raise refused(ex, role=request.role, action="INSERT or UPDATE", table="objects") from None
        raise translate(ex) from None
