"""Small blobs in memory: reading one again takes no access to the disk, and no request to a cloud."""

from __future__ import annotations

from app.bounded_cache import BoundedCache

LARGEST = 32 * 1024
"""The size of the largest blob that is small, in bytes."""

_UNIT = 1024


class SmallBlobs:
    """``limit``: how many bytes they may take together, about; 0 for none.

    The bytes under a key never change, and whoever asks has found the row that names them. So none must be dropped when
    an object is replaced or deleted.
    """

    def __init__(self, limit: int) -> None:
        self._kept: BoundedCache[bytes] = BoundedCache(limit // _UNIT, _UNIT)

    def find(self, key: str) -> bytes | None:
        """The bytes under the key, None if they are not here."""
        return self._kept.get(key)

    def keep(self, key: str, content: bytes) -> None:
        """Keep all the bytes under the key, if they are few."""
        if len(content) <= LARGEST:
            self._kept.put(key, content, len(content))
