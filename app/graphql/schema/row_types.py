"""The types of the rows of relations. Their fields are made on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphql import GraphQLField, GraphQLInterfaceType, GraphQLObjectType

from app.graphql.schema.fields import ABSENT_FIELD, COMMENTED, Fields, absent_field
from app.graphql.schema.relations import ApiRelation


def row_type(
    relation: ApiRelation,
    fields: Callable[[], dict[str, GraphQLField]],
    interfaces: Callable[[], list[GraphQLInterfaceType]],
    contributions: Callable[[], Sequence[Fields | None]],
) -> GraphQLObjectType:
    """A new type for a relation's rows, with the name that the relation has. ``contributions``: of plugins, which may
    give reasons why fields are absent."""
    name = relation.type_name
    return GraphQLObjectType(
        name,
        fields=fields,
        interfaces=lambda: interfaces() if relation.has_readable_key else [],
        description=relation.directives.get("description"),
        extensions={
            COMMENTED: relation.directives,
            "unknown_field": lambda field: f"Unknown field '{field}' on type '{name}'",
            ABSENT_FIELD: lambda field: absent_field(contributions(), field),
        },
    )
