"""The order of an insert's objects, for rows that several servers return in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, select

from app.graphql.schema.relations import ApiColumn
from app.query.plan.rows import NamedRows
from app.query.sql.constructs import builtin, cast_to, row_text
from app.query.write.arbiters import Arbiter
from app.query.write.inserting import Objects

_POSITION = "position"


def order_of_objects(rows: NamedRows, objects: Objects, arbiter: Arbiter | None) -> ColumnElement[Any] | None:
    """The position of a returned row's object, found by a key; None if an object lacks a value of the key, which only
    the database knows then. ``arbiter``: that of ON CONFLICT, by which an existing row may belong to an object."""
    columns = _key(rows, objects, arbiter)
    if not columns:
        return None
    labels = {f"key_{number}": each for number, each in enumerate(columns)}
    given = objects.rows(labels, _POSITION)
    # Cast to the types of the columns, with their modifiers: the cast rounds in the same way as the assignment.
    values = [cast_to(given.c[label], each.column.type_text) for label, each in labels.items()]
    positions = select(builtin.jsonb_object_agg(row_text(values), given.c[_POSITION])).scalar_subquery()
    found = row_text([rows.column(each.name) for each in columns])
    return cast_to(positions.op("->>")(found), "integer")


def _key(rows: NamedRows, objects: Objects, arbiter: Arbiter | None) -> Sequence[ApiColumn]:
    is_plain = arbiter is not None and not arbiter.index.has_expressions and arbiter.index.predicate is None
    names = arbiter.index.columns if arbiter is not None and is_plain else rows.relation.key
    columns = [rows.relation.by_name.get(name) for name in names]
    known = [each for each in columns if each is not None and objects.gives(each)]
    return known if len(known) == len(columns) else ()
