"""Database functions as fields: the root type that they belong to, their arguments, and how these are passed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphql import GraphQLArgument, GraphQLDefaultInput, GraphQLInputField, GraphQLInputType, GraphQLNonNull
from sqlalchemy import ColumnElement, literal_column

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.notices import Obstacle
from app.graphql.values.types import ValueType
from app.graphql.values.values import Leaf
from app.query.call.calls import PSEUDO_TYPE, VOLATILE, Result, result_or_obstacle
from app.query.plan.planning import Planning
from app.query.sql.constructs import cast_to, named_argument
from schema_cache.model import Argument, Function, Type

QUERY, MUTATION = "is", VOLATILE
"""The volatilities of the functions that are fields of each root type."""

HIDDEN_SCHEMAS = frozenset(("graphql", "graphql_public", "auth", "extensions"))
"""Schemas whose functions are never root fields, even if the schemas are exposed."""

COLLECTION_ARGUMENTS = frozenset(("first", "last", "before", "after", "offset", "filter", "orderBy"))

EXPOSE = "expose"
"""The comment directive that makes a function a field that would not be one otherwise."""

NamedArguments = Mapping[str, tuple[Argument, ValueType]]
"""Arguments with the API's types of their values, by their GraphQL names."""

TypeOf = Callable[[ApiSchema, Argument], ValueType | Obstacle]
"""A function that returns the API type of an argument, or the reason why the API does not support it."""


def candidates(api: ApiSchema, volatilities: str) -> Iterator[Function]:
    """The functions of the shown schemas that may be fields of a root type."""
    shown = {schema.name for schema in api.schemas} - HIDDEN_SCHEMAS
    return (each for each in api.view.functions if each.schema in shown and each.volatility in volatilities)


def overloads(api: ApiSchema, function: Function) -> int:
    """The number of functions in the exposed schemas with the function's name, including itself, without hidden
    ones."""

    def count() -> Counter[str]:
        exposed = {schema.name for schema in api.view.schemas}
        shown = (each for each in api.catalog.functions if not api.view.exclusion.hides_function(each))
        return Counter(each.name for each in shown if each.schema in exposed)

    return api.shared("overloads of functions", count)[function.name]


def is_field_without_comment(api: ApiSchema, function: Function) -> bool:
    """Whether a function is a root field without a comment that exposes it: it has no overloads, requests can give its
    arguments, and neither these nor its result are enums, composites or pseudo-types."""
    return not isinstance(result_and_arguments(api, function), Obstacle)


def result_and_arguments(api: ApiSchema, function: Function) -> tuple[Result, NamedArguments] | Obstacle:
    """The result and the arguments of the root field that a function is without a comment, or the reason why it is not
    one."""
    name = field_name(api, function, api.comments.on_function(function))
    if not api.is_name(name):
        return Obstacle(f"{name} is not a valid GraphQL name; the directive `name` gives another")
    if overloads(api, function) > 1:
        return Obstacle("it has overloads, and a field has only one set of arguments", exposing_helps=True)
    arguments = arguments_or_obstacle(api, function, plain_type)
    if isinstance(arguments, Obstacle):
        return arguments
    result = result_or_obstacle(api, function)
    if isinstance(result, Obstacle):
        return result
    taken = sorted(COLLECTION_ARGUMENTS.intersection(arguments)) if result.is_collection else ()
    if taken:
        return Obstacle(f"its argument {taken[0]} has the name of an argument that collections have; rename it")
    type_ = api.catalog.type_by_oid[function.returns]
    if not (result.is_row or _is_plain(api, type_)):
        return Obstacle(f"it returns {type_.text}, {_kind(api, type_)}", exposing_helps=True)
    return result, arguments


def is_exposed(api: ApiSchema, function: Function) -> bool:
    """Whether the comment on a function exposes it as a field, in a dialect that has the directive."""
    directives = api.comments.on_function(function)
    return directives.get(EXPOSE) is True


def field_name(api: ApiSchema, function: Function, directives: Mapping[str, Any]) -> str:
    """The name of a function's field."""
    return names.function_field(function.name, directives.get("name"), api.comments.inflects(function.schema))


# Arguments


def arguments_or_obstacle(
    api: ApiSchema, function: Function, type_of: TypeOf, arguments: Sequence[Argument] | None = None
) -> NamedArguments | Obstacle:
    """The arguments of the field, or the reason why one of them cannot be an argument of a field."""
    inflect = api.comments.inflects(function.schema)
    found: dict[str, tuple[Argument, ValueType]] = {}
    for argument in function.arguments if arguments is None else arguments:
        if not argument.name:
            return Obstacle("an argument has no name")
        name = names.lower_first(names.base(argument.name, None, inflect))
        if not api.is_name(name):
            return Obstacle(f'the name of its argument "{argument.name}" is not a valid GraphQL name; rename it')
        if name in found:
            return Obstacle(f"two of its arguments are called {name} in GraphQL; rename one")
        type_ = type_of(api, argument)
        if isinstance(type_, Obstacle):
            return type_
        found[name] = argument, type_
    return found


def plain_type(api: ApiSchema, argument: Argument) -> ValueType | Obstacle:
    """The API's type of an argument, or the reason why there is none. Enums and composites have none here."""
    given = given_type(api, argument)
    type_ = api.catalog.type_by_oid.get(argument.type)
    if isinstance(given, Obstacle) or type_ is None or _is_plain(api, type_):
        return given
    return Obstacle(f"its argument {argument.name} is {type_.text}, {_kind(api, type_)}", exposing_helps=True)


def given_type(api: ApiSchema, argument: Argument) -> ValueType | Obstacle:
    """The API's type of an argument, or the reason why there is none."""
    type_ = api.catalog.type_by_oid.get(argument.type)
    if type_ is None or type_.kind == PSEUDO_TYPE:
        called = argument.type_text if type_ is None else type_.name
        return Obstacle(f"its argument {argument.name} is {called}, of which requests have no values")
    if type_.oid in api.view.unnamed_types:
        return Obstacle(
            f"its argument {argument.name} is of a type in schema {type_.schema}, which the role may not use"
        )
    value = api.value_type(argument.type)
    if value is None or value.is_read_only:
        return Obstacle(f"its argument {argument.name} is {type_.text}, of which requests have no values")
    return value


def _kind(api: ApiSchema, type_: Type) -> str:
    """The kind of a type that is not plain, in words."""
    element = api.catalog.type_by_oid.get(type_.element) if type_.category == "A" else None
    kinds = {"E": "an enum", "C": "a composite type", "A": "an array"}
    return (
        f"an array of which each element is {_kind(api, element)}"
        if element
        else kinds.get(type_.category, "a pseudo-type")
    )


def _is_plain(api: ApiSchema, type_: Type) -> bool:
    """Whether a type is neither an enum nor a row, nor an array of those, nor a pseudo-type."""
    if type_.category == "A":
        element = api.catalog.type_by_oid.get(type_.element)
        return element is not None and element.category not in "AEC"
    return type_.category not in "EC" and type_.kind != PSEUDO_TYPE


def declared(arguments: NamedArguments) -> dict[str, GraphQLArgument]:
    """The arguments as those of a GraphQL field."""
    typed = {name: _type_and_default(*each) for name, each in arguments.items()}
    return {name: GraphQLArgument(type_, default=default) for name, (type_, default) in typed.items()}


def declared_members(arguments: NamedArguments) -> dict[str, GraphQLInputField]:
    """The arguments as members of an input object."""
    typed = {name: _type_and_default(*each) for name, each in arguments.items()}
    return {name: GraphQLInputField(type_, default=default) for name, (type_, default) in typed.items()}


def _type_and_default(argument: Argument, type_: ValueType) -> tuple[GraphQLInputType, GraphQLDefaultInput | None]:
    # In named notation a VARIADIC argument is required even if it has a default: without it PostgreSQL does not find
    # the function.
    if argument.default is None or argument.variadic:
        return GraphQLNonNull(type_.input), None
    default = default_value(argument)
    return type_.input, None if default is None else GraphQLDefaultInput(default)


def passed(
    planning: Planning, given: Mapping[str, Any], arguments: NamedArguments, *, is_overloaded: bool = False
) -> list[ColumnElement[Any]]:
    """The ``given`` arguments in named notation, so that the function's defaults apply to the others. If the function
    ``is_overloaded``, its defaults are written out, since with fewer arguments PostgreSQL could choose another
    overload.
    """
    values = []
    for name, (argument, type_) in arguments.items():
        if name in given:
            leaf: Leaf | None = given[name]
            value = planning.bind_or_null(leaf, type_.to_text, argument.type_text)
        elif is_overloaded and argument.default is not None:
            value = cast_to(literal_column(argument.default), argument.type_text)
        else:
            continue
        values.append(named_argument(argument.name, value, variadic=argument.variadic))
    return values


# Defaults of arguments in introspection, which has only plain constants

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
