"""The operators of filters that compare a column with an operand by one operator of SQL: all of them, in one table.

A plugin offers a group of the table for the types that it knows (``members``). To add an operator, add its line to the
group; operators that are not comparisons, such as ``is`` and ``not``, are functions of their plugin.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLInputField, GraphQLList, GraphQLNonNull, GraphQLString
from sqlalchemy import func, not_

from app.errors import RequestError
from app.graphql.values.types import Patterns, ToText, ValueType
from app.graphql.values.values import Leaf
from app.query.filter.conditions import Compared, Condition
from app.query.filter.json_paths import json_path_text, number_of_regexes
from app.query.filter.regular_expressions import refusal
from app.query.plan.planning import OF_A_PATTERN, OF_A_REGEX, Planning
from app.query.sql.comparison import compared
from app.query.sql.texts import ArrayText, StringText
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
class PartOfPattern:
    """A pattern for LIKE that contains the operand literally, with its wildcards escaped, after any text."""

    to_text: ToText
    after: str

    def __call__(self, value: Any) -> str | None:
        text = self.to_text(value)
        return None if text is None else "%" + re.sub(r"([\\%_])", r"\\\1", text) + self.after


@dataclass(frozen=True)
class Operand:
    """The right side of a comparison with a column.

    ``input`` gives its GraphQL type, for a column of that type; ``to_text`` and ``type_text`` its text and its type in
    SQL. ``count`` counts what it costs. ``any_of``: it is a list, and the comparison must hold for one element.
    """

    input: Callable[[ValueType], Any]
    to_text: Callable[[Compared], ToText]
    type_text: Callable[[Compared], str]
    count: Callable[[Planning, Compared, Leaf], None]
    any_of: bool = False


def _one(value_type: ValueType) -> Any:
    return value_type.input


def _list(value_type: ValueType) -> Any:
    return GraphQLList(GraphQLNonNull(value_type.input))


def _one_or_elements(value_type: ValueType) -> Any:
    return _one(value_type) if value_type.element is None else _list(value_type.element)


def _count_elements(planning: Planning, left: Compared, operand: Leaf) -> None:
    if left.type.element is not None:
        planning.count_values(operand, VALUES_TO_ONE)


def _count_as(weight: int) -> Callable[[Planning, Compared, Leaf], None]:
    return lambda planning, left, operand: planning.count_conditions(weight)


def _count_values(number_to_one: int, weight: int = 1) -> Callable[[Planning, Compared, Leaf], None]:
    return lambda planning, left, operand: planning.count_values(operand, number_to_one, weight)


def _count_regexes(planning: Planning, left: Compared, operand: Leaf) -> None:
    operand.steer(number_of_regexes)
    planning.count_conditions(OF_A_REGEX * number_of_regexes(operand.raw))


def _is_single(values: Any) -> bool:
    """The key function of a list: whether it has one item. A value in the place of a list is a list of it."""
    return not isinstance(values, list) or len(values) == 1


def _only_item(values: Any) -> Any:
    return values[0] if isinstance(values, list) else values


def _count_nothing(planning: Planning, left: Compared, operand: Leaf) -> None:
    pass


def _text(make: Callable[[ToText], ToText], weight: int) -> Operand:
    """Text, to which the length of the column does not apply."""
    return Operand(_one, lambda left: make(left.type.to_text), lambda left: "text", _count_as(weight))


def fixed(
    input_: Any, to_text: ToText, type_text: str, count: Callable[[Planning, Compared, Leaf], None] = _count_nothing
) -> Operand:
    """An operand of a type that does not depend on the column's."""
    return Operand(lambda value_type: input_, lambda left: to_text, lambda left: type_text, count)


_STRING = StringText("String")
_STRINGS = GraphQLList(GraphQLNonNull(GraphQLString))

VALUE = Operand(_one_or_elements, lambda left: left.to_text, lambda left: left.type_text, _count_elements)
ONE_OF = Operand(
    _list,
    lambda left: ArrayText(left.to_text, left.type.delimiter),
    lambda left: f"{left.type_text}[]",
    _count_values(_SINGLE_VALUES_TO_ONE),
    any_of=True,
)
PATTERN = _text(lambda to_text: to_text, OF_A_PATTERN)
REGEX = _text(RegexText, OF_A_REGEX)
PART = _text(lambda to_text: PartOfPattern(to_text, "%"), OF_A_PATTERN)
END = _text(lambda to_text: PartOfPattern(to_text, ""), OF_A_PATTERN)
ONE_OF_PATTERNS = Operand(
    _list, lambda left: ArrayText(left.type.to_text), lambda left: "text[]", _count_values(1, OF_A_PATTERN), any_of=True
)
DOCUMENT = Operand(_one, lambda left: left.type.to_text, lambda left: "jsonb", _count_nothing)
KEY = fixed(GraphQLString, _STRING, "text")
KEYS = fixed(_STRINGS, ArrayText(_STRING), "text[]", _count_values(VALUES_TO_ONE))
JSON_PATH = fixed(GraphQLString, json_path_text, "jsonpath", _count_regexes)


@dataclass(frozen=True)
class FilterOperator:
    """A comparison of a column with an operand. ``symbol`` is the SQL operator, chosen from those of the column's type;
    None stands for the negation of equality. ``description``: which values it finds; clients show it, Studio too."""

    symbol: Callable[[Operators], str | None]
    description: str
    operand: Operand = VALUE
    is_like: bool = False
    """Whether it is LIKE, which texts of a nondeterministic collation have, too, from PostgreSQL 18 on."""

    def __call__(self, planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
        if operand is None:
            # A comparison with NULL is neither true nor false, for every operator.
            return planning.unknown(left.value)
        kind = self.operand
        kind.count(planning, left, operand)
        if kind is ONE_OF and planning.cluster is not None and _is_single(operand.steer(_is_single)):
            # Citus finds the shard of a row by one value, and not by an array.
            kind, operand = VALUE, operand.read_by(_only_item)
        value = planning.bind(operand, kind.to_text(left), kind.type_text(left))
        right = func.any(value) if kind.any_of else value
        symbol = self.symbol(left.operators)
        return (
            not_(compared(left.value, left.operators.equal, right))
            if symbol is None
            else compared(left.value, symbol, right)
        )

    def member(self, value_type: ValueType) -> GraphQLInputField:
        """The member of the filter of a type's values."""
        return GraphQLInputField(
            self.operand.input(value_type), description=self.description, extensions={"operator": self}
        )


def by_symbol(symbol: str, description: str, operand: Operand = VALUE) -> FilterOperator:
    """A comparison by an operator that has the same name for every type."""
    return FilterOperator(lambda own: own.named(symbol), description, operand, is_like=symbol == "LIKE")


def of_extension(schema: str, symbol: str, description: str, operand: Operand = VALUE) -> FilterOperator:
    """A comparison by an operator in a schema, whose name is quoted already."""
    return by_symbol(f"OPERATOR({schema}.{symbol})", description, operand)


EQUALITY: Mapping[str, FilterOperator] = {
    "eq": FilterOperator(lambda own: own.equal, "Values equal to this one"),
    "neq": FilterOperator(lambda own: own.unequal, "Values not equal to this one; nulls are not found"),
    "in": FilterOperator(lambda own: own.equal, "Values equal to one of these", ONE_OF),
}
IN_ORDER: Mapping[str, FilterOperator] = {
    "lt": FilterOperator(lambda own: own.less, "Values less than this one"),
    "lte": FilterOperator(lambda own: own.less_or_equal, "Values less than or equal to this one"),
    "gt": FilterOperator(lambda own: own.greater, "Values greater than this one"),
    "gte": FilterOperator(lambda own: own.greater_or_equal, "Values greater than or equal to this one"),
}
PATTERNS: Mapping[str, FilterOperator] = {
    "startsWith": by_symbol("^@", "Text that starts with this", PATTERN),
    "like": by_symbol("LIKE", "Text that matches this LIKE pattern", PATTERN),
    "ilike": by_symbol("ILIKE", "Text that matches this LIKE pattern, ignoring case", PATTERN),
    "regex": by_symbol("~", "Text that matches this regular expression", REGEX),
    "iregex": by_symbol("~*", "Text that matches this regular expression, ignoring case", REGEX),
}
FURTHER_PATTERNS: Mapping[str, FilterOperator] = {
    "endsWith": by_symbol("LIKE", "Text that ends with this", END),
    "iincludes": by_symbol("ILIKE", "Text that contains this, ignoring case", PART),
    "ilikeAny": by_symbol("ILIKE", "Text that matches one of the patterns, ignoring case", ONE_OF_PATTERNS),
    "includes": by_symbol("LIKE", "Text that contains this", PART),
    "likeAny": by_symbol("LIKE", "Text that matches one of the patterns", ONE_OF_PATTERNS),
}
LIST_OPERATORS: Mapping[str, FilterOperator] = {
    "eq": EQUALITY["eq"],
    "contains": by_symbol("@>", "Lists that contain all of these"),
    "containedBy": by_symbol("<@", "Lists that contain nothing but these"),
    "overlaps": by_symbol("&&", "Lists that contain at least one of these"),
}
NETWORK_OPERATORS: Mapping[str, FilterOperator] = {
    **IN_ORDER,
    "within": by_symbol("<<=", "Addresses and networks within this network, or equal to it"),
    "contains": by_symbol(">>=", "Networks that contain this address or network, or equal it"),
    "overlaps": by_symbol("&&", "Networks and addresses that contain this one, are within it, or equal it"),
}
RANGE_OPERATORS: Mapping[str, FilterOperator] = {
    "contains": by_symbol("@>", "Ranges that contain this one"),
    "containedBy": by_symbol("<@", "Ranges that this one contains"),
    "overlaps": by_symbol("&&", "Ranges that share a value with this one"),
    "adjacent": by_symbol("-|-", "Ranges that touch this one and share no value with it"),
    "before": by_symbol("<<", "Ranges that end before this one begins"),
    "after": by_symbol(">>", "Ranges that begin after this one ends"),
}
DOCUMENT_OPERATORS: Mapping[str, FilterOperator] = {
    "contains": by_symbol("@>", "Documents that contain this one", DOCUMENT),
    "containedBy": by_symbol("<@", "Documents that this one contains", DOCUMENT),
    "hasKey": by_symbol("?", "Objects with this key, arrays with this string", KEY),
    "hasAnyKey": by_symbol("?|", "Objects or arrays with at least one of these", KEYS),
    "hasAllKeys": by_symbol("?&", "Objects or arrays with all of these", KEYS),
    "match": by_symbol("@@", "Documents for which this SQL/JSON path predicate is true", JSON_PATH),
    "exists": by_symbol("@?", "Documents in which this SQL/JSON path finds an item", JSON_PATH),
}


def with_patterns(operators: Mapping[str, FilterOperator], patterns: Patterns) -> dict[str, FilterOperator]:
    """Those of the operators of texts that work for texts that are compared with these patterns."""
    return {
        name: each
        for name, each in operators.items()
        if patterns is Patterns.ALL or (patterns is Patterns.LIKE and each.is_like)
    }


def members(value_type: ValueType, operators: Mapping[str, FilterOperator]) -> dict[str, GraphQLInputField]:
    """Members of the filter of a type's values."""
    return {name: operator.member(value_type) for name, operator in operators.items()}
