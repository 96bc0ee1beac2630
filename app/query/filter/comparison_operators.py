"""Filter operators that compare a column with an operand by one SQL operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLInputField
from sqlalchemy import func, null

from app.errors import RequestError
from app.graphql.values.types import Patterns, ToText, ValueType
from app.graphql.values.values import Leaf
from app.query.filter.conditions import Compared, Condition
from app.query.filter.regular_expressions import refusal
from app.query.plan.planning import OF_A_PATTERN, OF_A_REGEX, Planning
from app.query.sql.comparison import compared
from app.query.sql.constructs import cast_to
from app.query.sql.texts import ArrayText
from schema_cache.operators import Operators

VALUES_TO_ONE = 20
"""How many values of a list count as one condition, if arrays are compared with the list."""

_SINGLE_VALUES_TO_ONE = 500
"""How many values of a list count as one condition, if the column must equal one of them."""


@dataclass(frozen=True)
class RegexText:
    """Converts a regular expression to text, and refuses one whose cost is not bounded."""

    to_text: ToText

    def __call__(self, value: Any) -> str | None:
        text = self.to_text(value)
        reason = None if text is None else refusal(text)
        if reason is not None:
            raise RequestError(reason, code="LIMIT_EXCEEDED")
        return text


@dataclass(frozen=True)
class ComparisonOperator:
    """A comparison of a column with a value. ``operand`` is the kind of the value: ``value`` for one of the column's
    type, ``list`` for a list of these, ``pattern`` or ``regex`` for text, to which the column's length does not apply.
    ``symbol`` chooses the SQL operator from those of the column's type."""

    symbol: Callable[[Operators], str]
    operand: str = "value"

    def __call__(self, planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
        if operand is None:
            # A comparison with NULL is neither true nor false, for every operator.
            return cast_to(null(), "boolean")
        to_text, type_text = left.to_text, left.type_text
        if self.operand == "list":
            planning.count_values(operand, _SINGLE_VALUES_TO_ONE)
            to_text, type_text = ArrayText(left.to_text, left.type.delimiter), f"{left.type_text}[]"
        elif self.operand == "pattern":
            planning.count_conditions(OF_A_PATTERN)
            to_text, type_text = left.type.to_text, "text"
        elif self.operand == "regex":
            planning.count_conditions(OF_A_REGEX)
            to_text, type_text = RegexText(left.type.to_text), "text"
        if self.operand == "value" and left.type.element is not None:
            planning.count_values(operand, VALUES_TO_ONE)
        value = planning.bind(operand, to_text, type_text)
        return compared(left.value, self.symbol(left.operators), func.any(value) if self.operand == "list" else value)


def by_symbol(symbol: str, operand: str = "value") -> ComparisonOperator:
    """A comparison by an operator that has the same symbol for every type."""
    return ComparisonOperator(lambda own: own.named(symbol), operand)


IN_ORDER: Mapping[str, ComparisonOperator] = {
    "lt": ComparisonOperator(lambda own: own.less),
    "lte": ComparisonOperator(lambda own: own.less_or_equal),
    "gt": ComparisonOperator(lambda own: own.greater),
    "gte": ComparisonOperator(lambda own: own.greater_or_equal),
}
"""The operators of types whose values have an order."""


PATTERNS = {
    **dict.fromkeys(("like", "likeAny", "includes", "endsWith"), Patterns.LIKE),
    **dict.fromkeys(("ilike", "ilikeAny", "iincludes", "startsWith", "regex", "iregex"), Patterns.ALL),
}
"""The kind of pattern that each member of a text filter takes."""


def with_patterns(members: Mapping[str, GraphQLInputField], patterns: Patterns) -> dict[str, GraphQLInputField]:
    """The members of a text filter, without those that need other patterns than ``patterns``."""
    kinds = {Patterns.ALL: set(Patterns), Patterns.LIKE: {Patterns.LIKE}, Patterns.NONE: set()}[patterns]
    return {name: each for name, each in members.items() if name not in PATTERNS or PATTERNS[name] in kinds}


def comparison_members(
    value_type: ValueType, operators: Mapping[str, ComparisonOperator], descriptions: Mapping[str, str] | None = None
) -> dict[str, GraphQLInputField]:
    """Members of a type's filter with operands of that type."""
    return {
        name: GraphQLInputField(
            value_type.input, description=(descriptions or {}).get(name), extensions={"operator": operator}
        )
        for name, operator in operators.items()
    }
