"""Order by related rows: members of orderBy that follow relationships, and computed fields that opt in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import ColumnElement, case

from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiRelation, OwnName
from app.hooks import hookimpl
from app.query.calls import VOLATILE
from app.query.comparison import type_comparison
from app.query.computed_fields import ComputedField, computed_fields_of
from app.query.group_ordering import (
    group_order_fields,
    group_order_names,
    own_order_name,
    own_order_type,
    term_field,
)
from app.query.ordering import OrderKey, keys_of_element, order_by_type
from app.query.relationships import Relationship, relationships_of
from app.query.rows import TableRows
from app.query.sql import FunctionCall
from app.query.terms import Expression, of_all_related, related
from schema_cache.directive_values import Flag
from schema_cache.directives import Directive


@hookimpl
def features() -> Sequence[str]:
    return ("relation_orders",)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("function", "orderBy", Flag()),)


MANY = "Many"
"""What the name of the type for related rows has behind the relation's."""


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    return [own_order_name(relation, MANY), *group_order_names(relation, of_columns=_is_of_columns(relation))]


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
    """The input type for an order by aggregates of related rows."""
    of_columns = _is_of_columns(relation)
    return own_order_type(api, relation, MANY, lambda: group_order_fields(api, relation, of_columns=of_columns))


def _is_of_columns(relation: ApiRelation) -> bool:
    return bool(relation.directives.get("aggregate"))


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
    return term_field(api, Expression(value), type_comparison(api.view, type_.oid, type_.text))
