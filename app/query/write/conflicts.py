"""The effect of ON CONFLICT in an insert: which of its rows are new, and which existing rows it did not change."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, and_, case, exists, func, literal_column, not_, select
from sqlalchemy.dialects.postgresql import distinct_on

from app.database import CONFLICT_MARK
from app.errors import RequestError
from app.graphql.schema.relations import ApiColumn
from app.query.plan.refusals import refused
from app.query.plan.row_ids import key_comparisons
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from app.query.sql.constructs import as_text, builtin, cast_to, computed_first, constant, fail_with
from app.query.sql.json_texts import json_list
from app.query.write.arbiters import Arbiter
from app.query.write.inserting import Inserted

ONE: ColumnElement[Any] = literal_column("1")


def is_new(
    field: Field, inserted: Inserted, arbiter: Arbiter, replaced: Collection[str], added_up: Collection[str]
) -> ColumnElement[Any]:
    """The condition that a row of an insert did not exist before. For a conflicting row the insert replaced the columns
    ``replaced`` and added to the columns ``added_up``. Raises RequestError if that cannot be determined."""
    relation = arbiter.relation
    if relation.relation.kind == "r" and relation.visible.select_all:
        # ON CONFLICT locks an existing row before it updates it; the new version of the row keeps that lock in xmax.
        unlocked = literal_column("xmax").op("=")(literal_column("0"))
        return inserted.rows.computed("is_new", lambda source: unlocked)
    if field.planning.cluster is not None and relation.relation.placement is not None:
        message = f"Citus cannot tell which rows of {relation.type_name} are new: it would look when they are there."
        raise refused(message, 'Leave their number out, and select the rows: docs/sharding.md, "Refused".')
    if not arbiter.index.has_expressions and not set(added_up) & set(arbiter.index.columns):
        return not_(_was_there(field, inserted, arbiter))
    key = [name for name, _ in key_comparisons(field.api.view, relation)]
    if relation.has_readable_key and not set(key) & {*replaced, *added_up}:
        return not_(_had_key(field, inserted))
    message = "The service cannot determine which rows are new: their keys change"
    raise RequestError(message, code="BAD_USER_INPUT", hint='Leave the key as it is: docs/changes.md, "Upsert".')


def _was_there(field: Field, inserted: Inserted, arbiter: Arbiter) -> ColumnElement[Any]:
    """The condition that a row with the same values existed when the statement began; its subqueries see the table as
    it was then."""
    before = field.planning.rows_of(arbiter.relation)
    same = (
        arbiter.same(each, before.column(name), each.value(inserted.rows.column(name)))
        for name, each in arbiter.comparisons(field.api.view)
    )
    query = _covered(arbiter, select(ONE).select_from(before.element).where(*same))
    return exists(query.correlate(inserted.rows.element))


def _had_key(field: Field, inserted: Inserted) -> ColumnElement[Any]:
    """The condition that a row with the same primary key existed when the statement began."""
    before = field.planning.rows_of(inserted.rows.relation)
    same = (
        each.equal(before.column(name), each.value(inserted.rows.column(name)))
        for name, each in key_comparisons(field.api.view, before.relation)
    )
    return exists(select(ONE).select_from(before.element).where(*same).correlate(inserted.rows.element))


def _covered(arbiter: Arbiter, query: Select[Any]) -> Select[Any]:
    """The query, restricted to rows that the arbiter covers. Its predicate has unqualified column names, so no other
    FROM element of the query may have columns with these names."""
    return query if arbiter.predicate is None else query.where(arbiter.predicate)


def if_seen(field: Field, there: Rows, arbiter: Arbiter | None, condition: ColumnElement[Any]) -> ColumnElement[Any]:
    """``condition`` on the conflicting row ``there`` if policies show that row to the caller; otherwise an error.

    PostgreSQL evaluates the condition of ON CONFLICT DO UPDATE before the policies, and skips a row for which it is
    false. So without this check the result would show whether the condition is true for a hidden row. Subqueries do not
    see a row that another transaction wrote after the statement began, so the error is one after which the transaction
    is retried. Raises RequestError if no readable key identifies the row, and with Citus, which has no subqueries in
    an INSERT.
    """
    if field.planning.cluster is not None:
        raise refused(
            "A filter in onConflict needs a subquery if policies apply to the role, which Citus does not accept.",
            "Change the rows in a request of its own, or as a role that bypasses policies.",
        )
    view, relation = field.api.view, there.relation
    comparisons = key_comparisons(view, relation) if relation.has_readable_key else []
    if not comparisons and arbiter is not None and not arbiter.index.has_expressions:
        comparisons = arbiter.comparisons(view)
    if not comparisons:
        message = "A filter in onConflict needs a key whose columns the role may read"
        raise RequestError(message, code="BAD_USER_INPUT", hint='docs/changes.md, "Upsert"')
    seen = field.planning.rows_of(relation)
    same = (each.equal(seen.column(name), each.value(there.column(name))) for name, each in comparisons)
    is_seen = exists(select(ONE).select_from(seen.element).where(*same).correlate(there.element))
    message = f"{CONFLICT_MARK}A row of {relation.type_name} that is in the way cannot be changed"
    hidden = fail_with(message, as_text(there.column(comparisons[0][0])))
    return case((is_seen, condition), else_=cast_to(hidden, "boolean"))


def existing_rows(field: Field, inserted: Inserted, arbiter: Arbiter) -> ColumnElement[Any]:
    """A JSON array of the rows that conflicted with an insert's objects and that it did not change, each row once, in
    the order of the objects. It is for a later statement, which sees the insert. Raises RequestError if the rows cannot
    be found."""
    planning = field.planning
    comparisons = arbiter.comparisons(field.api.view)
    existing, there = planning.named_rows(arbiter.relation, "existing"), planning.rows_of(arbiter.relation)
    with planning.nodes.each_of(inserted.most):
        record = field.json(existing)
    position = existing.free_name("position")
    proposed = _proposed(field, inserted, arbiter, position)
    changed = _is_changed(field, inserted, arbiter, there)
    values = [each for each in proposed.c if each.name != position]
    same = (
        arbiter.same(each, there.column(name), each.value(value))
        for (name, each), value in zip(comparisons, values, strict=True)
    )
    key = [there.column(name) for name, _ in comparisons]
    query = (
        select(*existing.provided_by(there), proposed.c[position])
        .select_from(proposed.join(there.element, onclause=and_(*same)))
        .where(*there.of_value(inserted.value), not_(changed))
        .ext(distinct_on(*key))
        .order_by(*key, proposed.c[position])
    )
    rows = _covered(arbiter, query).cte(existing.name)
    found = json_list(record, order=(existing.added_column(position),))
    return select(found).select_from(existing.element).add_cte(rows).scalar_subquery()


def _proposed(field: Field, inserted: Inserted, arbiter: Arbiter, position: str) -> Subquery:
    """The values that objects gave to the arbiter's columns, under names that no column of the relation has, with the
    position of each object. Objects that the arbiter does not cover are left out."""
    columns = _given_columns(inserted, arbiter)
    values = inserted.objects.rows({each.name: each for each in columns}, position)
    # Cast to the types of the columns, with their modifiers: the cast rounds in the same way as the assignment.
    typed = (cast_to(values.c[each.name], each.column.type_text).label(each.name) for each in columns)
    objects = computed_first(select(values.c[position], *typed), field.planning.alias("objects"))
    named = (
        objects.c[name].label(inserted.rows.free_name(f"value_{number}"))
        for number, name in enumerate(arbiter.index.columns)
    )
    covered = _covered(arbiter, select(objects.c[position], *named))
    return covered.subquery(field.planning.alias("proposed"))


def _given_columns(inserted: Inserted, arbiter: Arbiter) -> list[ApiColumn]:
    """The columns that identify the row that conflicts with an object."""
    needed = arbiter.index.needs if arbiter.index.predicate else arbiter.index.columns
    columns = [arbiter.relation.by_name.get(name) for name in needed or ()]
    given = [each for each in columns if each is not None and inserted.objects.gives(each)]
    if arbiter.index.has_expressions or not columns or len(given) < len(columns):
        message = f"existing needs a constraint of plain columns that every object has; {arbiter.name} is none"
        raise RequestError(message, code="BAD_USER_INPUT", hint='docs/changes.md, "Upsert"')
    return given


def _is_changed(field: Field, inserted: Inserted, arbiter: Arbiter, there: Rows) -> ColumnElement[Any]:
    """The condition that the insert returned a row with the key of ``there``, among the rows that the arbiter
    covers."""
    comparisons = arbiter.comparisons(field.api.view)
    key = builtin.json_build_array(*(as_text(inserted.rows.column(name)) for name, _ in comparisons))
    keys: ColumnElement[Any] = builtin.json_agg(key)
    predicate = arbiter.predicate
    if predicate is not None:
        keys = builtin.json_agg(key).filter(inserted.rows.computed("covered", lambda source: predicate))
    handed_on = inserted.hand_on(field.planning, as_text(func.coalesce(keys, constant("[]"))))
    returned = builtin.json_array_elements(cast_to(handed_on, "json")).table_valued("key")
    returned = returned.render_derived(name=field.planning.alias("returned"))
    same = (
        arbiter.same(
            each, there.column(name), cast_to(returned.c.key.op("->>")(literal_column(str(number))), each.type_text)
        )
        for number, (name, each) in enumerate(comparisons)
    )
    return exists(select(ONE).select_from(returned).where(*same).correlate(there.element))
