"""A cache of drawn images in the backend, beside the bytes that they were drawn from.

The upkeep deletes them together with those bytes. The cache has a size limit, beyond which the oldest are deleted.
"""

from __future__ import annotations

import logging
import threading
from io import BytesIO

from app.errors import PorticoError
from app.faces.images.jobs import Drawn
from app.storage.bytes.backend import Backend, BlobMissing
from app.storage.bytes.blobs import DERIVED, derived_key
from app.storage.reading import is_named
from app.storage.request_context import RequestContext
from app.storage.storage import Storage

log = logging.getLogger("portico.storage")

# Parts of the limit: how much one process writes before it checks the total size, and how much it leaves after
# trimming.
_UNSEEN, _LEFT = 1 / 16, 7 / 8


class Renditions:
    """The cache. ``limit``: its maximum size in bytes; 0 turns it off."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._unseen = limit
        self._trimming = threading.Lock()

    def find(self, storage: Storage, version: str, name: str) -> Drawn | None:
        """The image of this name that was drawn from a version's bytes; None if there is none."""
        if not self._limit:
            return None
        try:
            cached = _read(storage, derived_key(version, name))
        except BlobMissing:
            return None
        media_type, _, content = cached.partition(b"\n")
        return Drawn(media_type.decode(), content)

    def keep(self, storage: Storage, context: RequestContext, version: str, name: str, drawn: Drawn) -> None:
        """Store a drawn image, unless the version was deleted meanwhile. A failure is only logged."""
        if not self._limit:
            return
        key = derived_key(version, name)
        content = drawn.media_type.encode() + b"\n" + drawn.content
        try:
            storage.backend.put(key, BytesIO(content), size=len(content))
            if not is_named(storage, context, version):
                # The deletion of the version may have listed its derived blobs before this one was stored.
                storage.backend.delete_many([key])
        except (PorticoError, OSError) as ex:
            log.warning("a drawn image cannot be cached: %s", ex)
            return
        self._count(storage.backend, len(content))

    def _count(self, backend: Backend, size: int) -> None:
        self._unseen += size
        if self._unseen > self._limit * _UNSEEN and self._trimming.acquire(blocking=False):
            self._unseen = 0
            threading.Thread(target=self._trim, args=(backend,), name="renditions", daemon=True).start()

    def _trim(self, backend: Backend) -> None:
        try:
            trim(backend, self._limit)
        except (PorticoError, OSError) as ex:
            log.warning("the cache of images cannot be trimmed now: %s", ex)
        finally:
            self._trimming.release()


def trim(backend: Backend, limit: int) -> None:
    """If all drawn images have more than ``limit`` bytes, delete the oldest until an eighth of the limit is free."""
    blobs = list(backend.list(DERIVED))
    total = sum(blob.size for blob in blobs)
    if total <= limit:
        return
    gone = []
    for blob in sorted(blobs, key=lambda each: each.modified):
        if total <= limit * _LEFT:
            break
        total -= blob.size
        gone.append(blob.key)
    backend.delete_many(gone)


def _read(storage: Storage, key: str) -> bytes:
    cached = storage.small_blobs.find(key)
    if cached is None:
        cached = storage.backend.open_read(key).read()
        storage.small_blobs.keep(key, cached)
    return cached
