"""Groups of rows: the keys that rows are grouped by, and the scope for the fields of a group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from sqlalchemy import ColumnElement, null

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.values import Leaf
from app.query.group.aggregates import aggregated_type
from app.query.plan.rows import TableRows
from app.query.read.order_terms import ColumnTerm, Expression, Term, related
from app.query.read.relationships import Relationship, relationships_of
from app.query.sql.comparison import Comparison, has_order, type_comparison
from app.query.sql.constructs import FunctionCall, cast_to, constant

KeyPath = tuple[str, ...]
"""The path from a row to a column: names of relationships to one row, then the name of the column's field."""

PLAIN_VALUE = "Value"
"""Instead of a unit of time: rows are grouped by the column itself."""


@dataclass(frozen=True)
class GroupKey:
    """A column that rows are grouped by, of the row or of a related one. ``term``: its value, or the start of the
    ``unit`` of time that the value is in."""

    path: KeyPath
    column: ApiColumn
    term: Term
    comparison: Comparison
    unit: str


@dataclass(frozen=True)
class Grouping:
    """Rows of a query, grouped by ``keys``; the scope for the fields of a group. ``is_on_cluster``: the database has
    Citus."""

    rows: TableRows
    keys: Sequence[GroupKey]
    is_on_cluster: bool

    @cached_property
    def values(self) -> Mapping[KeyPath, ColumnElement[Any]]:
        """The expressions that rows are grouped by."""
        return {each.path: each.term.of(self.rows) for each in self.keys}

    def printed(self, path: KeyPath) -> ColumnElement[Any]:
        """A value of the group's key as the API prints it; null if it is not part of the key."""
        made = (key.column.type.to_json(self._value(key)) for key in self.keys if key.path == path)
        return next(made, null())

    def _value(self, key: GroupKey) -> ColumnElement[Any]:
        value = self.values[key.path]
        if not self.is_on_cluster or key.unit == PLAIN_VALUE:
            return value
        # Beside an aggregate Citus does not recognize the expression that rows are grouped by. All rows of a group have
        # the same value.
        return FunctionCall("pg_catalog", "min", [value])

    def includes_path(self, path: KeyPath) -> bool:
        """Whether the key has the column at ``path``, or a column below it."""
        return any(key.path[: len(path)] == path for key in self.keys)


def key_members(api: ApiSchema, relation: ApiRelation) -> Mapping[str, ApiColumn | Relationship]:
    """The columns that rows can be grouped by, by field name, and the relationships to one row that lead to such
    columns."""
    made: dict[str, ApiColumn | Relationship] = {each.field_name: each for each in groupable(api, relation)}
    for relationship in relationships_of(api, relation):
        if not relationship.to_many and groupable(api, relationship.target):
            made.setdefault(relationship.name, relationship)
    return made


def groupable(api: ApiSchema, relation: ApiRelation) -> Sequence[ApiColumn]:
    """The columns with types that have an order, and so also equality."""
    return [each for each in relation.columns if has_order(api.view, each.column)]


def one_path(element: Mapping[str, Any] | None, argument: str, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Leaf]]:
    """The single value inside an element of an argument, if there is one, with its path.

    Raises RequestError if an object has several members.
    """
    if element is not None and len(element) > 1:
        named = ", ".join(f"{{{name}: ...}}" for name in element)
        raise RequestError(f"An element of {argument} names one column: [{named}]", code="BAD_USER_INPUT")
    for name, member in (element or {}).items():
        if isinstance(member, Leaf):
            yield (*path, name), member
        else:
            yield from one_path(member, argument, (*path, name))


def group_key(
    api: ApiSchema, relation: ApiRelation, path: KeyPath, unit: str, zone: ColumnElement[Any] | None
) -> GroupKey:
    """The key at the end of a path. For a ``unit`` of time the time ``zone`` applies, by default that of the
    connection.

    Raises OverLimit if the path is too long.
    """
    relationships: list[Relationship] = []
    for name in path[:-1]:
        relationships.append(cast(Relationship, key_members(api, relation)[name]))
        relation = relationships[-1].target
    column = cast(ApiColumn, key_members(api, relation)[path[-1]])
    term: Term = ColumnTerm(column.column) if unit == PLAIN_VALUE else _start_of(unit, api, column, zone)
    for relationship in reversed(relationships):
        term = related(relationship, term, argument="by")
    comparison = type_comparison(api.view, column.column.type, column.column.type_text)
    return GroupKey(path, column, term, comparison, unit)


DATES = frozenset(("date", "timestamp", "timestamptz"))


def has_units(api: ApiSchema, column: ApiColumn) -> bool:
    """Whether a column can be grouped by a unit of time, such as a month."""
    return aggregated_type(api, column) in DATES


def _start_of(unit: str, api: ApiSchema, column: ApiColumn, zone: ColumnElement[Any] | None) -> Expression:
    type_name = aggregated_type(api, column)

    def value(rows: TableRows) -> ColumnElement[Any]:
        within = rows.column(column.name)
        if type_name == "date":
            # date_trunc would convert a date to timestamptz, in the connection's time zone.
            within = cast_to(within, "timestamp")
        zoned = [zone] if zone is not None and type_name == "timestamptz" else []
        start = FunctionCall("pg_catalog", "date_trunc", [constant(unit.lower()), within, *zoned])
        return cast_to(start, "date") if type_name == "date" else start

    return Expression(value)
