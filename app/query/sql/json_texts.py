"""JSON as text: the objects and lists of answers.

PostgreSQL joins texts in about half of the time of functions such as json_build_object, which look up the type of each
argument again for each row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.sql.elements import Null

from app.query.sql.compiled_constructs import WrittenCast, WrittenSQL, anded
from app.query.sql.constructs import JSON_TEXT, Constant, JsonText, as_constant

# PostgreSQL reads a row of operators recursively, and its stack is limited.
_MOST_VALUES = 50

_dumped = json.JSONEncoder(ensure_ascii=False).encode


class _Json(WrittenSQL):
    """Text that is JSON and never NULL."""

    def __init__(self, texts: Sequence[str], values: Iterable[ColumnElement[Any]]) -> None:
        super().__init__("json", texts, values, JSON_TEXT)


class _Object(_Json):
    """The same, of ``constants`` with a value between each and the next."""

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
    """What stands around a value so that it is printed as JSON, NULL as ``null``."""
    if isinstance(value, _Json):
        return "", ""
    if isinstance(value.type, JsonText):
        return "coalesce(", ", 'null')"
    return "coalesce(CAST(pg_catalog.to_json(", ") AS TEXT), 'null')"


def _known(value: ColumnElement[Any]) -> str | None:
    """The JSON of a constant, whose type PostgreSQL would not know; None for other values."""
    if isinstance(value, Constant):
        return _dumped(value.content)
    return _dumped(None) if isinstance(value, Null) else None


def json_text(value: ColumnElement[Any]) -> ColumnElement[Any]:
    """The text of a value as JSON, ``null`` for NULL: what to_json prints, or the value itself if it is such text."""
    if isinstance(value, _Json):
        return value
    known = _known(value)
    return _Json(_printing(value), (value,)) if known is None else _Json((as_constant(known),), ())


def json_of_plain(value: ColumnElement[Any]) -> ColumnElement[Any]:
    """A value whose text is JSON: an integer or a boolean. to_json looks up its type for each row."""
    return WrittenCast(value, JSON_TEXT, "TEXT")


def json_of_unescaped(value: ColumnElement[Any]) -> ColumnElement[Any]:
    """A value whose text has nothing to escape, as a string in JSON, NULL as NULL: a number or a UUID."""
    return WrittenSQL("json", ("('\"' || CAST(", " AS TEXT) || '\"')"), (value,), JSON_TEXT)


def json_object(members: Sequence[tuple[str, ColumnElement[Any]]]) -> ColumnElement[Any]:
    """A json object with these members in this order, as text; keys are constants of the plan."""
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
    """An aggregate: a json array, as text, of ``item`` for each row that meets the conditions."""
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
    """Write more values, with texts before and between them."""
    for number, each in enumerate(more):
        texts[-1] += between if number else before
        texts.append("")
        values.append(each)
