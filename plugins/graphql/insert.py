"""insertInto<T>Collection: adds rows."""

from __future__ import annotations

from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
)
from sqlalchemy import ColumnElement
from sqlalchemy.dialects.postgresql import Insert

from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiColumn, ApiRelation, RelationNames
from app.hooks import hookimpl
from app.query.changes import answer, response_type
from app.query.inserting import Columns, Inserted, has_default, objects_of
from app.query.planning import TableRows
from app.query.walk import Field


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    relations = [each for each in api.relations if each.insertable and each.relation.insertable]
    return Fields(10, {f"insertInto{each.type_name}Collection": _field(api, each) for each in relations})


@hookimpl
def relation_names(type_name: str) -> RelationNames:
    return RelationNames(types=(f"{type_name}InsertInput", f"{type_name}InsertResponse"))


@hookimpl
def insert_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(
        10,
        {
            each.field_name: GraphQLInputField(_member_type(api, relation, each), extensions={"column": each})
            for each in relation.insertable
        },
    )


def _member_type(api: ApiSchema, relation: ApiRelation, column: ApiColumn) -> GraphQLInputType:
    """The type of a column's value, non-null if an insert must have it."""
    required = (
        api.dialect.required_inserts
        and column.column.not_null
        and not relation.relation.filled_on_insert
        and not has_default(api, relation, column)
    )
    return GraphQLNonNull(column.type.graphql) if required else column.type.graphql


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    members: dict[str, GraphQLInputField] = api.contributed("insert_fields", relation)
    columns: Columns = {name: each.extensions["column"] for name, each in members.items()}
    required = frozenset(name for name, each in members.items() if isinstance(each.type, GraphQLNonNull))
    type_ = api.named(f"{relation.type_name}InsertInput", lambda name: GraphQLInputObjectType(name, members))
    given = GraphQLArgument(
        GraphQLNonNull(GraphQLList(GraphQLNonNull(type_))),
        description="The new rows; what they leave out gets its default",
        extensions={"takes_null": True},
    )
    others: dict[str, GraphQLArgument] = api.contributed("insert_arguments", relation)

    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        objects = objects_of(field, relation, columns, required)

        def statement() -> tuple[Insert, TableRows]:
            inserting = objects.insert()
            for name, value in objects.arguments.items():
                if name in others and value is not None:
                    inserting = others[name].extensions["alter"](field, inserting, value)
            return inserting, TableRows(relation, relation.table)

        return answer(field, statement, Inserted(field.planning.named_rows(relation, "affected"), objects))

    return GraphQLField(
        response_type(api, relation, "Insert", api.contributed("insert_response_fields", relation)),
        {"objects": given, **others},
        resolve,
        description=f"Adds rows to `{relation.type_name}`",
    )
