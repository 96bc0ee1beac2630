"""update<T>Collection: new values for the rows that a filter selects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLInputField, GraphQLInputObjectType, GraphQLNonNull
from sqlalchemy import ColumnElement, Update, update

from app.errors import RequestError
from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiRelation, RelationNames
from app.graphql.values import Leaf
from app.hooks import hookimpl
from app.query.changes import Assign, Assignments, answer, assigned, at_most_argument, response_type, row_limit
from app.query.conditions import conditions_of_arguments
from app.query.planning import Rows, TableRows
from app.query.walk import Field


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    relations = [each for each in api.relations if each.updatable and each.relation.updatable]
    return Fields(10, {f"update{each.type_name}Collection": _field(api, each) for each in relations})


@hookimpl
def relation_names(type_name: str) -> RelationNames:
    return RelationNames(types=(f"{type_name}UpdateInput", f"{type_name}UpdateResponse"))


@hookimpl
def update_arguments(api: ApiSchema, relation: ApiRelation) -> Fields:
    members = {each.field_name: GraphQLInputField(each.type.graphql) for each in relation.updatable}
    type_ = api.named(f"{relation.type_name}UpdateInput", lambda name: GraphQLInputObjectType(name, members))

    def assign(field: Field, rows: Rows, values: Mapping[str, Leaf | None]) -> Assignments:
        return {
            each.name: assigned(field, each, values[each.field_name])
            for each in relation.updatable
            if each.field_name in values
        }

    argument = GraphQLArgument(GraphQLNonNull(type_), description="The new values", extensions={"assign": assign})
    return Fields(10, {"set": argument})


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        given = {name: field.arguments[name] for name in assigning if field.arguments.get(name)}
        if not given:
            message = "At least one mapping must be provided to set argument"
            hint = 'Expected a new value for at least one column, such as set: {name: "x"}: docs/graphql.md, "Changes".'
            raise RequestError(message, code="BAD_USER_INPUT", hint=hint)

        def statement() -> tuple[Update, TableRows]:
            rows = field.planning.rows_of(relation)
            changing = update(rows.element).where(*conditions_of_arguments(field, rows))
            new: Assignments = {}
            for name, value in given.items():
                new |= assigning[name](field, rows, value)
            return changing.values(new), rows

        return answer(field, relation, statement, row_limit(field, "update"))

    arguments: dict[str, GraphQLArgument] = api.contributed("update_arguments", relation)
    assigning: Mapping[str, Assign] = {
        name: each.extensions["assign"] for name, each in arguments.items() if "assign" in each.extensions
    }
    return GraphQLField(
        GraphQLNonNull(response_type(api, relation, "Update")),
        {**arguments, "atMost": at_most_argument()},
        resolve,
        description=f"Changes rows of `{relation.type_name}`",
    )
