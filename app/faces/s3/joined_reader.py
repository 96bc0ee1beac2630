"""Bytes that are given otherwise than ``read`` asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.storage.bytes.backend import ByteSource


class JoinedChunks:
    """A source of chunks of whatever size."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks: Iterator[bytes] = iter(chunks)
        self._rest = b""

    def read(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes, b"" at the end."""
        if size < 0:
            data, self._rest = b"".join([self._rest, *self._chunks]), b""
            return data
        if not self._rest:
            self._rest = next(self._chunks, b"")
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


class Bounded:
    """The next ``length`` bytes of a source that may have more."""

    def __init__(self, source: ByteSource, length: int) -> None:
        self._source = source
        self._left = length

    def read(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes, b"" at the end."""
        data = self._source.read(self._left if size < 0 else min(size, self._left)) if self._left else b""
        self._left -= len(data)
        return data
