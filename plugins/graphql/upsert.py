"""onConflict: what an insert does about rows that are in the way of the new ones."""

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
"""What ON CONFLICT calls the proposed row: of a table of that name it cannot tell the two apart."""


@hookimpl
def features() -> Sequence[str]:
    return ("upsert",)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("unique_index", "name", String()),)


CONSTRAINT, COLUMN, ON_CONFLICT = "Constraint", "UpdateColumn", "OnConflict"
"""What the names of types have behind the relation's."""


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
        description="What happens where a row is in the way of a new one; an error without it",
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
                GraphQLNonNull(GraphQLInt), resolve=upsert.inserted_count, description="How many rows were not there"
            ),
            "existing": GraphQLField(
                rows,
                resolve=upsert.existing,
                description="The rows that were in the way and left alone",
                extensions={AFTERWARDS: lambda inserted: _given(inserted) is not None},
            ),
        },
    )


def _upsert(api: ApiSchema, relation: ApiRelation) -> Upsert | None:
    """What upserts of a relation offer; None where there is nothing that rows could be in conflict in."""

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
    """What a request wants done: the arbiter, None for any, and the columns that get the proposed value, and those to
    which it is added."""

    arbiter: Arbiter | None
    replaced: tuple[ApiColumn, ...]
    added_up: tuple[ApiColumn, ...]

    @property
    def changes(self) -> bool:
        """Whether rows that are in the way are changed."""
        return bool(self.replaced or self.added_up)


@dataclass(frozen=True)
class Upsert:
    """What upserts of one relation offer: its arbiters, and the columns that may be changed, by their names."""

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
                    _enum(api, constraint, self.arbiters), description="In what rows are in the way"
                )
            }
            if self.columns:
                columns = GraphQLList(GraphQLNonNull(_enum(api, column, self.columns)))
                made["updateColumns"] = GraphQLInputField(columns, description="They get the proposed value")
                made["addColumns"] = GraphQLInputField(
                    columns, description="Numbers, to which that of the object is added"
                )
                made |= _judging_members(api, self.relation)
            return made

        return api.named(self._name(api, ON_CONFLICT), lambda name: GraphQLInputObjectType(name, members))

    def _name(self, api: ApiSchema, kind: str) -> str:
        return api.own_type_name(*own_name(self.relation, kind))

    def alter(self, field: Field, inserting: Insert, given: Mapping[str, Any]) -> Insert:
        """The insert that does what onConflict says."""
        conflict = self._conflict(field.api, given)
        arbiter = conflict.arbiter
        if arbiter is None:
            return inserting.on_conflict_do_nothing()
        if not conflict.changes:
            return inserting.on_conflict_do_nothing(**arbiter.target())
        proposed = inserting.excluded
        new: dict[str, ColumnElement[Any]] = {each.name: proposed[each.name] for each in conflict.replaced}
        new |= {each.name: added_up(field, inserting, each, arbiter) for each in conflict.added_up}
        judged = self._judged(field, given, arbiter)
        return inserting.on_conflict_do_update(**arbiter.target(), set_=new, where=judged)

    def arbiter(self, api: ApiSchema, given: Mapping[str, Any]) -> Arbiter | None:
        """In what rows can be in the way of the new ones; None for anything."""
        return self._conflict(api, given).arbiter

    def _judged(self, field: Field, given: Mapping[str, Any], arbiter: Arbiter | None) -> ColumnElement[Any] | None:
        """The condition under which a row that is in the way is changed."""
        members = _judging_members(field.api, self.relation)
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
        if self.relation.relation.row_security:
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
                raise _refused(f"{each.field_name} cannot be in addColumns: it is no number", "Use updateColumns.")
        if constraint is not None:
            return Conflict(self.arbiters[constraint.steer()], replaced, added_up)
        return Conflict(self._primary() if replaced or added_up else None, replaced, added_up)

    def _primary(self) -> Arbiter:
        for each in self.arbiters.values():
            if each.index.primary:
                return each
        message = "onConflict needs a constraint: the primary key is none of those to choose from"
        raise _refused(message, f"Expected one of {', '.join(self.arbiters)}.")

    def _listed(self, given: Leaf | None) -> tuple[ApiColumn, ...]:
        names = [] if given is None else given.steer()
        return tuple(self.columns[each] for each in dict.fromkeys(names if isinstance(names, list) else [names]))

    def inserted_count(self, field: Field, inserted: Inserted) -> ColumnElement[Any]:
        """How many rows of an insert are new."""
        given = _given(inserted)
        conflict = None if given is None else self._conflict(field.api, given)
        if conflict is None or conflict.arbiter is None or not conflict.changes:
            return row_count()
        replaced, added_up = ([each.name for each in some] for some in (conflict.replaced, conflict.added_up))
        return row_count().filter(is_new(field, inserted, conflict.arbiter, replaced, added_up))

    def existing(self, field: Field, inserted: Inserted) -> ColumnElement[Any]:
        """The rows that were in the way and left alone."""
        given = _given(inserted)
        if given is None:
            return cast_to(constant("[]"), "json")
        arbiter = self._conflict(field.api, given).arbiter
        if arbiter is None:
            raise _refused("existing needs a constraint in onConflict", f"Expected one of {', '.join(self.arbiters)}.")
        return existing_rows(field, inserted, arbiter)


def _judging_members(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLInputField]:
    """What chooses the rows of a deletion judges the rows that are in the way."""
    arguments = api.contributed("delete_arguments", relation)
    return {
        name: GraphQLInputField(each.type, description="Which of the rows are changed", extensions=each.extensions)
        for name, each in arguments.items()
        if "condition" in each.extensions
    }


def _refused(message: str, expected: str) -> RequestError:
    return RequestError(message, code="BAD_USER_INPUT", hint=f'{expected} docs/changes.md, "Upsert".')
