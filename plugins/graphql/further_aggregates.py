"""Further aggregates: the number of distinct values, standard deviation, variance, and whether all or any are true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLField, GraphQLInt, GraphQLNonNull, GraphQLObjectType
from sqlalchemy import ColumnElement

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.hooks import hookimpl
from app.query.group.aggregate_fields import results_field
from app.query.group.aggregates import NUMBERS, Aggregate
from app.query.group.grouping import groupable
from app.query.plan.rows import TableRows
from app.query.plan.walk import Field, Resolver
from app.query.sql.constructs import builtin

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
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    if not relation.directives.get("aggregate"):
        return ()
    return [_own_numbers(relation), *(_own_result(relation, each) for each in FURTHER)]


@hookimpl
def aggregate_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    distinct = _count_distinct(api, relation)
    made = {} if distinct is None else {"countDistinct": distinct}
    for aggregate in FURTHER:
        type_name = api.own_type_name(*_own_result(relation, aggregate))
        field = results_field(api, relation, aggregate, type_name)
        if field is not None:
            made[aggregate.name] = field
    return Fields(20, made)


def _own_result(relation: ApiRelation, aggregate: Aggregate) -> OwnName:
    return own_name(relation, f"{aggregate.title}AggregateResult")


def _own_numbers(relation: ApiRelation) -> OwnName:
    return own_name(relation, "CountDistinct")


def _count_distinct(api: ApiSchema, relation: ApiRelation) -> GraphQLField | None:
    columns = groupable(api, relation)
    if not columns:
        return None
    number = GraphQLNonNull(GraphQLInt)
    fields = {each.field_name: GraphQLField(number, resolve=_number_of_values(each)) for each in columns}
    type_ = api.named(api.own_type_name(*_own_numbers(relation)), lambda name: GraphQLObjectType(name, fields))
    return GraphQLField(type_, resolve=_of_columns, description="The number of distinct values, without nulls")


def _of_columns(field: Field, rows: TableRows) -> ColumnElement[Any]:
    return field.json(rows)


def _number_of_values(column: ApiColumn) -> Resolver:
    def resolve(field: Field, rows: TableRows) -> ColumnElement[Any]:
        return builtin.count(rows.column(column.name).distinct())

    return resolve
