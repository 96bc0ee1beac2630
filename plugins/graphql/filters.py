"""Filters: the operators of each type, and the filter members of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLInputField,
    GraphQLList,
    GraphQLNamedType,
)

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.name_conflicts import RelationNames
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.types import ValueType
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.filter.conditions import (
    Compared,
    Condition,
    column_condition,
    id_filter_type,
    query_condition,
    relation_filter_type,
    value_filter_type,
)
from app.query.filter.operators import (
    EQUALITY,
    IN_ORDER,
    LIST_OPERATORS,
    PATTERNS,
    FilterOperator,
    members,
    with_patterns,
)
from app.query.plan.planning import Planning
from app.query.plan.rows import Rows
from app.query.values.scalars import scalars_of, value_type_of


def _is(planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
    if operand is None:
        raise RequestError("Error transpiling Is filter value type")
    value = operand.steer()
    if value == "NULL":
        return left.value.is_(None)
    if value == "NOT_NULL":
        return left.value.is_not(None)
    raise RequestError("Invalid input for FilterIs type")


_TEXT = "String"
IN_ORDER_TOO = frozenset(("Int", "Float", "BigInt", "BigFloat", "Date", "Time", "Datetime", _TEXT))
"""Filters of values that are compared by their order."""

EQUAL_ONLY = frozenset(("Boolean", "Opaque"))
"""Filters that have ``eq`` alone of the operators of equality."""

NOT_COMPARED = frozenset(("JSON", "JSONText"))


@hookimpl
def relation_names(type_name: str) -> RelationNames:
    return RelationNames(types=(f"{type_name}Filter",))


@hookimpl
def filter_operators(api: ApiSchema, value_type: ValueType) -> Fields:
    offered = members(value_type, _operators(value_type))
    description = "Values that are null, or values that are not null"
    offered["is"] = GraphQLInputField(_filter_is_type(api), description=description, extensions={"operator": _is})
    return Fields(10, dict(sorted(offered.items())))


def _operators(value_type: ValueType) -> Mapping[str, FilterOperator]:
    filter_ = str(value_type.filter)
    if not value_type.equatable or filter_ in NOT_COMPARED:
        return {}
    if value_type.element is not None:
        return LIST_OPERATORS
    if filter_ in EQUAL_ONLY:
        return {"eq": EQUALITY["eq"]}
    if filter_ == _TEXT:
        return {**EQUALITY, **IN_ORDER, **with_patterns(PATTERNS, value_type.patterns)}
    return {**EQUALITY, **IN_ORDER} if filter_ in IN_ORDER_TOO else EQUALITY


def _filter_is_type(api: ApiSchema) -> GraphQLEnumType:
    values = {"NULL": GraphQLEnumValue("NULL"), "NOT_NULL": GraphQLEnumValue("NOT_NULL")}
    return api.named("FilterIs", lambda name: GraphQLEnumType(name, values))


@hookimpl
def filter_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(
        10, {column.field_name: _member(api, column) for column in relation.columns if column.type.filter is not None}
    )


def _member(api: ApiSchema, column: ApiColumn) -> GraphQLInputField:
    type_ = value_filter_type(api, column.type)
    return GraphQLInputField(type_, extensions={"condition": column_condition(api, column, type_)})


@hookimpl
def collection_arguments(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(20, {"filter": _argument(api, relation, "A condition on the rows")})


@hookimpl
def update_arguments(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(20, {"filter": _argument(api, relation, "A condition on the rows; without it all rows")})


@hookimpl
def delete_arguments(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(20, {"filter": _argument(api, relation, "A condition on the rows; without it all rows")})


def _argument(api: ApiSchema, relation: ApiRelation, description: str) -> GraphQLArgument:
    type_ = relation_filter_type(api, relation)

    def narrow(planning: Planning, rows: Rows, value: Mapping[str, Any] | None) -> Condition | None:
        return query_condition(type_, planning, rows, value) if value else None

    return GraphQLArgument(type_, description=description, extensions={"condition": narrow})


@hookimpl
def always_listed_types(api: ApiSchema) -> Sequence[GraphQLNamedType]:
    listed: list[GraphQLNamedType] = [_filter_is_type(api), id_filter_type(api)]
    for scalar in scalars_of(api).all:
        if scalar.filterable:
            element = value_type_of(scalar)
            listed.append(value_filter_type(api, element))
            if scalar.list_filter:
                array = ValueType(
                    GraphQLList(scalar.type), scalar.to_json, scalar.to_text, f"{scalar.type.name}List", element=element
                )
                listed.append(value_filter_type(api, array))
    return listed
