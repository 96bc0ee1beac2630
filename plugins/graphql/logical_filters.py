"""and, or, not: conditions on a row made of other conditions on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphql import GraphQLInputField, GraphQLList, GraphQLNonNull
from sqlalchemy import and_, not_, or_

from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import ApiRelation
from app.hooks import hookimpl
from app.query.conditions import Condition, MemberCondition, condition, relation_filter_type
from app.query.planning import Planning
from app.query.rows import Rows


@hookimpl
def filter_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    type_ = relation_filter_type(api, relation)
    many = GraphQLList(GraphQLNonNull(type_))

    def combined(combine: Callable[..., Condition]) -> MemberCondition:
        def make(planning: Planning, rows: Rows, value: Sequence[Mapping[str, Any]] | None) -> Condition | None:
            made = (condition(type_, planning, rows, each) for each in value or ())
            parts = [part for part in made if part is not None]
            return combine(*parts) if parts else None

        return make

    def negated(planning: Planning, rows: Rows, value: Mapping[str, Any] | None) -> Condition | None:
        part = condition(type_, planning, rows, value or {})
        return None if part is None else not_(part)

    return Fields(
        30,
        {
            "and": GraphQLInputField(many, extensions={"condition": combined(and_)}),
            "or": GraphQLInputField(many, extensions={"condition": combined(or_)}),
            "not": GraphQLInputField(type_, extensions={"condition": negated}),
        },
    )
