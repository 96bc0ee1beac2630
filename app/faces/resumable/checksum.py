"""Upload-Checksum: bytes that do not match it are refused at their end, before they are part of the upload."""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass

from app.faces.resumable.errors import TusError, invalid_headers
from app.faces.shared.digests import Cyclic, Digest
from app.storage.bytes.backend import ByteSource, PassThrough

_ALGORITHMS: dict[str, Callable[[], Digest]] = {
    "md5": lambda: hashlib.md5(usedforsecurity=False),
    "sha1": lambda: hashlib.sha1(usedforsecurity=False),
    "sha256": hashlib.sha256,
    "crc32": lambda: Cyclic(zlib.crc32, 4),
}
ALGORITHMS = ",".join(_ALGORITHMS)


@dataclass(frozen=True, slots=True)
class _Checked(PassThrough):
    source: ByteSource
    computed: Digest
    expected: bytes

    def read(self, size: int = -1, /) -> bytes:
        chunk = self.source.read(size)
        self.computed.update(chunk)
        if not chunk and self.computed.digest() != self.expected:
            raise TusError(460, "Checksum Mismatch\n")
        return chunk


def checked(source: ByteSource, header: str | None, size: int | None) -> ByteSource:
    """A source of the same bytes that raises TusError at their end unless they match the header's value. Without a
    header there is no check. ``size`` is the number of bytes, if known.

    Raises TusError for an unsupported algorithm, and for a value that is not a checksum in base64.
    """
    if header is None:
        return source
    name, _, encoded = header.partition(" ")
    make = _ALGORITHMS.get(name)
    try:
        expected = b64decode(encoded.encode(), validate=True)
    except ValueError:
        make, expected = None, b""
    if make is None or not expected:
        raise invalid_headers("upload-checksum")
    found = _Checked(source, make(), expected)
    if size == 0:
        # An empty source is not read by others, so it is checked here.
        found.read(1)
    return found
