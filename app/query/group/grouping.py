"""Groups of rows: what they are grouped by, and the scope of what is asked of a group."""

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
"""The names that lead from a row to a column: of relationships to one row, and of the column's field."""

ITSELF = "Value"
"""In the place of a unit of time: the column itself."""


@dataclass(frozen=True)
class GroupKey:
    """One of the columns that rows are grouped by, or of a related row: ``term`` is its value, or the start of the unit
    of time that it is in."""

    path: KeyPath
    column: ApiColumn
    term: Term
    comparison: Comparison


@dataclass(frozen=True)
class Grouping:
    """Rows of a query that are grouped by ``keys``; the scope of what is asked of a group."""

    rows: TableRows
    keys: Sequence[GroupKey]

    @cached_property
    def values(self) -> Mapping[KeyPath, ColumnElement[Any]]:
        """What rows are grouped by."""
        return {each.path: each.term.of(self.rows) for each in self.keys}

    def printed(self, path: KeyPath) -> ColumnElement[Any]:
        """A value of the group's key as the API prints it; null where groups are not by that."""
        made = (key.column.type.to_json(self.values[path]) for key in self.keys if key.path == path)
        return next(made, null())

    def leads_along(self, path: KeyPath) -> bool:
        """Whether groups are by what ``path`` leads to, or leads further to."""
        return any(key.path[: len(path)] == path for key in self.keys)


def key_members(api: ApiSchema, relation: ApiRelation) -> Mapping[str, ApiColumn | Relationship]:
    """What rows can be grouped by: columns, by the names of their fields, and relationships to one row, which lead to
    what that can be grouped by."""
    made: dict[str, ApiColumn | Relationship] = {each.field_name: each for each in groupable(api, relation)}
    for relationship in relationships_of(api, relation):
        if not relationship.to_many and groupable(api, relationship.target):
            made.setdefault(relationship.name, relationship)
    return made


def groupable(api: ApiSchema, relation: ApiRelation) -> Sequence[ApiColumn]:
    """The columns that say which rows are equal, and in which order the others are."""
    return [each for each in relation.columns if has_order(api.view, each.column)]


def one_path(element: Mapping[str, Any] | None, argument: str, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Leaf]]:
    """The one value within an element of an argument, if there is any, and the path that leads to it.

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
    """The key at the end of a path, by ``unit`` of the time ``zone``, by default that of the connection.

    Raises OverLimit if the path is too long.
    """
    relationships: list[Relationship] = []
    for name in path[:-1]:
        relationships.append(cast(Relationship, key_members(api, relation)[name]))
        relation = relationships[-1].target
    column = cast(ApiColumn, key_members(api, relation)[path[-1]])
    term: Term = ColumnTerm(column.column) if unit == ITSELF else _start_of(unit, api, column, zone)
    for relationship in reversed(relationships):
        term = related(relationship, term, argument="by")
    return GroupKey(path, column, term, type_comparison(api.view, column.column.type, column.column.type_text))


DATES = frozenset(("date", "timestamp", "timestamptz"))


def has_units(api: ApiSchema, column: ApiColumn) -> bool:
    """Whether the values of a column are in units of time such as a month."""
    return aggregated_type(api, column) in DATES


def _start_of(unit: str, api: ApiSchema, column: ApiColumn, zone: ColumnElement[Any] | None) -> Expression:
    type_name = aggregated_type(api, column)

    def value(rows: TableRows) -> ColumnElement[Any]:
        within = rows.column(column.name)
        if type_name == "date":
            # PostgreSQL would take the date as a time in the connection's zone.
            within = cast_to(within, "timestamp")
        zoned = [zone] if zone is not None and type_name == "timestamptz" else []
        start = FunctionCall("pg_catalog", "date_trunc", [constant(unit.lower()), within, *zoned])
        return cast_to(start, "date") if type_name == "date" else start

    return Expression(value)
