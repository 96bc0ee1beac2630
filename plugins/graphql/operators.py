"""Further filter operators: not, distinctFrom, parts and patterns of text, and similar text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType, GraphQLList, GraphQLNonNull
from sqlalchemy import func, not_, null, true

from app.database.identifiers import quoted
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.values.types import ToText, ValueType
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.filter.comparison_operators import with_patterns
from app.query.filter.conditions import Compared, Condition, Operator, value_condition, value_filter_type
from app.query.plan.planning import OF_A_PATTERN, Planning
from app.query.sql.comparison import compared
from app.query.sql.constructs import cast_to
from app.query.sql.texts import ArrayText

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
    members = {"distinctFrom": _distinct_from(value_type)} if value_type.equatable else {}
    if value_type.filter == TEXT_FILTER:
        members |= with_patterns(_of_text(value_type), value_type.patterns) | _of_trigrams(api, value_type)
    members["not"] = _negation(value_filter_type(api, value_type))
    return Fields(40, members)


def _member(type_: Any, operator: Operator, description: str) -> GraphQLInputField:
    return GraphQLInputField(type_, description=description, extensions={"operator": operator})


def _negation(type_: GraphQLInputObjectType) -> GraphQLInputField:
    def operator(planning: Planning, left: Compared, operand: Mapping[str, Any] | None) -> Condition | None:
        planning.count_conditions(1)
        part = value_condition(type_, planning, left, operand)
        return None if part is None else not_(part)

    return _member(type_, operator, "Values that do not match; nulls are not found")


def _distinct_from(value_type: ValueType) -> GraphQLInputField:
    element = value_type.element
    type_ = value_type.input if element is None else GraphQLList(GraphQLNonNull(element.input))
    return _member(type_, _is_distinct, "Values that differ; null counts as a value")


def _is_distinct(planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
    if operand is None:
        return left.value.is_not(None)
    # Not IS DISTINCT FROM, which uses the operator = of the search path; that may be the one of another type.
    other = planning.bind(operand, left.to_text, left.type_text)
    return compared(left.value, left.operators.equal, other).is_not(true())


@dataclass(frozen=True)
class Pattern:
    """Converts text to a pattern for LIKE that contains the text literally, with its wildcards escaped."""

    to_text: ToText
    before: str = "%"
    after: str = "%"

    def __call__(self, value: Any) -> str | None:
        text = self.to_text(value)
        return None if text is None else self.before + re.sub(r"([\\%_])", r"\\\1", text) + self.after


@dataclass(frozen=True)
class TextOperator:
    """A comparison of text by an SQL operator. By default the operand is passed unchanged. With ``after`` it becomes a
    LIKE pattern that matches the operand literally and ends with ``after``. With ``any_of`` it is a list of which one
    element must match."""

    symbol: str
    after: str | None = None
    any_of: bool = False

    def __call__(self, planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
        if operand is None:
            return cast_to(null(), "boolean")
        to_text, symbol = left.type.to_text, left.operators.named(self.symbol)
        if self.any_of:
            planning.count_values(operand, 1, OF_A_PATTERN)
            return compared(left.value, symbol, func.any(planning.bind(operand, ArrayText(to_text), "text[]")))
        planning.count_conditions(OF_A_PATTERN)
        pattern = to_text if self.after is None else Pattern(to_text, after=self.after)
        return compared(left.value, symbol, planning.bind(operand, pattern, "text"))


def _of_text(value_type: ValueType) -> dict[str, GraphQLInputField]:
    one, many = value_type.input, GraphQLList(GraphQLNonNull(value_type.input))
    return {
        "endsWith": _member(one, TextOperator("LIKE", after=""), "Text that ends with this"),
        "iincludes": _member(one, TextOperator("ILIKE", after="%"), "Text that contains this, ignoring case"),
        "ilikeAny": _member(
            many, TextOperator("ILIKE", any_of=True), "Text that matches one of the patterns, ignoring case"
        ),
        "includes": _member(one, TextOperator("LIKE", after="%"), "Text that contains this"),
        "likeAny": _member(many, TextOperator("LIKE", any_of=True), "Text that matches one of the patterns"),
    }


def _of_trigrams(api: ApiSchema, value_type: ValueType) -> dict[str, GraphQLInputField]:
    """The operators of the extension pg_trgm, if it is installed and the role may use them."""
    schemas = {each.name: each.schema for each in api.view.extension_functions}
    return {
        name: _member(value_type.input, TextOperator(f"OPERATOR({quoted(schemas[function])}.{symbol})"), description)
        for name, (symbol, function, description) in TRIGRAM_OPERATORS.items()
        if function in schemas
    }
