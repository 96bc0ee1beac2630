"""Node ids and cursors: base64 of the text of a jsonb array, written by PostgreSQL and read here."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement

from app.errors import RequestError
from app.graphql.schema.relations import ApiRelation
from app.query.plan.rows import Rows
from app.query.sql.comparison import JSON_TYPES, Comparison, key_comparison
from app.query.sql.constructs import array_literal, base64_of_json, constant
from schema_cache.role_view import RoleView

NODE_ID_HINT = 'Expected the nodeId of a row as an answer had it: docs/graphql.md, "One row".'
CURSOR_HINT = (
    "Expected a cursor that an answer to the same collection in the same order had, of an edge or of pageInfo:"
    ' docs/graphql.md, "Collections".'
)


def cursor_misfit() -> RequestError:
    """The error for a cursor that does not fit the requested order."""
    message = "orderBy clause incompatible with pagination cursor"
    return RequestError(message, code="BAD_USER_INPUT", hint=CURSOR_HINT)


class JsonNumber(str):
    """A number of a JSON text, with all its digits as text."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class NodeId:
    """A decoded nodeId: the relation, and the values of the row's key as JSON, numbers as JsonNumber."""

    schema: str
    table: str
    key: tuple[Any, ...]


def key_comparisons(view: RoleView, relation: ApiRelation) -> list[tuple[str, Comparison]]:
    """The names of the key's columns, and how each is compared."""
    columns = (relation.relation.column(name) for name in relation.key)
    return [(column.name, key_comparison(view, column)) for column in columns if column is not None]


def node_id_expression(view: RoleView, rows: Rows) -> ColumnElement[Any]:
    """The nodeId of the current row."""
    relation = rows.relation
    key = (comparison.printed(rows.column(name)) for name, comparison in key_comparisons(view, relation))
    return base64_of_json((constant(relation.relation.schema), constant(relation.relation.name), *key))


def decode_node_id(value: Any) -> NodeId:
    """The nodeId of a row, decoded. Raises RequestError; the numbers in its messages are pg_graphql's."""

    def wrong(number: int) -> RequestError:
        message = f"Invalid value passed to nodeId argument. Error {number}"
        return RequestError(message, code="BAD_USER_INPUT", hint=NODE_ID_HINT)

    if not isinstance(value, str):
        raise RequestError("Invalid input for ID type", code="BAD_USER_INPUT", hint=NODE_ID_HINT)
    items = _decode(value, wrong, 2)
    if not isinstance(items, list):
        raise wrong(10)
    if len(items) < 3:
        raise wrong(5)
    for position, number in ((0, 6), (1, 7)):
        if not isinstance(items[position], str) or isinstance(items[position], JsonNumber):
            raise wrong(number)
    return NodeId(items[0], items[1], tuple(items[2:]))


def decode_cursor(value: Any) -> tuple[Any, ...]:
    """A cursor's values as JSON, numbers as JsonNumber. Raises RequestError; the numbers in its messages are
    pg_graphql's."""

    def wrong(number: int) -> RequestError:
        return RequestError(f"Failed to decode cursor, error {number}", code="BAD_USER_INPUT", hint=CURSOR_HINT)

    if not isinstance(value, str):
        raise RequestError("Invalid input for Cursor type", code="BAD_USER_INPUT", hint=CURSOR_HINT)
    items = _decode(value, wrong, 1)
    if not isinstance(items, list):
        raise wrong(4)
    return tuple(items)


def _decode(value: str, wrong: Callable[[int], RequestError], first: int) -> Any:
    """The JSON in base64. ``wrong`` makes the errors, with numbers from ``first`` on."""
    try:
        raw = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise wrong(first) from None
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise wrong(first + 1) from None
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise wrong(first + 2) from None


def _refuse(name: str) -> Any:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_int=JsonNumber, parse_float=JsonNumber, parse_constant=_refuse)


def value_text(item: Any, type_text: str) -> str | None:
    """The text of a value of the PostgreSQL type ``type_text`` that to_jsonb has printed as ``item``."""
    if item is None:
        return None
    if type_text in JSON_TYPES:
        return _json_text(item)
    if isinstance(item, list):
        return _array_text(item)
    return str(item) if isinstance(item, str) else _json_text(item)


def _array_text(items: Sequence[Any]) -> str:
    texts = [
        _array_text(item) if isinstance(item, list) else array_literal([value_text(item, "")])[1:-1] for item in items
    ]
    return "{" + ",".join(texts) + "}"


def _json_text(item: Any) -> str:
    if isinstance(item, JsonNumber):
        return str(item)
    if isinstance(item, list):
        return f"[{', '.join(map(_json_text, item))}]"
    if isinstance(item, dict):
        members = (f"{json.dumps(key, ensure_ascii=False)}: {_json_text(value)}" for key, value in item.items())
        return "{" + ", ".join(members) + "}"
    return json.dumps(item, ensure_ascii=False)


# A request's nodeId or cursor in a plan: its shape steers, its values are bound


def node_id_form(value: Any) -> Hashable:
    """The parts of a nodeId that the SQL depends on: its relation and the number of its key values."""
    node_id = decode_node_id(value)
    return node_id.schema, node_id.table, len(node_id.key)


def cursor_form(value: Any) -> tuple[bool, ...]:
    """The part of a cursor that the SQL depends on: which of its values are null."""
    return tuple(item is None for item in decode_cursor(value))


@dataclass(frozen=True, slots=True)
class KeyValue:
    """Converts a nodeId to the text of one of its key values, for a column of type ``type_text``."""

    position: int
    type_text: str

    def __call__(self, value: Any) -> str | None:
        return self.of(decode_node_id(value))

    def of(self, node_id: NodeId) -> str | None:
        """The same for a decoded nodeId."""
        return value_text(node_id.key[self.position], self.type_text)


@dataclass(frozen=True, slots=True)
class OwnKeyValue:
    """The same for a nodeId that must be of one relation, whose key has ``count`` columns; raises RequestError for
    another."""

    schema: str
    table: str
    count: int
    value: KeyValue

    def __call__(self, value: Any) -> str | None:
        if value is None:
            return None
        node_id = decode_node_id(value)
        if (node_id.schema, node_id.table) != (self.schema, self.table):
            raise RequestError("nodeId belongs to a different collection", code="BAD_USER_INPUT", hint=NODE_ID_HINT)
        check_key_count(node_id, self.count)
        return self.value.of(node_id)


def check_key_count(node_id: NodeId, count: int) -> None:
    """Raises RequestError unless a nodeId has a value for each of the key's ``count`` columns."""
    if len(node_id.key) != count:
        message = f"Primary key column count mismatch. Expected {count}, provided {len(node_id.key)}"
        raise RequestError(message, code="BAD_USER_INPUT", hint=NODE_ID_HINT)


@dataclass(frozen=True, slots=True)
class CursorValue:
    """Converts a cursor to the text of one of its values, for a column of type ``type_text``."""

    position: int
    type_text: str

    def __call__(self, value: Any) -> str | None:
        return value_text(decode_cursor(value)[self.position], self.type_text)


@dataclass(frozen=True, slots=True)
class CursorCount:
    """Converts a cursor to the text of its count of equal rows that come before the cursor's row."""

    position: int

    def __call__(self, value: Any) -> str:
        count = decode_cursor(value)[self.position]
        if not isinstance(count, JsonNumber) or not count.isdecimal():
            raise cursor_misfit()
        return str(count)
