"""Distances between the values of an extension's type, by an operator of the extension."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType, GraphQLNonNull
from sqlalchemy import ColumnElement

from app.database.identifiers import quoted
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import OwnName
from app.graphql.values.types import Nearness, ValueType
from app.graphql.values.values import Leaf
from app.query.plan.planning import Planning
from app.query.sql.comparison import compared

NearValue = Mapping[str, Leaf | None]
"""The value that a request gives: ``to``, and the further members."""


def nearness_by_operator(
    api: ApiSchema,
    own_name: OwnName,
    value_type: ValueType,
    schema: str,
    symbol: Callable[[NearValue], str],
    **members: GraphQLInputField,
) -> Nearness:
    """Distances by the operator in ``schema`` whose symbol ``symbol`` returns. ``own_name``: that of the input type,
    which has the member ``to``, of ``value_type``, and ``members``."""
    to = GraphQLInputField(GraphQLNonNull(value_type.input), description="The value that the others are compared with")

    def distance(planning: Planning, value: ColumnElement[Any], type_text: str, given: NearValue) -> ColumnElement[Any]:
        operator = f"OPERATOR({quoted(schema)}.{symbol(given)})"
        return compared(value, operator, planning.bind_or_null(given["to"], value_type.to_text, type_text))

    input_type = api.named(
        api.own_type_name(*own_name), lambda name: GraphQLInputObjectType(name, {"to": to, **members})
    )
    return Nearness(input_type, distance)
