"""Writing an object: permission, bytes under a fresh version, and the commit that makes the row name them.

The permission is for the object that was there, or for none. The commit finds the same or asks again, so what came in
between is judged as the caller too.

A crash before the commit leaves the old object whole and at worst bytes that no row names; there is no state between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.database import Row, StatementError
from app.errors import PorticoError
from app.storage.asker import Asker
from app.storage.bucket_rules import check_mime_type, size_limit
from app.storage.buckets import find_bucket
from app.storage.bytes.backend import ByteSource, Stored
from app.storage.bytes.blobs import blob_key, discard, new_version
from app.storage.errors import (
    AlreadyExists,
    NoSuchBucket,
    PreconditionFailed,
    RelatedMissing,
    RowLocked,
    TooLarge,
)
from app.storage.judging import Described, Judged, Write, judge
from app.storage.names import check_key
from app.storage.records import Bucket, Revision
from app.storage.rows import RawValue, json_value, known, owner_columns, text
from app.storage.sql import NOTHING, Projection, commit_new, commit_over
from app.storage.storage import Storage
from app.storage.times import now_as_json
from app.storage.translation import translate
from app.storage.upkeep.events import ObjectEvent, UploadedObject

# Each time somebody else was there first; and so it ends where a trigger lets nobody write the row.
_MOST_JUDGEMENTS = 100


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


def put(storage: Storage, asker: Asker, write: Write, content: Content) -> str:
    """Store an object as the caller; its id. Raises what forbids it, also while the bytes are read."""
    judged = _permitted(storage, asker, write, content)
    return _store(storage, asker, write, content, judged)


def _permitted(storage: Storage, asker: Asker, write: Write, content: Content) -> Judged:
    """The judgement, after all checks that need none of the bytes; the first that fails is told.

    What the bucket allows is told to those alone who may write there.
    """
    check_key(write.name.key, any_script=storage.limits.any_script)
    described = Described({"mimetype": content.mime_type, "contentLength": content.declared}, content.user_metadata)
    try:
        judged = judge(storage, asker, write, described)
    except (RelatedMissing, AlreadyExists, PreconditionFailed):
        # The policies permit it.
        bucket = find_bucket(storage, asker, write.name.bucket)
        if bucket is None:
            raise NoSuchBucket from None
        _check_content(storage, bucket, write.name.key, content)
        raise
    _check_content(storage, judged.permission.bucket, write.name.key, content)
    return judged


def _check_content(storage: Storage, bucket: Bucket, key: str, content: Content) -> None:
    """Size, as far as it is known, and type."""
    if content.size is not None and content.size > size_limit(bucket, key, storage.limits.upload):
        raise TooLarge
    check_mime_type(content.mime_type, bucket, key)


def _store(storage: Storage, asker: Asker, write: Write, content: Content, judged: Judged) -> str:
    """Write the bytes and commit the row; its id."""
    version = new_version()
    source = _Limited(content.stream, size_limit(judged.permission.bucket, write.name.key, storage.limits.upload))
    try:
        stored = storage.backend.put(blob_key(version), source, size=content.size, content_type=content.mime_type)
        metadata = {**_file_metadata(stored, content), **content.more_metadata}
        for check in storage.checks:
            check(_uploaded(storage, write, version, metadata))
    except BaseException:
        # Whatever it is: a check is somebody else's code.
        discard(storage.backend, version)
        raise
    return known(commit(storage, asker, write, judged, version, metadata)[0]).decode()


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
    judged: Judged,
    version: str,
    metadata: Mapping[str, Any],
    told: Projection = NOTHING,
) -> Row:
    """Make the row name ``version``, whose bytes are deleted when that is refused; the row's id, and what is ``told``.

    It does what was judged or nothing: where another object is there by now, or none, that is judged first. Raises what
    ``judge`` raises, and RelatedMissing when the bucket is gone.
    """
    try:
        row = _commit(storage, asker, write, judged, version, metadata, told)
    except PorticoError as ex:
        # Unless it is unknown whether the row was committed: then it may name these bytes.
        if ex.code != "OUTCOME_UNKNOWN":
            discard(storage.backend, version)
        raise
    storage.wake.set()
    return row


def _commit(
    storage: Storage,
    asker: Asker,
    write: Write,
    judged: Judged,
    version: str,
    metadata: Mapping[str, Any],
    told: Projection,
) -> Row:
    values = (
        text(write.name.bucket),
        text(write.name.key),
        *owner_columns(write.owner),
        text(version),
        json_value(metadata),
        json_value(write.user_metadata),
    )
    for _ in range(_MOST_JUDGEMENTS):
        rows = _commit_as_judged(storage, asker, write, judged.permission.replaces, values, (version, metadata), told)
        if rows:
            return rows[0]
        judged = judge(storage, asker, write, judged.described)
    raise RowLocked


def _commit_as_judged(
    storage: Storage,
    asker: Asker,
    write: Write,
    replaces: Revision | None,
    values: tuple[RawValue, ...],
    written: tuple[str, Mapping[str, Any]],
    told: Projection,
) -> list[Row]:
    """The row, none when the object to replace is not there as it was, or when there is one and there was none."""
    call = (
        (commit_new(told), values) if replaces is None else (commit_over(told), (*values, replaces.id, replaces.number))
    )

    def events(results: list[list[Row]]) -> list[ObjectEvent]:
        return [ObjectEvent(write.event, *write.name, *written) for _ in results[0]]

    try:
        return storage.change(asker, asker.service_context(), [call], events)[0]
    except StatementError as ex:
        if ex.diagnosis.sqlstate == "23503":
            raise RelatedMissing from None
        raise translate(ex) from None


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
