"""Conditions on groups of rows: on the number of rows, and on the results of aggregate functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import ColumnElement, and_
from sqlalchemy.sql.functions import Function

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.graphql.values.types import ValueType
from app.query.filter.conditions import Compared, Condition, relation_filter_type, value_condition, value_filter_type
from app.query.group.aggregates import AGGREGATES, Aggregate, built_in_type
from app.query.plan.planning import Planning
from app.query.plan.rows import Rows
from app.query.sql.comparison import operators_of
from app.query.sql.constructs import row_count
from schema_cache.model import Type


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of a group in a query. Aggregates use only rows for which ``counted`` is true; all rows without it."""

    planning: Planning
    rows: Rows
    counted: Condition | None = None

    def together(self, aggregate: Function[Any]) -> ColumnElement[Any]:
        """The call of an aggregate function, restricted to the rows that count."""
        return aggregate if self.counted is None else aggregate.filter(self.counted)


NARROWING = "filter"
"""The member with the filter for the rows that count. It does not have the extension ``having``."""


def group_filter_type(
    api: ApiSchema, relation: ApiRelation, suffix: str, *, of_columns: bool
) -> GraphQLInputObjectType:
    """The filter of groups of a relation's rows: by the number of rows and, with ``of_columns``, by the results of
    aggregate functions. ``suffix``: the suffix of its name."""

    def members() -> dict[str, GraphQLInputField]:
        narrowing = GraphQLInputField(relation_filter_type(api, relation), description="Which of the rows count")
        made = {NARROWING: narrowing, **_by_number(api)}
        for aggregate in AGGREGATES if of_columns else ():
            columns: dict[str, GraphQLInputField] = {}
            for column in aggregate.columns(api, relation):
                columns |= _by_column(api, column, aggregate)
            if columns:
                made[aggregate.name] = _by_columns(api, relation, aggregate, columns)
        return made

    return _named(api, own_name(relation, suffix), members)


def group_filter_names(relation: ApiRelation, suffix: str, *, of_columns: bool) -> Iterator[OwnName]:
    """The owners and requested names of the types of such a filter."""
    yield own_name(relation, suffix)
    yield from (_of_columns(relation, each) for each in AGGREGATES if of_columns)


def _of_columns(relation: ApiRelation, aggregate: Aggregate) -> OwnName:
    return own_name(relation, f"{aggregate.title}Filter")


def group_condition(type_: GraphQLInputObjectType, group: Group, value: Mapping[str, Any]) -> Condition | None:
    """The members of such a filter, except ``filter``, as one condition on a group; None if they have no effect."""
    comparing = {name: each for name, each in value.items() if "having" in type_.fields[name].extensions}
    group.planning.count_conditions(len(comparing))
    made = (type_.fields[name].extensions["having"](group, member) for name, member in comparing.items())
    parts = [part for part in made if part is not None]
    return and_(*parts) if parts else None


def _by_number(api: ApiSchema) -> dict[str, GraphQLInputField]:
    int4, int8 = built_in_type(api, "int4"), built_in_type(api, "int8")
    return _by(api, "count", int8, api.value_type(int4.oid), lambda rows: row_count())


def _by_column(api: ApiSchema, column: ApiColumn, aggregate: Aggregate) -> dict[str, GraphQLInputField]:
    result = aggregate.result(api, column)
    value_type = api.value_type(result.oid)
    return _by(api, column.field_name, result, value_type, lambda rows: aggregate.call(api, column, rows))


def _by(
    api: ApiSchema, name: str, type_: Type, value_type: ValueType | None, value: Callable[[Rows], Function[Any]]
) -> dict[str, GraphQLInputField]:
    """The member for a value computed from a group's rows; empty if the type of the value has no filter."""
    if value_type is None or value_type.filter is None:
        return {}
    filter_ = value_filter_type(api, value_type)
    operators = operators_of(api.view, type_.oid)

    def having(group: Group, given: Mapping[str, Any] | None) -> Condition | None:
        made = group.together(value(group.rows))
        compared = Compared(made, value_type, type_.text, value_type.to_text, operators)
        return value_condition(filter_, group.planning, compared, given)

    return {name: GraphQLInputField(filter_, extensions={"having": having})}


def _by_columns(
    api: ApiSchema, relation: ApiRelation, aggregate: Aggregate, columns: Mapping[str, GraphQLInputField]
) -> GraphQLInputField:
    type_ = _named(api, _of_columns(relation, aggregate), lambda: columns)

    def having(group: Group, value: Mapping[str, Any] | None) -> Condition | None:
        return group_condition(type_, group, value or {})

    return GraphQLInputField(type_, extensions={"having": having})


def _named(
    api: ApiSchema, own: OwnName, members: Callable[[], Mapping[str, GraphQLInputField]]
) -> GraphQLInputObjectType:
    return api.named(api.own_type_name(*own), lambda name: GraphQLInputObjectType(name, members))
