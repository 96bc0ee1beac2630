"""node, nodeId and the interface Node: every row of every relation under one global id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLID,
    GraphQLInputField,
    GraphQLInterfaceType,
    GraphQLNonNull,
)
from sqlalchemy import ColumnElement, and_, select

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiRelation, OwnName
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.filter.conditions import id_filter_type, narrowed
from app.query.plan.planning import Planning
from app.query.plan.row_ids import (
    NODE_ID_HINT,
    KeyValue,
    NodeId,
    OwnKeyValue,
    check_key_count,
    decode_node_id,
    key_comparisons,
    node_id_expression,
    node_id_form,
)
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from app.query.read.keys import KEY, KeyPart, only, own_key_input_name
from app.query.sql.comparison import Comparison
from schema_cache.role_view import RoleView


def _node_interface(api: ApiSchema) -> GraphQLInterfaceType:
    fields = {"nodeId": GraphQLField(GraphQLNonNull(GraphQLID), description="The id of a row among all rows")}
    return api.named("Node", lambda name: GraphQLInterfaceType(name, fields, description="A row with a global id"))


@hookimpl
def node_interfaces(api: ApiSchema) -> Sequence[GraphQLInterfaceType]:
    return [_node_interface(api)]


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    if not relation.has_readable_key:
        return None
    return Fields(
        10,
        {"nodeId": GraphQLField(GraphQLNonNull(GraphQLID), resolve=_node_id, description="The id of the row")},
        # The interface Node requires the field.
        precedence=5,
    )


@hookimpl
def query_fields(api: ApiSchema) -> Fields:
    arguments = {"nodeId": GraphQLArgument(GraphQLNonNull(GraphQLID), description="The id of a row")}
    field = GraphQLField(_node_interface(api), arguments, resolve=_node, description="The row with a global id")
    return Fields(20, {"node": field})


@hookimpl
def filter_fields(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    if not relation.has_readable_key:
        return None

    def is_row(planning: Planning, rows: Rows, value: Mapping[str, Leaf | None] | None) -> ColumnElement[Any] | None:
        if not value or "eq" not in value:
            return None
        leaf = value["eq"]
        if leaf is None:
            return planning.unknown(rows.column(relation.key[0]))
        node_id = steer_node_id(leaf)
        if (node_id.schema, node_id.table) != (relation.relation.schema, relation.relation.name):
            raise RequestError("nodeId belongs to a different collection", code="BAD_USER_INPUT", hint=NODE_ID_HINT)
        return has_key(api.view, planning, rows, leaf, node_id)

    return Fields(20, {"nodeId": GraphQLInputField(id_filter_type(api), extensions={"condition": is_row})})


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    return (own_key_input_name(relation),)


@hookimpl
def key_fields(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    if not relation.has_readable_key:
        return None
    key = tuple(
        KeyPart(name, comparison, _own_key_value(relation, position, comparison))
        for position, (name, comparison) in enumerate(key_comparisons(api.view, relation))
    )
    return Fields(10, {"nodeId": GraphQLInputField(GraphQLID, extensions={KEY: key})})


def _own_key_value(relation: ApiRelation, position: int, comparison: Comparison) -> OwnKeyValue:
    of = relation.relation
    return OwnKeyValue(of.schema, of.name, len(relation.key), KeyValue(position, _value_type(comparison)))


def steer_node_id(leaf: Leaf) -> NodeId:
    """The nodeId of the request being planned. The relation that it names steers the plan."""
    return decode_node_id(leaf.steer(node_id_form))


def has_key(view: RoleView, planning: Planning, rows: Rows, leaf: Leaf, node_id: NodeId) -> ColumnElement[Any]:
    """The condition that a row has the key in the nodeId ``leaf``."""
    key = key_comparisons(view, rows.relation)
    check_key_count(node_id, len(key))

    def value(position: int, comparison: Comparison) -> ColumnElement[Any]:
        return planning.bind(leaf, KeyValue(position, _value_type(comparison)), comparison.type_text)

    return and_(
        *(
            comparison.equal(rows.column(name), value(position, comparison))
            for position, (name, comparison) in enumerate(key)
        )
    )


def _value_type(comparison: Comparison) -> str:
    """The PostgreSQL type of a key value in a nodeId."""
    return "text" if comparison.printed_as_text else comparison.type_text


def _node_id(field: Field, rows: Rows) -> ColumnElement[Any]:
    return node_id_expression(field.api.view, rows)


def _node(field: Field, scope: None) -> ColumnElement[Any]:
    leaf: Leaf = field.arguments["nodeId"]
    node_id = steer_node_id(leaf)
    relation = next(
        (
            each
            for each in field.api.relations
            if each.has_readable_key and (each.relation.schema, each.relation.name) == (node_id.schema, node_id.table)
        ),
        None,
    )
    if relation is None:
        message = "Collection referenced by nodeId did not match any known collection"
        raise RequestError(message, code="BAD_USER_INPUT", hint=NODE_ID_HINT)
    rows = field.planning.rows_of(relation)
    with field.planning.nodes.each_of(1):
        row = only(rows, relation.key, field.json(rows, field.api.object_type(relation)))
    conditions = narrowed(rows, [has_key(field.api.view, field.planning, rows, leaf, node_id)])
    return select(row).select_from(rows.element).where(*conditions).scalar_subquery()
