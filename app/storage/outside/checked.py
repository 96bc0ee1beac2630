"""Checks the bytes of a transfer against their known size and MD5, before they are visible at the destination."""

from __future__ import annotations

import hashlib
import threading

from app.errors import PorticoError
from app.storage.bytes.backend import ByteSource
from app.storage.bytes.transfer import CHUNK


class ChecksumMismatch(PorticoError):
    """The bytes that arrived do not have the expected size or MD5; nothing was stored."""

    code = "CHECKSUM_MISMATCH"


class Stopped(PorticoError):
    """The transfer was stopped."""

    code = "STOPPED"


class Checked:
    """A source that raises ChecksumMismatch at its end, unless its bytes have this size and, if known, this MD5.

    It raises Stopped once ``stop`` is set.
    """

    def __init__(self, source: ByteSource, size: int, md5: str, stop: threading.Event) -> None:
        self._source = source
        self._left = size
        self._wanted = md5
        self._stop = stop
        self._md5 = hashlib.md5(usedforsecurity=False)

    def read(self, size: int = -1, /) -> bytes:
        """As ``ByteSource``; without a size, a chunk."""
        if self._stop.is_set():
            raise Stopped("The transfer was stopped")
        chunk = self._source.read(CHUNK if size < 0 else size)
        self._left -= len(chunk)
        self._md5.update(chunk)
        if self._left < 0 or (not chunk and self._left and size):
            raise ChecksumMismatch("The number of bytes that arrived differs from the object's size")
        if not self._left and self._wanted and self._md5.hexdigest() != self._wanted:
            raise ChecksumMismatch("The MD5 of the bytes that arrived differs from the object's MD5")
        return chunk


def is_md5(tag: str) -> bool:
    """Whether a tag has the form of an MD5."""
    return len(tag) == 32
