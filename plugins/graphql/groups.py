"""groups: the rows of a collection, grouped by columns, and the aggregates of each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)
from sqlalchemy import ColumnElement, literal_column, select

from app.errors import OverLimit, RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields, enabled_by
from app.graphql.schema.relations import ApiRelation, OwnName, own_name
from app.hooks import hookimpl
from app.query.filter.conditions import Condition, query_condition
from app.query.group.group_conditions import NARROWING, Group, group_condition, group_filter_names, group_filter_type
from app.query.group.group_key_types import by_type, group_enum_names, group_key_names, key_order_type, key_type
from app.query.group.group_ordering import group_order_fields, group_order_names, own_order_name, own_order_type
from app.query.group.grouping import Grouping, GroupKey, KeyPath, group_key, groupable, one_path
from app.query.plan.walk import Field, Resolver
from app.query.read.collection import Collection
from app.query.read.connections import arguments_of_collections
from app.query.read.ordering import OrderKey, direction, keys_of_element
from app.query.read.pages import Unsigned, page_size
from app.query.sql.json_texts import json_list
from app.query.sql.texts import StringText

MOST_KEYS = 5
"""The most columns that rows can be grouped by."""

MOST_ORDERS = 50
"""The most elements in an order of groups, the same number as for expressions in an order of rows."""


@hookimpl
def features() -> Sequence[str]:
    return ("groups",)


@hookimpl
def own_type_names(api: ApiSchema) -> Sequence[OwnName]:
    return group_enum_names() if any(map(_is_aggregated, api.rows_by_oid.values())) else ()


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    # Rows are grouped by columns of related rows too.
    names = [*group_key_names(relation)]
    if _is_aggregated(relation):
        names += own_name(relation, GROUP), own_order_name(relation, GROUP)
        names += group_filter_names(relation, HAVING, of_columns=True)
        names += group_order_names(relation, of_columns=True)
    return names


@hookimpl
def connection_fields(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    if not _is_aggregated(relation):
        return Fields(50, {}, absent={"groups": enabled_by("aggregate")})
    if not groupable(api, relation):
        return None
    groups = GraphQLField(
        GraphQLNonNull(GraphQLList(GraphQLNonNull(_group_type(api, relation)))),
        {
            "by": GraphQLArgument(
                GraphQLNonNull(GraphQLList(GraphQLNonNull(by_type(api, relation)))),
                description="The columns that rows of one group are equal in",
            ),
            **_arguments_as_of_rows(api, relation),
            "timeZone": GraphQLArgument(
                GraphQLString, description="The time zone of hours, days and so on; by default that of the connection"
            ),
            "first": GraphQLArgument(GraphQLInt, description="The number of groups"),
            "offset": GraphQLArgument(GraphQLInt, description="The number of groups to skip"),
        },
        _groups(api, relation),
        description="All matching rows, on all pages, in groups",
    )
    return Fields(50, {"groups": groups})


@hookimpl
def group_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    def resolve(field: Field, grouping: Grouping) -> ColumnElement[Any]:
        return field.json((grouping, ()))

    return Fields(10, {"key": GraphQLField(GraphQLNonNull(key_type(api, relation)), resolve=resolve)})


# Types


GROUP, HAVING = "Group", "AggregateFilter"
"""Suffixes of type names."""


def _is_aggregated(relation: ApiRelation) -> bool:
    return bool(relation.directives.get("aggregate"))


def _group_type(api: ApiSchema, relation: ApiRelation) -> GraphQLObjectType:
    return api.named(
        api.own_type_name(*own_name(relation, GROUP)),
        lambda name: GraphQLObjectType(name, lambda: api.contributed("group_fields", relation)),
    )


def _arguments_as_of_rows(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLArgument]:
    """``having`` and ``orderBy`` for groups, if the collection has the corresponding arguments for rows."""
    of_rows = arguments_of_collections(api, relation)
    arguments = {}
    if "filter" in of_rows:
        arguments["having"] = GraphQLArgument(_having_type(api, relation), description="A condition on the groups")
    if "orderBy" in of_rows:
        arguments["orderBy"] = GraphQLArgument(
            GraphQLList(GraphQLNonNull(_order_type(api, relation))),
            description="The order of the groups; those that are equal in it are ordered by the key",
        )
    return arguments


def _having_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType:
    return group_filter_type(api, relation, HAVING, of_columns=True)


def _order_type(api: ApiSchema, relation: ApiRelation) -> GraphQLInputObjectType:
    def members() -> dict[str, GraphQLInputField]:
        key = GraphQLInputField(key_order_type(api, relation))
        return {"key": key, **group_order_fields(api, relation, of_columns=True)}

    return own_order_type(api, relation, GROUP, members)


# From arguments to SQL


def _groups(api: ApiSchema, relation: ApiRelation) -> Resolver:
    def resolve(field: Field, collection: Collection) -> ColumnElement[Any]:
        rows, conditions = collection.all_rows()
        grouping = Grouping(rows, _keys(field, relation), is_on_cluster=field.planning.cluster is not None)
        values = grouping.values.values()
        size = page_size(field, "first", relation.max_rows)
        nodes = field.planning.nodes
        with nodes.as_siblings(), nodes.each_of(size):
            group = field.json(grouping).label("group")
        having = _having(field, relation, grouping)
        ordered = [key.clause(rows) for key in _order(field, relation, grouping)]
        query = collection.query(rows, conditions, group).group_by(*values).order_by(*ordered)
        query = query.limit(literal_column(str(size))).having(*([] if having is None else [having]))
        offset = field.arguments.get("offset")
        if offset is not None:
            query = query.offset(field.planning.bind(offset, Unsigned("offset"), "bigint"))
        listed = query.subquery(field.planning.alias("groups"))
        return select(json_list(listed.c.group)).scalar_subquery()

    return resolve


def _keys(field: Field, relation: ApiRelation) -> Sequence[GroupKey]:
    """The keys that the request groups by."""
    given = field.arguments.get("timeZone")
    zone = None if given is None else field.planning.bind(given, StringText("String"), "text")
    keys: dict[KeyPath, GroupKey] = {}
    for element in field.arguments["by"]:
        for path, unit in one_path(element, "by"):
            if path in keys:
                raise RequestError(f"by names {'.'.join(path)} more than once", code="BAD_USER_INPUT")
            keys[path] = group_key(field.api, relation, path, unit.steer(), zone)
    if not keys:
        message = "by names no column. For aggregates of all matching rows select the field aggregate"
        raise RequestError(message, code="BAD_USER_INPUT")
    if len(keys) > MOST_KEYS:
        raise OverLimit(f"by names more than {MOST_KEYS} columns")
    return tuple(keys.values())


def _having(field: Field, relation: ApiRelation, grouping: Grouping) -> Condition | None:
    given = field.arguments.get("having")
    if not given:
        return None
    narrowing: Mapping[str, Any] | None = given.get(NARROWING)
    type_ = _having_type(field.api, relation)
    filter_ = type_.fields[NARROWING].type
    counted = query_condition(filter_, field.planning, grouping.rows, narrowing) if narrowing else None
    return group_condition(type_, Group(field.planning, grouping.rows, counted), given)


def _order(field: Field, relation: ApiRelation, grouping: Grouping) -> Sequence[OrderKey]:
    """The requested order of the groups, then the order of their keys."""
    type_ = _order_type(field.api, relation)
    keys: list[OrderKey] = []
    for element in field.arguments.get("orderBy") or ():
        if list(element) == ["key"]:
            keys += [_by_key(field, grouping, path, leaf) for path, leaf in one_path(element["key"], "orderBy")]
        else:
            keys += keys_of_element(field.api, type_, element)
    if len(keys) > MOST_ORDERS:
        raise OverLimit(f"orderBy of groups has more than {MOST_ORDERS} elements")
    return [*keys, *(OrderKey(each.term, each.comparison) for each in grouping.keys)]


def _by_key(field: Field, grouping: Grouping, path: KeyPath, leaf: Any) -> OrderKey:
    for key in grouping.keys:
        if key.path == path:
            return OrderKey(key.term, key.comparison, *direction(field.api, leaf))
    message = f"orderBy names {'.'.join(path)}, which is not in by"
    raise RequestError(message, code="BAD_USER_INPUT")
