"""Writing an object: permission, then the bytes under a new version, then a commit that makes the row name them.

A permission covers the revision that was there, or a new object. If the commit finds something else, permission is
asked for again, so a concurrent change is never overwritten without the caller's own rights.

A crash before the commit leaves the old object intact, and at worst bytes that no row names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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

# Each further attempt means that another writer was faster. The limit ends the loop if a trigger skips every write.
_MOST_JUDGEMENTS = 100


@dataclass(frozen=True, slots=True)
class Content:
    """What to store. ``size`` is the number of bytes in ``stream``, None if that is not known before they are read.

    ``declared`` is the length that policies see before the bytes are read. ``more_metadata`` adds members to the
    object's metadata. ``user_metadata`` is None when the request has none.
    """

    stream: ByteSource = field(repr=False)
    size: int | None
    declared: int | None
    mime_type: str
    caching: str
    more_metadata: Mapping[str, str]
    user_metadata: Mapping[str, Any] | None


def put(storage: Storage, asker: Asker, write: Write, content: Content) -> str:
    """Store an object with the caller's rights; gives its id. Raises what forbids it, possibly while reading bytes."""
    judged = _permitted(storage, asker, write, content)
    return _store(storage, asker, write, content, judged)


def _permitted(storage: Storage, asker: Asker, write: Write, content: Content) -> Judged:
    """The permission, after every check that does not need the bytes. Raises the error of the first that fails.

    Only callers who may write to the bucket learn what it allows.
    """
    check_key(write.name.key, any_script=storage.limits.any_script)
    described = Described({"mimetype": content.mime_type, "contentLength": content.declared}, content.user_metadata)
    try:
        judged = judge(storage, asker, write, described)
    except (RelatedMissing, AlreadyExists, PreconditionFailed):
        # The policies permit the write, so the caller may learn what the bucket allows.
        bucket = find_bucket(storage, asker, write.name.bucket)
        if bucket is None:
            raise NoSuchBucket from None
        _check_content(storage, bucket, write.name.key, content)
        raise
    _check_content(storage, judged.permission.bucket, write.name.key, content)
    return judged


def _check_content(storage: Storage, bucket: Bucket, key: str, content: Content) -> None:
    """Raise TooLarge or InvalidMimeType; an unknown size is checked while the bytes are read."""
    if content.size is not None and content.size > size_limit(bucket, key, storage.limits.upload):
        raise TooLarge
    check_mime_type(content.mime_type, bucket, key)


def _store(storage: Storage, asker: Asker, write: Write, content: Content, judged: Judged) -> str:
    """Write the bytes and commit the row; gives the object's id."""
    version = new_version()
    source = _Limited(content.stream, size_limit(judged.permission.bucket, write.name.key, storage.limits.upload))
    with discarded_on_failure(storage, version):
        stored = storage.backend.put(blob_key(version), source, size=content.size, content_type=content.mime_type)
        metadata = {**_file_metadata(stored, content), **content.more_metadata}
        run_checks(storage, write, version, metadata)
    return known(commit(storage, asker, write, judged, version, metadata)[0]).decode()


@contextmanager
def discarded_on_failure(storage: Storage, version: str) -> Iterator[None]:
    """Delete the bytes of ``version`` if the block, which ends before the commit, raises anything."""
    try:
        yield
    except BaseException:
        # A check is a plugin's code and may raise anything.
        discard(storage.backend, version)
        raise


def run_checks(storage: Storage, write: Write, version: str, metadata: Mapping[str, Any]) -> None:
    """Run the checks of plugins on bytes that are to be committed. Raises what a check raises."""
    for check in storage.checks:
        check(
            UploadedObject(
                *write.name, metadata, write.user_metadata, lambda: storage.backend.open_read(blob_key(version))
            )
        )


def _file_metadata(stored: Stored, content: Content) -> dict[str, Any]:
    """What the row says about the bytes, with the member names that Supabase's storage writes."""
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
    projection: Projection = NOTHING,
) -> Row:
    """Make the row name ``version``; gives the row's id and its ``projection``. If that fails, the bytes are deleted.

    Only the judged write is done: if the object was replaced or deleted meanwhile, the write is judged again. Raises
    what ``judge`` raises, RelatedMissing when the bucket is gone, and RowLocked when other writers keep winning.
    """
    try:
        row = _commit(storage, asker, write, judged, version, metadata, projection)
    except PorticoError as ex:
        # When the outcome of the commit is unknown, the row may name these bytes.
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
    projection: Projection,
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
        rows = _commit_as_judged(
            storage, asker, write, judged.permission.replaces, values, (version, metadata), projection
        )
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
    projection: Projection,
) -> list[Row]:
    """The row, or none if the object is no longer the one to replace, or exists now and did not before."""
    call = (
        (commit_new(projection), values)
        if replaces is None
        else (commit_over(projection), (*values, replaces.id, replaces.number))
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
    """A source that raises TooLarge once it has given more than ``limit`` bytes, whatever length was declared."""

    source: ByteSource
    limit: int
    given: int = field(default=0)

    def read(self, size: int = -1, /) -> bytes:
        chunk = self.source.read(size)
        self.given += len(chunk)
        if self.given > self.limit:
            raise TooLarge
        return chunk
