"""Further aggregates: the number of different values, deviation and variance, and whether all or any are true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLField, GraphQLInt, GraphQLNonNull, GraphQLObjectType
from sqlalchemy import ColumnElement, func

from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiColumn, ApiRelation
from app.hooks import hookimpl
from app.query.aggregate_fields import results_field
from app.query.aggregates import NUMBERS, Aggregate
from app.query.grouping import groupable
from app.query.planning import TableRows
from app.query.walk import Field, Resolver

BOOLEANS = frozenset(("bool",))

FURTHER = (
    Aggregate("stddev", NUMBERS, {}, as_numeric=True),
    Aggregate("variance", NUMBERS, {}, as_numeric=True),
    Aggregate("boolAnd", BOOLEANS, {}, function="bool_and"),
    Aggregate("boolOr", BOOLEANS, {}, function="bool_or"),
)


@hookimpl
def features() -> Sequence[str]:
    return ("groups",)


@hookimpl
def aggregate_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    distinct = _count_distinct(api, relation)
    made = {} if distinct is None else {"countDistinct": distinct}
    for aggregate in FURTHER:
        suffix = f"{aggregate.title}AggregateResult"
        field = results_field(api, relation, aggregate, _own_name(api, relation, suffix))
        if field is not None:
            made[aggregate.name] = field
    return Fields(20, made)


def _own_name(api: ApiSchema, relation: ApiRelation, suffix: str) -> str:
    return api.own_type_name((relation.relation.oid, suffix), f"{relation.type_name}{suffix}")


def _count_distinct(api: ApiSchema, relation: ApiRelation) -> GraphQLField | None:
    columns = groupable(api, relation)
    if not columns:
        return None
    number = GraphQLNonNull(GraphQLInt)
    fields = {each.field_name: GraphQLField(number, resolve=_number_of_values(each)) for each in columns}
    type_ = api.named(_own_name(api, relation, "CountDistinct"), lambda name: GraphQLObjectType(name, fields))
    return GraphQLField(type_, resolve=_of_columns, description="How many different values there are, nulls aside")


def _of_columns(field: Field, rows: TableRows) -> ColumnElement[Any]:
    return field.json(rows)


def _number_of_values(column: ApiColumn) -> Resolver:
    def resolve(field: Field, rows: TableRows) -> ColumnElement[Any]:
        return func.count(rows.column(column.name).distinct())

    return resolve
