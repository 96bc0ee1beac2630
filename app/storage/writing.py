"""Writing an object: permission, then the bytes under a new version, then a commit that makes the row name them.

A crash before the commit leaves the old object intact, and at worst bytes that no row names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from app.identity import SERVICE_ROLE
from app.storage.bucket_rules import PLACEHOLDER, check_mime_type, keeps_folder, size_limit
from app.storage.buckets import find_bucket
from app.storage.bytes.backend import ByteSource, PassingOn
from app.storage.bytes.blobs import blob_key, discard, new_version
from app.storage.committing import Along, commit, commit_untried
from app.storage.errors import (
    AlreadyExists,
    NoSuchBucket,
    PreconditionFailed,
    RelatedMissing,
    StorageError,
    TooLarge,
)
from app.storage.names import check_key
from app.storage.permission_trial import Judged, Write, judge
from app.storage.records import Bucket, NewBytes
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, known
from app.storage.storage import Storage
from app.storage.upkeep.events import UploadedObject
from app.times import now_as_json

# The most bytes that are written before it is known whether the object may be there.
_SMALL = 1024 * 1024


class Content(NamedTuple):
    """What to store. ``size`` is the number of bytes in ``stream``, None if that is not known before they are read.

    ``declared`` is the length that policies see before the bytes are read. ``more_metadata`` adds members to the
    object's metadata, and ``learned`` those that are known once the bytes were read. ``user_metadata`` is None when the
    request has none.
    """

    stream: ByteSource
    size: int | None
    declared: int | None
    mime_type: str
    caching: str
    more_metadata: Mapping[str, str]
    user_metadata: Mapping[str, Any] | None
    learned: Callable[[], Mapping[str, Any]] = dict

    @property
    def described(self) -> dict[str, Any]:
        """The part of the object's metadata that the client says."""
        return {"mimetype": self.mime_type, "cacheControl": self.caching, **self.more_metadata}


class Written(NamedTuple):
    """An object that was stored. ``entity_tag`` includes its quotes."""

    id: str
    entity_tag: str


def put(
    storage: Storage, request: RequestContext, write: Write, content: Content, along: Along | None = None
) -> Written:
    """Store an object with the caller's rights. Raises what forbids it, possibly while reading bytes.

    ``along`` is what the commit does besides.
    """
    expected = expected_metadata(content.declared, content.described)
    if along is None and _is_committed_untried(storage, request, write, content.size):
        return _store_untried(storage, request, write, content, expected)
    judged = permitted(storage, request, write, expected, content.size)
    largest = size_limit(judged.permission.bucket, write.name.key, storage.limits.upload)
    new = _write_bytes(storage, write, content, largest)
    return _written(commit(storage, request, write, judged, new, along=along)[0], new)


def _is_committed_untried(storage: Storage, request: RequestContext, write: Write, size: int | None) -> bool:
    """Whether the commit comes first and the permission only if that fails. Few bytes would be written in vain, and no
    check of a plugin would see them."""
    is_small = size is not None and size <= min(_SMALL, storage.limits.upload)
    is_like_others = not (storage.checks or write.replacing_event or write.name.key.endswith(PLACEHOLDER))
    return write.etags is None and is_small and is_like_others and request.role == SERVICE_ROLE


def _store_untried(
    storage: Storage, request: RequestContext, write: Write, content: Content, expected: Mapping[str, Any]
) -> Written:
    """Store an object in one round trip, where nothing stands in the way; with a permission otherwise."""
    check_key(write.name.key, any_script=storage.limits.any_script)
    new = _write_bytes(storage, write, content, storage.limits.upload)
    identifier = commit_untried(storage, request, write, new)
    if identifier is None:
        with discarded_on_failure(storage, new.version):
            judged = permitted(storage, request, write, expected, content.size)
        identifier = commit(storage, request, write, judged, new)[0]
    return _written(identifier, new)


def _written(identifier: RawValue, new: NewBytes) -> Written:
    return Written(known(identifier).decode(), new.metadata["eTag"])


def permitted(
    storage: Storage, request: RequestContext, write: Write, expected: Mapping[str, Any], size: int | None
) -> Judged:
    """The permission, after every check that does not need the bytes. Raises the error of the first that fails.

    ``expected`` is what is known of the object's metadata. Only callers who may write to the bucket learn what it
    allows. A ``size`` of None is checked when it is known.
    """
    check_key(write.name.key, any_script=storage.limits.any_script)
    mime_type = expected["mimetype"]
    try:
        judged = judge(storage, request, write, expected)
    except (RelatedMissing, AlreadyExists, PreconditionFailed):
        # The policies permit the write, so the caller may learn what the bucket allows.
        bucket = find_bucket(storage, request, write.name.bucket)
        if bucket is None:
            raise NoSuchBucket from None
        check_rules(storage, bucket, write.name.key, mime_type, size)
        raise
    check_rules(storage, judged.permission.bucket, write.name.key, mime_type, size)
    return judged


def check_rules(storage: Storage, bucket: Bucket, key: str, mime_type: str, size: int | None) -> None:
    """Raise TooLarge or InvalidMimeType unless the bucket takes such an object; None stands for an unknown size."""
    if size is not None and size > size_limit(bucket, key, storage.limits.upload):
        raise TooLarge
    if not keeps_folder(key, size):
        check_mime_type(mime_type, bucket)


def _write_bytes(storage: Storage, write: Write, content: Content, largest: int) -> NewBytes:
    """Write the bytes, at most ``largest``, and run the checks."""
    version = new_version()
    with discarded_on_failure(storage, version):
        source = Limited(content.stream, largest)
        stored = storage.backend.put(blob_key(version), source, size=content.size, content_type=content.mime_type)
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
    """What is known of ``file_metadata`` before the bytes are read; a ``size`` of None is not known."""
    sizes = {} if size is None else {"size": size, "contentLength": size}
    return {**sizes, "httpStatusCode": 200, **described}


def file_metadata(entity_tag: str, size: int, described: Mapping[str, Any]) -> dict[str, Any]:
    """What the row says about the bytes, with the member names that Supabase's storage writes.

    ``described`` is what the client said about them: ``mimetype``, ``cacheControl`` and more.
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
class Limited(PassingOn):
    """A source that raises ``exceeded`` once it has given more than ``limit`` bytes, whatever length was declared."""

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
