"""Converts JSON values of a request to the text that PostgreSQL reads; used by resolvers and types."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sqlalchemy import ColumnElement

from app.errors import RequestError
from app.graphql.values.types import ToText
from app.query.sql.constructs import array_literal


def refused(type_name: str, reason: str = "") -> RequestError:
    return RequestError(f"Invalid input for {type_name} type" + (f". {reason}" if reason else ""))


def is_number(value: Any) -> bool:
    """Whether a JSON value is a finite number."""
    if isinstance(value, float):
        # Python reads a JSON number that is too large for a float as infinity.
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def integer_text(value: Any) -> str | None:
    """The text of a JSON integer of at most 64 bits."""
    return _integer_text(value, 2**63)


def int_text(value: Any) -> str | None:
    """The text of a JSON integer of at most 32 bits, the range of GraphQL's Int."""
    return _integer_text(value, 2**31)


def _integer_text(value: Any, beyond: int) -> str | None:
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and -beyond <= value < beyond:
        return str(value)
    raise refused("Int")


@dataclass(frozen=True)
class StringText:
    """Converts a scalar that is a string in JSON. ``expected``: a sentence for the error about any other value."""

    type_name: str
    expected: str = ""

    def __call__(self, value: Any) -> str | None:
        if value is None or isinstance(value, str):
            return value
        raise refused(self.type_name, self.expected)


def opaque_text(value: Any) -> str | None:
    """The text of any JSON value; the input function of the PostgreSQL type decides whether it is valid."""
    if value is None or isinstance(value, str):
        return value
    if type(value) is int:
        # The same as json.dumps, in a tenth of the time.
        return str(value)
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        # A number that is too large for a float, which Python reads as infinity.
        raise refused("Opaque") from None


def as_is(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    return expression


@dataclass(frozen=True)
class ArrayText:
    """Converts a JSON list, or lists in lists for several ``dimensions``, to PostgreSQL's text form of an array. A
    single value counts as a list of one."""

    element: ToText
    delimiter: str = ","
    dimensions: int = 1

    def __call__(self, value: Any) -> str | None:
        if value is None:
            return None
        return self._text(value, self.dimensions)

    def _text(self, value: Any, dimensions: int) -> str:
        items = value if isinstance(value, list) else [value]
        if dimensions == 1:
            return array_literal([self.element(item) for item in items], self.delimiter)
        if None in items:
            raise refused("list", "An array has no null in place of a list")
        return "{" + self.delimiter.join(self._text(item, dimensions - 1) for item in items) + "}"


@dataclass(frozen=True)
class VectorText:
    """Converts a JSON list to the text of an int2vector or oidvector, which has neither braces nor nulls. A single
    value counts as a list of one."""

    element: ToText

    def __call__(self, value: Any) -> str | None:
        if value is None:
            return None
        texts = [self.element(item) for item in (value if isinstance(value, list) else [value])]
        if None in texts:
            raise refused("list", "A vector has no nulls")
        return " ".join(map(str, texts))
