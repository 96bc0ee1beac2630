"""A cache of small blobs in memory: reading one again needs no disk access and no request to a cloud."""

from __future__ import annotations

from app.bounded_cache import BoundedCache

MAX_SMALL_BLOB_BYTES = 32 * 1024
"""The size of the largest blob that is cached, in bytes."""

_UNIT = 1024


class SmallBlobs:
    """The cache. ``limit`` is the approximate total size in bytes; 0 turns the cache off.

    Replacing or deleting an object needs no invalidation: the bytes under a key never change, and callers look up only
    keys that they found in a row.
    """

    def __init__(self, limit: int) -> None:
        self._kept: BoundedCache[bytes] = BoundedCache(limit // _UNIT, _UNIT)

    def find(self, key: str) -> bytes | None:
        """The bytes under the key; None if they are not cached."""
        return self._kept.get(key)

    def keep(self, key: str, content: bytes) -> None:
        """Cache ``content``, which must be the complete blob, if it is small."""
        if len(content) <= MAX_SMALL_BLOB_BYTES:
            self._kept.put(key, content, len(content))
