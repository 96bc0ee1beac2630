"""Pages: the part of an ordered collection that first, last, before, after and offset select."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import ColumnElement, and_, false, func, literal_column, or_, true, tuple_

from app.errors import RequestError
from app.graphql.values.values import Leaf
from app.query.plan.node_count import Cap
from app.query.plan.planning import Planning
from app.query.plan.row_ids import CursorCount, CursorValue, cursor_form, cursor_misfit
from app.query.plan.rows import Rows
from app.query.plan.walk import Field
from app.query.read.ordering import Ordering, OrderKey
from app.query.sql.comparison import USUAL_OPERATORS
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

    def beyond_cursor(self, rows: Rows) -> ColumnElement[Any] | None:
        """The condition that a row comes after the cursor in the page's direction, or equals it if equal rows are
        counted; None without a cursor."""
        if self.cursor is None:
            return None
        keys, values = self._cursor_values(self.cursor)
        beyond = _after(rows, keys, values)
        return or_(beyond, _equal(rows, keys, values)) if self._counts_equal_rows else beyond

    def equal_to_cursor(self, rows: Rows) -> ColumnElement[Any]:
        """The condition that a row is equal to the cursor in all keys of the order."""
        return _equal(rows, *self._cursor_values(cast(Leaf, self.cursor)))

    @property
    def _counts_equal_rows(self) -> bool:
        """Whether the cursor contains the number of equal rows before its own."""
        return self.cursor is not None and len(cursor_form(self.cursor.raw)) > len(self.ordering.keys)

    def _cursor_values(self, cursor: Leaf) -> tuple[Sequence[OrderKey], Sequence[ColumnElement[Any] | None]]:
        """The keys for which the cursor has values, in the page's direction, and these values, None for null."""
        cursor.steer(cursor_form)
        nulls = cursor_form(cursor.raw)
        keys = [key.reversed if self.backward else key for key in self.ordering.keys[: len(nulls)]]
        values = [
            None if nulls[position] else self._cursor_value(cursor, position, key) for position, key in enumerate(keys)
        ]
        return keys, values

    def _cursor_value(self, cursor: Leaf, position: int, key: OrderKey) -> ColumnElement[Any]:
        type_text = key.comparison.type_text
        type_name = "text" if key.comparison.printed_as_text else type_text
        return self.planning.bind(cursor, CursorValue(position, type_name), type_text)


def _after(rows: Rows, keys: Sequence[OrderKey], values: Sequence[ColumnElement[Any] | None]) -> ColumnElement[Any]:
    """The condition that a row comes strictly after ``values`` in the order of ``keys``."""
    known = [value for value in values if value is not None]
    one_direction = {key.descending for key in keys}
    is_usual = all(key.not_null and key.comparison.operators == USUAL_OPERATORS for key in keys)
    if len(known) == len(keys) > 1 and len(one_direction) == 1 and is_usual:
        # A single row comparison can use an index on all columns.
        left, right = tuple_(*(key.value(rows) for key in keys)), tuple_(*known)
        return left < right if keys[0].descending else left > right
    condition: ColumnElement[Any] = false()
    for key, value in zip(reversed(keys), reversed(values), strict=True):
        beyond = _beyond(rows, key, value)
        equal = _is_equal(rows, key, value)
        condition = beyond if condition.compare(false()) else or_(beyond, and_(equal, condition))
    return condition


def _equal(rows: Rows, keys: Sequence[OrderKey], values: Sequence[ColumnElement[Any] | None]) -> ColumnElement[Any]:
    """The condition that a row is equal to ``values`` in ``keys``."""
    return and_(true(), *(_is_equal(rows, key, value) for key, value in zip(keys, values, strict=True)))


def _is_equal(rows: Rows, key: OrderKey, value: ColumnElement[Any] | None) -> ColumnElement[Any]:
    return key.is_null(rows) if value is None else key.equal(rows, value)


def _beyond(rows: Rows, key: OrderKey, value: ColumnElement[Any] | None) -> ColumnElement[Any]:
    if value is None:
        return key.is_not_null(rows) if key.nulls_first else false()
    beyond = key.beyond(rows, value)
    if key.nulls_first or key.not_null:
        return beyond
    return or_(beyond, key.is_null(rows))


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
