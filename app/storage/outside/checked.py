"""Bytes on their way: checked against what is known of them, before anybody sees them at their destination."""

from __future__ import annotations

import hashlib
import threading

from app.errors import PorticoError
from app.storage.bytes.backend import ByteSource
from app.storage.bytes.transfer import CHUNK


class ChecksumMismatch(PorticoError):
    """The bytes that arrived are not those that were promised; nothing was stored."""

    code = "CHECKSUM_MISMATCH"


class Stopped(PorticoError):
    """The transfer was given up."""

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
            raise Stopped("The transfer was given up")
        chunk = self._source.read(CHUNK if size < 0 else size)
        self._left -= len(chunk)
        self._md5.update(chunk)
        if self._left < 0 or (not chunk and self._left and size):
            raise ChecksumMismatch("The bytes that arrived are more or fewer than the object has")
        if not self._left and self._wanted and self._md5.hexdigest() != self._wanted:
            raise ChecksumMismatch("The bytes that arrived have another MD5 than the object")
        return chunk


def is_md5(tag: str) -> bool:
    """Whether a tag is the MD5 of the bytes."""
    return len(tag) == 32
