"""``hasAtLeast(count: ...)`` on every collection. It is cheaper than a total, since counting stops at ``count``."""

from __future__ import annotations

from graphql import GraphQLArgument, GraphQLBoolean, GraphQLField, GraphQLInt, GraphQLNonNull
from sqlalchemy import func, literal_column, select

from portico import Fields, RequestError, hookimpl


@hookimpl
def connection_fields(api, relation):
    count = GraphQLArgument(GraphQLNonNull(GraphQLInt), description="A number of rows, on all pages together")
    field = GraphQLField(
        GraphQLNonNull(GraphQLBoolean),
        {"count": count},
        resolve=_has_at_least,
        description="Whether the collection has at least this number of rows",
    )
    return Fields(100, {"hasAtLeast": field})


def _has_at_least(field, collection):
    count = field.planning.bind(field.arguments["count"], _natural, "bigint")
    rows, conditions = collection.all_rows()
    found = collection.query(rows, conditions, literal_column("1")).limit(count).subquery(field.planning.alias("found"))
    return select(func.count() >= count).select_from(found).scalar_subquery()


def _natural(value):
    if not isinstance(value, int) or value < 0:
        raise RequestError("count must not be negative", code="BAD_USER_INPUT")
    return str(value)
