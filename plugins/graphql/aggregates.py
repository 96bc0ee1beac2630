"""Aggregates: count, sum, avg, min and max over a collection, regardless of pages. Opt-in by comment directive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphql import GraphQLField, GraphQLInt, GraphQLNonNull, GraphQLObjectType, GraphQLScalarType
from sqlalchemy import ColumnElement, func, literal_column

from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiColumn, ApiRelation, RelationNames
from app.hooks import hookimpl
from app.query.aggregates import AGGREGATES, INTEGERS, Aggregate, aggregated_type
from app.query.collection import Collection
from app.query.planning import TableRows
from app.query.scalars import scalars_of
from app.query.sql import one_row
from app.query.walk import Field
from schema_cache.directive_values import Enabled
from schema_cache.directives import Directive


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("relation", "aggregate", Enabled()),)


@hookimpl
def relation_names(type_name: str) -> RelationNames:
    results = (_result_type_name(type_name, each) for each in AGGREGATES)
    return RelationNames(types=(f"{type_name}Aggregate", *results))


@hookimpl
def connection_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    if not relation.directives.get("aggregate"):
        return Fields(40, {}, absent={"aggregate": "enable the aggregate directive to use aggregates"})
    field = GraphQLField(
        _aggregate_type(api, relation), resolve=_aggregate, description="Of all rows that match, on all pages together"
    )
    return Fields(40, {"aggregate": field})


def _aggregate_type(api: ApiSchema, relation: ApiRelation) -> GraphQLObjectType:
    def fields() -> dict[str, GraphQLField]:
        made = {"count": GraphQLField(GraphQLNonNull(GraphQLInt), resolve=_count)}
        for aggregate in AGGREGATES:
            type_ = _result_type(api, relation, aggregate)
            if type_ is not None:
                made[aggregate.name] = GraphQLField(GraphQLNonNull(type_), resolve=_values)
        return made

    name = f"{relation.type_name}Aggregate"
    says = {"unknown_field": lambda field: f'Unknown field "{field}" on type "{name}"'}
    return api.named(name, lambda name: GraphQLObjectType(name, fields, extensions=says))


def _result_type(api: ApiSchema, relation: ApiRelation, aggregate: Aggregate) -> GraphQLObjectType | None:
    """The type of one aggregate's values, by column; None if no column has any."""
    fields = {
        column.field_name: GraphQLField(
            _value_type(api, column, aggregate.name), resolve=_value(api, column, aggregate)
        )
        for column in aggregate.columns(api, relation)
    }
    if not fields:
        return None
    name = _result_type_name(relation.type_name, aggregate)
    says = {"unknown_field": lambda field: f'Unknown or invalid field "{field}" selected on type "{name}"'}
    return api.named(name, lambda name: GraphQLObjectType(name, fields, extensions=says))


def _result_type_name(type_name: str, aggregate: Aggregate) -> str:
    return f"{type_name}{aggregate.name.capitalize()}AggregateResult"


def _value_type(api: ApiSchema, column: ApiColumn, name: str) -> GraphQLScalarType:
    known = scalars_of(api).by_postgres
    type_name = aggregated_type(api, column)
    if name == "sum":
        return known["int8" if type_name in INTEGERS else "numeric"].type
    if name == "avg" or type_name in ("float4", "float8"):
        return known["numeric"].type
    if type_name in known:
        return known[type_name].type
    return {"money": known["numeric"], "name": known["text"], "timetz": known["time"]}[type_name].type


def _value(api: ApiSchema, column: ApiColumn, aggregate: Aggregate) -> Callable[[Field, TableRows], ColumnElement[Any]]:
    def resolve(field: Field, rows: TableRows) -> ColumnElement[Any]:
        return aggregate.call(api, column, rows)

    return resolve


def _aggregate(field: Field, collection: Collection) -> ColumnElement[Any]:
    rows, conditions = collection.all_rows()
    return one_row(collection.query(rows, conditions, field.json(rows))).scalar_subquery()


def _count(field: Field, rows: TableRows) -> ColumnElement[Any]:
    return func.count(literal_column("*"))


def _values(field: Field, rows: TableRows) -> ColumnElement[Any]:
    return field.json(rows)
