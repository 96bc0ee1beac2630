"""Fields with the results of aggregate functions, by column."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLField, GraphQLNonNull, GraphQLObjectType, GraphQLScalarType
from sqlalchemy import ColumnElement

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.query.group.aggregates import INTEGERS, Aggregate, aggregated_type
from app.query.plan.rows import TableRows
from app.query.plan.walk import Field, Resolver
from app.query.values.scalars import scalars_of


def results_field(api: ApiSchema, relation: ApiRelation, aggregate: Aggregate, type_name: str) -> GraphQLField | None:
    """The field with an aggregate function's results by column; None if no column has a type for the function."""
    columns = aggregate.columns(api, relation)
    if not columns:
        return None

    def fields() -> dict[str, GraphQLField]:
        return {
            each.field_name: GraphQLField(_result_type(api, each, aggregate), resolve=_result(api, each, aggregate))
            for each in columns
        }

    extensions = {"unknown_field": lambda field: f'Unknown or invalid field "{field}" selected on type "{type_name}"'}
    type_ = api.named(type_name, lambda name: GraphQLObjectType(name, fields, extensions=extensions))
    return GraphQLField(GraphQLNonNull(type_), resolve=_results)


def _result_type(api: ApiSchema, column: ApiColumn, aggregate: Aggregate) -> GraphQLScalarType:
    known = scalars_of(api).by_postgres
    type_name = aggregated_type(api, column)
    if aggregate.name == "sum":
        return known["int8" if type_name in INTEGERS else "numeric"].type
    if aggregate.as_numeric or type_name in ("float4", "float8"):
        return known["numeric"].type
    if type_name in known:
        return known[type_name].type
    return {"money": known["numeric"], "name": known["text"], "timetz": known["time"]}[type_name].type


def _result(api: ApiSchema, column: ApiColumn, aggregate: Aggregate) -> Resolver:
    def resolve(field: Field, rows: TableRows) -> ColumnElement[Any]:
        return aggregate.call(api, column, rows)

    return resolve


def _results(field: Field, rows: TableRows) -> ColumnElement[Any]:
    return field.json(rows)
