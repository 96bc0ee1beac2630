"""Computed fields: functions whose only argument is a row, as fields of that row."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLField
from sqlalchemy import ColumnElement

from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiRelation
from app.hooks import hookimpl
from app.query.computed_fields import ComputedField, computed_fields_of
from app.query.planning import Rows
from app.query.walk import Field


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    computed = computed_fields_of(api, relation)
    return Fields(40, {name: _field(each) for name, each in computed.items()}, precedence=3)


def _field(computed: ComputedField) -> GraphQLField:
    result = computed.result

    def resolve(field: Field, rows: Rows) -> ColumnElement[Any]:
        return result.json(field, [rows.whole()], outer=(rows.element,))

    return GraphQLField(result.type, result.arguments, resolve, description=computed.directives.get("description"))
