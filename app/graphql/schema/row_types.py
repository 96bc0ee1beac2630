"""The types of the rows of relations. Their fields are made on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphql import GraphQLField, GraphQLInterfaceType, GraphQLObjectType

from app.graphql.schema.fields import ABSENT_FIELD, absent_field
from app.graphql.schema.relations import ApiRelation

if TYPE_CHECKING:
    from app.graphql.schema.api_schema import ApiSchema


def row_type(api: ApiSchema, relation: ApiRelation) -> GraphQLObjectType:
    """A new type for a relation's rows, with the name that the relation has."""
    name = relation.type_name
    return GraphQLObjectType(
        name,
        fields=lambda: _fields(api, relation),
        interfaces=lambda: _interfaces(api) if relation.has_readable_key else [],
        description=relation.directives.get("description"),
        extensions={
            "unknown_field": lambda field: f"Unknown field '{field}' on type '{name}'",
            ABSENT_FIELD: lambda field: absent_field(api.hooks.node_fields(api=api, relation=relation), field),
        },
    )


def _fields(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLField]:
    contributed = api.contributed("node_fields", relation).items()
    return {name: field for name, field in contributed if api.is_name(name)}


def _interfaces(api: ApiSchema) -> list[GraphQLInterfaceType]:
    return [each for some in api.hooks.node_interfaces(api=api) for each in some]
