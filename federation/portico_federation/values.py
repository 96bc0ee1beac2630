"""Checks the values of keys, so that a wrong one fails its own representation and not the whole statement."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from portico import RequestError, ToText

_UUID = re.compile(r"\{?([0-9a-f]{4}-?){7}[0-9a-f]{4}\}?", re.IGNORECASE)
"""The forms that PostgreSQL reads: groups of four digits, with a hyphen after any of them."""

_INTEGER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?\s*", re.ASCII | re.IGNORECASE)
_MOST_DIGITS = 1000
"""More are refused: PostgreSQL and Python have limits too, and take long to reach them."""

_BITS = {"smallint": 16, "integer": 32, "bigint": 64}


def checked(to_text: ToText, type_text: str) -> ToText:
    """The conversion ``to_text``, which also raises RequestError for a text that PostgreSQL would refuse, as far as
    that can be seen: for numbers, UUIDs and texts."""
    return partial(_checked_text, to_text, _fits(type_text), type_text)


def _checked_text(to_text: ToText, fits: Callable[[str], object], type_text: str, value: Any) -> str | None:
    text = to_text(value)
    if text is None:
        return None
    if "\0" in text or not _is_unicode(text) or not fits(text):
        raise RequestError(f"The value is not valid for the type {type_text}")
    return text


def _fits(type_text: str) -> Callable[[str], object]:
    if type_text == "uuid":
        return _UUID.fullmatch
    if type_text == "numeric":
        return _is_number
    bits = _BITS.get(type_text)
    return (lambda text: True) if bits is None else partial(_is_integer, bits)


def _is_number(text: str) -> bool:
    return len(text) <= _MOST_DIGITS and _NUMBER.fullmatch(text) is not None


def _is_integer(bits: int, text: str) -> bool:
    return (
        len(text) <= _MOST_DIGITS
        and _INTEGER.fullmatch(text) is not None
        and -(1 << bits - 1) <= int(text) < 1 << bits - 1
    )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_of_id(to_text: ToText, value: Any) -> str | None:
    """The text of a value of the type ID, a string or an integer, for a column whose values ``to_text`` converts."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise RequestError("Invalid input for ID type")
    try:
        return to_text(value)
    except RequestError:
        # A column of numbers refuses a string of digits, one of texts a number.
        if isinstance(value, str) and len(value) <= _MOST_DIGITS and _INTEGER.fullmatch(value):
            return to_text(int(value))
        if isinstance(value, int):
            return to_text(str(value))
        raise
