"""pageInfo: the first and last cursor of a page, and whether there are rows before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLBoolean, GraphQLField, GraphQLNamedType, GraphQLNonNull, GraphQLObjectType, GraphQLString
from sqlalchemy import ColumnElement, and_, false, func, literal_column, null

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields, unknown_field_in
from app.graphql.schema.relations import ApiRelation
from app.hooks import hookimpl
from app.query.plan.walk import Field
from app.query.read.collection import Collection
from app.query.sql.comparison import compared
from app.query.sql.compiled_constructs import WrittenSQL
from app.query.sql.constructs import builtin, call


@hookimpl
def connection_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(20, {"pageInfo": GraphQLField(GraphQLNonNull(_page_info_type(api)), resolve=_page_info)})


@hookimpl
def always_listed_types(api: ApiSchema) -> Sequence[GraphQLNamedType]:
    return [_page_info_type(api)]


def _page_info_type(api: ApiSchema) -> GraphQLObjectType:
    fields = {
        "endCursor": GraphQLField(GraphQLString, resolve=_end_cursor),
        "hasNextPage": GraphQLField(GraphQLNonNull(GraphQLBoolean), resolve=_has_next_page),
        "hasPreviousPage": GraphQLField(GraphQLNonNull(GraphQLBoolean), resolve=_has_previous_page),
        "startCursor": GraphQLField(GraphQLString, resolve=_start_cursor),
    }
    return api.named(
        "PageInfo",
        lambda name: GraphQLObjectType(name, fields, extensions=unknown_field_in("pageInfo")),
    )


def _page_info(field: Field, collection: Collection) -> ColumnElement[Any]:
    return field.json(collection)


def _start_cursor(field: Field, collection: Collection) -> ColumnElement[Any]:
    return _cursor_at(collection, last=collection.page.backward)


def _end_cursor(field: Field, collection: Collection) -> ColumnElement[Any]:
    return _cursor_at(collection, last=not collection.page.backward)


def _has_next_page(field: Field, collection: Collection) -> ColumnElement[Any]:
    return _is_beyond_the_edge(collection) if collection.page.backward else _more_follow(collection)


def _has_previous_page(field: Field, collection: Collection) -> ColumnElement[Any]:
    return _more_follow(collection) if collection.page.backward else _is_beyond_the_edge(collection)


def _cursor_at(collection: Collection, *, last: bool) -> ColumnElement[Any]:
    """The cursor of the first or the last row of the page, in the page's direction; null if the page is empty."""
    if collection.page.is_empty:
        return null()
    position: ColumnElement[Any] = literal_column("1")
    if last:
        position = collection.count
        position = func.least(position, collection.page.limit()) if collection.looks_ahead else position
    # FILTER makes PostgreSQL compute the cursor of that row only.
    texts = "pg_catalog.max(", ") FILTER (WHERE ", " = ", ")"
    return WrittenSQL("max", texts, (collection.cursor, collection.position, position))


def _more_follow(collection: Collection) -> ColumnElement[Any]:
    """Whether rows follow the page, in the page's direction."""
    return compared(call("count", collection.position), ">", collection.page.limit())


def _is_beyond_the_edge(collection: Collection) -> ColumnElement[Any]:
    """Whether the collection begins, in the direction of the page, with a row that is not on the page."""
    if collection.page.starts_at_the_edge or collection.page.is_empty:
        return false()
    is_other = collection.identity(collection.rows).is_distinct_from(collection.first(collection.identity))
    return func.coalesce(builtin.bool_and(is_other).filter(and_(collection.position == literal_column("1"))), false())
