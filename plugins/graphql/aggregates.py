"""Aggregates: count, sum, avg, min and max over a collection, regardless of pages. Opt-in by comment directive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLField, GraphQLInt, GraphQLNonNull, GraphQLObjectType
from sqlalchemy import ColumnElement

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields, enabled_by
from app.graphql.schema.name_conflicts import RelationNames
from app.graphql.schema.relations import ApiRelation
from app.hooks import hookimpl
from app.query.group.aggregate_fields import results_field
from app.query.group.aggregates import AGGREGATES, Aggregate
from app.query.group.grouping import Grouping
from app.query.plan.rows import TableRows
from app.query.plan.walk import Field
from app.query.read.collection import Collection
from app.query.sql.constructs import one_row, row_count
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
        pg_graphql_reason = "enable the aggregate directive to use aggregates"
        reason = enabled_by("aggregate") if api.dialect.extended else pg_graphql_reason
        return Fields(40, {}, absent={"aggregate": reason})
    field = GraphQLField(
        _aggregate_type(api, relation), resolve=_aggregate, description="Aggregates of all matching rows, on all pages"
    )
    return Fields(40, {"aggregate": field})


@hookimpl
def group_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(20, {"aggregate": GraphQLField(GraphQLNonNull(_aggregate_type(api, relation)), resolve=_of_group)})


@hookimpl
def aggregate_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    results = {
        each.name: results_field(api, relation, each, _result_type_name(relation.type_name, each))
        for each in AGGREGATES
    }
    count = GraphQLField(GraphQLNonNull(GraphQLInt), resolve=_count)
    return Fields(10, {"count": count, **{name: field for name, field in results.items() if field is not None}})


def _aggregate_type(api: ApiSchema, relation: ApiRelation) -> GraphQLObjectType:
    name = f"{relation.type_name}Aggregate"
    extensions = {"unknown_field": lambda field: f'Unknown field "{field}" selected on type "{name}"'}
    return api.named(
        name,
        lambda name: GraphQLObjectType(
            name, lambda: api.contributed("aggregate_fields", relation), extensions=extensions
        ),
    )


def _result_type_name(type_name: str, aggregate: Aggregate) -> str:
    return f"{type_name}{aggregate.title}AggregateResult"


def _aggregate(field: Field, collection: Collection) -> ColumnElement[Any]:
    rows, conditions = collection.all_rows()
    return one_row(collection.query(rows, conditions, field.json(rows))).scalar_subquery()


def _of_group(field: Field, group: Grouping) -> ColumnElement[Any]:
    return field.json(group.rows)


def _count(field: Field, rows: TableRows) -> ColumnElement[Any]:
    return row_count()
