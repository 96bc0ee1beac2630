"""Sources of bytes for puts, and a reader for the results."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from app.storage.bytes.backend import Backend, Readable

MIB = 1024 * 1024
GIB = 1024 * MIB
_BLOCK = bytes(range(256)) * 4096


class Generated:
    """``size`` bytes that are never all in memory; at the end ``at_end`` runs."""

    def __init__(self, size: int, at_end: Callable[[], None] = lambda: None) -> None:
        self._left = size
        self._at_end = at_end

    def read(self, size: int = -1, /) -> bytes:
        if not self._left:
            self._at_end()
            return b""
        # One byte less than a block, so that no part of the blob is like another.
        chunk = _BLOCK[1 : 1 + min(self._left, len(_BLOCK) - 1, size if size >= 0 else self._left)]
        self._left -= len(chunk)
        return chunk


def received(readable: Readable) -> bytes:
    """The bytes of ``readable``, which is closed."""
    try:
        if readable.file:
            return readable.file.read(readable.length)
        assert readable.chunks is not None
        return b"".join(readable.chunks)
    finally:
        readable.close()


def content(backend: Backend, key: str) -> bytes:
    return received(backend.open_read(key))


def md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()
