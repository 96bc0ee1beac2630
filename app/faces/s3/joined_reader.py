"""Adapters that make chunks, or a part of a longer source, a source with ``read``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.storage.bytes.backend import ByteSource


class JoinedChunks:
    """A source that reads chunks of any size."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks: Iterator[bytes] = iter(chunks)
        self._rest = b""

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes; b"" at the end."""
        if size < 0:
            data, self._rest = b"".join([self._rest, *self._chunks]), b""
            return data
        if not self._rest:
            self._rest = next(self._chunks, b"")
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


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
