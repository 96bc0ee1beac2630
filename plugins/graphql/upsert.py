"""onConflict: the action of an insert if new rows conflict with existing ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
)
from sqlalchemy import ColumnElement, and_
from sqlalchemy.dialects.postgresql import Insert

from app.errors import RequestError
from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName, own_name
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.group.aggregates import is_number
from app.query.plan.refusals import refused
from app.query.plan.walk import Field
from app.query.sql.constructs import cast_to, constant, row_count
from app.query.write.arbiters import Arbiter, OnTarget, arbiters_of
from app.query.write.changes import AFTERWARDS
from app.query.write.conflicts import existing_rows, if_seen, is_new
from app.query.write.increments import added_up
from app.query.write.inserting import Inserted
from schema_cache.directive_values import String
from schema_cache.directives import Directive

EXCLUDED = "excluded"
"""The name of the proposed row in ON CONFLICT. In a table of that name the two could not be distinguished, so updates
are not offered there."""


@hookimpl
def features() -> Sequence[str]:
    return ("upsert",)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("unique_index", "name", String()),)


CONSTRAINT, COLUMN, ON_CONFLICT = "Constraint", "UpdateColumn", "OnConflict"
"""Suffixes of type names."""


@hookimpl
def own_type_names_of(relation: ApiRelation) -> Sequence[OwnName]:
    return [own_name(relation, suffix) for suffix in (CONSTRAINT, COLUMN, ON_CONFLICT)]


@hookimpl
def insert_arguments(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    upsert = _upsert(api, relation)
    if upsert is None:
        return None
    argument = GraphQLArgument(
        upsert.input_type(api),
        description="What to do if a new row conflicts with an existing one; without it that is an error",
        extensions={"alter": upsert.alter, "arbiter": upsert.arbiter},
    )
    return Fields(20, {"onConflict": argument})


@hookimpl
def insert_response_fields(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    upsert = _upsert(api, relation)
    if upsert is None:
        return None
    rows = GraphQLNonNull(GraphQLList(GraphQLNonNull(api.object_type(relation))))
    return Fields(
        20,
        {
            "insertedCount": GraphQLField(
                GraphQLNonNull(GraphQLInt), resolve=upsert.inserted_count, description="The number of new rows"
            ),
            "existing": GraphQLField(
                rows,
                resolve=upsert.existing,
                description="The existing rows that conflicted and were not changed",
                extensions={AFTERWARDS: lambda inserted: _given(inserted) is not None},
            ),
        },
    )


def _upsert(api: ApiSchema, relation: ApiRelation) -> Upsert | None:
    """The upsert of a relation; None if the role may use no arbiter of it."""

    def make() -> Upsert | None:
        arbiters = arbiters_of(api, relation)
        updatable = (
            each
            for each in relation.updatable
            if each.name in relation.visible.select
            and each.field_name not in names.NOT_ENUM_VALUES
            and relation.relation.name != EXCLUDED
        )
        return Upsert(relation, arbiters, {each.field_name: each for each in updatable}) if arbiters else None

    return api.shared(f"upsert of {relation.relation.oid}", make)


def _given(inserted: Inserted) -> Mapping[str, Any] | None:
    """The argument onConflict."""
    given: Mapping[str, Any] | None = inserted.objects.arguments.get("onConflict")
    return given


def _enum(api: ApiSchema, name: str, values: Iterable[str]) -> GraphQLEnumType:
    made = {each: GraphQLEnumValue(each) for each in values}
    return api.named(name, lambda name: GraphQLEnumType(name, made))


@dataclass(frozen=True)
class Conflict:
    """The requested action. ``arbiter``: the arbiter of the conflict, None for any. ``replaced``: the columns that get
    the proposed value. ``added_up``: the columns to which the proposed value is added."""

    arbiter: Arbiter | None
    replaced: tuple[ApiColumn, ...]
    added_up: tuple[ApiColumn, ...]

    @property
    def changes(self) -> bool:
        """Whether conflicting rows are changed."""
        return bool(self.replaced or self.added_up)


@dataclass(frozen=True)
class Upsert:
    """The upsert of one relation: its arbiters, and the columns that can be changed, by their names in the API."""

    relation: ApiRelation
    arbiters: Mapping[str, Arbiter]
    columns: Mapping[str, ApiColumn]

    def input_type(self, api: ApiSchema) -> GraphQLInputObjectType:
        """The type of onConflict."""
        constraint = self._name(api, CONSTRAINT)
        column = self._name(api, COLUMN) if self.columns else ""

        def members() -> dict[str, GraphQLInputField]:
            made = {
                "constraint": GraphQLInputField(
                    _enum(api, constraint, self.arbiters),
                    description="The constraint or unique index by which rows conflict",
                )
            }
            if self.columns:
                columns = GraphQLList(GraphQLNonNull(_enum(api, column, self.columns)))
                made["updateColumns"] = GraphQLInputField(columns, description="Columns that get the proposed value")
                made["addColumns"] = GraphQLInputField(
                    columns, description="Columns with numbers to which the object's number is added"
                )
                made |= _condition_members(api, self.relation)
            return made

        return api.named(self._name(api, ON_CONFLICT), lambda name: GraphQLInputObjectType(name, members))

    def _name(self, api: ApiSchema, kind: str) -> str:
        return api.own_type_name(*own_name(self.relation, kind))

    def alter(self, field: Field, inserting: Insert, given: Mapping[str, Any]) -> Insert:
        """The insert with the ON CONFLICT clause for the argument onConflict."""
        conflict = self._conflict(field.api, given)
        arbiter = conflict.arbiter
        if arbiter is None:
            return inserting.on_conflict_do_nothing()
        if not conflict.changes:
            return inserting.on_conflict_do_nothing(**arbiter.target())
        proposed = inserting.excluded
        replaced = self._without_distribution(field, conflict)
        new: dict[str, ColumnElement[Any]] = {each.name: proposed[each.name] for each in replaced}
        new |= {each.name: added_up(field, inserting, each, arbiter) for each in conflict.added_up}
        condition = self._condition(field, given, arbiter)
        return inserting.on_conflict_do_update(**arbiter.target(), set_=new, where=condition)

    def _without_distribution(self, field: Field, conflict: Conflict) -> Sequence[ApiColumn]:
        """The columns that get the proposed value. Each unique index of a table that Citus distributes has the
        distribution column, so it keeps its value, and Citus refuses to set it."""
        distribution = self.relation.distribution
        if field.planning.cluster is None or distribution is None:
            return conflict.replaced
        kept = [each for each in conflict.replaced if each.name != distribution.column]
        if not kept and not conflict.added_up:
            raise refused(
                f"{distribution.column} decides which server has a row, and cannot change.", "Name other columns."
            )
        return kept

    def arbiter(self, api: ApiSchema, given: Mapping[str, Any]) -> Arbiter | None:
        """The arbiter of the conflict; None for any."""
        return self._conflict(api, given).arbiter

    def _condition(self, field: Field, given: Mapping[str, Any], arbiter: Arbiter | None) -> ColumnElement[Any] | None:
        """The condition under which a conflicting row is changed."""
        members = _condition_members(field.api, self.relation)
        there = field.planning.rows_in(self.relation, self.relation.table)
        made = (
            members[name].extensions["condition"](field.planning, there, given[name])
            for name in members
            if name in given
        )
        conditions = [each for each in made if each is not None]
        if not conditions:
            return None
        condition = and_(*conditions)
        if self.relation.relation.row_security and not field.api.rules.bypasses_policies:
            condition = if_seen(field, there, arbiter, condition)
        return OnTarget(condition, self.relation.table)

    def _conflict(self, api: ApiSchema, given: Mapping[str, Any]) -> Conflict:
        constraint: Leaf | None = given.get("constraint")
        replaced, added_up = self._listed(given.get("updateColumns")), self._listed(given.get("addColumns"))
        both = [each for each in replaced if each in added_up]
        if both:
            raise _refused(f"{both[0].field_name} is in updateColumns and in addColumns", "Name it in one of them.")
        for each in added_up:
            if not is_number(api, each):
                raise _refused(f"{each.field_name} cannot be in addColumns: it is not a number", "Use updateColumns.")
        if constraint is not None:
            return Conflict(self.arbiters[constraint.steer()], replaced, added_up)
        return Conflict(self._primary() if replaced or added_up else None, replaced, added_up)

    def _primary(self) -> Arbiter:
        for each in self.arbiters.values():
            if each.index.primary:
                return each
        message = "onConflict needs a constraint: the primary key cannot be used"
        raise _refused(message, f"Expected one of {', '.join(self.arbiters)}.")

    def _listed(self, given: Leaf | None) -> tuple[ApiColumn, ...]:
        names = [] if given is None else given.steer()
        return tuple(self.columns[each] for each in dict.fromkeys(names if isinstance(names, list) else [names]))

    def inserted_count(self, field: Field, inserted: Inserted) -> ColumnElement[Any]:
        """The number of rows of an insert that are new."""
        given = _given(inserted)
        conflict = None if given is None else self._conflict(field.api, given)
        if conflict is None or conflict.arbiter is None or not conflict.changes:
            return row_count()
        replaced, added_up = ([each.name for each in some] for some in (conflict.replaced, conflict.added_up))
        return row_count().filter(is_new(field, inserted, conflict.arbiter, replaced, added_up))

    def existing(self, field: Field, inserted: Inserted) -> ColumnElement[Any]:
        """The existing rows that conflicted and were not changed."""
        given = _given(inserted)
        if given is None:
            return cast_to(constant("[]"), "json")
        arbiter = self._conflict(field.api, given).arbiter
        if arbiter is None:
            raise _refused("existing needs a constraint in onConflict", f"Expected one of {', '.join(self.arbiters)}.")
        return existing_rows(field, inserted, arbiter)


def _condition_members(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLInputField]:
    """The members with conditions on the conflicting rows: the same as the arguments that choose the rows of a
    delete."""
    arguments = api.contributed("delete_arguments", relation)
    return {
        name: GraphQLInputField(
            each.type,
            description="A condition on the conflicting rows; others are not changed",
            extensions=each.extensions,
        )
        for name, each in arguments.items()
        if "condition" in each.extensions
    }


def _refused(message: str, expected: str) -> RequestError:
    return RequestError(message, code="BAD_USER_INPUT", hint=f'{expected} docs/changes.md, "Upsert".')
