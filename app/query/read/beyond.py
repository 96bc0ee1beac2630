"""The conditions for the rows that come after a cursor.

One condition for all of them is no bound of an index if a column may be null or the directions differ: PostgreSQL then
reads the rows before the page too, and page N takes N times as long as the first. So these rows are divided into
consecutive ranges. The condition of a range is a conjunction of comparisons, which an index on the columns of the order
finds at any depth. Columns in one direction need no division: a row comparison is a bound of such an index.

With the cursor (3, 7), the order ``rank NULLS LAST, id`` has the ranges ``(rank, id) > (3, 7)`` and ``rank IS NULL``,
and the order ``rank DESC, id``, where rank is never null, ``rank = 3 AND id > 7`` and ``rank < 3``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, false, or_, true

from app.query.plan.rows import Rows
from app.query.read.ordering import OrderKey
from app.query.sql.constructs import row_comparison


class Place(NamedTuple):
    """The value of a cursor for a key of the order, None for null. The key is in the page's direction."""

    key: OrderKey
    value: ColumnElement[Any] | None

    @property
    def precedes_nulls(self) -> bool:
        """Whether rows in which the key is null may come after the value."""
        return self.value is not None and not self.key.not_null and not self.key.nulls_first

    def equal(self, rows: Rows) -> ColumnElement[Any]:
        return self.key.is_null(rows) if self.value is None else self.key.equal(rows, self.value)

    def beyond(self, rows: Rows) -> list[ColumnElement[Any]]:
        """The ranges of rows in which this key alone comes after the value."""
        if self.value is None:
            return [self.key.is_not_null(rows)] if self.key.nulls_first else []
        beyond = [self.key.beyond(rows, self.value)]
        return [*beyond, self.key.is_null(rows)] if self.precedes_nulls else beyond


def equal(rows: Rows, cursor: Sequence[Place]) -> ColumnElement[Any]:
    """The condition that a row is equal to the cursor."""
    return and_(true(), *(each.equal(rows) for each in cursor))


def ranges(rows: Rows, cursor: Sequence[Place], most: int) -> list[ColumnElement[Any]]:
    """The conditions of at most ``most`` consecutive ranges, in the order of the rows: every row that comes strictly
    after the cursor is in one of them.

    If that takes more ranges, and for keys that no index has, the rows that are equal to the cursor in the first keys
    are one range."""
    if not cursor:
        return []
    first, *rest = cursor
    beyond = first.beyond(rows)
    compared = _compared_as_row(rows, cursor)
    fewest = len(beyond) if compared is not None else len(beyond) + bool(rest)
    if fewest > 1 and (fewest > most or not first.key.may_have_index):
        return [after(rows, cursor)]
    if compared is not None:
        return [compared, *beyond[1:]]
    return [*(and_(first.equal(rows), each) for each in ranges(rows, rest, most - len(beyond))), *beyond]


def after(rows: Rows, cursor: Sequence[Place]) -> ColumnElement[Any]:
    """The one condition that a row comes strictly after the cursor."""
    if not cursor:
        return false()
    first, *rest = cursor
    beyond = first.beyond(rows)
    compared = _compared_as_row(rows, cursor)
    if compared is not None:
        return or_(compared, *beyond[1:])
    if not rest:
        return or_(false(), *beyond)
    following = after(rows, rest)
    if first.value is None or first.precedes_nulls:
        return or_(*beyond, and_(first.equal(rows), following))
    # The first condition follows from the second, but it alone is a bound of an index.
    return and_(first.key.at_or_beyond(rows, first.value), or_(*beyond, following))


def _compared_as_row(rows: Rows, cursor: Sequence[Place]) -> ColumnElement[Any] | None:
    """One comparison of a row's keys with all values of the cursor. It is true for the rows after the cursor, except
    those in which the first key is null. None if nulls of another key may come after the cursor, or if the keys have
    different directions or operators."""
    values = [each.value for each in cursor if each.value is not None]
    symbols = {each.key.symbol for each in cursor}
    if len(values) < len(cursor) or len(symbols) > 1 or any(each.precedes_nulls for each in cursor[1:]):
        return None
    return row_comparison([each.key.value(rows) for each in cursor], symbols.pop(), values)
