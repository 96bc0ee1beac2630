"""Finds the rows that conflicted with those of a nested insert, for statements that run after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLArgument
from sqlalchemy import ColumnElement, Subquery, select, union_all

from app.graphql.schema.api_schema import ApiSchema
from app.query.plan.rows import TableRows
from app.query.sql.constructs import cast_to, computed_first
from app.query.write.arbiters import Arbiter
from app.query.write.nested.rows import NestedRows
from app.query.write.nested.values import Batch


@dataclass(frozen=True)
class GivenKeys:
    """The values that objects give to the columns of an arbiter: ``element`` has a row for each object, with its number
    and these values."""

    rows: NestedRows
    arbiter: Arbiter
    element: Subquery

    @property
    def position(self) -> ColumnElement[Any]:
        return self.element.c.position

    def over(self, element: Subquery) -> GivenKeys:
        """The same for another element with the same columns."""
        return replace(self, element=element)

    def same(self, there: TableRows) -> list[ColumnElement[Any]]:
        """The conditions that a row of the table has the values of an object."""
        return [
            self.arbiter.same(each, there.column(name), each.value(self.element.c[_value(number)]))
            for number, (name, each) in enumerate(self.arbiter.comparisons(self.rows.field.api.view))
        ]


def _value(number: int) -> str:
    return f"value_{number}"


def given_keys(rows: NestedRows, batches: Sequence[Batch], arbiter: Arbiter | None) -> GivenKeys | None:
    """The values that the objects of ``batches`` give to the columns of an arbiter; None unless it has only plain
    columns and all objects give them values."""
    if arbiter is None or arbiter.index.has_expressions or arbiter.index.predicate is not None:
        return None
    proposed = [rows.proposed(each) for each in batches]
    if not all(each.values.keys() >= set(arbiter.index.columns) for each in proposed):
        return None
    types = {each.name: each.type_text for each in arbiter.relation.relation.columns}
    # Cast to the types of the columns, with their modifiers: the cast rounds in the same way as the assignment.
    columns = {_value(n): (name, types[name]) for n, (name, _) in enumerate(arbiter.comparisons(rows.field.api.view))}
    queries = [
        select(
            each.position.label("position"),
            *(cast_to(each.values[name], type_text).label(label) for label, (name, type_text) in columns.items()),
        )
        .select_from(*each.elements)
        .where(*each.conditions)
        for each in proposed
    ]
    query = queries[0] if len(queries) == 1 else union_all(*queries)
    return GivenKeys(rows, arbiter, computed_first(query, rows.planning.alias("proposed")))


def arbiter_of(api: ApiSchema, arguments: Mapping[str, GraphQLArgument], given: Mapping[str, Any]) -> Arbiter | None:
    """The arbiter of ON CONFLICT in an INSERT that the arguments ``given`` altered; None without one."""
    for name, value in given.items():
        find = arguments[name].extensions.get("arbiter")
        if find is not None:
            found: Arbiter | None = find(api, value)
            return found
    return None
