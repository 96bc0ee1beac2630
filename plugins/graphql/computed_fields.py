"""Computed fields: functions whose only argument is a row, as fields of that row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import GraphQLField
from sqlalchemy import ColumnElement

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import COMMENTED, Fields
from app.graphql.schema.notices import function_subject
from app.graphql.schema.relations import ApiRelation
from app.hooks import hookimpl
from app.query.call.calls import result_of
from app.query.call.computed_fields import ComputedField, computed_fields_of
from app.query.call.functions import EXPOSE, field_name, is_exposed
from app.query.call.functions_of_rows import is_change
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from schema_cache.model import Function

_REMEDY = (
    f'declare it stable or immutable if it only reads; {{"{EXPOSE}": true}} in its comment makes it a mutation:'
    " docs/exposed-functions.md"
)


@hookimpl
def computed_fields(api: ApiSchema, relation: ApiRelation) -> Mapping[str, ComputedField]:
    found: dict[str, ComputedField] = {}
    for function in _functions_of(api, relation):
        result = result_of(api, function)
        if result is not None and not is_change(api, function):
            directives = api.comments.on_function(function)
            found.setdefault(field_name(api, function, directives), ComputedField(result, directives))
    return found


def _functions_of(api: ApiSchema, relation: ApiRelation) -> Sequence[Function]:
    # The function receives the whole row, so the role must be allowed to read all of it.
    if not relation.visible.select_all:
        return ()
    return api.shared("functions of rows", lambda: _by_row_type(api)).get(relation.relation.row_type, ())


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
    fields = {name: _field(each) for name, each in computed.items()}
    return Fields(40, fields, precedence=3, absent=_changes(api, relation))


def _changes(api: ApiSchema, relation: ApiRelation) -> Mapping[str, str]:
    """The reasons why functions are not fields, by field name: those that may write, and that no comment exposes as
    mutations."""
    reasons = {}
    for function in _functions_of(api, relation):
        if is_change(api, function) and not is_exposed(api, function):
            name = field_name(api, function, api.comments.on_function(function))
            reasons[name] = f"The {function_subject(function)} is volatile, and a query changes nothing: {_REMEDY}"
            api.notices.add(function_subject(function), "it is volatile, so it is not a field of a row", fix=_REMEDY)
    return reasons


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
        extensions={COMMENTED: computed.directives},
    )
