"""An adapter that makes a part of a longer source a source."""

from __future__ import annotations

from app.storage.bytes.backend import ByteSource


class Bounded:
    """A source of the next ``length`` bytes of a longer one."""

    def __init__(self, source: ByteSource, length: int) -> None:
        self._source = source
        self._left = length

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes; b"" at the end."""
        data = self._source.read(self._left if size < 0 else min(size, self._left)) if self._left else b""
        self._left -= len(data)
        return data
