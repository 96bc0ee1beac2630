"""JSON as text: the objects and lists of answers.

PostgreSQL joins texts in about half of the time of functions such as json_build_object, which look up the type of each
argument again for each row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, func, literal_column
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.sql.elements import Null

from app.query.sql import JSON_TEXT, Constant, JsonText, WrittenSQL, as_constant

# PostgreSQL reads a row of operators recursively, and its stack is limited.
_MOST_OPERANDS = 100


class _Json(WrittenSQL):
    """Text that is JSON and never NULL."""

    def __init__(self, texts: Sequence[str], *values: ColumnElement[Any]) -> None:
        super().__init__("json", texts, values)
        self.type = JSON_TEXT


class _Joined(_Json):
    """The same, of ``parts``: constant texts, and values that are such texts."""

    def __init__(self, parts: Iterable[str | ColumnElement[Any]]) -> None:
        self.parts = tuple(parts)
        texts, values, operands = ["("], list[ColumnElement[Any]](), 0
        for is_constant, some in groupby(self.parts, lambda part: isinstance(part, str)):
            for each in ["".join(map(str, some))] if is_constant else some:
                if operands:
                    texts[-1] += " || " if operands % _MOST_OPERANDS else ") || ("
                operands += 1
                if isinstance(each, str):
                    texts[-1] += as_constant(each)
                else:
                    values.append(each)
                    texts.append("")
        texts[-1] += ")"
        super().__init__(texts, *values)


def json_text(value: ColumnElement[Any]) -> ColumnElement[Any]:
    """The text of a value as JSON, ``null`` for NULL: what to_json prints, or the value itself if it is such text."""
    if isinstance(value, _Json):
        return value
    if isinstance(value, Null | Constant):
        # PostgreSQL does not know their types.
        return _Joined([_dumped(value.content if isinstance(value, Constant) else None)])
    if isinstance(value.type, JsonText):
        return _Json(("coalesce(", ", 'null')"), value)
    return _Json(("coalesce(CAST(to_json(", ") AS TEXT), 'null')"), value)


def _dumped(text: str | None) -> str:
    return json.dumps(text, ensure_ascii=False)


def json_object(members: Sequence[tuple[str, ColumnElement[Any]]]) -> ColumnElement[Any]:
    """A json object with these members in this order, as text; keys are constants of the plan."""
    opening = "{"
    parts: list[str | ColumnElement[Any]] = []
    for key, value in members:
        text = json_text(value)
        parts.append(f"{opening}{_dumped(key)} : ")
        parts += text.parts if isinstance(text, _Joined) else (text,)
        opening = ", "
    return _Joined([*parts, "}" if members else "{}"])


def json_list(
    item: ColumnElement[Any], *conditions: ColumnElement[bool], order: Sequence[ColumnElement[Any]] = ()
) -> ColumnElement[Any]:
    """An aggregate: a json array, as text, of ``item`` for each row that meets the conditions."""
    separator: ColumnElement[Any] = literal_column("', '")
    ordered = aggregate_order_by(separator, *order) if order else separator
    items = func.string_agg(json_text(item), ordered)
    return _Json(("coalesce('[' || ", " || ']', '[]')"), items.filter(*conditions) if conditions else items)
