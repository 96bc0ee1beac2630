"""insertInto<T>Collection: new rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
)
from sqlalchemy import ColumnElement, Insert, insert, literal_column

from app.errors import RequestError
from app.graphql.api_schema import ApiSchema
from app.graphql.planning import TableRows
from app.graphql.relations import ApiRelation
from app.graphql.values import Leaf
from app.graphql.walk import Field
from app.hooks import Fields, hookimpl
from plugins.mutations import answer, assigned, response_type

Object = Mapping[str, Leaf | None]


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    relations = [each for each in api.relations if each.insertable and each.relation.insertable]
    return Fields(10, {f"insertInto{each.type_name}Collection": _field(api, each) for each in relations})


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    members = {each.field_name: GraphQLInputField(each.type.graphql) for each in relation.insertable}
    type_ = api.named(f"{relation.type_name}InsertInput", lambda name: GraphQLInputObjectType(name, members))
    objects = GraphQLArgument(
        GraphQLNonNull(GraphQLList(GraphQLNonNull(type_))),
        description="The new rows; what they leave out gets its default",
    )

    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        given: Sequence[Object] | None = field.arguments["objects"]
        if not given:
            raise RequestError("At least one record must be provided to objects", code="BAD_USER_INPUT")
        return answer(
            field, relation, lambda: (_statement(field, relation, given), TableRows(relation, relation.table))
        )

    return GraphQLField(
        response_type(api, relation, "Insert"),
        {"objects": objects},
        resolve,
        description=f"Adds rows to `{relation.type_name}`",
    )


def _statement(field: Field, relation: ApiRelation, objects: Sequence[Object]) -> Insert:
    given = {name for each in objects for name in each}
    columns = [each for each in relation.insertable if each.field_name in given]
    if not columns:
        # Rows of nothing but defaults: PostgreSQL wants a column to say so for more than one.
        columns = [relation.insertable[0]]
    default: ColumnElement[Any] = literal_column("DEFAULT")
    rows = [
        tuple(
            assigned(field, each, record[each.field_name]) if each.field_name in record else default for each in columns
        )
        for record in objects
    ]
    names = [each.name for each in columns]
    return insert(relation.table).values([dict(zip(names, row, strict=True)) for row in rows])
