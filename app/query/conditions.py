"""Conditions on rows: what filters, their members and the operators of types become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLID, GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import ColumnElement, and_

from app.graphql.api_schema import ApiSchema
from app.graphql.fields import in_order
from app.graphql.relations import ApiColumn, ApiRelation
from app.graphql.values import Leaf
from app.graphql.values_of_types import ValueType
from app.query.planning import Planning, Rows
from app.query.walk import Field
from schema_cache.model import Operators

Condition = ColumnElement[Any]

MemberCondition = Callable[[Planning, Rows, Any], Condition | None]
"""Turns the value of a filter's member, or of an argument that narrows rows, into a condition on a row; None if it has
no effect. It is the extension ``condition`` of the GraphQLInputField or GraphQLArgument."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What an operator compares: the ``value`` of a column in the current row, with the SQL operators of its type."""

    column: ApiColumn
    operators: Operators
    value: ColumnElement[Any]


Operator = Callable[[Planning, Compared, Leaf | None], Condition]
"""Turns the operand of a filter's operator, None for null, into a condition. It is the extension ``operator`` of the
filter's member."""


def value_filter_type(api: ApiSchema, value_type: ValueType) -> GraphQLInputObjectType:
    """The filter of a type's values, such as IntFilter, StringListFilter or that of an enum."""

    def members() -> dict[str, GraphQLInputField]:
        operators = in_order(api.hooks.filter_operators(api=api, value_type=value_type))
        return {name: operators[name] for name in sorted(operators)}

    return api.named(f"{value_type.filter}Filter", lambda name: GraphQLInputObjectType(name, members))


def id_filter_type(api: ApiSchema) -> GraphQLInputObjectType:
    """The filter of ids, which can only be equal."""
    return api.named("IDFilter", lambda name: GraphQLInputObjectType(name, {"eq": GraphQLInputField(GraphQLID)}))


def relation_filter_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType:
    """The filter of a relation's rows."""
    return api.named(
        f"{relation.type_name}Filter",
        lambda name: GraphQLInputObjectType(
            name, lambda: in_order(api.hooks.filter_fields(api=api, relation=relation))
        ),
    )


def condition(
    type_: GraphQLInputObjectType, planning: Planning, rows: Rows, value: Mapping[str, Any]
) -> Condition | None:
    """All members of a filter together as one condition on a row; None where they have no effect.

    Raises OverLimit where the filters have too many of them.
    """
    # An empty one costs too.
    planning.count_conditions(max(1, len(value)))
    made = (type_.fields[name].extensions["condition"](planning, rows, member) for name, member in value.items())
    parts = [part for part in made if part is not None]
    return and_(*parts) if parts else None


def conditions_of_arguments(field: Field, rows: Rows) -> list[Condition]:
    """The conditions that a field's arguments put on its rows; none of those that were not given."""
    given = field.arguments
    made = (
        argument.extensions["condition"](field.planning, rows, given[name])
        for name, argument in field.definition.args.items()
        if "condition" in argument.extensions and name in given
    )
    return [part for part in made if part is not None]
