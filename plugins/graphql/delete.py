"""deleteFrom<T>Collection: away with the rows that a filter selects."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLField, GraphQLNonNull
from sqlalchemy import ColumnElement, Delete, delete

from app.graphql.api_schema import ApiSchema
from app.graphql.relations import ApiRelation
from app.hooks import Fields, hookimpl
from app.query.changes import answer, at_most, matching, response_type, row_arguments
from app.query.planning import TableRows
from app.query.walk import Field


@hookimpl
def mutation_fields(api: ApiSchema) -> Fields:
    relations = [each for each in api.relations if each.visible.delete and each.relation.deletable]
    return Fields(10, {f"deleteFrom{each.type_name}Collection": _field(api, each) for each in relations})


def _field(api: ApiSchema, relation: ApiRelation) -> GraphQLField:
    def resolve(field: Field, scope: None) -> ColumnElement[Any]:
        def statement() -> tuple[Delete, TableRows]:
            rows = field.planning.rows_of(relation)
            return delete(rows.element).where(*matching(field, rows)), rows

        return answer(field, relation, statement, at_most(field))

    return GraphQLField(
        GraphQLNonNull(response_type(api, relation, "Delete")),
        row_arguments(api, relation),
        resolve,
        description=f"Removes rows from `{relation.type_name}`",
    )
