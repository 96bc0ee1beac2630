"""Copies, moves and deletes objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from app.database import BoundStatement, Row, StatementError
from app.database.wire.sqlstates import FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION
from app.identity import SERVICE_ROLE
from app.storage import versions
from app.storage.bucket_rules import keeps_folder
from app.storage.bytes.backend import BlobMissing
from app.storage.bytes.blobs import blob_key, new_version
from app.storage.committing import commit
from app.storage.error_translation import no_row_deleted, no_row_updated, refused
from app.storage.errors import (
    AlreadyExists,
    BytesMissing,
    NoSuchObject,
    PreconditionFailed,
    RelatedMissing,
    RowLocked,
    StorageError,
)
from app.storage.names import check_key
from app.storage.permission_trial import PermittedWrite, Write, check_write
from app.storage.reading import visible_keys
from app.storage.records import Bucket, Described, NewBytes, ObjectName, StoredObject
from app.storage.request_context import RequestContext
from app.storage.row_decoding import (
    RawValue,
    json_value,
    known,
    owner_columns,
    read_bucket,
    read_metadata,
    read_object,
    text,
)
from app.storage.sql import BECOME, BUCKET, DELETE_OBJECT, FIND_SOURCE, Projection, delete_objects
from app.storage.sql_writes import MOVE_OBJECT
from app.storage.storage import Storage
from app.storage.upkeep.events import CREATED_COPY, moved
from app.storage.writing import check_rules, discarded_on_failure, run_checks
from app.times import now_as_json

_DELETED_AT_A_TIME = 500
_DESCRIBED = "pg_catalog.json_build_array(o.user_metadata, o.tags)"
# Each further attempt means that another object has taken the name. The limit ends the loop.
_MOST_ATTEMPTS = 100


def copy(
    storage: Storage,
    request: RequestContext,
    source: ObjectName,
    target: ObjectName,
    *,
    upsert: bool,
    describe: Callable[[Described, float], Described],
    projection: Projection,
    etags: tuple[str, ...] | None = None,
    must_be_new: bool = False,
    version_id: str | None = None,
) -> bytes:
    """Copy an object with the caller's rights to read and write; returns the copy's ``projection``. ``version_id``: the
    version to copy, by default the current one.

    ``describe`` takes the source's metadata and the time of its row's last change, and returns the copy's metadata.
    ``etags`` and ``must_be_new`` are conditions on the target, as in ``Write``. Raises NoSuchObject, BytesMissing, the
    reason why the write is refused, and what ``describe`` raises.
    """
    requested = Write(
        name=target,
        upsert=upsert,
        owner=request.subject,
        user_metadata={},
        event=CREATED_COPY,
        etags=etags,
        must_be_new=must_be_new,
    )
    write, allowed, new = _with_bytes_copied(storage, request, source, requested, describe, version_id)
    with discarded_on_failure(storage, new.version):
        run_checks(storage, write, new)
    copied = known(commit(storage, request, write, allowed, new, projection)[1])
    if version_id is not None and source == target:
        storage.version_counts.add("restored")
    return copied


def _with_bytes_copied(
    storage: Storage,
    request: RequestContext,
    source: ObjectName,
    requested: Write,
    describe: Callable[[Described, float], Described],
    version_id: str | None,
) -> tuple[Write, PermittedWrite, NewBytes]:
    """The permitted write, with metadata from ``describe``, and the copied bytes."""
    missing = None
    while True:
        found, user_metadata, tags = (
            _source(storage, request, source)
            if version_id is None
            else _source_version(storage, request, source, version_id)
        )
        if found.version == missing:
            raise BytesMissing
        described = describe(Described(found.metadata, user_metadata, tags), found.updated_at)
        described = described._replace(metadata={**described.metadata, "lastModified": now_as_json()})
        write = requested._replace(user_metadata=described.user_metadata or {}, tags=described.tags)
        allowed = check_write(storage, request, write, described.metadata)
        _check_described(storage, allowed.permission.bucket, write.name.key, described.metadata)
        new = NewBytes(new_version(), described.metadata)
        try:
            storage.backend.copy(blob_key(found.version), blob_key(new.version))
            return write, allowed, new
        except BlobMissing:
            # The object may have been replaced after its row was read.
            missing = found.version


def move(storage: Storage, request: RequestContext, source: ObjectName, target: ObjectName) -> None:
    """Give an object another name or bucket with the caller's rights; its bytes stay where they are.

    One statement, run as the caller's role, moves the version that is current at that moment, so a concurrent write is
    either moved too or creates a new object under the old name. Nothing is lost and no bytes are copied. The object is
    checked against the rules of its new bucket before the commit. Raises NoSuchObject, AlreadyExists, RelatedMissing,
    NotPermitted, TooLarge, InvalidMimeType and RowLocked.
    """
    if source == target:
        _source(storage, request, source)
        return
    calls: list[BoundStatement] = [
        (MOVE_OBJECT, (*map(text, (*source, *target)), *owner_columns(request.subject))),
    ]
    check: Callable[[list[list[Row]]], None] | None = None
    # An empty object that keeps a folder visible may have any type, but only under such a name. So a move to or from
    # such a name is checked too.
    if target.bucket != source.bucket or any(keeps_folder(name.key, size=0) for name in (source, target)):
        bucket = (BUCKET, (text(target.bucket),))
        apart = storage.database.separates_service
        if not apart:
            calls += [(BECOME, (SERVICE_ROLE.encode(),)), bucket]

        def check(results: list[list[Row]]) -> None:
            # The bucket is read as service_role, which sees every bucket.
            found = storage.database.run(request.service_context(), [bucket], read_only=True) if apart else results
            _check_moved(storage, target, results[0], found[-1])

    def change() -> list[Row]:
        try:
            return storage.change(
                request,
                request.own_context(),
                calls,
                lambda results: [event for row in results[0] for event in moved(source, target, row)],
                check=check,
            )[0]
        except StatementError as ex:
            raise _not_moved(ex, request) from None

    if not _is_changed(storage, request, source, change):
        raise no_row_updated(role=request.role, table="objects")


def delete(
    storage: Storage, request: RequestContext, name: ObjectName, *, etags: tuple[str, ...] | None = None
) -> str | None:
    """Delete an object with the caller's rights; ``etags`` is a condition as in ``Write``. In a bucket with versions
    this leaves a delete marker: returns its id if the database keeps versions and has made one.

    Raises NoSuchObject, PreconditionFailed, DeletionNotPermitted or RowLocked.
    """
    check_key(name.key, any_script=storage.any_script)
    call: BoundStatement = DELETE_OBJECT, (text(name.bucket), text(name.key), json_value(etags or None))
    calls = versions.with_marker(storage, call)
    made: list[list[Row]] = []

    def change() -> list[Row]:
        made[:] = storage.change(request, request.own_context(), calls, versions.removals(name.bucket))
        return made[0]

    if not _is_changed(storage, request, name, change):
        raise PreconditionFailed() if etags else no_row_deleted(role=request.role, table="objects")
    storage.note_freed()
    marker = versions.made_marker(made)
    if marker is not None:
        storage.version_counts.add("marked")
    return marker


class DeletedMany(NamedTuple):
    """``projected``: the projection of each deleted object. ``kept``: keys of visible objects that the caller may not
    delete. ``markers``: the ids of the delete markers that were made, by key."""

    projected: list[RawValue]
    kept: set[str]
    markers: dict[str, str]


def delete_many(
    storage: Storage, request: RequestContext, bucket: str, keys: Sequence[str], projection: Projection
) -> DeletedMany:
    """Delete the objects that exist and that the caller may delete."""
    wanted = [key for key in dict.fromkeys(keys) if "\0" not in key]
    deleted = DeletedMany([], set(), {})
    for start in range(0, len(wanted), _DELETED_AT_A_TIME):
        left, seen = wanted[start : start + _DELETED_AT_A_TIME], dict[str, Row]()
        for _ in range(_MOST_ATTEMPTS):
            rows, marker = _delete_some(storage, request, bucket, left, projection)
            deleted.projected.extend(row[3] for row in rows)
            gone = {known(row[0]).decode() for row in rows}
            if marker is not None:
                deleted.markers.update(dict.fromkeys(gone, marker))
                storage.version_counts.add("marked", len(gone))
            # As in ``_is_changed``: a new object may have the key of one that was deleted meanwhile.
            there = visible_keys(storage, request, bucket, [key for key in left if key not in gone])
            deleted.kept.update(key for key in there if there[key] == seen.get(key))
            seen, left = there, [key for key in there if key not in deleted.kept]
            if not left:
                break
    storage.note_freed()
    return deleted


def _delete_some(
    storage: Storage, request: RequestContext, bucket: str, keys: Sequence[str], projection: Projection
) -> tuple[list[Row], str | None]:
    """The rows, and the id of the delete markers."""
    calls = versions.with_marker(storage, (delete_objects(projection), (text(bucket), json_value(keys))))
    results = storage.change(request, request.own_context(), calls, versions.removals(bucket))
    return results[0], versions.made_marker(results)


def _is_changed(storage: Storage, request: RequestContext, name: ObjectName, change: Callable[[], list[Row]]) -> bool:
    """Run ``change``, which returns the row of the object that it changes. False if it leaves the object as it is.

    A statement does not find an object that was created while it ran, after another one of that key was deleted: then
    it runs again. Raises NoSuchObject if no such object is visible to the caller, and RowLocked when other writers keep
    winning.
    """
    seen = None
    for _ in range(_MOST_ATTEMPTS):
        if change():
            return True
        there, _user_metadata, _tags = _source(storage, request, name)
        if there == seen:
            return False
        seen = there
    raise RowLocked


class _Source(NamedTuple):
    found: StoredObject
    user_metadata: Mapping[str, Any]
    tags: Mapping[str, str]


def _source(storage: Storage, request: RequestContext, name: ObjectName) -> _Source:
    """The object and its description. Raises NoSuchObject if it is not visible to the caller."""
    parameters = (text(name.bucket), text(name.key))
    rows = storage.database.run(request.own_context(), [(FIND_SOURCE, parameters)], read_only=True)[0]
    if not rows:
        raise NoSuchObject
    return _Source(read_object(rows[0]), read_metadata(rows[0][4]), read_metadata(rows[0][5]))


def _source_version(storage: Storage, request: RequestContext, name: ObjectName, version_id: str) -> _Source:
    """The same for a version. Raises NoSuchVersion or IsDeleteMarker."""
    found, described = versions.find(storage, request, name, version_id, _DESCRIBED)
    user_metadata, tags = json.loads(described or b"[null, null]")
    return _Source(found, user_metadata or {}, tags or {})


def _check_moved(storage: Storage, target: ObjectName, moved_rows: list[Row], buckets: list[Row]) -> None:
    bucket = read_bucket(buckets[0]) if buckets else None
    for row in moved_rows:
        if bucket is None:
            raise RelatedMissing
        _check_described(storage, bucket, target.key, read_metadata(row[2]))


def _check_described(storage: Storage, bucket: Bucket, key: str, metadata: Mapping[str, Any]) -> None:
    """Raise TooLarge or InvalidMimeType: a copied or moved object must meet the bucket's rules, as an upload must."""
    future = StoredObject(id="", version="", updated_at=0, metadata=metadata)
    check_rules(storage, bucket, key, future.mime_type, future.size)


def _not_moved(ex: StatementError, request: RequestContext) -> StorageError:
    if ex.state == UNIQUE_VIOLATION:
        return AlreadyExists()
    if ex.state == FOREIGN_KEY_VIOLATION:
        return RelatedMissing()
    return refused(ex, role=request.role, action="UPDATE", table="objects")
