"""The new value of a number to which an upsert adds. An object without a value, or with null, does not change it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, case, exists, func, literal_column, select
from sqlalchemy.dialects.postgresql import Insert

from app.graphql.schema.relations import ApiColumn
from app.query.plan.refusals import refused
from app.query.plan.walk import Field
from app.query.sql.comparison import key_comparison
from app.query.sql.constructs import as_text, cast_to, fail_with
from app.query.write.arbiters import Arbiter, OnTarget
from app.query.write.inserting import InsertOfObjects, UnevenObjects
from app.query.write.new_rows import has_default, new_row_members


def added_up(field: Field, inserting: Insert, column: ApiColumn, arbiter: Arbiter) -> ColumnElement[Any]:
    """The sum of the value in the row that conflicts by ``arbiter`` and the proposed value; the former alone if the
    object has no value."""
    own, proposed = arbiter.relation.table.c[column.name], inserting.excluded[column.name]
    total: ColumnElement[Any] = own + proposed
    if not isinstance(inserting, InsertOfObjects):
        return func.coalesce(total, own)
    if column.name not in inserting.given:
        return own
    uneven = inserting.uneven
    if uneven is not None and not uneven.gives(column) and _has_default(arbiter, field, column):
        if field.planning.cluster is not None:
            message = (
                f"Only some objects have a value for {column.field_name}, which needs a subquery that Citus refuses."
            )
            raise refused(message, "Give all objects a value for it, or none.")
        # The proposed row does not show whether its value is a default, so its object is looked up by the key.
        total = _Objects(field, inserting, uneven, arbiter, column).sum(total, own)
    return total if column.column.not_null else func.coalesce(total, own)


def _has_default(arbiter: Arbiter, field: Field, column: ApiColumn) -> bool:
    return has_default(new_row_members(field.api, arbiter.relation)[column.field_name])


class _Objects:
    """The objects of an INSERT, with the look-up of the object of a proposed row."""

    def __init__(
        self, field: Field, inserting: Insert, objects: UnevenObjects, arbiter: Arbiter, column: ApiColumn
    ) -> None:
        self._field, self._column, self._inserting = field, column, inserting
        self._arbiter = arbiter
        relation = arbiter.relation
        needed = arbiter.index.columns if arbiter.index.needs is None else sorted(arbiter.index.needs)
        self._key = [relation.by_name[name] for name in needed]
        labels = {f"key_{number}": each for number, each in enumerate(self._key)}
        self._rows = objects.rows_with_presence(labels, column)

    def sum(self, total: ColumnElement[Any], own: ColumnElement[Any]) -> ColumnElement[Any]:
        """``total`` if the object of the proposed row has a value, otherwise ``own``."""
        name = self._column.field_name
        message = f"The service cannot determine whether the object has a value for {name}, as its key was changed"
        hint = 'Give all objects a value for it, or none: docs/changes.md, "Upsert".'
        failure = cast_to(fail_with(message, as_text(own), hint), self._column.column.type_text)
        found = case((self._is_one(given="true"), total), (self._is_one(given="false"), own), else_=failure)
        return OnTarget(found, self._arbiter.relation.table, self._inserting.excluded[self._column.name].table)

    def _is_one(self, *, given: str) -> ColumnElement[bool]:
        """The condition that the proposed row belongs to an object with a value, or without one."""
        rows = self._rows.alias(self._field.planning.alias("given"))
        view = self._field.api.view
        same = (
            self._arbiter.same(
                comparison,
                self._inserting.excluded[each.name],
                cast_to(rows.c[f"key_{number}"], comparison.type_text),
            )
            for number, (each, comparison) in enumerate((each, key_comparison(view, each.column)) for each in self._key)
        )
        one: ColumnElement[Any] = literal_column("1")
        return exists(select(one).select_from(rows).where(rows.c.given.is_(literal_column(given)), *same))
