"""Writing an object: permission, bytes under a fresh version, and the commit that makes the row name them.

A crash before the commit leaves the old object whole and at worst bytes that no row names; there is no state between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.database import Row, Statement, StatementError
from app.errors import PorticoError
from app.storage.asker import Asker
from app.storage.bucket_rules import check_mime_type, size_limit
from app.storage.buckets import find_bucket
from app.storage.bytes.backend import ByteSource, Stored
from app.storage.bytes.blobs import blob_key, discard, new_version
from app.storage.errors import (
    NoSuchBucket,
    ObjectExists,
    PreconditionFailed,
    RelatedMissing,
    StorageError,
    TooLarge,
)
from app.storage.names import check_key
from app.storage.permissions import TriedWrite, try_write
from app.storage.reading import exists
from app.storage.records import Bucket, ObjectName
from app.storage.rows import RawValue, json_value, known, owner_columns, text
from app.storage.sql import NOTHING, Projection, commit_any, commit_matching, commit_new
from app.storage.storage import Storage
from app.storage.times import now_as_json
from app.storage.translation import translate
from app.storage.upkeep.events import ObjectEvent, UploadedObject


@dataclass(frozen=True, slots=True)
class Content:
    """What is to be stored. ``size`` is the number of bytes that ``stream`` will give; None when only reading tells.

    ``declared`` is what policies see as the length before the bytes are read. ``more_metadata`` are further members of
    the object's metadata. ``user_metadata`` is None when none was given.
    """

    stream: ByteSource = field(repr=False)
    size: int | None
    declared: int | None
    mime_type: str
    caching: str
    more_metadata: Mapping[str, str]
    user_metadata: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Write:
    """What is to be committed.

    ``etags``: the entity tags of which the present object must have one; ``()`` is any object, None no condition.
    ``must_be_new``: there must be no object yet, and it is a condition of the caller's.
    """

    name: ObjectName
    upsert: bool
    owner: object
    user_metadata: Mapping[str, Any]
    event: str
    etags: tuple[str, ...] | None = None
    must_be_new: bool = False


def put(storage: Storage, asker: Asker, write: Write, content: Content) -> str:
    """Store an object as the caller; its id. Raises what forbids it, also while the bytes are read."""
    bucket = _permitted(storage, asker, write, content)
    return _store(storage, asker, write, content, bucket)


def put_for(storage: Storage, asker: Asker, bucket: Bucket, write: Write, content: Content) -> str:
    """Store an object for whom the right to write it was given before (a signed URL); its id."""
    _check_content(storage, bucket, write.name.key, content)
    check_key(write.name.key, any_script=storage.limits.any_script)
    if not write.upsert and exists(storage, asker, write.name):
        # Told before the bytes are written; whether it is true is decided at the commit.
        raise ObjectExists
    return _store(storage, asker, write, content, bucket)


def _permitted(storage: Storage, asker: Asker, write: Write, content: Content) -> Bucket:
    """The bucket, after all checks that need none of the bytes; the first that fails is told.

    Nearly always all is well, so everything is asked at once, and looked at in the order that clients rely on.
    """
    tried = TriedWrite(
        name=write.name,
        # The condition is judged at the commit; for the permission it is the write that counts.
        upsert=write.upsert or write.etags is not None,
        metadata={"mimetype": content.mime_type, "contentLength": content.declared},
        user_metadata=content.user_metadata,
    )
    try:
        check_key(write.name.key, any_script=storage.limits.any_script)
        bucket = try_write(storage, asker, tried)
    except StorageError as ex:
        found = find_bucket(storage, asker, write.name.bucket)
        if found is None:
            raise NoSuchBucket from None
        _check_content(storage, found, write.name.key, content)
        if write.must_be_new and isinstance(ex, ObjectExists):
            raise PreconditionFailed from None
        raise
    _check_content(storage, bucket, write.name.key, content)
    return bucket


def _check_content(storage: Storage, bucket: Bucket, key: str, content: Content) -> None:
    """Size, as far as it is known, and type."""
    if content.size is not None and content.size > size_limit(bucket, key, storage.limits.upload):
        raise TooLarge
    check_mime_type(content.mime_type, bucket, key)


def _store(storage: Storage, asker: Asker, write: Write, content: Content, bucket: Bucket) -> str:
    """Write the bytes and commit the row; its id."""
    version = new_version()
    source = _Limited(content.stream, size_limit(bucket, write.name.key, storage.limits.upload))
    try:
        stored = storage.backend.put(blob_key(version), source, size=content.size, content_type=content.mime_type)
        metadata = {**_file_metadata(stored, content), **content.more_metadata}
        for check in storage.checks:
            check(_uploaded(storage, write, version, metadata))
    except BaseException:
        # Whatever it is: a check is somebody else's code.
        discard(storage.backend, version)
        raise
    return known(commit(storage, asker, write, version, metadata)[0]).decode()


def _uploaded(storage: Storage, write: Write, version: str, metadata: Mapping[str, Any]) -> UploadedObject:
    return UploadedObject(
        *write.name, metadata, write.user_metadata, lambda: storage.backend.open_read(blob_key(version))
    )


def _file_metadata(stored: Stored, content: Content) -> dict[str, Any]:
    """What the row says of the bytes; the members are those that such tables have had since before this service."""
    return {
        "eTag": f'"{stored.md5}"',
        "size": stored.size,
        "mimetype": content.mime_type,
        "cacheControl": content.caching,
        "lastModified": now_as_json(),
        "contentLength": stored.size,
        "httpStatusCode": 200,
    }


def commit(
    storage: Storage,
    asker: Asker,
    write: Write,
    version: str,
    metadata: Mapping[str, Any],
    told: Projection = NOTHING,
) -> Row:
    """Make the row name ``version``, whose bytes are deleted when that is refused; the row's id, and what is ``told``.

    Whether the object may be there already is decided here, once and for all. Raises ObjectExists, PreconditionFailed,
    or RelatedMissing when the bucket is gone.
    """
    try:
        return _commit(storage, asker, write, version, metadata, told)
    except PorticoError as ex:
        # Unless it is unknown whether the row was committed: then it may name these bytes.
        if ex.code != "OUTCOME_UNKNOWN":
            discard(storage.backend, version)
        raise


def _commit(
    storage: Storage, asker: Asker, write: Write, version: str, metadata: Mapping[str, Any], told: Projection
) -> Row:
    parameters: list[RawValue] = [
        text(write.name.bucket),
        text(write.name.key),
        *owner_columns(write.owner),
        text(version),
        json_value(metadata),
        json_value(write.user_metadata),
    ]
    if write.etags is not None:
        parameters.append(json_value(write.etags or None))

    def events(results: list[list[Row]]) -> list[ObjectEvent]:
        return [ObjectEvent(write.event, *write.name, version, metadata) for _ in results[0]]

    try:
        rows = storage.change(asker, asker.service_context(), [(_commit_statement(write, told), parameters)], events)[0]
    except StatementError as ex:
        if ex.diagnosis.sqlstate == "23503":
            raise RelatedMissing from None
        raise translate(ex) from None
    if not rows:
        raise PreconditionFailed if write.etags is not None or write.must_be_new else ObjectExists
    storage.wake.set()
    return rows[0]


def _commit_statement(write: Write, told: Projection) -> Statement:
    if write.etags is not None:
        return commit_matching(told)
    return commit_any(told) if write.upsert else commit_new(told)


@dataclass(slots=True)
class _Limited:
    """A source that raises TooLarge when it gives more than ``limit`` bytes, whatever was declared."""

    source: ByteSource
    limit: int
    given: int = field(default=0)

    def read(self, size: int = -1, /) -> bytes:
        chunk = self.source.read(size)
        self.given += len(chunk)
        if self.given > self.limit:
            raise TooLarge
        return chunk
