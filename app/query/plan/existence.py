"""Conditions that rows exist, and a limit on how many of one query PostgreSQL plans as joins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Exists, Select, not_
from sqlalchemy.sql.elements import BooleanClauseList, Grouping
from sqlalchemy.sql.operators import and_

from app.query.sql.sqlalchemy_internals import self_compiling, text_of

MOST_JOINED = 5
"""How many conditions of one query PostgreSQL may plan as joins."""


@self_compiling
class Existence(Exists):
    """``EXISTS (query)``, or its negation if ``is_denied``. ``conditions``: the conditions of the query, which may
    contain further existences.

    By default PostgreSQL joins the query's rows with the outer rows; it plans all joins of a statement together. If
    ``is_apart`` is set, the condition is written so that PostgreSQL evaluates it for each outer row instead, by an
    index or a hash table.
    """

    inherit_cache = False

    def __init__(
        self, query: Select[Any], conditions: Sequence[ColumnElement[Any]], *, is_denied: bool = False
    ) -> None:
        super().__init__(query)
        self.query = query
        self.conditions = conditions
        self.is_denied = is_denied
        self.is_apart = False

    def __invert__(self) -> Existence:
        return Existence(self.query, self.conditions, is_denied=not self.is_denied)

    def write(self, compiler: Any, **options: Any) -> str:
        condition: ColumnElement[Any] = not_(self.query.exists()) if self.is_denied else self.query.exists()
        text = text_of(condition, compiler, **options)
        # Inside CASE it cannot become a join. The IS NOT NULL is for the estimate: a plain condition counts as true for
        # half of the rows, so with many of them PostgreSQL would expect no rows and plan the joins accordingly. For IS
        # NOT NULL it expects nearly all rows.
        return f"(CASE WHEN {text} THEN 1 END IS NOT NULL)" if self.is_apart else text


def join_few(conditions: Iterable[ColumnElement[Any]]) -> None:
    """Set ``is_apart`` for all but the first MOST_JOINED existences that PostgreSQL would join with the rows of a query
    with these ``conditions``.

    Measured planning times of PostgreSQL 15 for existences that compare one column: 6 to 35 s for fifty, 1 s for
    twenty, 0.1 to 0.4 s for eight, and less than 0.05 s for five.
    """
    left = MOST_JOINED
    pending: list[Any] = [*conditions][::-1]
    while pending:
        each = pending.pop()
        if isinstance(each, Existence):
            left -= 1
            if left < 0:
                each.is_apart = True
                join_few(each.conditions)
            else:
                pending.extend(reversed(each.conditions))
        elif isinstance(each, BooleanClauseList) and each.operator is and_:
            pending.extend(reversed(each.clauses))
        elif isinstance(each, Grouping):
            pending.append(each.element)
        else:
            for other in _within(each):
                join_few(other.conditions)


def _within(condition: Any) -> Iterator[Existence]:
    """The outermost existences inside a condition, at any depth."""
    if isinstance(condition, Existence):
        yield condition
    else:
        for each in condition.get_children():
            yield from _within(each)
