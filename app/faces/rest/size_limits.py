"""Reads a bucket's size limit from a request."""

from __future__ import annotations

import re
from decimal import Decimal

from app.storage.errors import InvalidValue, TooLarge

_SIZE = re.compile(r"(\d{1,12})(?:\.(\d{1,12}))?\s*(GB|MB|KB|B)", re.IGNORECASE)
_UNITS = {"GB": 10**9, "MB": 10**6, "KB": 10**3, "B": 1}


def read_size_limit(value: object, *, largest: int) -> int | None:
    """The limit in bytes, from a number, a text such as ``5MB`` (decimal units) or None.

    Raises InvalidValue, or TooLarge if it exceeds ``largest``.
    """
    if value is None:
        return None
    if isinstance(value, bool):
        raise InvalidValue("file_size_limit")
    if isinstance(value, str) and not re.fullmatch(r"\s*\d{1,18}\s*", value):
        limit = _from_text(value)
    elif isinstance(value, float) and not value.is_integer():
        raise InvalidValue("file_size_limit")
    elif isinstance(value, str | int | float):
        limit = int(value)
    else:
        raise InvalidValue("file_size_limit")
    if limit < 0:
        raise InvalidValue("file_size_limit")
    if limit > largest:
        raise TooLarge
    return limit


def _from_text(text: str) -> int:
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise InvalidValue("file_size_limit")
    number = Decimal(f"{found[1]}.{found[2] or 0}")
    # Supabase's storage reads three significant digits.
    return int(Decimal(f"{number:.3g}") * _UNITS[found[3].upper()])
