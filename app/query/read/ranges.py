"""Divides the rows of a collection that a page may begin with into consecutive ranges, each of which an index finds.

One condition for all rows after a cursor is no bound of an index if a column may be null or the directions differ:
PostgreSQL then reads the rows before the page too, and page N takes N times as long as the first. The condition of a
range is a conjunction of comparisons, which an index on the columns of the order finds at any depth. Columns in one
direction need no division: a row comparison is a bound of such an index.

With the cursor (3, 7), the order ``rank NULLS LAST, id`` has the ranges ``(rank, id) > (3, 7)`` and ``rank IS NULL``,
and the order ``rank DESC, id``, where rank is never null, ``rank = 3 AND id > 7`` and ``rank < 3``.

An order by a related row is an outer join, which PostgreSQL begins with the ordered rows. In a range without nulls it
is an inner join, which may begin with an index of the related rows. So without a cursor too, such an order has a range
of the rows that have a related one and a range of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, false, or_, true

from app.query.plan.rows import Rows
from app.query.read.order_terms import ColumnTerm, Term
from app.query.read.ordering import OrderKey
from app.query.sql.constructs import row_comparison


class Range(NamedTuple):
    """The conditions that all rows of a range meet, and terms of the order that are not null in them."""

    conditions: tuple[ColumnElement[Any], ...] = ()
    not_null: tuple[Term, ...] = ()


class CursorKey(NamedTuple):
    """A key of the order with its value in a cursor, None for null. The key is in the page's direction."""

    key: OrderKey
    value: ColumnElement[Any] | None

    @property
    def precedes_nulls(self) -> bool:
        """Whether rows in which the key is null may come after the value."""
        return self.value is not None and not self.key.not_null and not self.key.nulls_first

    def equal(self, rows: Rows) -> ColumnElement[Any]:
        return self.key.is_null(rows) if self.value is None else self.key.equal(rows, self.value)

    def beyond(self, rows: Rows) -> list[Range]:
        """The ranges of rows in which this key alone comes after the value."""
        known = (self.key.term,)
        if self.value is None:
            return [Range((self.key.is_not_null(rows),), known)] if self.key.nulls_first else []
        beyond = [Range((self.key.beyond(rows, self.value),), known)]
        return [*beyond, Range((self.key.is_null(rows),))] if self.precedes_nulls else beyond


def from_the_edge(rows: Rows, first: OrderKey, most: int) -> list[Range]:
    """At most ``most`` ranges with all rows. ``first`` is the first key of the order, in the page's direction."""
    if isinstance(first.term, ColumnTerm) or not first.may_have_index or most == 1:
        return [Range()]
    found, missing = Range((first.is_not_null(rows),), (first.term,)), Range((first.is_null(rows),))
    return [missing, found] if first.nulls_first else [found, missing]


def after(rows: Rows, cursor: Sequence[CursorKey], most: int) -> list[Range]:
    """At most ``most`` ranges with all rows that come strictly after the cursor.

    If that takes more ranges, and for keys that no index has, the rows that are equal to the cursor in the first keys
    are one range."""
    if not cursor:
        return []
    first, *rest = cursor
    beyond = first.beyond(rows)
    compared = _compared_as_row(rows, cursor)
    fewest = len(beyond) if compared is not None else len(beyond) + bool(rest)
    if fewest > 1 and (fewest > most or not first.key.may_have_index):
        return [Range((condition_after(rows, cursor),))]
    if compared is not None:
        return [Range((compared,)), *beyond[1:]]
    equal = first.equal(rows)
    ties = after(rows, rest, most - len(beyond))
    return [*(Range((equal, *each.conditions), each.not_null) for each in ties), *beyond]


def condition_after(rows: Rows, cursor: Sequence[CursorKey]) -> ColumnElement[Any]:
    """The one condition that a row comes strictly after the cursor."""
    if not cursor:
        return false()
    first, *rest = cursor
    beyond = [condition for each in first.beyond(rows) for condition in each.conditions]
    compared = _compared_as_row(rows, cursor)
    if compared is not None:
        return or_(compared, *beyond[1:])
    if not rest:
        return or_(false(), *beyond)
    following = condition_after(rows, rest)
    if first.value is None or first.precedes_nulls:
        return or_(*beyond, and_(first.equal(rows), following))
    # The first condition follows from the second, but it alone is a bound of an index.
    return and_(first.key.at_or_beyond(rows, first.value), or_(*beyond, following))


def condition_equal(rows: Rows, cursor: Sequence[CursorKey]) -> ColumnElement[Any]:
    """The condition that a row is equal to the cursor."""
    return and_(true(), *(each.equal(rows) for each in cursor))


def _compared_as_row(rows: Rows, cursor: Sequence[CursorKey]) -> ColumnElement[Any] | None:
    """One comparison of a row's keys with all values of the cursor. It is true for the rows after the cursor, except
    those in which the first key is null. None if nulls of another key may come after the cursor, if the keys have
    different directions or operators, and if they are of several relations, since no index has the columns of two."""
    values = [each.value for each in cursor if each.value is not None]
    symbols = {each.key.symbol for each in cursor}
    if len(values) < len(cursor) or len(symbols) > 1 or any(each.precedes_nulls for each in cursor[1:]):
        return None
    if len(cursor) > 1 and not all(isinstance(each.key.term, ColumnTerm) for each in cursor):
        return None
    return row_comparison([each.key.value(rows) for each in cursor], symbols.pop(), values)
