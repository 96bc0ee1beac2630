"""countUpTo: the number of rows of a collection, counted up to a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLArgument, GraphQLDefaultInput, GraphQLField, GraphQLInt, GraphQLNonNull
from sqlalchemy import ColumnElement, literal_column, select

from app.errors import OverLimit
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiRelation
from app.hooks import hookimpl
from app.query.plan.walk import Field
from app.query.read.collection import Collection
from app.query.read.pages import Unsigned
from app.query.sql.constructs import row_count

DEFAULT, MOST = 1000, 10_000


@hookimpl
def features() -> Sequence[str]:
    return ("counts",)


@hookimpl
def connection_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(60, {"countUpTo": api.shared("countUpTo", _field)})


def _field() -> GraphQLField:
    limit = GraphQLArgument(
        GraphQLNonNull(GraphQLInt), default=GraphQLDefaultInput(DEFAULT), description="At most 10,000"
    )
    return GraphQLField(
        GraphQLNonNull(GraphQLInt),
        {"limit": limit},
        _count,
        description="The number of matching rows on all pages, or the limit if there are more",
    )


@dataclass(frozen=True, slots=True)
class CountLimit:
    """Converts the limit to text. It steers the plan, like the size of a page."""

    def __call__(self, value: Any) -> str:
        text = Unsigned("limit")(value) or "0"
        if int(text) > MOST:
            raise OverLimit(f"countUpTo counts at most {MOST} rows")
        return text


def _count(field: Field, collection: Collection) -> ColumnElement[Any]:
    given, read = field.arguments.get("limit"), CountLimit()
    limit = str(DEFAULT)
    if given is not None:
        given.steer(read)
        limit = read(given.raw)
    rows, conditions = collection.all_rows()
    counted = collection.query(rows, conditions, literal_column("1").label("one")).limit(literal_column(limit))
    return select(row_count()).select_from(counted.subquery(field.planning.alias("counted"))).scalar_subquery()
