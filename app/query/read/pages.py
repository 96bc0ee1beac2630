"""Pages: the part of an ordered collection that first, last, before, after and offset select."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import ColumnElement, false, func, literal_column, or_

from app.errors import RequestError
from app.graphql.values.values import Leaf
from app.query.plan.node_count import Cap
from app.query.plan.planning import Planning
from app.query.plan.row_ids import CursorCount, CursorValue, cursor_form, cursor_misfit
from app.query.plan.rows import Rows, TableRows
from app.query.plan.walk import Field
from app.query.read.ordering import Ordering, OrderKey
from app.query.read.ranges import CursorKey, Range, after, condition_after, condition_equal, from_the_edge
from app.query.sql.texts import integer_text


@dataclass(frozen=True, slots=True)
class Unsigned:
    """Converts a count to text. Raises RequestError if it is negative."""

    argument: str

    def __call__(self, value: Any) -> str | None:
        text = integer_text(value)
        if text is not None and text.startswith("-"):
            raise RequestError(f"`{self.argument}` must be an unsigned integer", code="BAD_USER_INPUT")
        return text


@dataclass(frozen=True, slots=True)
class PageSize:
    """Reads the size of a page: the requested number of rows, but at most ``most``.

    It steers the plan instead of being bound: PostgreSQL assumes that an unknown limit returns a tenth of all rows, and
    would plan the statement again at each execution (measured: a nested query takes twice the time).
    """

    argument: str
    most: int

    def __call__(self, value: Any) -> int:
        return min(int(Unsigned(self.argument)(value) or 0), self.most)


@dataclass(frozen=True, slots=True)
class Page:
    """A window of at most ``size`` rows on an ordered collection; ``backward`` picks them from the end."""

    planning: Planning
    size: int
    backward: bool
    cursor: Leaf | None
    offset: Leaf | None
    ordering: Ordering

    @property
    def starts_at_the_edge(self) -> bool:
        """Whether the page begins at the start of the collection, seen in the page's direction."""
        return self.cursor is None and self.offset is None

    @property
    def is_empty(self) -> bool:
        """Whether the page has no rows. The query may still read one, to see whether there is any."""
        return self.size == 0

    def limit(self, beyond: int = 0) -> ColumnElement[Any]:
        """The size of the page, plus ``beyond`` rows."""
        return literal_column(str(self.size + beyond))

    def skipped(self, equal_to_cursor: Callable[[], ColumnElement[Any]]) -> ColumnElement[Any] | None:
        """The number of rows to skip before the page, None for none; ``equal_to_cursor`` counts rows equal to the
        cursor."""
        offset = None if self.offset is None else self.planning.bind(self.offset, Unsigned("offset"), "bigint")
        if self.cursor is None or not self._counts_equal_rows:
            return offset
        before = self.planning.bind(self.cursor, CursorCount(len(self.ordering.keys)), "bigint")
        # Rows may have been deleted since the cursor was made, so no other rows than equal ones may be skipped.
        if self.backward:
            skipped = func.greatest(equal_to_cursor() - before, literal_column("0"))
        else:
            skipped = func.least(before + literal_column("1"), equal_to_cursor())
        return skipped if offset is None else skipped + offset

    def ranges_beyond(self, cursor: Leaf, rows: TableRows, most: int) -> Sequence[Range]:
        """At most ``most`` consecutive ranges of the rows that come after the cursor in the page's direction, or equal
        it if equal rows are counted. There is one with an offset, since each range has rows to skip."""
        keys = self._cursor_keys(cursor)
        if self._counts_equal_rows:
            return (Range((or_(condition_after(rows, keys), condition_equal(rows, keys)),)),)
        return after(rows, keys, most if self.offset is None else 1) or (Range((false(),)),)

    def ranges_from_the_edge(self, rows: TableRows, most: int) -> Sequence[Range]:
        """At most ``most`` consecutive ranges of all rows, in the page's direction; one with an offset."""
        if not self.ordering.keys or self.offset is not None:
            return (Range(),)
        first = self.ordering.keys[0]
        return from_the_edge(rows, first.reversed if self.backward else first, most)

    def equal_to_cursor(self, rows: Rows) -> ColumnElement[Any]:
        """The condition that a row is equal to the cursor in all keys of the order."""
        return condition_equal(rows, self._cursor_keys(cast(Leaf, self.cursor)))

    @property
    def _counts_equal_rows(self) -> bool:
        """Whether the cursor contains the number of equal rows before its own."""
        return self.cursor is not None and len(cursor_form(self.cursor.raw)) > len(self.ordering.keys)

    def _cursor_keys(self, cursor: Leaf) -> Sequence[CursorKey]:
        """The keys for which the cursor has values, in the page's direction, with these values. A column that the order
        has twice is left out where it decides nothing."""
        cursor.steer(cursor_form)
        nulls = cursor_form(cursor.raw)
        keys: list[CursorKey] = []
        for position, key in enumerate(self.ordering.keys[: len(nulls)]):
            if not any(key.is_decided_by(each) for each in self.ordering.keys[:position]):
                value = None if nulls[position] else self._cursor_value(cursor, position, key)
                keys.append(CursorKey(key.reversed if self.backward else key, value))
        return keys

    def _cursor_value(self, cursor: Leaf, position: int, key: OrderKey) -> ColumnElement[Any]:
        type_text = key.comparison.type_text
        type_name = "text" if key.comparison.printed_as_text else type_text
        return self.planning.bind(cursor, CursorValue(position, type_name), type_text)


def page_of(field: Field, most: int, ordering: Ordering) -> Page:
    """The page that the arguments of a collection's field select.

    Raises RequestError if they are out of range or contradict each other, or if the cursor does not fit the order.
    """
    first, last, before, after, offset = (
        field.arguments.get(name) for name in ("first", "last", "before", "after", "offset")
    )
    for name, value in (("first", first), ("last", last), ("offset", offset)):
        if value is not None:
            Unsigned(name)(value.raw)
    for cursor in (before, after):
        if cursor is not None:
            cursor_form(cursor.raw)
    for one, other, message in (
        (first, last, 'only one of "first" and "last" may be provided'),
        (before, after, 'only one of "before" and "after" may be provided'),
        (first, before, '"first" may only be used with "after"'),
        (last, after, '"last" may only be used with "before"'),
        (offset, last, '"offset" may only be used with "first" and "after"'),
        (offset, before, '"offset" may only be used with "first" and "after"'),
    ):
        if one is not None and other is not None:
            raise RequestError(message, code="BAD_USER_INPUT")
    cursor = before if before is not None else after
    if cursor is not None and len(cursor_form(cursor.raw)) > len(ordering.keys) + bool(ordering.ties):
        raise cursor_misfit()
    return Page(
        planning=field.planning,
        size=page_size(field, "first", most) if last is None else page_size(field, "last", most),
        backward=last is not None or before is not None,
        cursor=cursor,
        offset=offset,
        ordering=ordering,
    )


def page_size(field: Field, argument: str, most: int) -> int:
    """The page size that an argument of a field requests, but at most ``most``; ``most`` without the argument."""
    requested: Leaf | None = field.arguments.get(argument)
    if requested is None:
        return most
    size = PageSize(argument, most)
    requested.steer(size)
    if field.api.dialect.extended:
        field.planning.caps.append(Cap(field.walk.path, requested.source, most))
    return size(requested.raw)
