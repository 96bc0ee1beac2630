"""The filter members and, or, not, which combine other filters of the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import GraphQLInputField, GraphQLList, GraphQLNonNull
from sqlalchemy import not_, or_

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiRelation
from app.hooks import hookimpl
from app.query.filter.conditions import CONJUNCTS, Condition, condition, relation_filter_type
from app.query.plan.planning import Planning
from app.query.plan.rows import Rows


@hookimpl
def filter_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    type_ = relation_filter_type(api, relation)
    many = GraphQLList(GraphQLNonNull(type_))

    def all_hold(planning: Planning, rows: Rows, value: Sequence[Mapping[str, Any]] | None) -> Condition | None:
        return condition(type_, planning, rows, *(value or ()))

    def one_holds(planning: Planning, rows: Rows, value: Sequence[Mapping[str, Any]] | None) -> Condition | None:
        made = (condition(type_, planning, rows, each) for each in value or ())
        parts = [part for part in made if part is not None]
        return or_(*parts) if parts else None

    def negated(planning: Planning, rows: Rows, value: Mapping[str, Any] | None) -> Condition | None:
        part = condition(type_, planning, rows, value or {})
        return None if part is None else not_(part)

    return Fields(
        30,
        {
            "and": GraphQLInputField(many, extensions={"condition": all_hold, CONJUNCTS: True}),
            "or": GraphQLInputField(many, extensions={"condition": one_holds}),
            "not": GraphQLInputField(type_, extensions={"condition": negated}),
        },
    )
