"""Copying, moving and deleting objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.database import BoundStatement, Row, StatementError
from app.storage.asker import SERVICE_ROLE, Asker
from app.storage.bucket_rules import PLACEHOLDER, check_mime_type, size_limit
from app.storage.bytes.backend import BlobMissing
from app.storage.bytes.blobs import blob_key, new_version
from app.storage.committing import commit
from app.storage.errors import (
    AlreadyExists,
    BytesMissing,
    NoSuchObject,
    PreconditionFailed,
    RelatedMissing,
    StorageError,
    TooLarge,
)
from app.storage.judging import Described, Write, judge
from app.storage.names import check_key
from app.storage.reading import is_visible
from app.storage.records import Bucket, ObjectName, StoredObject
from app.storage.rows import json_value, known, owner_columns, read_bucket, read_metadata, read_object, text
from app.storage.sql import BECOME, BUCKET, DELETE_OBJECT, FIND_SOURCE, Projection, delete_objects
from app.storage.sql_writes import MOVE_OBJECT
from app.storage.storage import Storage
from app.storage.times import now_as_json
from app.storage.translation import no_row_deleted, no_row_updated, refused
from app.storage.upkeep.events import CREATED_COPY, moved, removed
from app.storage.writing import discarded_on_failure, run_checks

_DELETED_AT_A_TIME = 500
# A visible object that a statement did not find may be a new one, made in place of one deleted meanwhile.
_ATTEMPTS = 2


def copy(
    storage: Storage,
    asker: Asker,
    source: ObjectName,
    target: ObjectName,
    *,
    upsert: bool,
    describe: Callable[[Described, float], Described],
    projection: Projection,
    etags: tuple[str, ...] | None = None,
    must_be_new: bool = False,
) -> bytes:
    """Copy an object with the caller's rights to read and write; gives the copy's ``projection``.

    ``describe`` takes the source's metadata and when its row changed, and returns the copy's metadata. ``etags`` and
    ``must_be_new`` are conditions on the target, as in ``Write``. Raises NoSuchObject, BytesMissing, what forbids the
    write, and what ``describe`` raises.
    """
    for attempt in (1, 2):
        found, user_metadata = _source(storage, asker, source)
        described = describe(Described(found.metadata, user_metadata), found.updated_at)
        described = described._replace(metadata={**described.metadata, "lastModified": now_as_json()})
        write = Write(
            name=target,
            upsert=upsert,
            owner=asker.subject,
            user_metadata=described.user_metadata or {},
            event=CREATED_COPY,
            etags=etags,
            must_be_new=must_be_new,
        )
        judged = judge(storage, asker, write, described)
        _check_rules(storage, judged.permission.bucket, target.key, described.metadata)
        version = new_version()
        try:
            storage.backend.copy(blob_key(found.version), blob_key(version))
            break
        except BlobMissing:
            # The object was replaced after its row was read: the second attempt reads the new row.
            if attempt == 2:
                raise BytesMissing from None
    with discarded_on_failure(storage, version):
        run_checks(storage, write, version, described.metadata)
    return known(commit(storage, asker, write, judged, version, described.metadata, projection)[1])


def move(storage: Storage, asker: Asker, source: ObjectName, target: ObjectName) -> None:
    """Give an object another name or bucket with the caller's rights; its bytes stay where they are.

    One statement, run as the caller's role, moves the version that is current at that moment, so a concurrent write is
    either moved too or creates a new object under the old name. Nothing is lost and no bytes are copied. The object is
    checked against the rules of its new bucket before the commit. Raises NoSuchObject, AlreadyExists, RelatedMissing,
    NotPermitted, TooLarge and InvalidMimeType.
    """
    if source == target:
        _source(storage, asker, source)
        return
    calls: list[BoundStatement] = [
        (MOVE_OBJECT, (*map(text, (*source, *target)), *owner_columns(asker.subject))),
    ]
    check: Callable[[list[list[Row]]], None] | None = None
    # A placeholder was exempt from its bucket's rules, and under another name it no longer is.
    if target.bucket != source.bucket or source.key.endswith(PLACEHOLDER):
        calls += [(BECOME, (SERVICE_ROLE.encode(),)), (BUCKET, (text(target.bucket),))]

        def check(results: list[list[Row]]) -> None:
            _check_moved(storage, target, results)

    for _ in range(_ATTEMPTS):
        try:
            rows = storage.change(
                asker,
                asker.own_context(),
                calls,
                lambda results: [event for row in results[0] for event in moved(source, target, row)],
                check=check,
            )[0]
        except StatementError as ex:
            raise _not_moved(ex, asker) from None
        if rows:
            return
        _source(storage, asker, source)
    raise no_row_updated(role=asker.role, table="objects")


def delete(storage: Storage, asker: Asker, name: ObjectName, *, etags: tuple[str, ...] | None = None) -> None:
    """Delete an object with the caller's rights; ``etags`` is a condition as in ``Write``.

    Raises NoSuchObject, PreconditionFailed or DeletionNotPermitted.
    """
    check_key(name.key, any_script=storage.limits.any_script)
    for _ in range(_ATTEMPTS):
        rows = storage.change(
            asker,
            asker.own_context(),
            [(DELETE_OBJECT, (text(name.bucket), text(name.key), json_value(etags or None)))],
            lambda results: [removed(name.bucket, row) for row in results[0]],
        )[0]
        if rows:
            storage.note_freed()
            return
        # A caller who may not see the object must not learn that it exists.
        if not is_visible(storage, asker, name):
            raise NoSuchObject
    if etags:
        raise PreconditionFailed
    raise no_row_deleted(role=asker.role, table="objects")


def delete_many(
    storage: Storage, asker: Asker, bucket: str, keys: Sequence[str], projection: Projection
) -> list[bytes]:
    """Delete the objects that exist and that the caller may delete; gives the ``projection`` of each."""
    wanted = [key for key in dict.fromkeys(keys) if "\0" not in key]
    context = asker.own_context()
    deleted: list[Row] = []
    for start in range(0, len(wanted), _DELETED_AT_A_TIME):
        some = json_value(wanted[start : start + _DELETED_AT_A_TIME])
        deleted += storage.change(
            asker,
            context,
            [(delete_objects(projection), (text(bucket), some))],
            lambda results: [removed(bucket, row) for row in results[0]],
        )[0]
    storage.note_freed()
    return [known(row[3]) for row in deleted]


def _source(storage: Storage, asker: Asker, name: ObjectName) -> tuple[StoredObject, Mapping[str, Any]]:
    """The object and its user metadata. Raises NoSuchObject if it is not visible to the caller."""
    parameters = (text(name.bucket), text(name.key))
    rows = storage.database.run(asker.own_context(), [(FIND_SOURCE, parameters)], read_only=True)[0]
    if not rows:
        raise NoSuchObject
    return read_object(rows[0]), read_metadata(rows[0][4])


def _check_moved(storage: Storage, target: ObjectName, results: list[list[Row]]) -> None:
    moved_rows, _, buckets = results
    bucket = read_bucket(buckets[0]) if buckets else None
    for row in moved_rows:
        if bucket is None:
            raise RelatedMissing
        _check_rules(storage, bucket, target.key, read_metadata(row[2]))


def _check_rules(storage: Storage, bucket: Bucket, key: str, metadata: Mapping[str, Any]) -> None:
    """Raise TooLarge or InvalidMimeType: a copied or moved object must meet the bucket's rules, as an upload must."""
    coming = StoredObject(id="", version="", updated_at=0, metadata=metadata)
    if (coming.size or 0) > size_limit(bucket, key, storage.limits.upload):
        raise TooLarge
    check_mime_type(coming.mime_type, bucket, key)


def _not_moved(ex: StatementError, asker: Asker) -> StorageError:
    if ex.diagnosis.sqlstate == "23505":
        return AlreadyExists()
    if ex.diagnosis.sqlstate == "23503":
        return RelatedMissing()
    return refused(ex, role=asker.role, action="UPDATE", table="objects")
