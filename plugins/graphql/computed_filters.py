"""Filters by computed fields, enabled by ``{"filter": true}`` in the function's comment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import GraphQLInputField

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.notices import function_subject
from app.graphql.schema.relations import ApiRelation
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from app.query.call.calls import Result, value_obstacle
from app.query.call.computed_fields import computed_fields_of
from app.query.filter.conditions import Compared, Condition, compared_value, value_condition, value_filter_type
from app.query.plan.planning import Planning
from app.query.plan.rows import Rows
from app.query.sql.comparison import operators_of
from schema_cache.directive_values import Flag
from schema_cache.directives import Directive


@hookimpl
def features() -> Sequence[str]:
    return ("relation_filters",)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("function", "filter", Flag()),)


@hookimpl
def filter_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    members: dict[str, GraphQLInputField] = {}
    for name, computed in computed_fields_of(api, relation).items():
        if computed.directives.get("filter"):
            function = computed.result.function
            obstacle = value_obstacle(api, function, _is_filterable, "operators")
            if obstacle is None and computed.result.value is not None:
                members[name] = _member(api, computed.result, computed.result.value)
            elif obstacle is not None:
                api.notices.add(function_subject(function), f"it is not in the filter: {obstacle.reason}")
    return Fields(50, members)


def _is_filterable(value: ValueType) -> bool:
    return value.filter is not None and value.element is None


def _member(api: ApiSchema, result: Result, value: ValueType) -> GraphQLInputField:
    type_ = value_filter_type(api, value)
    returned = api.catalog.type_by_oid[result.function.returns]
    operators = operators_of(api.view, returned.oid)

    def make(planning: Planning, rows: Rows, given: Mapping[str, Any] | None) -> Condition | None:
        planning.reads.add(result.function.oid)
        called, type_text = compared_value(value, result.call([rows.whole()]), returned.text)
        return value_condition(type_, planning, Compared(called, value, type_text, value.to_text, operators), given)

    return GraphQLInputField(type_, extensions={"condition": make})
