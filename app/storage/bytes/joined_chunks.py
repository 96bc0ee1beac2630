"""An adapter that makes a readable blob, which may be chunks of any size, a source with ``read``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.storage.bytes.backend import ByteSource, Readable


def as_source(readable: Readable) -> ByteSource:
    """A source of the bytes of an open blob. A file may have further ones."""
    return readable.file if readable.file is not None else JoinedChunks(readable.stream)


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
