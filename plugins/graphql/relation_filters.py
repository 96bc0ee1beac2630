"""Filters by related rows: members of a relation's filter for each of its relationships, in both directions.

Each is a condition that related rows exist, so it is true or false, never unknown. A row that a policy hides does not
exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLBoolean, GraphQLInputField, GraphQLInputObjectType
from sqlalchemy import and_, not_, true

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.notices import relation_subject
from app.graphql.schema.relations import ApiRelation, OwnName, own_name
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.filter.conditions import MERGED, Condition, condition, query_condition, relation_filter_type
from app.query.group.group_conditions import NARROWING, Group, group_condition, group_filter_names, group_filter_type
from app.query.plan.existence import Existence
from app.query.plan.planning import Planning
from app.query.plan.rows import Rows, TableRows
from app.query.read.relationships import Relationship, relationships_of


@hookimpl
def features() -> Sequence[str]:
    return ("relation_filters",)


MANY, OF_ALL = "ManyFilter", "AggregateFilter"
"""Suffixes of type names."""


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    together = group_filter_names(relation, OF_ALL, of_columns=_is_of_columns(relation))
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


# From a row to its related rows


@dataclass(frozen=True)
class RelationStep:
    """One step of a filter, from the row ``outer`` to its related rows."""

    api: ApiSchema
    relationship: Relationship
    planning: Planning
    outer: Rows

    def rows(self) -> TableRows:
        return self.planning.rows_of(self.relationship.target)

    def matching(self, rows: TableRows, *filters: Mapping[str, Any] | None) -> Condition | None:
        """The conjunction of filters as a condition on one related row; None if they have no effect."""
        type_ = relation_filter_type(self.api, self.relationship.target)
        given = [each for each in filters if each]
        return condition(type_, self.planning, rows, *given) if given else None

    def among(self, rows: TableRows, filter_: Mapping[str, Any] | None) -> Condition | None:
        """The same for one filter, in a query that PostgreSQL never joins with the outer one."""
        type_ = relation_filter_type(self.api, self.relationship.target)
        return query_condition(type_, self.planning, rows, filter_) if filter_ else None

    def exist(self, rows: TableRows, *conditions: Condition) -> Condition:
        """The condition that there are related rows that meet the conditions."""
        return Existence(self.relationship.query(self.outer, rows).where(*conditions), conditions)


MemberOfStep = Callable[[RelationStep, Any], Condition | None]
"""A function from a step and the value of a member to a condition on the outer row; None if the value has no effect."""


def _some(step: RelationStep, *filters: Mapping[str, Any] | None) -> Condition | None:
    rows = step.rows()
    matching = step.matching(rows, *filters)
    return None if matching is None else step.exist(rows, matching)


def _none(step: RelationStep, filter_: Mapping[str, Any] | None) -> Condition | None:
    found = _some(step, filter_)
    return None if found is None else not_(found)


def _every(step: RelationStep, filter_: Mapping[str, Any] | None) -> Condition | None:
    rows = step.rows()
    matching = step.matching(rows, filter_)
    return None if matching is None else not_(step.exist(rows, matching.is_not(true())))


def _exists(step: RelationStep, *values: Leaf | None) -> Condition | None:
    # The value steers, because with a parameter PostgreSQL could plan neither a semi join nor an anti join.
    wanted = dict.fromkeys(value.steer() for value in values if value is not None)
    parts = [found if exists is True else not_(found) for exists in wanted for found in [step.exist(step.rows())]]
    return and_(*parts) if parts else None


def _together(step: RelationStep, value: Mapping[str, Any] | None) -> Condition | None:
    rows = step.rows()
    type_ = _group_type(step.api, step.relationship.target)
    having = group_condition(type_, Group(step.planning, rows), value or {})
    if value is None or having is None:
        return None
    matching = step.among(rows, value.get(NARROWING))
    query = step.relationship.query(step.outer, rows).where(*([] if matching is None else [matching]))
    # Without GROUP BY there is exactly one group, which has no rows if none match. An unknown condition counts as
    # false.
    return query.having(having).exists()


def _member(
    api: ApiSchema, relationship: Relationship, type_: Any, of_step: Callable[..., Condition | None], description: str
) -> GraphQLInputField:
    """A member for the related row. ``of_step`` makes the condition from a step and the member's values."""

    def all_of(planning: Planning, rows: Rows, values: Sequence[Any]) -> Condition | None:
        with planning.relation_step(api.rules.filter_depth, len(values)):
            return of_step(RelationStep(api, relationship, planning, rows), *values)

    def make(planning: Planning, rows: Rows, value: Any) -> Condition | None:
        return all_of(planning, rows, [value])

    # If there is at most one related row, all values in a conjunction apply to the same row, in one subquery.
    merged = {MERGED: all_of} if relationship.leads_to_one else {}
    return GraphQLInputField(type_, description=description, extensions={"condition": make, **merged})


# Members and types


def _to_one(api: ApiSchema, relationship: Relationship) -> GraphQLInputField:
    type_ = relation_filter_type(api, relationship.target)
    return _member(api, relationship, type_, _some, "The related row exists and matches")


def _existence(api: ApiSchema, relationship: Relationship) -> GraphQLInputField:
    return _member(api, relationship, GraphQLBoolean, _exists, "Whether the related row exists")


MEMBERS: Mapping[str, MemberOfStep] = {
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
                parts.append(MEMBERS[name](step, member))
        conditions = [part for part in parts if part is not None]
        return and_(*conditions) if conditions else None

    type_ = _many_type(api, relationship.target)
    return GraphQLInputField(type_, extensions={"condition": make})


def _many_type(api: ApiSchema, target: ApiRelation) -> GraphQLInputObjectType:
    def members() -> dict[str, GraphQLInputField]:
        filter_, group = relation_filter_type(api, target), _group_type(api, target)
        return {
            "some": GraphQLInputField(filter_, description="At least one related row matches"),
            "none": GraphQLInputField(filter_, description="No related row matches"),
            "every": GraphQLInputField(filter_, description="All related rows match; an unknown result is not a match"),
            "exists": GraphQLInputField(GraphQLBoolean, description="Whether there are related rows"),
            "aggregate": GraphQLInputField(group, description="A condition on aggregates of the related rows"),
        }

    name = api.own_type_name(*own_name(target, MANY))
    return api.named(name, lambda name: GraphQLInputObjectType(name, members))


def _group_type(api: ApiSchema, target: ApiRelation) -> GraphQLInputObjectType:
    return group_filter_type(api, target, OF_ALL, of_columns=_is_of_columns(target))


def _is_of_columns(target: ApiRelation) -> bool:
    return bool(target.directives.get("aggregate"))
