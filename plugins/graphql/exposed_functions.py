"""Functions that a comment exposes by ``{"expose": true}``: those that are not fields without it because of their
arguments, result or overloads, computed fields with arguments, and functions of a row that may write, which are
mutations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphql import GraphQLField
from sqlalchemy import ColumnElement, select

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import COMMENTED, Fields
from app.graphql.schema.notices import Obstacle, function_subject
from app.graphql.schema.relations import ApiRelation, OwnName
from app.hooks import hookimpl
from app.query.call.calls import read_before
from app.query.call.functions import (
    EXPOSE,
    MUTATION,
    QUERY,
    NamedArguments,
    arguments_or_obstacle,
    candidates,
    declared,
    field_name,
    given_type,
    is_exposed,
    is_field_without_comment,
    overloads,
    passed,
)
from app.query.call.functions_of_rows import all_exposed_of, exposed_changes_of, exposed_functions_of, takes_a_row
from app.query.call.results import FunctionResult, any_result_of, own_result_name
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from app.query.read.keys import KEY, key_argument, key_conditions, named_columns, only
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
    of_rows = ((*each, relation) for relation in api.relations for each in exposed_changes_of(api, relation))
    return Fields(80, {**_root_fields(api, MUTATION), **_fields(api, of_rows)})


def _root_fields(api: ApiSchema, volatilities: str) -> Mapping[str, GraphQLField]:
    return _fields(
        api,
        (
            (function, function.arguments, None)
            for function in candidates(api, volatilities)
            if is_exposed(api, function) and not (takes_a_row(api, function) or is_field_without_comment(api, function))
        ),
    )


# Fields of rows


@hookimpl
def own_type_names(api: ApiSchema) -> Sequence[OwnName]:
    functions = (each for relation in api.rows_by_oid.values() for each, _ in all_exposed_of(api, relation))
    return [own_result_name(each, _row_type_name(api, each)) for each in functions if each.columns]


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    changes = [each for each, _ in exposed_changes_of(api, relation)]
    absent = {
        field_name(api, each, api.comments.on_function(each)): "It is a field of Mutation, since it may write"
        for each in changes
    }
    return Fields(80, _fields(api, ((*each, None) for each in exposed_functions_of(api, relation))), absent=absent)


# Both


def _fields(
    api: ApiSchema, functions: Iterable[tuple[Function, Sequence[Argument], ApiRelation | None]]
) -> Mapping[str, GraphQLField]:
    """The fields for functions. Each function comes with the arguments of its field, and with a relation if it takes a
    row that an argument identifies by its key. Notices report the functions without a field, with the reason."""
    fields: dict[str, GraphQLField] = {}
    for function, taken, relation in functions:
        directives = api.comments.on_function(function)
        name = field_name(api, function, directives)
        result = any_result_of(api, function, _row_type_name(api, function))
        arguments = arguments_or_obstacle(api, function, given_type, taken)
        if not api.is_name(name):
            reason = f"{name} is not a valid GraphQL name; the directive `name` gives another"
        elif isinstance(arguments, Obstacle):
            reason = arguments.reason
        elif isinstance(result, Obstacle):
            reason = result.reason
        elif not result.arguments.keys().isdisjoint(arguments):
            reason = "its collection has an argument of the same name"
        elif name in fields:
            reason = f"another function is called {name}"
        elif relation is not None and KEY in arguments:
            reason = f"it has an argument {KEY}, which is the name of the argument for the key of the row"
        elif relation is not None and key_argument(api, relation) is None:
            reason = "its row has no key by which a request could identify it"
        else:
            fields[name] = _field(api, function, result, arguments, directives, relation)
            continue
        field = names.function_field(function.name, None, api.comments.inflects(function.schema))
        api.notices.add(function_subject(function), f"it is not exposed: {reason}", field=field)
    return fields


def _row_type_name(api: ApiSchema, function: Function) -> str:
    directives = api.comments.on_function(function)
    return f"{api.comments.type_name(function.schema, function.name, directives)}Row"


def _field(
    api: ApiSchema,
    function: Function,
    result: FunctionResult,
    arguments: NamedArguments,
    directives: Mapping[str, Any],
    relation: ApiRelation | None,
) -> GraphQLField:
    is_overloaded = overloads(api, function) > 1

    def resolve(field: Field, rows: Rows | None) -> ColumnElement[Any]:
        given = passed(field.planning, field.arguments, arguments, is_overloaded=is_overloaded)
        if relation is not None:
            return _of_named_row(field, relation, result, given)
        if rows is None:
            return result.json(field, given)
        return result.json(field, [rows.whole(), *given], outer=(rows.element,))

    key = None if relation is None else key_argument(api, relation)
    named = {} if key is None else {KEY: key}
    return GraphQLField(
        result.type,
        {**named, **declared(arguments), **result.arguments},
        resolve,
        description=directives.get("description"),
        deprecation_reason=directives.get("deprecated"),
        extensions={COMMENTED: directives},
    )


def _of_named_row(
    field: Field, relation: ApiRelation, result: FunctionResult, given: Sequence[ColumnElement[Any]]
) -> ColumnElement[Any]:
    """The result of the function for the row that the argument identifies; null if there is no such row."""
    planning = field.planning
    rows = planning.rows_of(relation)
    conditions = key_conditions(field, rows)
    if planning.cluster is not None:
        # Citus would call the function on the server that has the row, where it cannot read distributed tables.
        rows, conditions = read_before(planning, rows, conditions), []
    returned = only(rows, named_columns(field), result.json(field, [rows.whole(), *given], outer=(rows.element,)))
    return select(returned).select_from(rows.element).where(*conditions).scalar_subquery()
