"""Checks that the values of variables fit the types that the operation declares for them.

graphql-core checks that too, but it also builds the values for its own resolvers, which takes microseconds for each.
This module only checks, mostly whole lists at a time. If a value does not certainly fit, graphql-core decides, so that
the error messages are graphql-core's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLSchema,
    GraphQLString,
    VariableDefinitionNode,
    is_input_type,
    is_leaf_type,
    type_from_ast,
)
from graphql.execution.values import get_variable_values

from app.graphql.values.coercion import non_null_members
from app.graphql.values.counted import COUNTED, ValueLimit, check_list

MAX_ERRORS = 10
"""How many errors in the variables of a request are reported."""

DEEPEST = 50
"""Deeper values are left to graphql-core, which has a limit of its own."""

LARGEST_INT = 2**31 - 1

_ALWAYS_ACCEPTED: Mapping[Any, frozenset[type]] = {
    GraphQLString: frozenset((str,)),
    GraphQLBoolean: frozenset((bool,)),
}
JSON_TYPES = "json_types"
"""The extension of a scalar with the Python types of the JSON values that it accepts regardless of the value."""


def errors_of_variables(
    schema: GraphQLSchema,
    declared: Sequence[VariableDefinitionNode],
    variables: Mapping[str, Any],
    *,
    hide_suggestions: bool,
) -> list[GraphQLError]:
    """The errors in the declared variables: at most MAX_ERRORS, then one that says that there are more."""
    check = _QuickCheck()
    if all(check.is_valid(schema, each, variables) for each in declared):
        return []
    shortened = dict(variables)
    for each in declared:
        name = each.variable.name.value
        if name in shortened:
            shortened[name] = _shortened(shortened[name], type_from_ast(schema, each.type))
    checked = get_variable_values(schema, declared, shortened, max_errors=MAX_ERRORS, hide_suggestions=hide_suggestions)
    return checked if isinstance(checked, list) else []


def _shortened(value: Any, type_: Any) -> Any:
    """A list, cut after the item whose error is one more than MAX_ERRORS: graphql-core would visit all items before it
    reports any error."""
    of_type = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
    if not isinstance(of_type, GraphQLList) or not isinstance(value, list):
        return value
    misfits = (number for number, item in enumerate(value, 1) if _certainly_misfits(item, of_type.of_type))
    end = next(islice(misfits, MAX_ERRORS, None), len(value))
    return value[:end]


def _certainly_misfits(value: Any, type_: Any) -> bool:
    if value is None:
        return isinstance(type_, GraphQLNonNull)
    of_type = type_.of_type if isinstance(type_, GraphQLNonNull) else type_
    return is_leaf_type(of_type) and not _is_accepted(value, of_type)


class _QuickCheck:
    """Checks whether values certainly fit. False is not a verdict: graphql-core must decide then. Raises OverLimit as
    soon as there are too many values of a counted type."""

    def __init__(self) -> None:
        self._seen: dict[ValueLimit, int] = {}

    def is_valid(self, schema: GraphQLSchema, declared: Any, variables: Mapping[str, Any]) -> bool:
        type_ = type_from_ast(schema, declared.type)
        name = declared.variable.name.value
        return name in variables and is_input_type(type_) and self._fits(variables[name], type_, 0)

    def _fits(self, value: Any, type_: Any, depth: int) -> bool:
        if isinstance(type_, GraphQLNonNull):
            return value is not None and self._fits(value, type_.of_type, depth)
        if value is None:
            return True
        if isinstance(type_, GraphQLInputObjectType):
            self._count(type_)
            return isinstance(value, dict) and depth < DEEPEST and self._members_fit(value, type_, depth + 1)
        if isinstance(type_, GraphQLList):
            return isinstance(value, list) and depth < DEEPEST and self._items_fit(value, type_.of_type, depth + 1)
        accepted = _accepted(type_)
        return type(value) in accepted if accepted is not None else _is_accepted(value, type_)

    def _count(self, type_: GraphQLInputObjectType) -> None:
        most: ValueLimit | None = type_.extensions.get(COUNTED)
        if most is not None:
            self._seen[most] = number = self._seen.get(most, 0) + 1
            most.check_all(number)

    def _members_fit(self, value: Mapping[str, Any], type_: GraphQLInputObjectType, depth: int) -> bool:
        fields = type_.fields
        if type_.is_one_of or not value.keys() <= fields.keys() or not value.keys() >= non_null_members(type_):
            return False
        return all(self._fits(item, fields[name].type, depth) for name, item in value.items())

    def _items_fit(self, values: Sequence[Any], type_: Any, depth: int) -> bool:
        of_type = type_
        if isinstance(type_, GraphQLNonNull):
            if None in values:
                return False
            of_type = type_.of_type
        elif None in values:
            values = [each for each in values if each is not None]
        if isinstance(of_type, GraphQLInputObjectType):
            check_list(of_type, len(values))
        accepted = None if isinstance(of_type, GraphQLList) else _accepted(of_type)
        if accepted is not None:
            return accepted.issuperset(map(type, values))
        if of_type is GraphQLInt and values:
            return set(map(type, values)) == {int} and min(values) >= -LARGEST_INT - 1 and max(values) <= LARGEST_INT
        if is_leaf_type(of_type) and not any(isinstance(each, (dict, list)) for each in values):
            # Equal values of different types, such as 1 and true, are different values.
            return all(_is_accepted(value, of_type) for _, value in set(zip(map(type, values), values, strict=True)))
        return all(self._fits(each, type_, depth) for each in values)


def _accepted(type_: Any) -> frozenset[type] | None:
    """The types whose values a scalar always accepts; None if that depends on the value."""
    return _ALWAYS_ACCEPTED.get(type_) or type_.extensions.get(JSON_TYPES)


def _is_accepted(value: Any, type_: Any) -> bool:
    try:
        type_.coerce_input_value(value)
    except Exception:
        return False
    return True
