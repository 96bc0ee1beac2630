"""Database functions as root fields: stable and immutable ones of Query, volatile ones of Mutation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from graphql import GraphQLArgument, GraphQLDefaultInput, GraphQLField, GraphQLNonNull
from sqlalchemy import ColumnElement

from app.graphql import names
from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.values import Leaf
from app.graphql.values_of_types import ValueType
from app.hooks import hookimpl
from app.query.calls import PSEUDO_TYPE, VOLATILE, Result, result_of
from app.query.sql import named_argument
from app.query.walk import Field
from schema_cache.directive_values import String
from schema_cache.directives import Directive
from schema_cache.model import Argument, Function, Type

HIDDEN_SCHEMAS = frozenset(("graphql", "graphql_public", "auth", "extensions"))
"""Schemas whose functions are never root fields, even if the schemas are exposed."""

COLLECTION_ARGUMENTS = frozenset(("first", "last", "before", "after", "offset", "filter", "orderBy"))


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (
        Directive("function", "name", String()),
        Directive("function", "description", String()),
        Directive("function", "deprecated", String(), extended=True),
    )


@hookimpl
def query_fields(api: ApiSchema) -> Fields:
    return Fields(30, _fields(api, "is"))


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    return Fields(30, _fields(api, VOLATILE))


def _fields(api: ApiSchema, volatilities: str) -> Mapping[str, GraphQLField]:
    shown = {schema.name for schema in api.schemas}
    exposed = {schema.name for schema in api.view.schemas}
    overloads = Counter(each.name for each in api.catalog.functions if each.schema in exposed)
    fields: dict[str, GraphQLField] = {}
    for function in api.view.functions:
        if function.schema not in shown or function.schema in HIDDEN_SCHEMAS or function.volatility not in volatilities:
            continue
        field = None if overloads[function.name] > 1 else _field(api, function)
        if field is not None:
            fields.setdefault(*field)
        else:
            _tell(api, function, overloads[function.name])
    return fields


def _tell(api: ApiSchema, function: Function, overloads: int) -> None:
    """Add a notice why a function is not a root field, unless it takes a row and so may be a computed field."""
    types = [api.catalog.type_by_oid.get(each.type) for each in function.arguments]
    returned = api.catalog.type_by_oid.get(function.returns)
    if any(each is not None and each.category == "C" for each in types) or returned is None:
        return
    if returned.name in ("trigger", "event_trigger"):
        return
    reason = "the API cannot represent its result, such as record, void or an enum"
    if function.returns_set and returned.relation in api.rows_by_oid:
        reason = "the rows of its result have no key, which a collection needs"
    if overloads > 1:
        reason = "it has overloads, and a field has only one set of arguments"
    elif not all(each.name for each in function.arguments):
        reason = "an argument has no name"
    elif None in [_argument_type(api, each) for each in function.arguments]:
        reason = "the API cannot represent the type of an argument, such as an enum or a row"
    field = names.function_field(function.name, None, api.comments.inflects(function.schema))
    api.notices.add(f"function {function.schema}.{function.name}", f"it is not a field: {reason}", field=field)


def _field(api: ApiSchema, function: Function) -> tuple[str, GraphQLField] | None:
    result = result_of(api, function)
    types = [_argument_type(api, each) for each in function.arguments]
    if result is None or not _is_simple_result(api, function, result) or None in types:
        return None
    inflect = api.comments.inflects(function.schema)
    arguments: dict[str, tuple[Argument, ValueType]] = {}
    for argument, type_ in zip(function.arguments, types, strict=True):
        arguments[names.lower_first(names.base(argument.name, None, inflect))] = argument, cast(ValueType, type_)
    if len(arguments) < len(types) or not all(map(api.is_name, arguments)):
        return None
    if result.is_collection and not COLLECTION_ARGUMENTS.isdisjoint(arguments):
        return None
    directives = api.comments.on("function", f"{function.schema}.{function.name}", function.comment)

    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        return result.json(field, _call_arguments(field, arguments))

    declared = {name: _argument(argument, type_) for name, (argument, type_) in arguments.items()}
    field = GraphQLField(
        result.type,
        _arguments(api, function, declared, result),
        resolve,
        description=directives.get("description"),
        deprecation_reason=directives.get("deprecated"),
    )
    return names.function_field(function.name, directives.get("name"), inflect), field


def _arguments(
    api: ApiSchema, function: Function, declared: Mapping[str, GraphQLArgument], result: Result
) -> dict[str, GraphQLArgument]:
    """The function's own arguments, and those of its result that have other names."""
    added = result.arguments
    for name in sorted(added.keys() & declared.keys()):
        reason = f"its argument {name} stands in the place of the one that collections have"
        api.notices.add(f"function {function.schema}.{function.name}", reason)
    return {**declared, **{name: each for name, each in added.items() if name not in declared}}


def _call_arguments(field: Field, arguments: Mapping[str, tuple[Argument, ValueType]]) -> list[ColumnElement[Any]]:
    """The given arguments in named notation, so that the others get the function's defaults."""
    given = []
    for name, (argument, type_) in arguments.items():
        if name in field.arguments:
            leaf: Leaf | None = field.arguments[name]
            value = field.planning.bind_or_null(leaf, type_.to_text, argument.type_text)
            given.append(named_argument(argument.name, value, variadic=argument.variadic))
    return given


def _argument(argument: Argument, type_: ValueType) -> GraphQLArgument:
    # With named notation VARIADIC is required: without that argument PostgreSQL does not find the function, even if it
    # has a default.
    if argument.default is None or argument.variadic:
        return GraphQLArgument(GraphQLNonNull(type_.input))
    default = default_value(argument)
    return GraphQLArgument(type_.input, default=None if default is None else GraphQLDefaultInput(default))


def _argument_type(api: ApiSchema, argument: Argument) -> ValueType | None:
    """How an argument's values cross the API; None if the API cannot represent them."""
    type_ = api.catalog.type_by_oid.get(argument.type)
    if not argument.name or type_ is None or not _is_simple(api, type_) or type_.oid in api.view.unnamed_types:
        return None
    return api.value_type(argument.type)


def _is_simple(api: ApiSchema, type_: Type) -> bool:
    """Whether a type is neither an enum nor a row, nor an array of those, nor a pseudo type."""
    if type_.category == "A":
        element = api.catalog.type_by_oid.get(type_.element)
        return element is not None and element.category not in "AEC"
    return type_.category not in "EC" and type_.kind != PSEUDO_TYPE


def _is_simple_result(api: ApiSchema, function: Function, result: Result) -> bool:
    type_ = api.catalog.type_by_oid[function.returns]
    return result.is_row or _is_simple(api, type_)


# Defaults of arguments in introspection: only plain constants.

INTEGERS = frozenset(("smallint", "integer"))
FLOATS = frozenset(("real", "double precision"))
TEXT_CONSTANT = re.compile(r"'((?:[^']|'')*)'::text")
QUOTED_NUMBER = re.compile(r"'?(-?[0-9.]+(?:[eE][+-]?[0-9]+)?)'?(?:::.+)?|\((-[0-9.]+)\)(?:::.+)?")


def default_value(argument: Argument) -> Any:
    """The JSON value of an argument's default; None if it is NULL or not a constant of a simple type."""
    text = (argument.default or "").strip()
    if argument.type_text == "boolean" and text in ("true", "false"):
        return text == "true"
    if argument.type_text in INTEGERS | FLOATS:
        match = QUOTED_NUMBER.fullmatch(text)
        return _number(match[1] or match[2], argument.type_text) if match else None
    match = TEXT_CONSTANT.fullmatch(text)
    return match[1].replace("''", "'") if match and argument.type_text == "text" else None


def _number(text: str, type_text: str) -> int | float | None:
    try:
        return int(text) if type_text in INTEGERS else float(text)
    except ValueError:
        return None
