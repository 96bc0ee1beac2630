"""Coerces literals and variables to the type that an argument declares.

The result is None for null, a dict in the order of the document for an input object, and a list for a list of input
objects. A scalar, an enum value or a list of these becomes a Leaf, and so does an input object that is bound as one
value. Missing values are left out. The declared types of variables are not checked here: in a dialect that requires
them, the document and its variables were validated before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from graphql import (
    GraphQLArgument,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    ListValueNode,
    NullValueNode,
    ObjectValueNode,
    ValueNode,
    VariableNode,
    get_named_type,
    is_leaf_type,
    value_from_ast_untyped,
)

from app.errors import RequestError
from app.graphql.values.counted import check_list
from app.graphql.values.values import ABSENT, Leaf, Path, Source, Variables

MAX_LISTED = 10
"""How many unknown keys an error names."""

BOUND_WHOLE = "bound_whole"
"""The extension of an input object type whose values are bound as one parameter, and so become a Leaf."""

Given = ValueNode | Source
"""A value in the document, or one at a path in the variables."""


def arguments(
    declared: Mapping[str, GraphQLArgument], nodes: Mapping[str, ValueNode], variables: Variables
) -> dict[str, Any]:
    """The arguments of a field, in the order in which they are declared; absent ones are left out.

    The extension ``takes_null`` of an argument says that its resolver handles null, even if the type is non-null.
    Raises RequestError for an unknown argument, a missing required one, and a value that does not fit the type.
    """
    refuse_unknown(nodes, declared, "Input")
    result = {}
    for name, argument in declared.items():
        given = _resolve(nodes.get(name, ABSENT), variables)
        type_ = argument.type
        if given is ABSENT and not isinstance(type_, GraphQLNonNull):
            continue
        # A missing argument with a default is left out too; its resolver applies the default.
        lenient = argument.default is not None if given is ABSENT else argument.extensions.get("takes_null")
        if lenient and isinstance(type_, GraphQLNonNull):
            type_ = type_.of_type
        value = coerce(type_, given, variables)
        if value is not ABSENT:
            result[name] = value
    return result


def refuse_unknown(given: Mapping[str, Any], known: Mapping[str, Any], where: str) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        more = f" and {len(unknown) - MAX_LISTED} more" if len(unknown) > MAX_LISTED else ""
        raise RequestError(f"{where} contains extra keys {json.dumps(unknown[:MAX_LISTED], ensure_ascii=False)}{more}")


def coerce(type_: Any, given: Given | Any, variables: Variables) -> Any:
    """``given``, coerced to the input type ``type_``: None, dict, list, Leaf, or ABSENT."""
    given = _resolve(given, variables)
    if isinstance(type_, GraphQLNonNull):
        value = coerce(type_.of_type, given, variables)
        if value is None or value is ABSENT:
            raise RequestError("Invalid input for NonNull type")
        return value
    if given is ABSENT or _is_null(given, variables):
        return ABSENT if given is ABSENT else None
    if _is_bound_whole(get_named_type(type_)):
        return _leaf(type_, given, variables)
    if isinstance(type_, GraphQLList):
        items, named = _items(given, variables), get_named_type(type_)
        if isinstance(named, GraphQLInputObjectType):
            check_list(named, len(items))
        return [coerce(type_.of_type, item, variables) for item in items]
    return _input_object(type_, given, variables)


def _is_bound_whole(type_: Any) -> bool:
    return is_leaf_type(type_) or BOUND_WHOLE in type_.extensions


def _leaf(type_: Any, given: Given, variables: Variables) -> Leaf:
    is_list = isinstance(type_, GraphQLList)
    leaf = Leaf(source_of(given), variables, get_named_type(type_).name, is_list)
    if is_list and isinstance(type_.of_type, GraphQLNonNull) and isinstance(leaf.raw, list) and None in leaf.raw:
        raise RequestError("Invalid input for NonNull type")
    return leaf


def _input_object(type_: GraphQLInputObjectType, given: Given, variables: Variables) -> dict[str, Any]:
    members = _members(given, variables)
    if members is None:
        raise RequestError(f"Invalid input for {type_.name} type")
    refuse_unknown(members, type_.fields, f"Input for type {type_.name}")
    result = {}
    for name, member in members.items():
        field: GraphQLInputField = type_.fields[name]
        value = coerce(field.type, member, variables)
        if value is not ABSENT:
            result[name] = value
    if not result.keys() >= non_null_members(type_):
        raise RequestError("Invalid input for NonNull type")
    if type_.is_one_of and (len(result) != 1 or None in result.values()):
        # Validation checks this for literals, but it cannot see that a variable is missing from the request.
        raise RequestError(f"{type_.name} takes exactly one of {', '.join(type_.fields)}", code="BAD_USER_INPUT")
    return result


_non_null_members: WeakKeyDictionary[GraphQLInputObjectType, frozenset[str]] = WeakKeyDictionary()


def non_null_members(type_: GraphQLInputObjectType) -> frozenset[str]:
    """The members of an input object whose type is non-null. They are cached, because filters of wide tables have many
    members and none of these."""
    known = _non_null_members.get(type_)
    if known is None:
        found = (name for name, field in type_.fields.items() if isinstance(field.type, GraphQLNonNull))
        known = _non_null_members[type_] = frozenset(found)
    return known


def _resolve(given: Given | Any, variables: Variables) -> Given | Any:
    if isinstance(given, VariableNode):
        name = given.name.value
        return ABSENT if variables.get(name) is ABSENT else Source((name,))
    return given


def _is_null(given: Given, variables: Variables) -> bool:
    return isinstance(given, NullValueNode) or (isinstance(given, Source) and given.read(variables.values) is None)


def source_of(given: Given) -> Source:
    """The source of the whole value, including everything inside it."""
    if isinstance(given, Source):
        return given
    return _literal(given) or Source(None, constant=value_from_ast_untyped(given))


def _literal(node: ValueNode) -> Source | None:
    """The source of a variable, or of a literal that contains one at any depth; None for any other literal."""
    if isinstance(node, VariableNode):
        return Source((node.name.value,))
    if isinstance(node, ListValueNode):
        nodes, keys = node.values, None
    elif isinstance(node, ObjectValueNode):
        nodes, keys = tuple(each.value for each in node.fields), tuple(each.name.value for each in node.fields)
    else:
        return None
    parts = tuple(_literal(each) for each in nodes)
    if not any(parts):
        return None
    filled = (
        part or Source(None, constant=value_from_ast_untyped(each)) for part, each in zip(parts, nodes, strict=True)
    )
    return Source(None, parts=tuple(filled), keys=keys)


def _items(given: Given, variables: Variables) -> list[Given]:
    if isinstance(given, ListValueNode):
        return list(given.values)
    if isinstance(given, Source):
        value = given.read(variables.values)
        if isinstance(value, list):
            return [_below(given, position) for position in range(len(value))]
    return [given]


def _members(given: Given, variables: Variables) -> dict[str, Given] | None:
    if isinstance(given, ObjectValueNode):
        return {member.name.value: member.value for member in given.fields}
    if isinstance(given, Source):
        value = given.read(variables.values)
        if isinstance(value, dict):
            return {key: _below(given, key) for key in value}
    return None


def _below(source: Source, step: str | int) -> Source:
    if source.path is None:
        return Source(None, constant=source.constant[step])
    path: Path = source.path
    return Source((*path, step))
