"""Terms that rows are ordered or grouped by: a column, or an expression on a row and its related rows.

A relationship to at most one row is joined to the ordered query, once for all terms that use it. For other
relationships a subquery computes one value for each row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast

from sqlalchemy import ColumnElement, Select, and_, literal_column, select

from app.errors import OverLimit, RequestError
from app.query.plan.rows import NamedRows, Rows, TableRows
from app.query.plan.walk import Field
from app.query.read.relationships import Relationship
from schema_cache.model import Column

MAX_STEPS = 4
"""The number of relationships to one row that a term may follow."""

TERM = "ordered_by"
"""The name of the column of a page that contains the value of an expression."""


class Term(Protocol):
    """A value that rows are ordered by. ``not_null``: it is never NULL. ``may_have_index``: it is a column, of these
    rows or of a related one, so an index may contain it. ``not_null_if_related``: it is NULL only if there is no
    related row. ``steps``: the number of relationships to one row that it follows."""

    @property
    def not_null(self) -> bool: ...

    @property
    def may_have_index(self) -> bool: ...

    @property
    def not_null_if_related(self) -> bool: ...

    @property
    def steps(self) -> int: ...

    def of(self, rows: Rows) -> ColumnElement[Any]:
        """The term's value in the current row."""


@dataclass(frozen=True, slots=True)
class ColumnTerm:
    """A column of the rows themselves."""

    column: Column
    steps: int = 0
    may_have_index: bool = True

    @property
    def not_null(self) -> bool:
        return self.column.not_null

    @property
    def not_null_if_related(self) -> bool:
        return self.column.not_null

    def of(self, rows: Rows) -> ColumnElement[Any]:
        return rows.column(self.column.name)


@dataclass(frozen=True, slots=True)
class Expression:
    """The result of ``value`` for a row of a query. A page has it as an additional column."""

    value: Callable[[TableRows], ColumnElement[Any]]
    not_null: bool = False
    steps: int = 0
    may_have_index: bool = False
    not_null_if_related: bool = False

    def of(self, rows: Rows) -> ColumnElement[Any]:
        if isinstance(rows, NamedRows):
            return rows.computed(TERM, self.value)
        return self.value(cast(TableRows, rows))


@dataclass(frozen=True, slots=True)
class _OfOne:
    """A term of the one related row, which is joined."""

    relationship: Relationship
    term: Term

    def __call__(self, rows: TableRows) -> ColumnElement[Any]:
        def linked(target: TableRows) -> ColumnElement[Any]:
            return and_(*self.relationship.linked(rows, target))

        return self.term.of(rows.joined_rows(self.relationship, self.relationship.target, linked))


@dataclass(frozen=True, slots=True)
class _OfMany:
    """One value for all related rows: ``term`` is an aggregate of them, or with ``is_least`` the least value is
    taken."""

    relationship: Relationship
    term: Term
    is_least: bool = False

    def __call__(self, rows: TableRows) -> ColumnElement[Any]:
        def query() -> Select[Any]:
            target = rows.related(self.relationship.target)
            value = self.term.of(target).label("value")
            made = select(value).select_from(target.source).where(*self.relationship.linked(rows, target))
            return made.order_by(value).limit(literal_column("1")) if self.is_least else made

        return rows.joined_value(self, query)


def related(relationship: Relationship, term: Term, argument: str = "orderBy") -> Expression | TermOfField:
    """A term of the one related row, NULL if there is none. If there are several rows, which is possible if only a
    comment declares the relationship, the least value is taken.

    Raises OverLimit, which names the ``argument``, if the term follows too many relationships.
    """
    if term.steps == MAX_STEPS:
        raise OverLimit(f"An element of {argument} follows more than {MAX_STEPS} relationships to one row")
    if isinstance(term, TermOfField):
        return TermOfField(lambda field: related(relationship, term.of_related(field)), steps=term.steps + 1)
    if relationship.leads_to_one:
        return Expression(
            _OfOne(relationship, term),
            steps=term.steps + 1,
            may_have_index=term.may_have_index,
            not_null_if_related=term.not_null_if_related,
        )
    return Expression(_OfMany(relationship, term, is_least=True), steps=term.steps + 1)


def of_all_related(relationship: Relationship, term: Term) -> Expression:
    """The result of ``term``, an aggregate function, over all related rows."""
    return Expression(_OfMany(relationship, term), not_null=term.not_null)


@dataclass(frozen=True, slots=True)
class TermOfField:
    """A term that depends on the field whose rows are ordered: ``of_field`` makes it. If it depends on other arguments
    of that field, rows cannot be ordered by this term of a related row; then ``without`` makes the error."""

    of_field: Callable[[Field], Term]
    without: Callable[[], RequestError] | None = None
    not_null: bool = False
    steps: int = 0
    may_have_index: bool = False
    not_null_if_related: bool = False

    def of_related(self, field: Field) -> Term:
        """The term of rows that are related to those of ``field``."""
        if self.without is not None:
            raise self.without()
        return self.of_field(field)

    def of(self, rows: Rows) -> ColumnElement[Any]:
        raise TypeError("Its field makes the term")
