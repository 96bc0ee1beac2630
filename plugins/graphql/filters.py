"""Filters: which operators each type has, and the conditions that columns make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
)
from sqlalchemy import ColumnElement, and_, func, null

from app.errors import RequestError
from app.graphql.api_schema import ApiSchema
from app.graphql.relations import ApiColumn, ApiRelation, ValueType
from app.graphql.values import Leaf
from app.hooks import Fields, hookimpl, in_order
from app.query.comparison import compared, operators_of
from app.query.planning import Planning, Rows, ToText
from app.query.sql import cast_to
from plugins.graphql.arrays import ArrayText
from plugins.graphql.scalars import scalars
from schema_cache.model import Operators

Condition = ColumnElement[Any]

MemberCondition = Callable[[Planning, Rows, Any], Condition | None]
"""What a member of a filter makes of its value on a row; None where it has no effect.
Stands in the extension ``condition`` of the member's GraphQLInputField."""


@dataclass(frozen=True)
class Operator:
    """A comparison of a column with a value. ``operand`` says what the value is: one of the column's type,
    a list of it, or a pattern or regular expression, which is text whatever the column's length. ``symbol`` is what
    SQL has between the two, found for the column's type where that has its own."""

    symbol: Callable[[Operators], str]
    operand: str = "value"


LONGEST_REGEX = 1000
"""Characters of a regular expression: PostgreSQL takes many seconds to compile one of a hundred thousand (measured)."""


@dataclass(frozen=True)
class RegexText:
    """The text of a regular expression, unless it is so long that it would keep the database busy."""

    to_text: ToText

    def __call__(self, value: Any) -> str | None:
        text = self.to_text(value)
        if text is not None and len(text) > LONGEST_REGEX:
            raise RequestError(f"A regular expression has at most {LONGEST_REGEX} characters", code="LIMIT_EXCEEDED")
        return text


def _operator(symbol: str, operand: str = "value") -> Operator:
    return Operator(lambda own: symbol, operand)


OPERATORS: Mapping[str, Operator] = {
    "eq": Operator(lambda own: own.equal),
    "neq": Operator(lambda own: own.unequal),
    "lt": Operator(lambda own: own.less),
    "lte": Operator(lambda own: own.less_or_equal),
    "gt": Operator(lambda own: own.greater),
    "gte": Operator(lambda own: own.greater_or_equal),
    "in": Operator(lambda own: own.equal, "list"),
    "startsWith": _operator("^@", "pattern"),
    "like": _operator("LIKE", "pattern"),
    "ilike": _operator("ILIKE", "pattern"),
    "regex": _operator("~", "regex"),
    "iregex": _operator("~*", "regex"),
    "contains": _operator("@>"),
    "containedBy": _operator("<@"),
    "overlaps": _operator("&&"),
}

COMPARISONS = ("eq", "gt", "gte", "in", "is", "lt", "lte", "neq")
BY_FILTER: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("Int", "Float", "BigInt", "BigFloat", "Date", "Time", "Datetime"), COMPARISONS),
    "String": (*COMPARISONS, "ilike", "iregex", "like", "regex", "startsWith"),
    "UUID": ("eq", "in", "is", "neq"),
    "Boolean": ("eq", "is"),
    "Opaque": ("eq", "is"),
}
ENUM_OPERATORS = ("eq", "in", "is", "neq")
LIST_OPERATORS = ("containedBy", "contains", "eq", "is", "overlaps")


def filter_is_type(api: ApiSchema) -> GraphQLEnumType:
    values = {"NULL": GraphQLEnumValue("NULL"), "NOT_NULL": GraphQLEnumValue("NOT_NULL")}
    return api.named("FilterIs", lambda name: GraphQLEnumType(name, values))


def value_filter_type(api: ApiSchema, value_type: ValueType) -> GraphQLInputObjectType:
    """The filter of a type's values, such as IntFilter, StringListFilter or that of an enum."""

    def members() -> dict[str, GraphQLInputField]:
        if value_type.element is not None:
            names: Sequence[str] = LIST_OPERATORS
        else:
            names = BY_FILTER.get(str(value_type.filter), ENUM_OPERATORS)
        return {name: GraphQLInputField(_operand_type(api, value_type, name)) for name in sorted(names)}

    return api.named(f"{value_type.filter}Filter", lambda name: GraphQLInputObjectType(name, members))


def _operand_type(api: ApiSchema, value_type: ValueType, name: str) -> Any:
    if name == "is":
        return filter_is_type(api)
    element = value_type.element
    if element is not None:
        return GraphQLList(GraphQLNonNull(element.graphql))
    if name == "in":
        return GraphQLList(GraphQLNonNull(value_type.graphql))
    return value_type.graphql


def relation_filter_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType:
    """The filter of a relation's rows."""
    return api.named(
        f"{relation.type_name}Filter",
        lambda name: GraphQLInputObjectType(
            name, lambda: in_order(api.hooks.filter_fields(api=api, relation=relation))
        ),
    )


def condition(
    type_: GraphQLInputObjectType, planning: Planning, rows: Rows, value: Mapping[str, Any]
) -> Condition | None:
    """All members of a filter together as one condition on a row; None where they have no effect.

    Raises OverLimit where the filters have too many of them.
    """
    # One without any members costs as well.
    planning.count_conditions(max(1, len(value)))
    made = (type_.fields[name].extensions["condition"](planning, rows, member) for name, member in value.items())
    parts = [part for part in made if part is not None]
    return and_(*parts) if parts else None


@hookimpl
def filter_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(
        10,
        {
            column.field_name: GraphQLInputField(
                value_filter_type(api, column.type), extensions={"condition": _column_condition(api, column)}
            )
            for column in relation.columns
            if column.type.filter is not None
        },
    )


def _column_condition(api: ApiSchema, column: ApiColumn) -> MemberCondition:
    operators = operators_of(api.view, column.column.type)

    def make(planning: Planning, rows: Rows, value: Mapping[str, Any] | None) -> Condition | None:
        parts = [
            _compare(planning, column, operators, rows.column(column.name), name, operand)
            for name, operand in (value or {}).items()
        ]
        return and_(*parts) if parts else None

    return make


def _compare(
    planning: Planning,
    column: ApiColumn,
    operators: Operators,
    left: ColumnElement[Any],
    name: str,
    operand: Leaf | None,
) -> Condition:
    if name == "is":
        return _is(left, operand)
    if operand is None:
        # A comparison with NULL is neither true nor false, whatever the operator.
        return cast_to(null(), "boolean")
    operator = OPERATORS[name]
    type_text = column.column.type_text
    to_text: ToText = column.to_text
    if operator.operand == "list":
        to_text, type_text = ArrayText(column.to_text), f"{type_text}[]"
    elif operator.operand == "pattern":
        to_text, type_text = column.type.to_text, "text"
    elif operator.operand == "regex":
        to_text, type_text = RegexText(column.type.to_text), "text"
    value = planning.bind(operand, to_text, type_text)
    return compared(left, operator.symbol(operators), func.any(value) if operator.operand == "list" else value)


def _is(left: ColumnElement[Any], operand: Leaf | None) -> Condition:
    if operand is None:
        raise RequestError("Error transpiling Is filter value type")
    value = operand.steer()
    if value == "NULL":
        return left.is_(None)
    if value == "NOT_NULL":
        return left.is_not(None)
    raise RequestError("Invalid input for FilterIs type")


@hookimpl
def always_listed_types(api: ApiSchema) -> Sequence[GraphQLNamedType]:
    listed: list[GraphQLNamedType] = [filter_is_type(api)]
    for scalar in scalars(api).all:
        if scalar.filterable:
            element = ValueType(scalar.type, scalar.to_json, scalar.to_text, scalar.type.name)
            listed.append(value_filter_type(api, element))
            if scalar.list_filter:
                array = ValueType(
                    GraphQLList(scalar.type), scalar.to_json, scalar.to_text, f"{scalar.type.name}List", element=element
                )
                listed.append(value_filter_type(api, array))
    return listed
