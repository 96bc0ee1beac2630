"""Builds the JSON objects and lists of responses as text.

Concatenating texts takes PostgreSQL about half of the time of functions such as json_build_object, which look up the
type of each argument again for each row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.sql.elements import Null

from app.database.identifiers import as_constant
from app.query.sql.compiled_constructs import WrittenCast, WrittenSQL, anded
from app.query.sql.constructs import JSON_TEXT, Constant, JsonText

# PostgreSQL parses a chain of operators recursively, and its stack is limited, so longer chains are split by
# parentheses.
_MOST_VALUES = 50

_dumped = json.JSONEncoder(ensure_ascii=False).encode


class _Json(WrittenSQL):
    """Text that is JSON and never NULL."""

    def __init__(self, texts: Sequence[str], values: Iterable[ColumnElement[Any]]) -> None:
        super().__init__("json", texts, values, JSON_TEXT)


class _Object(_Json):
    """A JSON object as text: ``constants`` with a value between each of them and the next."""

    def __init__(self, constants: Sequence[str], values: Sequence[ColumnElement[Any]]) -> None:
        texts = ["("]
        for number, (constant, value) in enumerate(zip(constants, values, strict=False), start=1):
            before, after = _printing(value)
            texts[-1] += f"{as_constant(constant)} || {before}"
            texts.append(after + (" || " if number % _MOST_VALUES else ") || ("))
        texts[-1] += f"{as_constant(constants[-1])})"
        super().__init__(texts, values)
        self.constants = constants


def _printing(value: ColumnElement[Any]) -> tuple[str, str]:
    """The SQL before and after a value that prints it as JSON, NULL as ``null``."""
    if isinstance(value, _Json):
        return "", ""
    if isinstance(value.type, JsonText):
        return "coalesce(", ", 'null')"
    return "coalesce(CAST(pg_catalog.to_json(", ") AS TEXT), 'null')"


def _known(value: ColumnElement[Any]) -> str | None:
    """The JSON of a constant, because to_json cannot determine the type of one; None for other values."""
    if isinstance(value, Constant):
        return _dumped(value.content)
    return _dumped(None) if isinstance(value, Null) else None


def json_text(value: ColumnElement[Any]) -> ColumnElement[Any]:
    """A value as JSON text, ``null`` for NULL: by to_json, or the value itself if it is JSON text already."""
    if isinstance(value, _Json):
        return value
    known = _known(value)
    return _Json(_printing(value), (value,)) if known is None else _Json((as_constant(known),), ())


def json_of_plain(value: ColumnElement[Any]) -> ColumnElement[Any]:
    """A value whose text is JSON: an integer or a boolean. Faster than to_json, which looks up the type for each
    row."""
    return WrittenCast(value, JSON_TEXT, "TEXT")


def json_of_unescaped(value: ColumnElement[Any]) -> ColumnElement[Any]:
    """A JSON string of a value whose text needs no escapes, such as a number or a UUID; NULL for NULL."""
    return WrittenSQL("json", ("('\"' || CAST(", " AS TEXT) || '\"')"), (value,), JSON_TEXT)


def json_object(members: Sequence[tuple[str, ColumnElement[Any]]]) -> ColumnElement[Any]:
    """A JSON object with these members in this order, as text. The keys are constants of the plan."""
    constants, values = ["{"], list[ColumnElement[Any]]()
    separator = ""
    for key, value in members:
        constants[-1] += f"{separator}{_dumped(key)} : "
        separator = ", "
        known = _known(value)
        if isinstance(value, _Object):
            constants[-1] += value.constants[0]
            constants += value.constants[1:]
            values += value.values
        elif known is not None:
            constants[-1] += known
        else:
            values.append(value)
            constants.append("")
    constants[-1] += "}"
    return _Object(constants, values)


def json_list(
    item: ColumnElement[Any], *conditions: ColumnElement[bool], order: Sequence[ColumnElement[Any]] = ()
) -> ColumnElement[Any]:
    """An aggregate: a JSON array, as text, of ``item`` for each row that meets the conditions."""
    texts, values = ["coalesce('[' || pg_catalog.string_agg(", ", ', '"], [json_text(item)]
    _append(texts, values, " ORDER BY ", order, ", ")
    texts[-1] += ")"
    if conditions:
        _append(texts, values, " FILTER (WHERE ", anded(conditions), " AND ")
        texts[-1] += ")"
    texts[-1] += " || ']', '[]')"
    return _Json(texts, values)


def _append(
    texts: list[str], values: list[ColumnElement[Any]], before: str, more: Sequence[ColumnElement[Any]], between: str
) -> None:
    """Append more values, with texts before and between them."""
    for number, each in enumerate(more):
        texts[-1] += between if number else before
        texts.append("")
        values.append(each)
