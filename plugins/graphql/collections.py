"""Collections: a relation's rows as a connection of edges and nodes, filtered, ordered and in pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)
from sqlalchemy import ColumnElement

from app.graphql import names
from app.graphql.api_schema import ApiSchema
from app.graphql.relations import ApiRelation
from app.hooks import Fields, hookimpl, in_order
from app.query.collection import Collection, Origin
from app.query.planning import Rows
from app.query.walk import Field
from plugins.graphql.filters import relation_filter_type
from plugins.graphql.ordering import order_by_type
from plugins.graphql.scalars import scalars
from schema_cache.directives import Directive
from schema_cache.shapes import Count


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("schema", "max_rows", Count()), Directive("relation", "max_rows", Count()))


@hookimpl
def query_fields(api: ApiSchema) -> Fields:
    return Fields(
        10, {f"{names.lower_first(each.type_name)}Collection": _root_field(api, each) for each in api.relations}
    )


@hookimpl
def connection_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    edges = GraphQLNonNull(GraphQLList(GraphQLNonNull(edge_type(api, relation))))
    return Fields(10, {"edges": GraphQLField(edges, resolve=_edges)})


def _root_field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        return Collection(field, Origin(relation, lambda: field.planning.rows_of(relation))).json()

    return GraphQLField(
        GraphQLNonNull(connection_type(api, relation)),
        collection_arguments(api, relation),
        resolve,
        description=f"A page of the rows of type `{relation.type_name}`",
    )


def connection_type(api: ApiSchema, relation: ApiRelation) -> GraphQLObjectType:
    """The type of a collection of a relation's rows."""

    def fields() -> dict[str, GraphQLField]:
        return in_order(api.hooks.connection_fields(api=api, relation=relation))

    return api.named(
        f"{relation.type_name}Connection",
        lambda name: GraphQLObjectType(name, fields, extensions={"kind": "connection"}),
    )


def edge_type(api: ApiSchema, relation: ApiRelation) -> GraphQLObjectType:
    """The type of a row in a collection, with its cursor."""

    def fields() -> dict[str, GraphQLField]:
        return {
            "cursor": GraphQLField(GraphQLNonNull(GraphQLString), resolve=_edge_cursor),
            "node": GraphQLField(GraphQLNonNull(api.object_type(relation)), resolve=_edge_node),
        }

    return api.named(
        f"{relation.type_name}Edge", lambda name: GraphQLObjectType(name, fields, extensions={"kind": "edge"})
    )


def collection_arguments(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLArgument]:
    """The arguments that every collection of a relation's rows takes."""
    cursor = scalars(api).cursor
    order_by = order_by_type(api, relation)
    arguments = {
        "first": GraphQLArgument(GraphQLInt, description="How many rows from the start, or from after the cursor"),
        "last": GraphQLArgument(GraphQLInt, description="How many rows from the end, or from before the cursor"),
        "before": GraphQLArgument(cursor, description="Rows before this cursor"),
        "after": GraphQLArgument(cursor, description="Rows after this cursor"),
        "offset": GraphQLArgument(GraphQLInt, description="How many rows to skip; a cursor is faster"),
        "filter": GraphQLArgument(relation_filter_type(api, relation), description="Which rows"),
    }
    if order_by is not None:
        description = "In which order; the key decides between equal rows"
        arguments["orderBy"] = GraphQLArgument(GraphQLList(GraphQLNonNull(order_by)), description=description)
    return arguments


def _edges(field: Field, collection: Collection) -> ColumnElement[Any]:
    return collection.collect(field.json(collection))


def _edge_cursor(field: Field, collection: Collection) -> ColumnElement[Any]:
    return collection.cursor


def _edge_node(field: Field, collection: Collection) -> ColumnElement[Any]:
    rows: Rows = collection.rows
    return field.json(rows)
