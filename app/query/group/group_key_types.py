"""The GraphQL types for group keys: the argument that chooses the key, the key itself, and the order of the groups by
their keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLObjectType,
)
from sqlalchemy import ColumnElement, null

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.query.group.group_ordering import own_order_name, own_order_type
from app.query.group.grouping import PLAIN_VALUE, Grouping, KeyPath, has_units, key_members
from app.query.plan.walk import Field, Resolver
from app.query.read.ordering import direction_type

UNITS = ("Hour", "Day", "Week", "Month", "Quarter", "Year")


def by_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType:
    """The type of an element of the argument ``by``. It names a column of the row or of a related row, and for dates
    the unit of time."""

    def type_of(member: Any) -> Any:
        if not isinstance(member, ApiColumn):
            return by_type(api, member.target)
        units = ("DateGroupBy", (PLAIN_VALUE, *UNITS)) if has_units(api, member) else ("GroupBy", (PLAIN_VALUE,))
        return _enum(api, *units)

    def members() -> dict[str, GraphQLInputField]:
        return {name: GraphQLInputField(type_of(each)) for name, each in key_members(api, relation).items()}

    return api.named(
        api.own_type_name(*own_name(relation, "GroupBy")), lambda name: GraphQLInputObjectType(name, members)
    )


def key_type(api: ApiSchema, relation: ApiRelation) -> GraphQLObjectType:
    """The type of a group's key. The scope of its resolvers is a pair: the Grouping, and the path to the object in the
    key."""

    def field_of(name: str, member: Any) -> GraphQLField:
        if isinstance(member, ApiColumn):
            type_: Any = member.type.graphql
            return GraphQLField(
                type_, resolve=_key_value(name), description=member.description, deprecation_reason=member.deprecated
            )
        return GraphQLField(key_type(api, member.target), resolve=_nested_key(name))

    def fields() -> dict[str, GraphQLField]:
        return {name: field_of(name, each) for name, each in key_members(api, relation).items()}

    return api.named(api.own_type_name(*own_name(relation, "GroupKey")), lambda name: GraphQLObjectType(name, fields))


def key_order_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType:
    """The type of an element of orderBy that names a column of the key and the direction of the order."""

    def type_of(member: Any) -> Any:
        return direction_type(api) if isinstance(member, ApiColumn) else key_order_type(api, member.target)

    def members() -> dict[str, GraphQLInputField]:
        return {name: GraphQLInputField(type_of(each)) for name, each in key_members(api, relation).items()}

    return own_order_type(api, relation, "GroupKey", members)


def group_key_names(relation: ApiRelation) -> tuple[OwnName, ...]:
    """The owners and requested names of the three types of a relation."""
    return own_name(relation, "GroupBy"), own_name(relation, "GroupKey"), own_order_name(relation, "GroupKey")


def group_enum_names() -> tuple[OwnName, ...]:
    """The owners and requested names of the enums, which the types of all relations share."""
    return tuple(map(_own_enum, ("GroupBy", "DateGroupBy")))


def _own_enum(name: str) -> OwnName:
    return f"the enum {name}", name


def _enum(api: ApiSchema, name: str, values: Sequence[str]) -> GraphQLEnumType:
    own = api.own_type_name(*_own_enum(name))
    return api.named(own, lambda name: GraphQLEnumType(name, {each: GraphQLEnumValue(each) for each in values}))


def _key_value(name: str) -> Resolver:
    def resolve(field: Field, scope: tuple[Grouping, KeyPath]) -> ColumnElement[Any]:
        grouping, path = scope
        return grouping.printed((*path, name))

    return resolve


def _nested_key(name: str) -> Resolver:
    def resolve(field: Field, scope: tuple[Grouping, KeyPath]) -> ColumnElement[Any]:
        grouping, path = scope
        nested = (*path, name)
        return field.json((grouping, nested)) if grouping.includes_path(nested) else null()

    return resolve
