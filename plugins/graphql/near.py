"""near: orders a collection by the distance from a value; edges have the distance (VALUE_TYPES=vector and geo)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLFloat, GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import ColumnElement, null

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.graphql.values.types import Nearness
from app.hooks import hookimpl
from app.query.filter.conditions import compared_value
from app.query.plan.rows import TableRows
from app.query.plan.walk import Field
from app.query.read.collection import Collection
from app.query.read.order_terms import Expression, TermOfField
from app.query.read.ordering import Order, OrderKey
from app.query.sql.comparison import USUAL_OPERATORS, Comparison
from app.query.values.scalars import scalars_of

SUFFIX = "Near"
"""The suffix of the argument's type name."""

DISTANCES = Comparison("double precision", USUAL_OPERATORS, by_text=False, printed_as_text=False)


@hookimpl
def value_types() -> Sequence[str]:
    return ("geo", "vector")


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    return (own_name(relation, SUFFIX),)


@hookimpl
def collection_arguments(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    columns = _columns(relation)
    if not columns:
        return None
    argument = GraphQLArgument(
        _type(api, relation, columns),
        description="Orders rows by their distance from a value, nearest first; orderBy orders rows of equal distance",
        extensions={"order": _order(columns)},
    )
    return Fields(25, {"near": argument})


@hookimpl
def edge_fields(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    if not _columns(relation):
        return None
    description = "The distance of the row from the value of `near`; null without `near`, and if the row has no value"
    return Fields(20, {"distance": GraphQLField(GraphQLFloat, resolve=_distance, description=description)})


def _columns(relation: ApiRelation) -> Mapping[str, tuple[ApiColumn, Nearness]]:
    """The columns whose values have distances, by field name."""
    return {each.field_name: (each, each.type.nearness) for each in relation.columns if each.type.nearness is not None}


def _type(
    api: ApiSchema, relation: ApiRelation, columns: Mapping[str, tuple[ApiColumn, Nearness]]
) -> GraphQLInputObjectType:
    members = {name: GraphQLInputField(nearness.given) for name, (_, nearness) in columns.items()}
    return api.named(
        api.own_type_name(*own_name(relation, SUFFIX)),
        lambda name: GraphQLInputObjectType(name, members, is_one_of=True),
    )


def _order(columns: Mapping[str, tuple[ApiColumn, Nearness]]) -> Order:
    def order(near: Mapping[str, Mapping[str, Any]] | None) -> Sequence[OrderKey]:
        if near is None:
            return ()
        ((name, each),) = near.items()
        column, nearness = columns[name]
        term = TermOfField(lambda field: _from(field, column, nearness, each), without=_not_of_rows)
        return (OrderKey(term, DISTANCES),)

    return order


class Distance(Expression):
    """The distance of rows from the value in a field's arguments."""


def _from(field: Field, column: ApiColumn, nearness: Nearness, given: Mapping[str, Any]) -> Distance:
    def value(rows: TableRows) -> ColumnElement[Any]:
        of_row, type_text = compared_value(column.type, rows.column(column.name), column.column.type_text)
        return nearness.distance(field.planning, of_row, type_text, given)

    return Distance(value)


def _not_of_rows() -> RequestError:
    return RequestError("near orders the rows of a collection", code="BAD_USER_INPUT")


def _distance(field: Field, collection: Collection) -> ColumnElement[Any]:
    terms = (key.term for key in collection.page.ordering.keys)
    distance = next((each for each in terms if isinstance(each, Distance)), None)
    if distance is None:
        return null()
    return scalars_of(field.api).by_postgres["float8"].to_json(collection.of_row(distance.of))
