"""Database functions as root fields: stable and immutable ones in Query, volatile ones in Mutation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import GraphQLArgument, GraphQLField
from sqlalchemy import ColumnElement

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import COMMENTED, Fields
from app.graphql.schema.notices import Obstacle, function_subject
from app.hooks import hookimpl
from app.query.call.calls import Result
from app.query.call.functions import (
    EXPOSE,
    MUTATION,
    QUERY,
    NamedArguments,
    candidates,
    declared,
    field_name,
    is_exposed,
    passed,
    result_and_arguments,
)
from app.query.call.functions_of_rows import takes_a_row
from app.query.plan.walk import Field
from schema_cache.directive_values import String
from schema_cache.directives import Directive
from schema_cache.model import Function

TRIGGERS = frozenset(("trigger", "event_trigger"))


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (
        Directive("function", "name", String()),
        Directive("function", "description", String()),
        Directive("function", "deprecated", String(), extended=True),
    )


@hookimpl
def query_fields(api: ApiSchema) -> Fields:
    return Fields(30, _fields(api, QUERY))


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    return Fields(30, _fields(api, MUTATION))


def _fields(api: ApiSchema, volatilities: str) -> Mapping[str, GraphQLField]:
    fields: dict[str, GraphQLField] = {}
    for function in candidates(api, volatilities):
        directives = api.comments.on_function(function)
        name = field_name(api, function, directives)
        made = result_and_arguments(api, function)
        if not isinstance(made, Obstacle) and name in fields:
            made = Obstacle(f"another function is called {name}; the directive `name` gives it another name")
        if not isinstance(made, Obstacle):
            fields[name] = _field(api, *made, directives)
        elif not is_exposed(api, function):
            _add_notice(api, function, made)
    return fields


def _field(api: ApiSchema, result: Result, arguments: NamedArguments, directives: Mapping[str, Any]) -> GraphQLField:
    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        return result.json(field, passed(field.planning, field.arguments, arguments))

    return GraphQLField(
        result.type,
        _arguments(api, result, declared(arguments)),
        resolve,
        description=directives.get("description"),
        deprecation_reason=directives.get("deprecated"),
        extensions={COMMENTED: directives},
    )


def _arguments(api: ApiSchema, result: Result, own: Mapping[str, GraphQLArgument]) -> dict[str, GraphQLArgument]:
    """The function's own arguments, and those of its result that do not have the same name."""
    added, function = result.arguments, result.function
    for name in sorted(added.keys() & own.keys()):
        reason = f"its argument {name} replaces the argument of collections with that name"
        api.notices.add(function_subject(function), reason)
    return {**own, **{name: each for name, each in added.items() if name not in own}}


def _add_notice(api: ApiSchema, function: Function, obstacle: Obstacle) -> None:
    """Add a notice why a function is not a root field, unless it takes a row, so that it may be a computed field, or is
    a trigger function."""
    returned = api.catalog.type_by_oid.get(function.returns)
    if takes_a_row(api, function) or (returned is not None and returned.name in TRIGGERS):
        return
    remedy = ""
    if obstacle.exposing_helps and api.comments.reads("function", EXPOSE):
        remedy = '; {"expose": true} in its comment may make it one: docs/exposed-functions.md'
    field = names.function_field(function.name, None, api.comments.inflects(function.schema))
    api.notices.add(function_subject(function), f"it is not a field: {obstacle.reason}{remedy}", field=field)
