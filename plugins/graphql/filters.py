"""Filters: which operators each type has, and the conditions that columns make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
from sqlalchemy import func, null

from app.errors import RequestError
from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiColumn, ApiRelation, RelationNames
from app.graphql.values import Leaf
from app.graphql.values_of_types import ToText, ValueType
from app.hooks import hookimpl
from app.query.comparison import compared
from app.query.conditions import (
    Compared,
    Condition,
    Operator,
    column_condition,
    condition,
    id_filter_type,
    relation_filter_type,
    value_filter_type,
)
from app.query.planning import Planning, Rows
from app.query.regular_expressions import refusal
from app.query.scalars import scalars_of, value_type_of
from app.query.sql import cast_to
from app.query.texts import ArrayText
from schema_cache.model import Operators


@dataclass(frozen=True)
class RegexText:
    """The text of a regular expression; one whose cost is not bounded is refused."""

    to_text: ToText

    def __call__(self, value: Any) -> str | None:
        text = self.to_text(value)
        reason = None if text is None else refusal(text)
        if reason is not None:
            raise RequestError(reason, code="LIMIT_EXCEEDED")
        return text


@dataclass(frozen=True)
class ComparisonOperator:
    """A comparison of a column with a value. ``operand`` says what the value is: one of the column's type,
    a list of it, or a pattern or regular expression, which is text whatever the column's length. ``symbol`` is the
    SQL operator, chosen from those of the column's type."""

    symbol: Callable[[Operators], str]
    operand: str = "value"

    def __call__(self, planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
        if operand is None:
            # A comparison with NULL is neither true nor false, whatever the operator.
            return cast_to(null(), "boolean")
        to_text, type_text = left.to_text, left.type_text
        if self.operand == "list":
            to_text, type_text = ArrayText(left.to_text), f"{left.type_text}[]"
        elif self.operand == "pattern":
            to_text, type_text = left.type.to_text, "text"
        elif self.operand == "regex":
            to_text, type_text = RegexText(left.type.to_text), "text"
        value = planning.bind(operand, to_text, type_text)
        return compared(left.value, self.symbol(left.operators), func.any(value) if self.operand == "list" else value)


def _is(planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
    if operand is None:
        raise RequestError("Error transpiling Is filter value type")
    value = operand.steer()
    if value == "NULL":
        return left.value.is_(None)
    if value == "NOT_NULL":
        return left.value.is_not(None)
    raise RequestError("Invalid input for FilterIs type")


def _comparison(symbol: str, operand: str = "value") -> ComparisonOperator:
    return ComparisonOperator(lambda own: symbol, operand)


OPERATORS: Mapping[str, Operator] = {
    "eq": ComparisonOperator(lambda own: own.equal),
    "neq": ComparisonOperator(lambda own: own.unequal),
    "lt": ComparisonOperator(lambda own: own.less),
    "lte": ComparisonOperator(lambda own: own.less_or_equal),
    "gt": ComparisonOperator(lambda own: own.greater),
    "gte": ComparisonOperator(lambda own: own.greater_or_equal),
    "in": ComparisonOperator(lambda own: own.equal, "list"),
    "is": _is,
    "startsWith": _comparison("^@", "pattern"),
    "like": _comparison("LIKE", "pattern"),
    "ilike": _comparison("ILIKE", "pattern"),
    "regex": _comparison("~", "regex"),
    "iregex": _comparison("~*", "regex"),
    "contains": _comparison("@>"),
    "containedBy": _comparison("<@"),
    "overlaps": _comparison("&&"),
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
    return Fields(
        10,
        {
            name: GraphQLInputField(_operand_type(api, value_type, name), extensions={"operator": OPERATORS[name]})
            for name in sorted(names)
        },
    )


def _operand_type(api: ApiSchema, value_type: ValueType, name: str) -> Any:
    if name == "is":
        return _filter_is_type(api)
    element = value_type.element
    if element is not None:
        return GraphQLList(GraphQLNonNull(element.graphql))
    if name == "in":
        return GraphQLList(GraphQLNonNull(value_type.graphql))
    return value_type.graphql


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
    return Fields(20, {"filter": _argument(api, relation, "Which rows")})


@hookimpl
def update_arguments(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(20, {"filter": _argument(api, relation, "Which rows; all without it")})


@hookimpl
def delete_arguments(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(20, {"filter": _argument(api, relation, "Which rows; all without it")})


def _argument(api: ApiSchema, relation: ApiRelation, description: str) -> GraphQLArgument:
    type_ = relation_filter_type(api, relation)

    def narrow(planning: Planning, rows: Rows, value: Mapping[str, Any] | None) -> Condition | None:
        return condition(type_, planning, rows, value) if value else None

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
