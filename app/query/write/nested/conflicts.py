"""Which rows are in the way of those of a nested insert, for statements that run after it."""

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
    """What objects give the columns of an arbiter: rows of their numbers and these values."""

    rows: NestedRows
    arbiter: Arbiter
    element: Subquery

    @property
    def position(self) -> ColumnElement[Any]:
        return self.element.c.position

    def over(self, element: Subquery) -> GivenKeys:
        """These of other rows, which have the same columns."""
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
    """The values for an arbiter that the objects of ``batches`` give; None where it is not one of plain columns that
    all of them give."""
    if arbiter is None or arbiter.index.has_expressions or arbiter.index.predicate is not None:
        return None
    proposed = [rows.proposed(each) for each in batches]
    if not all(each.values.keys() >= set(arbiter.index.columns) for each in proposed):
        return None
    types = {each.name: each.type_text for each in arbiter.relation.relation.columns}
    # As the columns take them: a cast to a type of a limited precision rounds like an assignment.
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
    """In which arbiter rows were in the way of an INSERT that the arguments ``given`` altered."""
    for name, value in given.items():
        find = arguments[name].extensions.get("arbiter")
        if find is not None:
            found: Arbiter | None = find(api, value)
            return found
    return None
