"""Moving bytes: a source that counts and hashes, chunks from a remote backend, and translated errors."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from types import TracebackType
from typing import IO

from app.errors import PorticoError
from app.storage.bytes.backend import BlobMissing, ByteSource, PassThrough, Piece, Stored, StreamCutShort

# Sizes from 64 KiB to 1 MiB were equally fast: MD5 (730 MiB/s) is the bottleneck.
CHUNK = 256 * 1024
# The server holds a body of this size in memory; one call that reads all of it makes no copy.
_READ_AT_ONCE = 2 * 1024 * 1024


class Metered(PassThrough):
    """A source that counts and hashes the bytes read from it, and refuses any size but the declared one."""

    def __init__(self, source: ByteSource, size: int | None) -> None:
        self.source = source
        self._declared = size
        self._read = 0
        self._md5 = hashlib.md5(usedforsecurity=False)

    def read(self, size: int = CHUNK) -> bytes:
        """Return at most ``size`` bytes; b"" at the end. Raises StreamCutShort if the source is longer or shorter."""
        chunk = self.source.read(size)
        self._read += len(chunk)
        self._md5.update(chunk)
        if self._declared is not None and (self._read > self._declared or (not chunk and self._read < self._declared)):
            raise StreamCutShort
        return chunk

    def read_part(self, size: int) -> bytes:
        """``size`` bytes; fewer only when the source is at its end."""
        part = BytesIO()
        while (left := size - part.tell()) and (chunk := self.read(min(CHUNK, left))):
            part.write(chunk)
        return part.getvalue()

    @property
    def at_once(self) -> int:
        """The number of bytes to read at a time."""
        if self._declared is not None and self._declared <= _READ_AT_ONCE:
            return max(CHUNK, self._declared)
        return CHUNK

    def stored(self) -> Stored:
        """The size and MD5 of the bytes read so far."""
        return Stored(self._read, self._md5.hexdigest())


def write_all(descriptor: int, chunk: bytes) -> None:
    """Write all of ``chunk`` to an open file. One call to the system may write only a part, as on a nearly full
    disk."""
    left = memoryview(chunk)
    while left:
        left = left[os.write(descriptor, left) :]


class Translated(AbstractContextManager[None]):
    """A reusable context that translates a library's errors; ``translate`` returns None for those that it leaves."""

    def __init__(self, translate: Callable[[BaseException], PorticoError | None]) -> None:
        self._translate = translate

    def __exit__(
        self, kind: type[BaseException] | None, ex: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if ex is not None and (translated := self._translate(ex)):
            raise translated from ex


class TranslatedReader:
    """A library's reader as a closable source, with its errors translated. ``read`` gets -1 for all remaining bytes."""

    def __init__(self, read: Callable[[int], bytes], close: Callable[[], object], translated: Translated) -> None:
        self._read = read
        self._close = close
        self._translated = translated

    def read(self, size: int = -1, /) -> bytes:
        with self._translated:
            return self._read(size)

    def close(self) -> None:
        self._close()


class FetchedChunks:
    """The next ``length`` bytes of a reader over the network, as ``Chunks``. Raises BlobMissing if there are fewer."""

    def __init__(self, reader: IO[bytes], length: int, translated: Translated) -> None:
        self._reader = reader
        self._left = length
        self._translated = translated

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if not self._left:
            self.close()
            raise StopIteration
        with self._translated:
            chunk = self._reader.read(min(CHUNK, self._left))
        if not chunk:
            raise BlobMissing
        self._left -= len(chunk)
        return chunk

    def close(self) -> None:
        self._reader.close()


def in_batches(keys: Iterable[str], size: int) -> Iterator[list[str]]:
    """The keys in lists of at most ``size``."""
    each = iter(keys)
    while batch := list(islice(each, size)):
        yield batch


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes of a blob from ``start`` up to, not including, ``end``."""

    key: str
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


def in_parts(pieces: Sequence[Piece], least: int, most: int) -> Iterator[list[Span]]:
    """The bytes of ``pieces`` divided into parts of ``least`` to ``most`` bytes; only the last one may be smaller.

    As many parts as possible are a single span, which the backend can copy on its own.
    """
    gathered: list[Span] = []
    missing = 0
    for piece in pieces:
        at = 0
        if gathered:
            at = min(missing, piece.size)
            gathered.append(Span(piece.key, 0, at))
            missing -= at
            if missing:
                continue
            yield gathered
            gathered = []
        while piece.size - at >= least:
            end = piece.size if piece.size - at <= most else at + most - least
            yield [Span(piece.key, at, end)]
            at = end
        if at < piece.size:
            gathered = [Span(piece.key, at, piece.size)]
            missing = least - gathered[0].size
    if gathered:
        yield gathered
