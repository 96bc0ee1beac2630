"""update<T>Collection: new values for the rows that a filter selects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLInputField, GraphQLInputObjectType, GraphQLNonNull
from sqlalchemy import ColumnElement, Update, update

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Deferred, Fields
from app.graphql.schema.name_conflicts import RelationNames
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.filter.conditions import conditions_of_arguments
from app.query.plan.rows import Rows, TableRows
from app.query.plan.walk import Field
from app.query.write.assignments import Assignments, arguments_of_updates, assigned, assignments, given_values
from app.query.write.changes import affected_at_most, answer, at_most_argument, response_type


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    relations = [each for each in api.relations if each.takes_changes]
    return Fields(10, Deferred({f"update{each.type_name}Collection": partial(_field, api, each) for each in relations}))


@hookimpl
def relation_names(type_name: str) -> RelationNames:
    return RelationNames(types=(f"{type_name}UpdateInput", f"{type_name}UpdateResponse"))


@hookimpl
def update_arguments(api: ApiSchema, relation: ApiRelation) -> Fields:
    def members() -> dict[str, GraphQLInputField]:
        return {each.field_name: _member(each) for each in relation.updatable}

    type_ = api.named(f"{relation.type_name}UpdateInput", lambda name: GraphQLInputObjectType(name, members))

    def assign(field: Field, rows: Rows, values: Mapping[str, Leaf | None]) -> Assignments:
        return {
            each.name: assigned(field, each, values[each.field_name])
            for each in relation.updatable
            if each.field_name in values
        }

    argument = GraphQLArgument(GraphQLNonNull(type_), description="The new values", extensions={"assign": assign})
    return Fields(10, {"set": argument})


def _member(column: ApiColumn) -> GraphQLInputField:
    return GraphQLInputField(column.type.input, extensions={"column": column})


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        given = given_values(field)

        def statement() -> tuple[Sequence[Update], TableRows]:
            rows = field.planning.rows_of(relation)
            changing = update(rows.element).where(*conditions_of_arguments(field, rows))
            return [changing.values(assignments(field, rows, given))], rows

        return answer(field, statement, affected_at_most(field, relation, "update"))

    return GraphQLField(
        GraphQLNonNull(response_type(api, relation, "Update")),
        {**arguments_of_updates(api, relation), "atMost": at_most_argument()},
        resolve,
        description=f"Changes rows of `{relation.type_name}`",
    )
