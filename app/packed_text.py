"""A long text that is kept compressed, because it is much smaller then, and is never in memory as a whole."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LEAST = 64 * 1024
"""Texts of fewer bytes are kept as they are."""

_LEVEL = 6
_RAW = -zlib.MAX_WBITS
"""The format without a header and a checksum, so that a text can become a part of a longer one."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedText:
    """``packed``: the pieces of a stream that ends at a byte, with no reference to what comes before, and without its
    last block: it can stand anywhere in the body of a gzip member (RFC 1952). ``length``: of the text, in bytes;
    ``size``: of the packed pieces."""

    packed: tuple[bytes, ...]
    length: int
    size: int

    def chunks(self) -> Iterator[bytes]:
        """The text, one part after the other."""
        unpacking = zlib.decompressobj(_RAW)
        yield from filter(None, map(unpacking.decompress, self.packed))

    def text(self) -> bytes:
        """The whole text."""
        return b"".join(self.chunks())


AnyText = bytes | PackedText


def packed_text(chunks: Iterable[bytes]) -> AnyText:
    """The text of these chunks, packed if it is long. Packing begins before the last chunk is made."""
    packing = zlib.compressobj(_LEVEL, wbits=_RAW)
    packed, length, short = [], 0, list[bytes]()
    for chunk in chunks:
        length += len(chunk)
        if length < LEAST:
            short.append(chunk)
        elif short:
            packed.append(packing.compress(b"".join((*short, chunk))))
            short = []
        else:
            packed.append(packing.compress(chunk))
    if length < LEAST:
        return b"".join(short)
    packed.append(packing.flush(zlib.Z_FULL_FLUSH))
    pieces = tuple(filter(None, packed))
    return PackedText(pieces, length, sum(map(len, pieces)))


def gzipped(parts: Iterable[AnyText]) -> Sequence[bytes]:
    """The pieces of a gzip file that holds the parts, one after the other. The pieces of packed parts are not copied,
    so they take no further memory; they are unpacked once, for the checksum."""
    # No name and no time stamp, so that equal texts are equal when compressed.
    made, checksum, length = [b"\x1f\x8b\x08\0\0\0\0\0\0\xff"], 0, 0
    for part in parts:
        if isinstance(part, bytes):
            packing = zlib.compressobj(_LEVEL, wbits=_RAW)
            made += packing.compress(part), packing.flush(zlib.Z_FULL_FLUSH)
        else:
            made += part.packed
        for chunk in (part,) if isinstance(part, bytes) else part.chunks():
            checksum, length = zlib.crc32(chunk, checksum), length + len(chunk)
    last = zlib.compressobj(wbits=_RAW).flush()
    return (*made, last, checksum.to_bytes(4, "little"), (length & 0xFFFFFFFF).to_bytes(4, "little"))


def length_of(text: AnyText) -> int:
    """The length of the text, in bytes."""
    return len(text) if isinstance(text, bytes) else text.length


def size_of(text: AnyText) -> int:
    """How many bytes of memory the text takes."""
    return len(text) if isinstance(text, bytes) else text.size


def whole(text: AnyText) -> bytes:
    """The text, unpacked."""
    return text if isinstance(text, bytes) else text.text()
