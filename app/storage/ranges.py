"""One range of bytes: RFC 9110 section 14. Several at a time are refused, as clients of this API expect."""

from __future__ import annotations

import re

from app.storage.errors import invalid_range

_RANGE = re.compile(r"bytes=\s*(\d{0,18})-(\d{0,18})\s*", re.ASCII)


def read_range(value: str, size: int) -> tuple[int, int]:
    """Start and end (not included) of the bytes to send. Raises InvalidRange for what cannot be satisfied."""
    found = _RANGE.fullmatch(value.strip())
    if not found or not (found[1] or found[2]):
        raise invalid_range(size)
    if not found[1]:
        length = min(int(found[2]), size)
        if length == 0:
            raise invalid_range(size)
        return size - length, size
    start = int(found[1])
    end = min(int(found[2]) + 1, size) if found[2] else size
    if start >= size or end <= start:
        raise invalid_range(size)
    return start, end
