"""Functions that a comment exposes, ``{"expose": true}``: those that are no fields by themselves because of their
arguments, result or overloads, and computed fields with arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphql import GraphQLField
from sqlalchemy import ColumnElement

from app.graphql import names
from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.notices import function_subject
from app.graphql.relations import ApiRelation, OwnName
from app.hooks import hookimpl
from app.query.calls import result_of
from app.query.functions import (
    EXPOSE,
    MUTATION,
    QUERY,
    NamedArguments,
    arguments_of,
    candidates,
    declared,
    field_name,
    given_type,
    is_exposed,
    is_field_by_itself,
    overloads,
    passed,
)
from app.query.results import FunctionResult, any_result_of, own_result_name
from app.query.rows import Rows
from app.query.walk import Field
from schema_cache.directive_values import Flag
from schema_cache.directives import Directive
from schema_cache.model import Argument, Function


@hookimpl
def features() -> Sequence[str]:
    return ("exposed_functions",)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("function", EXPOSE, Flag(), extended=True),)


# Root fields


@hookimpl
def query_fields(api: ApiSchema) -> Fields:
    return Fields(80, _root_fields(api, QUERY))


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    return Fields(80, _root_fields(api, MUTATION))


def _root_fields(api: ApiSchema, volatilities: str) -> Mapping[str, GraphQLField]:
    return _fields(
        api,
        (
            (function, function.arguments)
            for function in candidates(api, volatilities)
            if is_exposed(api, function) and not (_takes_a_row(api, function) or is_field_by_itself(api, function))
        ),
    )


def _takes_a_row(api: ApiSchema, function: Function) -> bool:
    """Whether the first argument is a row of a relation, and so the function a computed field."""
    first = api.catalog.type_by_oid.get(function.arguments[0].type) if function.arguments else None
    return first is not None and bool(first.relation) and not first.attributes


# Fields of rows


@hookimpl
def own_type_names(api: ApiSchema) -> Sequence[OwnName]:
    functions = (each for relation in api.rows_by_oid.values() for each, _ in _of_rows(api, relation))
    return [own_result_name(each, _row_type_name(api, each)) for each in functions if each.columns]


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(80, _fields(api, _of_rows(api, relation)))


Taken = tuple[Function, Sequence[Argument]]
"""A function, and those of its arguments that its field takes."""


def _of_rows(api: ApiSchema, relation: ApiRelation) -> Sequence[Taken]:
    """The exposed functions of a relation's rows. They are given the whole row, so the role must be allowed to read all
    of it."""
    functions = api.shared("exposed functions of rows", lambda: _by_row_type(api))
    return functions.get(relation.relation.row_type, ()) if relation.visible.select_all else ()


def _by_row_type(api: ApiSchema) -> Mapping[int, list[Taken]]:
    """The exposed functions whose first argument is a row, but for computed fields that need no comment."""
    shown = {schema.name for schema in api.schemas}
    found: dict[int, list[Taken]] = {}
    for function in api.view.functions:
        if function.schema in shown and is_exposed(api, function) and _takes_a_row(api, function):
            row, *others = function.arguments
            if others or result_of(api, function) is None:
                found.setdefault(row.type, []).append((function, others))
    return found


# Both


def _fields(api: ApiSchema, functions: Iterable[Taken]) -> Mapping[str, GraphQLField]:
    """The fields for functions; notices say why one of them has none."""
    fields: dict[str, GraphQLField] = {}
    for function, taken in functions:
        directives = api.comments.on_function(function)
        name = field_name(api, function, directives)
        result = any_result_of(api, function, _row_type_name(api, function))
        arguments = arguments_of(api, function, given_type, taken)
        if not api.is_name(name):
            reason = f"{name} is no GraphQL name; the directive `name` gives another"
        elif result is None or arguments is None:
            reason = "the API cannot represent its result or an argument"
        elif not result.arguments.keys().isdisjoint(arguments):
            reason = "its collection has an argument of the same name"
        elif name in fields:
            reason = f"another function is called {name}"
        else:
            fields[name] = _field(api, function, result, arguments, directives)
            continue
        api.notices.add(function_subject(function), f"it is not exposed: {reason}")
    return fields


def _row_type_name(api: ApiSchema, function: Function) -> str:
    directives = api.comments.on_function(function)
    return f"{names.base(function.name, directives.get('name'), api.comments.inflects(function.schema))}Row"


def _field(
    api: ApiSchema, function: Function, result: FunctionResult, arguments: NamedArguments, directives: Mapping[str, Any]
) -> GraphQLField:
    is_overloaded = overloads(api, function) > 1

    def resolve(field: Field, rows: Rows | None) -> ColumnElement[Any]:
        given = passed(field, arguments, is_overloaded=is_overloaded)
        if rows is None:
            return result.json(field, given)
        return result.json(field, [rows.whole(), *given], outer=(rows.element,))

    return GraphQLField(
        result.type,
        {**declared(arguments), **result.arguments},
        resolve,
        description=directives.get("description"),
        deprecation_reason=directives.get("deprecated"),
    )
