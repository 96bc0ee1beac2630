"""totalCount: the number of rows of a collection, regardless of pages. Opt-in by comment directive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLField, GraphQLInt, GraphQLNonNull
from sqlalchemy import ColumnElement

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields, enabled_by
from app.graphql.schema.relations import ApiRelation
from app.hooks import hookimpl
from app.query.plan.walk import Field
from app.query.read.collection import Collection
from app.query.sql.constructs import row_count
from schema_cache.directive_values import Enabled
from schema_cache.directives import Directive


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("relation", "totalCount", Enabled()),)


@hookimpl
def connection_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    if not relation.directives.get("totalCount"):
        # pg_graphql gives no reason.
        return Fields(30, {}, absent={"totalCount": enabled_by("totalCount")} if api.dialect.extended else {})
    field = GraphQLField(
        GraphQLNonNull(GraphQLInt), resolve=_count, description="The number of matching rows on all pages"
    )
    return Fields(30, {"totalCount": field})


def _count(field: Field, collection: Collection) -> ColumnElement[Any]:
    rows, conditions = collection.all_rows()
    return collection.query(rows, conditions, row_count()).scalar_subquery()
