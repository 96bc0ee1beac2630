"""Database functions as root fields: stable and immutable ones of Query, volatile ones of Mutation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import GraphQLArgument, GraphQLField
from sqlalchemy import ColumnElement

from app.graphql import names
from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.notices import function_subject
from app.hooks import hookimpl
from app.query.calls import Result, result_of
from app.query.functions import (
    EXPOSE,
    MUTATION,
    QUERY,
    NamedArguments,
    arguments_of,
    candidates,
    declared,
    field_name,
    is_exposed,
    is_field_by_itself,
    overloads,
    passed,
    plain_type,
)
from app.query.walk import Field
from schema_cache.directive_values import String
from schema_cache.directives import Directive
from schema_cache.model import Function, Type


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
        result, arguments = result_of(api, function), arguments_of(api, function, plain_type)
        if result is not None and arguments is not None and is_field_by_itself(api, function):
            directives = api.comments.on_function(function)
            fields.setdefault(field_name(api, function, directives), _field(api, result, arguments, directives))
        elif not is_exposed(api, function):
            _tell(api, function)
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
    )


def _arguments(api: ApiSchema, result: Result, own: Mapping[str, GraphQLArgument]) -> dict[str, GraphQLArgument]:
    """The function's own arguments, and those of its result that have other names."""
    added, function = result.arguments, result.function
    for name in sorted(added.keys() & own.keys()):
        reason = f"its argument {name} stands in the place of the one that collections have"
        api.notices.add(function_subject(function), reason)
    return {**own, **{name: each for name, each in added.items() if name not in own}}


def _tell(api: ApiSchema, function: Function) -> None:
    """Add a notice why a function is not a root field, unless it takes a row and so may be a computed field."""
    types = [api.catalog.type_by_oid.get(each.type) for each in function.arguments]
    returned = api.catalog.type_by_oid.get(function.returns)
    if any(each is not None and each.category == "C" for each in types) or returned is None:
        return
    if returned.name in ("trigger", "event_trigger"):
        return
    field = names.function_field(function.name, None, api.comments.inflects(function.schema))
    api.notices.add(function_subject(function), f"it is not a field: {_reason(api, function, returned)}", field=field)


def _reason(api: ApiSchema, function: Function, returned: Type) -> str:
    """Why a function that returns values of the type ``returned`` is not a root field."""
    remedy = ""
    if api.comments.reads("function", EXPOSE):
        remedy = '; {"expose": true} in its comment may make it one: docs/exposed-functions.md'
    if overloads(api, function) > 1:
        return f"it has overloads, and a field has only one set of arguments{remedy}"
    if not all(each.name for each in function.arguments):
        return "an argument has no name"
    if None in [plain_type(api, each) for each in function.arguments]:
        return f"the API does not take the type of an argument, such as an enum, by itself{remedy}"
    if function.returns_set and returned.relation in api.rows_by_oid:
        return "the rows of its result have no key, which a collection needs"
    return f"the API does not show its result, such as a table, void or an enum, by itself{remedy}"
