"""Ordering: orderBy, and the key that always comes last so that the order is total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLEnumType, GraphQLEnumValue, GraphQLInputField, GraphQLInputObjectType, GraphQLNamedType
from sqlalchemy import ColumnElement

from app.errors import RequestError
from app.graphql.api_schema import ApiSchema
from app.graphql.relations import ApiRelation
from app.graphql.values import Leaf
from app.hooks import hookimpl
from app.query.comparison import Comparison, key_comparison, order_comparison
from app.query.planning import Rows
from schema_cache.model import Column


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A column that rows are ordered by."""

    column: Column
    comparison: Comparison
    descending: bool = False
    nulls_first: bool = False

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def reversed(self) -> OrderKey:
        return replace(self, descending=not self.descending, nulls_first=not self.nulls_first)

    def value(self, rows: Rows) -> ColumnElement[Any]:
        """What rows are ordered by."""
        return self.comparison.value(rows.column(self.name))

    def printed(self, rows: Rows) -> ColumnElement[Any]:
        """What stands in a row's cursor."""
        return self.comparison.printed(rows.column(self.name))

    def beyond(self, rows: Rows, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """That a row comes after ``value``, leaving nulls aside."""
        compare = self.comparison.less if self.descending else self.comparison.greater
        return compare(rows.column(self.name), value)

    def equal(self, rows: Rows, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return self.comparison.equal(rows.column(self.name), value)

    def clause(self, rows: Rows) -> ColumnElement[Any]:
        """The member of ORDER BY."""
        column = self.value(rows)
        directed = column.desc() if self.descending else column.asc()
        return directed.nulls_first() if self.nulls_first else directed.nulls_last()


DIRECTIONS: Mapping[str, tuple[bool, bool]] = {
    "AscNullsFirst": (False, True),
    "AscNullsLast": (False, False),
    "DescNullsFirst": (True, True),
    "DescNullsLast": (True, False),
}
DEPRECATED_DIRECTIONS: Mapping[str, str] = {"AscNullFirst": "AscNullsFirst"}


def direction_type(api: ApiSchema) -> GraphQLEnumType:
    def make(name: str) -> GraphQLEnumType:
        values = {value: GraphQLEnumValue(value) for value in DIRECTIONS}
        if api.dialect.direction_aliases:
            for alias, meant in DEPRECATED_DIRECTIONS.items():
                values[alias] = GraphQLEnumValue(alias, deprecation_reason=f"Use {meant}")
        return GraphQLEnumType(name, values)

    return api.named("OrderByDirection", make)


def order_by_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType | None:
    """The type of one element of orderBy; None if no column can be ordered by."""
    members = {
        column.field_name: GraphQLInputField(direction_type(api))
        for column in relation.columns
        if column.type.orderable
    }
    if not members:
        return None
    return api.named(f"{relation.type_name}OrderBy", lambda name: GraphQLInputObjectType(name, members))


def order_keys(
    api: ApiSchema, relation: ApiRelation, value: Sequence[Mapping[str, Leaf | None]] | None
) -> tuple[OrderKey, ...]:
    """The order that an orderBy argument asks for, ending with the relation's key.

    Raises RequestError for an unknown direction, and for several columns in one element where a dialect forbids it.
    """
    columns = {column.field_name: column.column for column in relation.columns}
    keys = []
    for element in value or ():
        if len(element) > 1 and api.dialect.one_order_key_per_element:
            raise RequestError(
                "An element of orderBy names one column: [" + ", ".join(f"{{{name}: ...}}" for name in element) + "]",
                code="BAD_USER_INPUT",
            )
        for name, direction in element.items():
            if direction is not None:
                column = columns[name]
                keys.append(OrderKey(column, order_comparison(api.view, column), *_direction(api, direction)))
    key = (relation.relation.column(name) for name in relation.readable_key)
    return (*keys, *(OrderKey(column, key_comparison(api.view, column)) for column in key if column is not None))


def _direction(api: ApiSchema, leaf: Leaf) -> tuple[bool, bool]:
    value = leaf.steer()
    if isinstance(value, str):
        if api.dialect.direction_aliases:
            value = DEPRECATED_DIRECTIONS.get(value, value)
        if value in DIRECTIONS:
            return DIRECTIONS[value]
    raise RequestError("Invalid input for OrderByDirection type")


@hookimpl
def always_listed_types(api: ApiSchema) -> Sequence[GraphQLNamedType]:
    return [direction_type(api)]
