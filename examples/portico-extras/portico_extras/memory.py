"""Storage in memory, at ``mem://``: for tests, and for a single worker whose data may be lost."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from portico import Blob, BlobMissing, Readable, Stored, StreamCutShort, checked_key, hookimpl

_CHUNK = 64 * 1024


@hookimpl
def storage_backend(url):
    return Memory() if url.startswith("mem://") else None


@dataclass(frozen=True)
class _MemoryBlob:
    data: bytes
    written: datetime


class Memory:
    """Implements portico.Backend. It needs no lock: single operations of a dictionary are thread-safe."""

    def __init__(self):
        self._blobs = {}

    def put(self, key, stream, *, size=None, content_type=None):
        checked_key(key)
        data = b"".join(iter(lambda: stream.read(_CHUNK), b""))
        if size is not None and size != len(data):
            raise StreamCutShort
        self._blobs[key] = _MemoryBlob(data, datetime.now(UTC))
        return Stored(len(data), hashlib.md5(data, usedforsecurity=False).hexdigest())

    def open_read(self, key, start=0, end=None):
        data = self._blob(key).data
        if end is not None and end > len(data):
            raise BlobMissing
        wanted = data[start:end]
        chunks = (wanted[place : place + _CHUNK] for place in range(0, len(wanted), _CHUNK))
        return Readable(len(wanted), chunks=chunks)

    def stat(self, key):
        blob = self._blobs.get(checked_key(key))
        return None if blob is None else len(blob.data)

    def copy(self, source, target):
        self._blobs[checked_key(target)] = self._blob(source)

    def join(self, pieces, target):
        data = b"".join(self._blob(piece.key).data for piece in pieces)
        self._blobs[checked_key(target)] = _MemoryBlob(data, datetime.now(UTC))

    def delete_many(self, keys):
        for key in keys:
            self._blobs.pop(checked_key(key), None)

    def list(self, prefix=""):
        for key, blob in list(self._blobs.items()):
            if key.startswith(prefix):
                yield Blob(key, len(blob.data), blob.written)

    def discard_unfinished(self, before, *, dry_run=False):
        return 0

    def close(self):
        self._blobs.clear()

    def _blob(self, key):
        blob = self._blobs.get(checked_key(key))
        if blob is None:
            raise BlobMissing
        return blob
