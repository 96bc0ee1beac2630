"""Computed fields: functions whose only argument is a row, as fields of that row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphql import GraphQLField
from sqlalchemy import ColumnElement

from app.graphql import names
from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiRelation
from app.hooks import hookimpl
from app.query.calls import result_of
from app.query.computed_fields import ComputedField, computed_fields_of
from app.query.rows import Rows
from app.query.walk import Field
from schema_cache.model import Function


@hookimpl
def computed_fields(api: ApiSchema, relation: ApiRelation) -> Mapping[str, ComputedField]:
    # The function is given the whole row, so the role must be allowed to read all of it.
    if not relation.visible.select_all:
        return {}
    found: dict[str, ComputedField] = {}
    for function in api.shared("functions of rows", lambda: _by_row_type(api)).get(relation.relation.row_type, ()):
        result = result_of(api, function)
        if result is not None:
            directives = api.comments.on_function(function)
            inflect = api.comments.inflects(function.schema)
            name = names.function_field(function.name, directives.get("name"), inflect)
            found.setdefault(name, ComputedField(result, directives))
    return found


def _by_row_type(api: ApiSchema) -> Mapping[int, list[Function]]:
    shown = {schema.name for schema in api.schemas}
    found: dict[int, list[Function]] = {}
    for function in api.view.functions:
        if function.schema in shown and len(function.arguments) == 1:
            found.setdefault(function.arguments[0].type, []).append(function)
    return found


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    computed = computed_fields_of(api, relation)
    return Fields(40, {name: _field(each) for name, each in computed.items()}, precedence=3)


def _field(computed: ComputedField) -> GraphQLField:
    result = computed.result

    def resolve(field: Field, rows: Rows) -> ColumnElement[Any]:
        return result.json(field, [rows.whole()], outer=(rows.element,))

    return GraphQLField(
        result.type,
        result.arguments,
        resolve,
        description=computed.directives.get("description"),
        deprecation_reason=computed.directives.get("deprecated"),
    )
