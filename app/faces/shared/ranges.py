"""A single byte range: RFC 9110 section 14. A request for several ranges is refused, as clients of this API expect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from app.http.preconditions import range_applies
from app.http.response import Headers
from app.storage.errors import RangeNotSatisfiable

_UNIT = re.compile(r"bytes=", re.ASCII | re.IGNORECASE)
_RANGE = re.compile(r"bytes=\s*(\d*)-(\d*)", re.ASCII | re.IGNORECASE)
_DIGITS = 18
_BEYOND = 10**_DIGITS


class ResponsePart(NamedTuple):
    """The bytes in a response: from ``start`` up to, not including, ``end``; to the last byte if ``end`` is None."""

    status: int
    start: int
    end: int | None
    headers: Headers


WHOLE = ResponsePart(200, 0, None, ())


def applicable_range(headers: Mapping[str, str], *, etag: str, modified: int) -> str | None:
    """The value of the Range header; None without one, or if it must be ignored. For ``etag`` and ``modified`` see
    ``evaluate``."""
    value = headers.get("range")
    if value is None or is_of_other_unit(value):
        return None
    return value if range_applies(headers, etag=etag, modified=modified) else None


def part_of(value: str, size: int) -> ResponsePart:
    """The part of ``size`` bytes that a Range header requests. Raises RangeNotSatisfiable."""
    start, end = read_range(value, size)
    return ResponsePart(206, start, end, (("content-range", f"bytes {start}-{end - 1}/{size}"),))


def is_of_other_unit(value: str) -> bool:
    """Whether a Range header has another unit than bytes, or no unit. Such a header must be ignored (section 14.2)."""
    return _UNIT.match(value.strip()) is None


def is_byte_range(value: str) -> bool:
    """Whether a Range header is a valid range of bytes: its last byte is not before its first (section 14.1.2)."""
    found = _RANGE.fullmatch(value.strip())
    if not found or not (found[1] or found[2]):
        return False
    return not (found[1] and found[2]) or _number(found[1]) <= _number(found[2])


def read_range(value: str, size: int) -> tuple[int, int]:
    """The start and the end (exclusive) of the bytes to send, of ``size`` bytes. Raises RangeNotSatisfiable."""
    found = _RANGE.fullmatch(value.strip())
    if not found or not (found[1] or found[2]):
        raise RangeNotSatisfiable(size, value)
    if not found[1]:
        length = min(_number(found[2]), size)
        if length == 0:
            raise RangeNotSatisfiable(size, value)
        return size - length, size
    start = _number(found[1])
    end = min(_number(found[2]) + 1, size) if found[2] else size
    if start >= size or end <= start:
        raise RangeNotSatisfiable(size, value)
    return start, end


def _number(digits: str) -> int:
    """The number. If it has more digits than Python converts, a number that is larger than any object."""
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= _DIGITS else _BEYOND
