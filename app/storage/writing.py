"""Writes an object: check the permission, store the bytes under a new version, commit a row that names them.

A crash before the commit leaves the old object intact, and at worst bytes that no row names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from app.database import Row
from app.identity import SERVICE_ROLE
from app.storage.bucket_rules import PLACEHOLDER, check_mime_type, keeps_folder, size_limit
from app.storage.buckets import find_bucket
from app.storage.bytes.backend import ByteSource, PassThrough
from app.storage.bytes.blobs import blob_key, discard, new_version, store
from app.storage.committing import ExtraCalls, commit, commit_untried
from app.storage.errors import (
    AlreadyExists,
    NoSuchBucket,
    PreconditionFailed,
    RelatedMissing,
    StorageError,
    TooLarge,
)
from app.storage.names import check_key
from app.storage.permission_trial import PermittedWrite, Write, check_write
from app.storage.records import Bucket, NewBytes
from app.storage.request_context import RequestContext
from app.storage.row_decoding import known
from app.storage.storage import Storage
from app.storage.upkeep.events import UploadedObject
from app.times import now_as_json

# The maximum size of an object whose bytes are stored before its permission is checked.
_SMALL = 1024 * 1024


class Content(NamedTuple):
    """The content of an object to store. ``size`` is the number of bytes in ``stream``; None if it is not known yet.

    ``declared`` is the length that policies see before the bytes are read. ``more_metadata`` adds members to the
    object's metadata; ``learned`` returns members that are known only after the bytes are read. ``user_metadata`` is
    None when the request has none.
    """

    stream: ByteSource
    size: int | None
    declared: int | None
    mime_type: str
    caching: str
    more_metadata: Mapping[str, str]
    user_metadata: Mapping[str, Any] | None
    learned: Callable[[], Mapping[str, Any]] = dict
    tags: Mapping[str, str] | None = None

    @property
    def described(self) -> dict[str, Any]:
        """The part of the object's metadata that comes from the client."""
        return {"mimetype": self.mime_type, "cacheControl": self.caching, **self.more_metadata}


class Written(NamedTuple):
    """An object that was stored. ``entity_tag`` includes its quotes. ``version_id``: that of a bucket with versions."""

    id: str
    entity_tag: str
    version_id: str | None


def put(
    storage: Storage, request: RequestContext, write: Write, content: Content, extra: ExtraCalls | None = None
) -> Written:
    """Store an object with the caller's rights. Raises why it is refused, possibly while reading bytes.

    ``extra`` are statements for the transaction of the commit.
    """
    expected = expected_metadata(content.declared, content.described)
    if extra is None and _is_committed_untried(storage, request, write, content.size):
        return _store_untried(storage, request, write, content, expected)
    allowed = permitted(storage, request, write, expected, content.size)
    largest = size_limit(allowed.permission.bucket, write.name.key, storage.settings.upload_size_limit)
    new = _write_bytes(storage, write, content, largest)
    return _written(commit(storage, request, write, allowed, new, extra=extra), new)


def _is_committed_untried(storage: Storage, request: RequestContext, write: Write, size: int | None) -> bool:
    """Whether to commit first, and to check the permission only if that fails. A refusal then wastes only a few stored
    bytes, which no plugin's check has seen."""
    is_small = size is not None and size <= min(_SMALL, storage.settings.upload_size_limit)
    is_ordinary = not (storage.checks or write.replacing_event or write.name.key.endswith(PLACEHOLDER))
    return write.etags is None and is_small and is_ordinary and request.role == SERVICE_ROLE


def _store_untried(
    storage: Storage, request: RequestContext, write: Write, content: Content, expected: Mapping[str, Any]
) -> Written:
    """Store an object in one round trip if it is certainly allowed; otherwise check the permission."""
    check_key(write.name.key, any_script=storage.any_script)
    new = _write_bytes(storage, write, content, storage.settings.upload_size_limit)
    row = commit_untried(storage, request, write, new)
    if row is None:
        with discarded_on_failure(storage, new.version):
            allowed = permitted(storage, request, write, expected, content.size)
        row = commit(storage, request, write, allowed, new)
    return _written(row, new)


def _written(row: Row, new: NewBytes) -> Written:
    return Written(known(row[0]).decode(), new.metadata["eTag"], version_id(row, new))


def version_id(row: Row, new: NewBytes) -> str | None:
    """The id of the version that a commit has written; None in a bucket that keeps no versions. ``row`` as returned by
    ``commit``."""
    return new.version if len(row) > 2 and row[2] == b"t" else None


def permitted(
    storage: Storage, request: RequestContext, write: Write, expected: Mapping[str, Any], size: int | None
) -> PermittedWrite:
    """The permission, after every check that does not need the bytes. Raises the error of the first failed check.

    ``expected`` is the known part of the object's metadata. Only callers who may write to the bucket learn its rules. A
    ``size`` of None is checked later, when it is known.
    """
    check_key(write.name.key, any_script=storage.any_script)
    mime_type = expected["mimetype"]
    try:
        allowed = check_write(storage, request, write, expected)
    except (RelatedMissing, AlreadyExists, PreconditionFailed):
        # The policies permit the write, so the caller may learn the bucket's rules.
        bucket = find_bucket(storage, request, write.name.bucket)
        if bucket is None:
            raise NoSuchBucket from None
        check_rules(storage, bucket, write.name.key, mime_type, size)
        raise
    check_rules(storage, allowed.permission.bucket, write.name.key, mime_type, size)
    return allowed


def check_rules(storage: Storage, bucket: Bucket, key: str, mime_type: str, size: int | None) -> None:
    """Raise TooLarge or InvalidMimeType unless the bucket allows such an object. ``size`` is None if unknown."""
    if size is not None and size > size_limit(bucket, key, storage.settings.upload_size_limit):
        raise TooLarge
    if not keeps_folder(key, size):
        check_mime_type(mime_type, bucket)


def _write_bytes(storage: Storage, write: Write, content: Content, largest: int) -> NewBytes:
    """Store the bytes, at most ``largest``, and run the checks."""
    version = new_version()
    with discarded_on_failure(storage, version):
        source = Limited(content.stream, largest)
        stored = store(storage.backend, version, source, size=content.size, content_type=content.mime_type)
        metadata = file_metadata(f'"{stored.md5}"', stored.size, {**content.described, **content.learned()})
        new = NewBytes(version, metadata)
        run_checks(storage, write, new)
    return new


@contextmanager
def discarded_on_failure(storage: Storage, version: str) -> Iterator[None]:
    """Delete the bytes of ``version`` if the block, which ends before the commit, raises anything."""
    try:
        yield
    except BaseException:
        # A check is a plugin's code and may raise anything.
        discard(storage.backend, version)
        raise


def run_checks(storage: Storage, write: Write, new: NewBytes) -> None:
    """Run the checks of plugins on bytes that are to be committed. Raises what a check raises."""
    for check in storage.checks:
        check(
            UploadedObject(
                *write.name,
                new.metadata,
                write.user_metadata or {},
                lambda: storage.backend.open_read(blob_key(new.version)),
            )
        )


def expected_metadata(size: int | None, described: Mapping[str, Any]) -> dict[str, Any]:
    """The part of ``file_metadata`` that is known before the bytes are read. ``size`` is None if unknown."""
    sizes = {} if size is None else {"size": size, "contentLength": size}
    return {**sizes, "httpStatusCode": 200, **described}


def file_metadata(entity_tag: str, size: int, described: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of the bytes in the object's row, with the member names of Supabase's storage.

    ``described`` comes from the client: ``mimetype``, ``cacheControl`` and more.
    """
    return {
        "eTag": entity_tag,
        "size": size,
        "lastModified": now_as_json(),
        "contentLength": size,
        "httpStatusCode": 200,
        **described,
    }


@dataclass(slots=True)
class Limited(PassThrough):
    """A source that raises ``exceeded`` after more than ``limit`` bytes, regardless of the declared length."""

    source: ByteSource
    limit: int
    exceeded: type[StorageError] = TooLarge
    given: int = field(default=0)

    def read(self, size: int = -1, /) -> bytes:
        chunk = self.source.read(size)
        self.given += len(chunk)
        if self.given > self.limit:
            raise self.exceeded
        return chunk
