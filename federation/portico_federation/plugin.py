"""The hooks of the plugin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from graphql import GraphQLField, GraphQLID, GraphQLNamedType, GraphQLNonNull
from sqlalchemy import ColumnElement

from portico import ApiColumn, ApiRelation, ApiSchema, Deferred, Directive, Field, Fields, Rows, as_text, hookimpl
from portico_federation.comments import DIRECTIVES, ID
from portico_federation.entities import ENTITY, any_type, entities_field
from portico_federation.service import service_field, service_type


@hookimpl
def features() -> Sequence[str]:
    return ("federation",)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return DIRECTIVES


@hookimpl
def own_type_names() -> Sequence[tuple[str, str]]:
    return ((ENTITY, ENTITY),)


@hookimpl
def always_listed_types(api: ApiSchema) -> Sequence[GraphQLNamedType]:
    return (any_type(api), service_type(api))


@hookimpl
def query_fields(api: ApiSchema) -> Fields:
    makers: dict[str, Callable[[], Any]] = {
        "_entities": partial(entities_field, api),
        "_service": partial(service_field, api),
    }
    return Fields(90, Deferred(makers))


@hookimpl
def node_fields(relation: ApiRelation) -> Fields | None:
    columns = [each for each in relation.columns if each.directives.get(ID)]
    if not columns:
        return None
    return Fields(21, {each.field_name: _id_field(each) for each in columns}, precedence=2, replaces=True)


def _id_field(column: ApiColumn) -> GraphQLField:
    def resolve(field: Field, rows: Rows) -> ColumnElement[Any]:
        return as_text(rows.column(column.name))

    return GraphQLField(
        GraphQLNonNull(GraphQLID) if column.column.not_null else GraphQLID,
        resolve=resolve,
        description=column.description,
        deprecation_reason=column.deprecated,
        extensions={"directives": column.directives},
    )
