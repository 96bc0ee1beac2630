"""update<T>Collection: new values for the rows that a filter selects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLInputField, GraphQLInputObjectType, GraphQLNonNull
from sqlalchemy import ColumnElement, Update, update

from app.errors import RequestError
from app.graphql.api_schema import ApiSchema
from app.graphql.relations import ApiRelation
from app.graphql.values import Leaf
from app.hooks import Fields, hookimpl
from app.query.changes import answer, assigned, at_most, matching, response_type, row_arguments
from app.query.planning import TableRows
from app.query.walk import Field


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    relations = [each for each in api.relations if each.updatable and each.relation.updatable]
    return Fields(10, {f"update{each.type_name}Collection": _field(api, each) for each in relations})


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    members = {each.field_name: GraphQLInputField(each.type.graphql) for each in relation.updatable}
    type_ = api.named(f"{relation.type_name}UpdateInput", lambda name: GraphQLInputObjectType(name, members))

    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        values: Mapping[str, Leaf | None] = field.arguments["set"]
        if not values:
            raise RequestError("At least one mapping must be provided to set argument", code="BAD_USER_INPUT")

        def statement() -> tuple[Update, TableRows]:
            rows = field.planning.rows_of(relation)
            changing = update(rows.element).where(*matching(field, rows))
            new = {
                each.name: assigned(field, each, values[each.field_name])
                for each in relation.updatable
                if each.field_name in values
            }
            return changing.values(new), rows

        return answer(field, relation, statement, at_most(field))

    arguments = {
        "set": GraphQLArgument(GraphQLNonNull(type_), description="The new values"),
        **row_arguments(api, relation),
    }
    return GraphQLField(
        GraphQLNonNull(response_type(api, relation, "Update")),
        arguments,
        resolve,
        description=f"Changes rows of `{relation.type_name}`",
    )
