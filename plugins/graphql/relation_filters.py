"""Filters by related rows: members of a relation's filter for each of its relationships, in both directions.

Each asks whether related rows exist, so it is true or false, never unknown; a row that a policy hides does not exist.
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
"""What the names of types have behind the relation's."""


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

    def matching(self, rows: TableRows, *filters: Mapping[str, Any] | None) -> Condition | None:
        """What filters ask of one related row; None where they have no effect."""
        type_ = relation_filter_type(self.api, self.relationship.target)
        given = [each for each in filters if each]
        return condition(type_, self.planning, rows, *given) if given else None

    def among(self, rows: TableRows, filter_: Mapping[str, Any] | None) -> Condition | None:
        """The same where PostgreSQL never joins the query for the related rows with the one around it."""
        type_ = relation_filter_type(self.api, self.relationship.target)
        return query_condition(type_, self.planning, rows, filter_) if filter_ else None

    def exist(self, rows: TableRows, *conditions: Condition) -> Condition:
        """That there are related rows on which the conditions hold."""
        return Existence(self.relationship.query(self.outer, rows).where(*conditions), conditions)


Asked = Callable[[RelationStep, Any], Condition | None]
"""What the value of a member asks of related rows, as a condition on the row that they are related to; None where it
has no effect."""


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
    # PostgreSQL makes a semi join or an anti join of it, which it could not if the value were a parameter.
    asked = dict.fromkeys(value.steer() for value in values if value is not None)
    parts = [found if is_there is True else not_(found) for is_there in asked for found in [step.exist(step.rows())]]
    return and_(*parts) if parts else None


def _together(step: RelationStep, value: Mapping[str, Any] | None) -> Condition | None:
    rows = step.rows()
    type_ = _group_type(step.api, step.relationship.target)
    asked = group_condition(type_, Group(step.planning, rows), value or {})
    if value is None or asked is None:
        return None
    matching = step.among(rows, value.get(NARROWING))
    query = step.relationship.query(step.outer, rows).where(*([] if matching is None else [matching]))
    # Without GROUP BY there is one group, of no rows where none match. What is unknown of it does not hold.
    return query.having(asked).exists()


def _member(
    api: ApiSchema, relationship: Relationship, type_: Any, asked: Callable[..., Condition | None], description: str
) -> GraphQLInputField:
    """A member for the related row; ``asked`` takes a step and its values."""

    def all_of(planning: Planning, rows: Rows, values: Sequence[Any]) -> Condition | None:
        with planning.relation_step(api.rules.filter_depth, len(values)):
            return asked(RelationStep(api, relationship, planning, rows), *values)

    def make(planning: Planning, rows: Rows, value: Any) -> Condition | None:
        return all_of(planning, rows, [value])

    # All values are about the same row if there is at most one.
    merged = {MERGED: all_of} if relationship.leads_to_one else {}
    return GraphQLInputField(type_, description=description, extensions={"condition": make, **merged})


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
    return group_filter_type(api, target, OF_ALL, of_columns=_is_of_columns(target))


def _is_of_columns(target: ApiRelation) -> bool:
    return bool(target.directives.get("aggregate"))
