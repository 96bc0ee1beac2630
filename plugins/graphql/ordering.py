"""The argument orderBy, with all columns whose type has an order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
)

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.name_conflicts import RelationNames
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.read.order_terms import ColumnTerm
from app.query.read.ordering import Order, OrderKey, direction, direction_type, keys_of_element, order_by_type
from app.query.sql.comparison import order_comparison


@hookimpl
def relation_names(type_name: str) -> RelationNames:
    return RelationNames(types=(f"{type_name}OrderBy",))


@hookimpl
def order_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(
        10,
        {
            column.field_name: GraphQLInputField(direction_type(api), extensions={"order": _by_column(api, column)})
            for column in relation.columns
            if column.type.orderable
        },
    )


def _by_column(api: ApiSchema, column: ApiColumn) -> Order:
    def order(leaf: Leaf | None) -> Sequence[OrderKey]:
        if leaf is None:
            return ()
        comparison = order_comparison(api.view, column.column, column.type.operand_text)
        return (OrderKey(ColumnTerm(column.column), comparison, *direction(api, leaf)),)

    return order


@hookimpl
def collection_arguments(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    type_ = order_by_type(api, relation)
    if type_ is None:
        return None
    argument = GraphQLArgument(
        GraphQLList(GraphQLNonNull(type_)),
        description="The order of the rows; rows that are equal in it are ordered by the key",
        extensions={"order": _by_elements(api, type_)},
    )
    return Fields(30, {"orderBy": argument})


def _by_elements(api: ApiSchema, type_: GraphQLInputObjectType) -> Order:
    def order(elements: Sequence[Mapping[str, Any]] | None) -> Sequence[OrderKey]:
        return [key for element in elements or () for key in keys_of_element(api, type_, element)]

    return order


@hookimpl
def always_listed_types(api: ApiSchema) -> Sequence[GraphQLNamedType]:
    return [direction_type(api)]
