"""Filters by related rows: members of a relation's filter for each of its relationships, in both directions.

Each asks whether related rows exist, so it is true or false, never unknown; a row that a policy hides does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLBoolean, GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import and_, not_, true

from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.notices import relation_subject
from app.graphql.relations import ApiRelation, OwnName, own_name
from app.graphql.values import Leaf
from app.hooks import hookimpl
from app.query.conditions import Condition, condition, relation_filter_type
from app.query.group_conditions import NARROWING, Group, group_condition, group_filter_names, group_filter_type
from app.query.planning import Planning
from app.query.relationships import Relationship, relationships_of
from app.query.rows import Rows, TableRows


@hookimpl
def features() -> Sequence[str]:
    return ("relation_filters",)


MANY, TOGETHER = "ManyFilter", "AggregateFilter"
"""What the names of types have behind the relation's."""


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    together = group_filter_names(relation, TOGETHER, of_columns=_is_of_columns(relation))
    return [own_name(relation, MANY), *together]


@hookimpl
def filter_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    relationships = relationships_of(api, relation)
    names = {each.name for each in relationships}
    members: dict[str, GraphQLInputField] = {}
    for each in relationships:
        existence = f"{each.name}Exists"
        if each.to_many:
            members[each.name] = _to_many(api, each)
            continue
        members[each.name] = _to_one(api, each)
        if existence not in names:
            members[existence] = _existence(api, each)
        else:
            subject = relation_subject(relation.relation)
            api.notices.add(subject, f"of two filter fields called {existence} one is left out")
    return Fields(40, members)


# From a row to those that are related to it


@dataclass(frozen=True)
class RelationStep:
    """One step of a filter: from the row ``outer`` to those that a relationship leads to."""

    api: ApiSchema
    relationship: Relationship
    planning: Planning
    outer: Rows

    def rows(self) -> TableRows:
        return self.planning.rows_of(self.relationship.target)

    def matching(self, rows: TableRows, filter_: Mapping[str, Any] | None) -> Condition | None:
        """What a filter asks of a related row; None where it has no effect."""
        type_ = relation_filter_type(self.api, self.relationship.target)
        return condition(type_, self.planning, rows, filter_) if filter_ else None

    def exist(self, rows: TableRows, *conditions: Condition) -> Condition:
        """That there are related rows on which the conditions hold."""
        return self.relationship.query(self.outer, rows).where(*conditions).exists()


Asked = Callable[[RelationStep, Any], Condition | None]
"""What the value of a member asks of related rows, as a condition on the row that they are related to; None where it
has no effect."""


def _some(step: RelationStep, filter_: Mapping[str, Any] | None) -> Condition | None:
    rows = step.rows()
    matching = step.matching(rows, filter_)
    return None if matching is None else step.exist(rows, matching)


def _none(step: RelationStep, filter_: Mapping[str, Any] | None) -> Condition | None:
    found = _some(step, filter_)
    return None if found is None else not_(found)


def _every(step: RelationStep, filter_: Mapping[str, Any] | None) -> Condition | None:
    rows = step.rows()
    matching = step.matching(rows, filter_)
    return None if matching is None else not_(step.exist(rows, matching.is_not(true())))


def _exists(step: RelationStep, value: Leaf | None) -> Condition | None:
    if value is None:
        return None
    found = step.exist(step.rows())
    # PostgreSQL makes a semi join or an anti join of it, which it could not if the value were a parameter.
    return found if value.steer() is True else not_(found)


def _together(step: RelationStep, value: Mapping[str, Any] | None) -> Condition | None:
    rows = step.rows()
    type_ = _group_type(step.api, step.relationship.target)
    asked = group_condition(type_, Group(step.planning, rows), value or {})
    if value is None or asked is None:
        return None
    matching = step.matching(rows, value.get(NARROWING))
    query = step.relationship.query(step.outer, rows).where(*([] if matching is None else [matching]))
    # Without GROUP BY there is one group, of no rows where none match. What is unknown of it does not hold.
    return query.having(asked).exists()


def _member(
    api: ApiSchema, relationship: Relationship, type_: Any, asked: Asked, description: str
) -> GraphQLInputField:
    def make(planning: Planning, rows: Rows, value: Any) -> Condition | None:
        with planning.relation_step(api.rules.filter_depth):
            return asked(RelationStep(api, relationship, planning, rows), value)

    return GraphQLInputField(type_, description=description, extensions={"condition": make})


# Members and types


def _to_one(api: ApiSchema, relationship: Relationship) -> GraphQLInputField:
    type_ = relation_filter_type(api, relationship.target)
    return _member(api, relationship, type_, _some, "The related row is there and matches")


def _existence(api: ApiSchema, relationship: Relationship) -> GraphQLInputField:
    return _member(api, relationship, GraphQLBoolean, _exists, "Whether the related row is there")


ASKED: Mapping[str, Asked] = {
    "some": _some,
    "none": _none,
    "every": _every,
    "exists": _exists,
    "aggregate": _together,
}


def _to_many(api: ApiSchema, relationship: Relationship) -> GraphQLInputField:
    def make(planning: Planning, rows: Rows, value: Mapping[str, Any] | None) -> Condition | None:
        step = RelationStep(api, relationship, planning, rows)
        parts = []
        for name, member in (value or {}).items():
            with planning.relation_step(api.rules.filter_depth):
                parts.append(ASKED[name](step, member))
        holding = [part for part in parts if part is not None]
        return and_(*holding) if holding else None

    type_ = _many_type(api, relationship.target)
    return GraphQLInputField(type_, extensions={"condition": make})


def _many_type(api: ApiSchema, target: ApiRelation) -> GraphQLInputObjectType:
    def members() -> dict[str, GraphQLInputField]:
        filter_, group = relation_filter_type(api, target), _group_type(api, target)
        return {
            "some": GraphQLInputField(filter_, description="At least one related row matches"),
            "none": GraphQLInputField(filter_, description="No related row matches"),
            "every": GraphQLInputField(filter_, description="No related row fails; one that is unknown fails"),
            "exists": GraphQLInputField(GraphQLBoolean, description="Whether there are related rows"),
            "aggregate": GraphQLInputField(group, description="What the related rows are together"),
        }

    name = api.own_type_name(*own_name(target, MANY))
    return api.named(name, lambda name: GraphQLInputObjectType(name, members))


def _group_type(api: ApiSchema, target: ApiRelation) -> GraphQLInputObjectType:
    return group_filter_type(api, target, TOGETHER, of_columns=_is_of_columns(target))


def _is_of_columns(target: ApiRelation) -> bool:
    return bool(target.directives.get("aggregate"))
