"""insertInto<T>Collection: adds rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
)
from sqlalchemy import ColumnElement
from sqlalchemy.dialects.postgresql import Insert

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Deferred, Fields
from app.graphql.schema.name_conflicts import RelationNames
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.hooks import hookimpl
from app.query.plan.rows import TableRows
from app.query.plan.walk import Field
from app.query.write.changes import answer, response_type
from app.query.write.inserting import Inserted, objects_of
from app.query.write.nested.conflicts import arbiter_of
from app.query.write.nested.inserting import nested_insert
from app.query.write.new_rows import COLUMN, HAS_DEFAULT, REQUIRED, new_row_type
from app.query.write.object_order import order_of_objects
from app.query.write.one_shard import tenant_of_all, value_of

TABLES = frozenset("rp")
"""Kinds of relations whose defaults are known. The columns of a view may get the defaults of its table, which are not
known."""


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    relations = [each for each in api.relations if each.takes_rows]
    return Fields(
        10, Deferred({f"insertInto{each.type_name}Collection": partial(_field, api, each) for each in relations})
    )


@hookimpl
def relation_names(type_name: str) -> RelationNames:
    return RelationNames(types=(f"{type_name}InsertInput", f"{type_name}InsertResponse"))


@hookimpl
def insert_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    filled = frozenset(name for some in api.hooks.filled_columns(api=api, relation=relation) for name in some)
    return Fields(10, {each.field_name: _member(api, relation, each, filled) for each in relation.insertable})


def _member(api: ApiSchema, relation: ApiRelation, column: ApiColumn, filled: frozenset[str]) -> GraphQLInputField:
    """The member that sets a column. It is non-null if the column must get a value and no link can give it one."""
    has_default = _has_default(api, relation, column)
    needed = column.column.not_null and not relation.relation.filled_on_insert and not has_default
    required = api.dialect.required_inserts and needed
    non_null = required and column.name not in filled
    return GraphQLInputField(
        GraphQLNonNull(column.type.input) if non_null else column.type.input,
        extensions={COLUMN: column, HAS_DEFAULT: has_default, REQUIRED: required},
    )


def _has_default(api: ApiSchema, relation: ApiRelation, column: ApiColumn) -> bool:
    """Whether a missing column may get a value other than null. True if that is not known."""
    own_defaults = relation.relation.kind in TABLES
    return not own_defaults or column.column.has_default or api.catalog.type_by_oid[column.column.type].kind == "d"


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    type_ = new_row_type(api, relation, "Insert")
    given = GraphQLArgument(
        GraphQLNonNull(GraphQLList(GraphQLNonNull(type_))),
        description="The new rows; missing columns get their defaults",
        extensions={"takes_null": True},
    )
    others: dict[str, GraphQLArgument] = api.contributed("insert_arguments", relation)

    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        nested = nested_insert(field, relation, type_)
        return _plain(field, relation, type_, others) if nested is None else nested.answer(others)

    return GraphQLField(
        response_type(api, relation, "Insert", api.contributed("insert_response_fields", relation)),
        {"objects": given, **others},
        resolve,
        description=f"Adds rows to `{relation.type_name}`",
    )


def _plain(
    field: Field, relation: ApiRelation, type_: GraphQLInputObjectType, others: Mapping[str, GraphQLArgument]
) -> ColumnElement[Any]:
    """The response of an insert without related rows."""
    objects, value = objects_of(field, relation, type_), value_of(tenant_of_all(field, relation, type_), relation)
    altering = {name: each for name, each in objects.arguments.items() if name in others and each is not None}

    def statement() -> tuple[Sequence[Insert], TableRows]:
        inserting = objects.insert()
        for name, given in altering.items():
            inserting = others[name].extensions["alter"](field, inserting, given)
        return [inserting], field.planning.rows_in(relation, relation.table, value)

    rows = field.planning.named_rows(relation, "affected")
    is_spread = field.planning.cluster is not None and relation.distribution is not None and value is None
    order = order_of_objects(rows, objects, arbiter_of(field.api, others, altering)) if is_spread else None
    return answer(field, statement, Inserted(rows, objects, value, order))
