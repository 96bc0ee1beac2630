"""Finds the objects that are visible to the caller, and reads their bytes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import IO, TypeVar

from app.database import Row
from app.identity import SERVICE_ROLE
from app.storage.bytes.backend import Chunks, Labels, Linking
from app.storage.bytes.blobs import blob_key
from app.storage.bytes.small_blobs import MAX_SMALL_BLOB_BYTES
from app.storage.errors import BytesMissing, NoSuchBucket, NoSuchObject, TooManyDownloads
from app.storage.names import check_key
from app.storage.records import ObjectName, StoredObject
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, json_value, known, read_object, text
from app.storage.sql import (
    BUCKET_THEN_ROLE,
    NOTHING,
    OBJECT_EXISTS,
    VERSION_NAMED,
    VISIBLE_KEYS,
    Projection,
    find_object,
    find_with_bucket,
)
from app.storage.storage import Storage
from app.times import read_http_date

log = logging.getLogger("portico.storage")

LINK_S = 60
"""Seconds for which a link to a remote backend is valid: long enough to follow it, short enough for a secret."""

_MODIFIED_IN_METADATA = "lastModified"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reading:
    """``as_service``: policies do not apply (public and signed URLs). ``public_only``: the bucket must be public."""

    as_service: bool = False
    public_only: bool = False


def find(
    storage: Storage, request: RequestContext, name: ObjectName, reading: Reading, projection: Projection = NOTHING
) -> tuple[StoredObject, RawValue]:
    """The object and its ``projection``, in one round trip. If the bucket is public, it is read as service_role.

    Raises NoSuchBucket or NoSuchObject. Only service_role learns which buckets exist: to others, a missing bucket and a
    bucket whose objects they may not see look the same.
    """
    check_key(name.key, any_script=storage.any_script)
    if reading.as_service or request.role == SERVICE_ROLE:
        public, row = _find_as_service(storage, request, name, projection)
    else:
        public, row = _find_as_caller(storage, request, name, projection)
    if public is None and not reading.public_only and request.role != SERVICE_ROLE:
        raise NoSuchObject
    if public is None or (reading.public_only and public != b"t"):
        raise NoSuchBucket
    if row is None:
        raise NoSuchObject
    return read_object(row), row[4]


def _find_as_service(
    storage: Storage, request: RequestContext, name: ObjectName, projection: Projection
) -> tuple[RawValue, Row | None]:
    """Whether the bucket is public (None without a bucket), and the object's row (None without an object)."""
    wanted = (text(name.bucket), text(name.key))
    [[row]] = storage.database.run(request.service_context(), [(find_with_bucket(projection), wanted)], read_only=True)
    return row[0], row[1:] if row[1] is not None else None


def _find_as_caller(
    storage: Storage, request: RequestContext, name: ObjectName, projection: Projection
) -> tuple[RawValue, Row | None]:
    """The same with the caller's rights, unless the bucket is public."""
    if storage.database.separates_service:
        public, row = _find_as_service(storage, request, name, projection)
        if public == b"f":
            own = (find_object(projection), (text(name.bucket), text(name.key)))
            row = next(iter(storage.database.run(request.own_context(), [own], read_only=True)[0]), None)
        return public, row
    bucket_rows, rows = storage.database.run(
        request.service_context(),
        [
            (BUCKET_THEN_ROLE, (text(name.bucket), request.role.encode())),
            (find_object(projection), (text(name.bucket), text(name.key))),
        ],
        read_only=True,
    )
    return bucket_rows[0][1], rows[0] if rows else None


def find_with_bytes(
    storage: Storage,
    request: RequestContext,
    name: ObjectName,
    reading: Reading,
    use: Callable[[StoredObject, RawValue], T | None],
    projection: Projection = NOTHING,
) -> T:
    """The result of ``use``, which takes the object and its ``projection`` and returns None if its bytes are missing.

    If they are missing, the object may have been replaced since its row was read, so it is looked up again. Raises what
    ``find`` raises, and BytesMissing when the row still names the missing bytes.
    """
    missing = None
    while True:
        found, projected = find(storage, request, name, reading, projection)
        if found.version == missing:
            log.error("the bytes of object %s, version %s, are missing", found.id, found.version)
            raise BytesMissing
        used = use(found, projected)
        if used is not None:
            return used
        missing = found.version


def size_of(storage: Storage, found: StoredObject) -> int:
    """The number of bytes, from the row, or from the backend if the row does not have it."""
    return found.size if found.size is not None else storage.backend.stat(blob_key(found.version)) or 0


def open_bytes(
    storage: Storage, found: StoredObject, start: int = 0, end: int | None = None
) -> tuple[bytes | IO[bytes] | RemoteStream, int]:
    """The bytes from ``start`` up to, not including, ``end``, and their number. Records that the object was read.

    The result is bytes if they are few: the server sends them in one piece with the header. Otherwise it is a file,
    which the server sends without a thread, or a stream from a remote backend, which occupies a thread until the client
    has read it. Raises BlobMissing, BackendUnavailable or TooManyDownloads.
    """
    storage.note_access(found.id)
    key = blob_key(found.version)
    cached = storage.small_blobs.find(key)
    if cached is not None and (end is None or end <= len(cached)):
        part = cached[start:end]
        return part, len(part)
    readable = storage.backend.open_read(key, start, end)
    if readable.length <= MAX_SMALL_BLOB_BYTES:
        content = readable.read()
        # A truncated blob is not cached: it may be restored from a backup.
        if not start and end is None and len(content) == found.size:
            storage.small_blobs.keep(key, content)
        return content, len(content)
    if readable.file is not None:
        return readable.file, readable.length
    if not storage.streams.acquire(blocking=False):
        readable.close()
        raise TooManyDownloads
    return RemoteStream(readable.stream, storage), readable.length


def link_to(storage: Storage, found: StoredObject, labels: Labels) -> str | None:
    """A URL of the backend with which anyone can read the bytes for a minute; None if the backend has no such URLs.

    Records that the object was read. Raises BlobMissing for a row that another program wrote.
    """
    if not isinstance(storage.backend, Linking):
        return None
    storage.note_access(found.id)
    return storage.backend.link(blob_key(found.version), labels, LINK_S)


def modified(found: StoredObject) -> int:
    """When the bytes were written, in seconds since 1970. (``updated_at`` also changes when the object is moved.)"""
    value = found.metadata.get(_MODIFIED_IN_METADATA)
    if isinstance(value, str):
        seconds = _read_time(value)
        if seconds is not None:
            return seconds
    return int(found.updated_at)


def _read_time(value: str) -> int | None:
    try:
        return int(datetime.fromisoformat(value).timestamp())
    except ValueError:
        return read_http_date(value)


def is_visible(storage: Storage, request: RequestContext, name: ObjectName) -> bool:
    """Whether the object is visible to the caller."""
    parameters = (text(name.bucket), text(name.key))
    return bool(storage.database.run(request.own_context(), [(OBJECT_EXISTS, parameters)], read_only=True)[0])


def is_named(storage: Storage, request: RequestContext, version: str) -> bool:
    """Whether a row names this version, regardless of the caller's rights. If one does, its bytes are still needed."""
    return bool(storage.database.run(request.service_context(), [(VERSION_NAMED, (text(version),))], read_only=True)[0])


def visible_keys(storage: Storage, request: RequestContext, bucket: str, keys: Sequence[str]) -> dict[str, Row]:
    """The keys of objects that are visible to the caller, each with a row that differs after a write or a move."""
    wanted = [key for key in dict.fromkeys(keys) if "\0" not in key]
    if not wanted:
        return {}
    parameters = (text(bucket), json_value(wanted))
    rows = storage.database.run(request.own_context(), [(VISIBLE_KEYS, parameters)], read_only=True)[0]
    return {known(row[0]).decode(): row for row in rows}


class RemoteStream:
    """Chunks from a remote backend. Closing them releases their place in ``Storage.streams``.

    The first chunk is fetched at once: backends open lazily, and a failure can still become an error response. Raises
    BlobMissing or BackendUnavailable.
    """

    def __init__(self, chunks: Chunks | IO[bytes], storage: Storage) -> None:
        self._chunks = chunks
        self._storage = storage
        self._open = True
        try:
            self._first = next(chunks, b"")
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[bytes]:
        return chain((self._first,), self._chunks)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._storage.streams.release()
            self._chunks.close()
