"""Further operators of filters: not, distinctFrom, parts and patterns of text, and similar text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import not_, true

from app.database.identifiers import quoted
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.values.types import ValueType
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.filter.conditions import Compared, Condition, Operator, value_condition, value_filter_type
from app.query.filter.operators import (
    FURTHER_PATTERNS,
    PATTERN,
    VALUE,
    FilterOperator,
    members,
    of_extension,
    with_patterns,
)
from app.query.plan.planning import Planning
from app.query.sql.comparison import compared

TEXT_FILTER = "String"

TRIGRAM_OPERATORS = {
    "similar": ("%", "similarity_op", "Text that is similar as a whole, by pg_trgm.similarity_threshold"),
    "wordSimilar": (
        "%>", "word_similarity_commutator_op", "Text that contains similar words, by pg_trgm.word_similarity_threshold"
    ),
}  # fmt: skip
"""By member: the operator of the extension pg_trgm, the function behind it, and a description."""


@hookimpl
def features() -> Sequence[str]:
    return ("operators",)


@hookimpl
def filter_operators(api: ApiSchema, value_type: ValueType) -> Fields:
    offered = {"distinctFrom": _distinct_from(value_type)} if value_type.equatable else {}
    if value_type.filter == TEXT_FILTER:
        patterns = with_patterns(FURTHER_PATTERNS, value_type.patterns)
        offered |= members(value_type, {**patterns, **_of_trigrams(api)})
    offered["not"] = _negation(value_filter_type(api, value_type))
    return Fields(40, offered)


def _member(type_: Any, operator: Operator, description: str) -> GraphQLInputField:
    return GraphQLInputField(type_, description=description, extensions={"operator": operator})


def _negation(type_: GraphQLInputObjectType) -> GraphQLInputField:
    def operator(planning: Planning, left: Compared, operand: Mapping[str, Any] | None) -> Condition | None:
        planning.count_conditions(1)
        part = value_condition(type_, planning, left, operand)
        return None if part is None else not_(part)

    return _member(type_, operator, "Values that do not match; nulls are not found")


def _distinct_from(value_type: ValueType) -> GraphQLInputField:
    return _member(VALUE.input(value_type), _is_distinct, "Values that differ; null counts as a value")


def _is_distinct(planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
    if operand is None:
        return left.value.is_not(None)
    # IS DISTINCT FROM takes the operator = of the search path, which may be that of another type.
    other = planning.bind(operand, left.to_text, left.type_text)
    return compared(left.value, left.operators.equal, other).is_not(true())


def _of_trigrams(api: ApiSchema) -> dict[str, FilterOperator]:
    """The operators of the extension pg_trgm, if it is installed and the role may use them."""
    schemas = {each.name: each.schema for each in api.view.extension_functions}
    return {
        name: of_extension(quoted(schemas[function]), symbol, description, PATTERN)
        for name, (symbol, function, description) in TRIGRAM_OPERATORS.items()
        if function in schemas
    }
