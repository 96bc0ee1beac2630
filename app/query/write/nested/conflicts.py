"""Finds the rows that conflicted with those of a nested insert, for statements that run after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLArgument
from sqlalchemy import ColumnElement, FromClause, select, union_all
from sqlalchemy import column as sql_column
from sqlalchemy import values as value_rows

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
    element: FromClause

    @property
    def position(self) -> ColumnElement[Any]:
        return self.element.c.position

    def over(self, element: FromClause) -> GivenKeys:
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
    types = {each.name: each.type_text for each in arbiter.relation.relation.columns}
    # Cast to the types of the columns, with their modifiers: the cast rounds in the same way as the assignment.
    columns = {_value(n): (name, types[name]) for n, (name, _) in enumerate(arbiter.comparisons(rows.field.api.view))}
    if rows.planning.cluster is not None and all(each.number is not None for each in batches):
        return _listed_keys(rows, batches, arbiter, columns)
    proposed = [rows.proposed(each) for each in batches]
    if not all(each.values.keys() >= set(arbiter.index.columns) for each in proposed):
        return None
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


def _listed_keys(
    rows: NestedRows, batches: Sequence[Batch], arbiter: Arbiter, columns: Mapping[str, tuple[str, str]]
) -> GivenKeys | None:
    """The same with Citus: it sends values along with a statement, but rows of a query before it."""
    listed = [(batch, item, each) for batch in batches for item, each in enumerate(rows.listed(batch))]
    if not all(each.keys() >= set(arbiter.index.columns) for _, _, each in listed):
        return None
    data = [
        (rows.number(batch, item), *(cast_to(each[name], type_text) for name, type_text in columns.values()))
        for batch, item, each in listed
    ]
    element = value_rows(*map(sql_column, ("position", *columns)), name=rows.planning.alias("proposed")).data(data)
    return GivenKeys(rows, arbiter, element)


def arbiter_of(api: ApiSchema, arguments: Mapping[str, GraphQLArgument], given: Mapping[str, Any]) -> Arbiter | None:
    """The arbiter of ON CONFLICT in an INSERT that the arguments ``given`` altered; None without one."""
    for name, value in given.items():
        find = arguments[name].extensions.get("arbiter")
        if find is not None:
            found: Arbiter | None = find(api, value)
            return found
    return None
