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
    GraphQLNonNull,
)
from sqlalchemy import not_

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.name_conflicts import RelationNames
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.types import ValueType
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.filter.comparison_operators import IN_ORDER, ComparisonOperator, by_symbol, with_patterns
from app.query.filter.conditions import (
    Compared,
    Condition,
    Operator,
    column_condition,
    id_filter_type,
    query_condition,
    relation_filter_type,
    value_filter_type,
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


_EQUAL = ComparisonOperator(lambda own: own.equal)
_UNEQUAL = ComparisonOperator(lambda own: str(own.unequal))


def _is_unequal(planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
    if left.operators.unequal is None:
        return not_(_EQUAL(planning, left, operand))
    return _UNEQUAL(planning, left, operand)


OPERATORS: Mapping[str, Operator] = {
    "eq": _EQUAL,
    "neq": _is_unequal,
    **IN_ORDER,
    "in": ComparisonOperator(lambda own: own.equal, "list"),
    "is": _is,
    "startsWith": by_symbol("^@", "pattern"),
    "like": by_symbol("LIKE", "pattern"),
    "ilike": by_symbol("ILIKE", "pattern"),
    "regex": by_symbol("~", "regex"),
    "iregex": by_symbol("~*", "regex"),
    "contains": by_symbol("@>"),
    "containedBy": by_symbol("<@"),
    "overlaps": by_symbol("&&"),
}

COMPARISONS = ("eq", "gt", "gte", "in", "is", "lt", "lte", "neq")
BY_FILTER: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("Int", "Float", "BigInt", "BigFloat", "Date", "Time", "Datetime"), COMPARISONS),
    "String": (*COMPARISONS, "ilike", "iregex", "like", "regex", "startsWith"),
    "UUID": ("eq", "in", "is", "neq"),
    "Boolean": ("eq", "is"),
    "JSON": ("is",),
    "JSONText": ("is",),
    "Opaque": ("eq", "is"),
}
OTHER_OPERATORS = ("eq", "in", "is", "neq")
LIST_OPERATORS = ("containedBy", "contains", "eq", "is", "overlaps")


@hookimpl
def relation_names(type_name: str) -> RelationNames:
    return RelationNames(types=(f"{type_name}Filter",))


@hookimpl
def filter_operators(api: ApiSchema, value_type: ValueType) -> Fields:
    names: Sequence[str] = LIST_OPERATORS
    if value_type.element is None:
        names = BY_FILTER.get(str(value_type.filter), OTHER_OPERATORS)
    if not value_type.equatable:
        names = [name for name in names if name == "is"]
    members = {
        name: GraphQLInputField(_operand_type(api, value_type, name), extensions={"operator": OPERATORS[name]})
        for name in sorted(names)
    }
    return Fields(10, with_patterns(members, value_type.patterns))


def _operand_type(api: ApiSchema, value_type: ValueType, name: str) -> Any:
    if name == "is":
        return _filter_is_type(api)
    element = value_type.element
    if element is not None:
        return GraphQLList(GraphQLNonNull(element.input))
    if name == "in":
        return GraphQLList(GraphQLNonNull(value_type.input))
    return value_type.input


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
