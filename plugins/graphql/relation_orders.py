"""Order by related rows: members of orderBy that follow relationships, and computed fields that opt in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import ColumnElement, case, func, literal_column

from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiColumn, ApiRelation
from app.graphql.values import Leaf
from app.hooks import hookimpl
from app.query.aggregates import AGGREGATES, Aggregate
from app.query.calls import VOLATILE
from app.query.comparison import USUAL_OPERATORS, Comparison, type_comparison
from app.query.computed_fields import ComputedField, computed_fields_of
from app.query.ordering import OrderKey, direction, direction_type, keys_of_element, order_by_type
from app.query.planning import TableRows
from app.query.relationships import Relationship, relationships_of
from app.query.sql import FunctionCall
from app.query.terms import Expression, Term, of_all_related, related
from schema_cache.directive_values import Flag
from schema_cache.directives import Directive

COUNTS = Comparison("bigint", USUAL_OPERATORS, by_text=False, printed_as_text=False)


@hookimpl
def features() -> Sequence[str]:
    return ("relation_orders",)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("function", "orderBy", Flag()),)


@hookimpl
def order_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    computed = computed_fields_of(api, relation).items()
    members = {name: _by_function(api, each) for name, each in computed if _is_orderable(each)}
    for relationship in relationships_of(api, relation):
        member = _by_many(api, relationship) if relationship.to_many else _by_one(api, relationship)
        if member is not None:
            members.setdefault(relationship.name, member)
    return Fields(40, members)


def _by_one(api: ApiSchema, relationship: Relationship) -> GraphQLInputField | None:
    type_ = order_by_type(api, relationship.target)
    if type_ is None:
        return None

    def order(value: Mapping[str, Any] | None) -> Sequence[OrderKey]:
        keys = keys_of_element(api, type_, value or {})
        return [replace(key, term=related(relationship, key.term)) for key in keys]

    return GraphQLInputField(type_, extensions={"order": order})


def _by_many(api: ApiSchema, relationship: Relationship) -> GraphQLInputField:
    type_ = _many_type(api, relationship.target)

    def order(value: Mapping[str, Any] | None) -> Sequence[OrderKey]:
        keys = keys_of_element(api, type_, value or {})
        return [replace(key, term=of_all_related(relationship, key.term)) for key in keys]

    return GraphQLInputField(type_, extensions={"order": order})


def _many_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType:
    """The input type for an order by aggregates of related rows; the terms of its members are aggregate functions."""

    def members() -> dict[str, GraphQLInputField]:
        made = {"count": _member(api, Expression(_count, not_null=True), COUNTS)}
        if relation.directives.get("aggregate"):
            made |= {
                each.name: _by_aggregate(api, relation, each) for each in AGGREGATES if each.columns(api, relation)
            }
        return made

    return _own_type(api, relation, "Many", members)


def _by_aggregate(api: ApiSchema, relation: ApiRelation, aggregate: Aggregate) -> GraphQLInputField:
    def members() -> dict[str, GraphQLInputField]:
        return {each.field_name: _of_column(api, aggregate, each) for each in aggregate.columns(api, relation)}

    type_ = _own_type(api, relation, aggregate.name.capitalize(), members)

    def order(value: Mapping[str, Any] | None) -> Sequence[OrderKey]:
        return keys_of_element(api, type_, value or {})

    return GraphQLInputField(type_, extensions={"order": order})


def _own_type(
    api: ApiSchema, relation: ApiRelation, kind: str, members: Callable[[], dict[str, GraphQLInputField]]
) -> GraphQLInputObjectType:
    name = api.own_type_name((relation.relation.oid, kind, "orderBy"), f"{relation.type_name}{kind}OrderBy")
    return api.named(name, lambda name: GraphQLInputObjectType(name, members))


def _of_column(api: ApiSchema, aggregate: Aggregate, column: ApiColumn) -> GraphQLInputField:
    def value(rows: TableRows) -> ColumnElement[Any]:
        return aggregate.call(api, column, rows)

    type_ = aggregate.result(api, column)
    return _member(api, Expression(value), type_comparison(api.view, type_.oid, type_.text))


def _count(rows: TableRows) -> ColumnElement[Any]:
    return func.count(literal_column("*"))


def _is_orderable(computed: ComputedField) -> bool:
    value = computed.result.value
    opted_in = computed.directives.get("orderBy") is True
    return opted_in and value is not None and value.orderable and computed.result.function.volatility != VOLATILE


def _by_function(api: ApiSchema, computed: ComputedField) -> GraphQLInputField:
    function = computed.result.function

    def value(rows: TableRows) -> ColumnElement[Any]:
        call = FunctionCall(function.schema, function.name, [rows.whole()])
        # The function could return a value for a row of nulls.
        return case((rows.is_not_empty(), call)) if rows.is_optional else call

    type_ = api.catalog.type_by_oid[function.returns]
    return _member(api, Expression(value), type_comparison(api.view, type_.oid, type_.text))


def _member(api: ApiSchema, term: Term, comparison: Comparison) -> GraphQLInputField:
    def order(leaf: Leaf | None) -> Sequence[OrderKey]:
        return () if leaf is None else (OrderKey(term, comparison, *direction(api, leaf)),)

    return GraphQLInputField(direction_type(api), extensions={"order": order})
