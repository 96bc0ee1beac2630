"""Collections: a relation's rows as a connection with edges and nodes, filtered, ordered and paginated."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInt,
    GraphQLNonNull,
    GraphQLString,
)
from sqlalchemy import ColumnElement

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Deferred, Fields
from app.graphql.schema.name_conflicts import RelationNames
from app.graphql.schema.relations import ApiRelation
from app.hooks import hookimpl
from app.query.plan.walk import Field
from app.query.read.collection import Collection, Origin
from app.query.read.connections import arguments_of_collections, connection_type, edge_type, edges_field
from app.query.values.scalars import cursor_type
from schema_cache.directive_values import Count
from schema_cache.directives import Directive


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("schema", "max_rows", Count()), Directive("relation", "max_rows", Count()))


@hookimpl
def relation_names(type_name: str) -> RelationNames:
    return RelationNames(
        types=(f"{type_name}Edge", f"{type_name}Connection"),
        root_fields=(f"{names.lower_first(type_name)}Collection",),
    )


@hookimpl
def query_fields(api: ApiSchema) -> Fields:
    fields = {
        f"{names.lower_first(each.type_name)}Collection": partial(_root_field, api, each) for each in api.relations
    }
    return Fields(10, Deferred(fields))


@hookimpl
def connection_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(10, {"edges": edges_field(edge_type(api, relation))})


@hookimpl
def edge_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(
        10,
        {
            "cursor": GraphQLField(GraphQLNonNull(GraphQLString), resolve=_edge_cursor),
            "node": GraphQLField(GraphQLNonNull(api.object_type(relation)), resolve=_edge_node),
        },
    )


def _edge_cursor(field: Field, collection: Collection) -> ColumnElement[Any]:
    return collection.cursor


def _edge_node(field: Field, collection: Collection) -> ColumnElement[Any]:
    return collection.of_row(field.json)


def _root_field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        return Collection(field, Origin(relation, lambda: field.planning.rows_of(relation))).json()

    return GraphQLField(
        GraphQLNonNull(connection_type(api, relation)),
        arguments_of_collections(api, relation),
        resolve,
        description=f"A page of the rows of type `{relation.type_name}`",
    )


@hookimpl
def collection_arguments(api: ApiSchema, relation: ApiRelation) -> Fields:
    cursor = cursor_type(api)
    return Fields(
        10,
        {
            "first": GraphQLArgument(GraphQLInt, description="The number of rows from the start, or after the cursor"),
            "last": GraphQLArgument(GraphQLInt, description="The number of rows from the end, or before the cursor"),
            "before": GraphQLArgument(cursor, description="Rows before this cursor"),
            "after": GraphQLArgument(cursor, description="Rows after this cursor"),
            "offset": GraphQLArgument(GraphQLInt, description="The number of rows to skip; a cursor is faster"),
        },
    )
