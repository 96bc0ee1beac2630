"""Reads the parts of a form, multipart/form-data: RFC 7578.

Falcon's own parser requires a space after each colon, and refuses the Content-Transfer-Encoding of Apache's HttpClient.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from falcon.errors import DelimiterError

from app.storage.bytes.backend import ByteSource

if TYPE_CHECKING:
    from falcon.util.reader import BufferedReader
else:
    # This is the compiled version, if there is one.
    from falcon.util import BufferedReader

_LINE_END = b"\r\n"
_MAX_HEADER_BYTES = 8 * 1024
_LONGEST_BOUNDARY = 70
_LONGEST_PADDING = 100
_MOST_PARTS = 128
# A limit that no body reaches; the reader ends with the body.
_ENDLESS = 1 << 60
# The pattern reads each character once. Falcon and the standard library count all quotes before each semicolon, which
# takes quadratic time.
_PARAMETER = re.compile(r';\s*+([^\s=;]++)\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^;]*+))', re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')
_FOLD = re.compile(rb"\r\n[ \t]+")
# The transfer encodings that leave the bytes unchanged.
_TRANSFER_ENCODINGS = ("7bit", "8bit", "binary")
_OCTETS = "application/octet-stream"
# RFC 5987 section 3.2
_EXTENDED = re.compile(r"(utf-8|iso-8859-1)'[\w-]*'(.*)", re.ASCII | re.IGNORECASE)


class BrokenForm(ValueError):
    """The body is not a well-formed form."""


@dataclass(frozen=True, slots=True)
class FormPart:
    """A part. ``name`` and ``content_type`` are '' if the part has none. ``stream`` raises BrokenForm if the body ends
    within the part."""

    name: str
    filename: str | None
    content_type: str
    stream: ByteSource = field(repr=False)

    @property
    def is_file(self) -> bool:
        """Whether the part is a file and not a field. Supabase's storage also accepts bytes without a name as a
        file."""
        return self.filename is not None or self.content_type.partition(";")[0].strip().lower() == _OCTETS


def form_parts(body: ByteSource, content_type: str) -> Iterator[FormPart]:
    """The parts in their order. Unread bytes of a part are skipped. Raises BrokenForm."""
    boundary = _parameters(content_type).get("boundary", "").rstrip().encode("latin-1", "replace")
    if not 1 <= len(boundary) <= _LONGEST_BOUNDARY:
        raise BrokenForm("the boundary is missing or too long")
    reader = BufferedReader(body.read, _ENDLESS)
    delimiter = b"--" + boundary
    try:
        for _ in range(_MOST_PARTS + 1):
            reader.pipe_until(delimiter, consume_delimiter=True)
            # The first boundary may be at the start of the body; all others are at the start of a line.
            delimiter = _LINE_END + b"--" + boundary
            if reader.peek(2) == b"--":
                return
            if reader.read_until(_LINE_END, _LONGEST_PADDING, consume_delimiter=True).strip(b" \t"):
                raise BrokenForm("a boundary is followed by more than white space")
            yield _part(reader, delimiter)
    except DelimiterError:
        raise BrokenForm("the body ends too early, or headers are too long") from None
    raise BrokenForm("there are too many parts")


def _part(reader: BufferedReader, delimiter: bytes) -> FormPart:
    if reader.peek(2) == _LINE_END:
        reader.read_until(_LINE_END, 0, consume_delimiter=True)
        block = b""
    else:
        block = reader.read_until(_LINE_END * 2, _MAX_HEADER_BYTES, consume_delimiter=True)
    headers = dict(_headers(block))
    if headers.get("content-transfer-encoding", "binary").lower() not in _TRANSFER_ENCODINGS:
        raise BrokenForm("a part is encoded")
    parameters = _parameters(headers.get("content-disposition", ""))
    return FormPart(
        name=parameters.get("name", ""),
        filename=_filename(parameters),
        content_type=headers.get("content-type", ""),
        stream=_PartStream(reader, delimiter),
    )


def _headers(block: bytes) -> Iterator[tuple[str, str]]:
    for line in _FOLD.sub(b" ", block).split(_LINE_END):
        name, _, value = line.decode(errors="replace").partition(":")
        yield name.strip().lower(), value.strip()


def _parameters(header: str) -> dict[str, str]:
    """The parameters after the value of a header, by their names in lower case."""
    return {
        name.lower(): _ESCAPED.sub(r"\1", quoted) or plain.strip() for name, quoted, plain in _PARAMETER.findall(header)
    }


def _filename(parameters: Mapping[str, str]) -> str | None:
    extended = _EXTENDED.fullmatch(parameters.get("filename*", ""))
    return unquote(extended[2], extended[1], "replace") if extended else parameters.get("filename")


@dataclass(frozen=True, slots=True)
class _PartStream:
    reader: BufferedReader
    delimiter: bytes

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes; b"" at the end."""
        data: bytes = self.reader.read_until(self.delimiter, size)
        if not data and size and self.reader.peek(len(self.delimiter)) != self.delimiter:
            raise BrokenForm("the body ends within a part")
        return data
