"""The types of a collection: its connection and its edges, and the arguments of every collection."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLList, GraphQLNonNull, GraphQLObjectType
from sqlalchemy import ColumnElement

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import ABSENT_FIELD, absent_field, unknown_field_in
from app.graphql.schema.relations import ApiRelation
from app.query.plan.walk import Field
from app.query.read.collection import Collection


def connection_type(api: ApiSchema, relation: ApiRelation) -> GraphQLObjectType:
    """The type of a collection of a relation's rows."""

    def absent(name: str) -> str | None:
        return absent_field(api.hooks.connection_fields(api=api, relation=relation), name)

    def unknown_field(name: str) -> str:
        return absent(name) or "unknown field in connection"

    return api.named(
        f"{relation.type_name}Connection",
        lambda name: GraphQLObjectType(
            name,
            lambda: api.contributed("connection_fields", relation),
            extensions={"unknown_field": unknown_field, ABSENT_FIELD: absent},
        ),
    )


def edge_type(api: ApiSchema, relation: ApiRelation) -> GraphQLObjectType:
    """The type of a row in a collection, with its cursor."""

    return api.named(
        f"{relation.type_name}Edge",
        lambda name: GraphQLObjectType(name, lambda: edge_fields(api, relation), extensions=unknown_field_in("edge")),
    )


def edge_fields(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLField]:
    """The fields of a row in a collection."""
    return api.contributed("edge_fields", relation)


def edges_field(type_: GraphQLObjectType) -> GraphQLField:
    """The field of a connection with the rows of its page, of an edge type."""
    return GraphQLField(GraphQLNonNull(GraphQLList(GraphQLNonNull(type_))), resolve=_edges)


def _edges(field: Field, collection: Collection) -> ColumnElement[Any]:
    return collection.collect(field.json(collection))


def arguments_of_collections(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLArgument]:
    """The arguments of every collection of a relation's rows."""
    return api.contributed("collection_arguments", relation)
