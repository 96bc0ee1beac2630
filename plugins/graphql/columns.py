"""Columns: the plain fields of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLNonNull
from sqlalchemy import ColumnElement

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import COMMENTED, Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.hooks import hookimpl
from app.query.plan.rows import Rows
from app.query.plan.walk import Field, Resolver
from schema_cache.directive_values import Flag, ListOf, String
from schema_cache.directives import Directive


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (
        Directive("schema", "inflect_names", Flag()),
        Directive("relation", "name", String()),
        Directive("relation", "description", String()),
        Directive("relation", "primary_key_columns", ListOf(String())),
        Directive("column", "name", String()),
        Directive("column", "description", String()),
        Directive("column", "deprecated", String(), extended=True),
    )


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(20, {column.field_name: _field(api, column) for column in relation.columns}, precedence=1)


def _field(api: ApiSchema, column: ApiColumn) -> GraphQLField:
    type_: Any = GraphQLNonNull(column.type.graphql) if _is_never_null(column) else column.type.graphql
    arguments = _arguments(api, column)
    resolve = _resolver_of_part(column) if arguments else _resolver(column)
    return GraphQLField(
        type_,
        arguments,
        resolve,
        description=column.description,
        deprecation_reason=column.deprecated,
        extensions={COMMENTED: column.directives},
    )


def _arguments(api: ApiSchema, column: ApiColumn) -> dict[str, GraphQLArgument]:
    """The arguments that plugins add to fields of a column's type, collected once for each type."""
    known: dict[int, dict[str, GraphQLArgument]] = api.shared("arguments of columns", dict)
    oid = column.column.type
    if oid not in known:
        known[oid] = api.arguments_of_columns(api.catalog.type_by_oid[oid])
    return known[oid]


def _is_never_null(column: ApiColumn) -> bool:
    return column.column.not_null and not column.type.prints_null


def _resolver(column: ApiColumn) -> Resolver:
    def resolve(field: Field, rows: Rows) -> ColumnElement[Any]:
        return column.type.printed(field, rows.column(column.name))

    return resolve


def _resolver_of_part(column: ApiColumn) -> Resolver:
    def resolve(field: Field, rows: Rows) -> ColumnElement[Any]:
        value = rows.column(column.name)
        for name, given in field.arguments.items():
            if given is not None:
                value = field.definition.args[name].extensions["part"](field, value, given)
        return column.type.printed(field, value)

    return resolve
