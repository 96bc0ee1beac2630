"""deleteFrom<T>Collection: deletes the rows that a filter selects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from graphql import GraphQLField, GraphQLNonNull
from sqlalchemy import ColumnElement, Delete, delete

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Deferred, Fields
from app.graphql.schema.name_conflicts import RelationNames
from app.graphql.schema.relations import ApiRelation
from app.hooks import hookimpl
from app.query.filter.conditions import conditions_of_arguments
from app.query.plan.rows import TableRows
from app.query.plan.walk import Field
from app.query.write.changes import affected_at_most, answer, at_most_argument, response_type


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    relations = [each for each in api.relations if each.visible.delete and each.relation.deletable]
    return Fields(
        10, Deferred({f"deleteFrom{each.type_name}Collection": partial(_field, api, each) for each in relations})
    )


@hookimpl
def relation_names(type_name: str) -> RelationNames:
    return RelationNames(types=(f"{type_name}DeleteResponse",))


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        def statement() -> tuple[Sequence[Delete], TableRows]:
            rows = field.planning.rows_of(relation)
            return [delete(rows.element).where(*conditions_of_arguments(field, rows))], rows

        return answer(field, statement, affected_at_most(field, relation, "delete"))

    return GraphQLField(
        GraphQLNonNull(response_type(api, relation, "Delete")),
        {**api.contributed("delete_arguments", relation), "atMost": at_most_argument()},
        resolve,
        description=f"Removes rows from `{relation.type_name}`",
    )
