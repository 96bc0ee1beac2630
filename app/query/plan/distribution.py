"""One node for a request: what a statement says of the column by which Citus spreads rows.

Citus answers a nested query as PostgreSQL does if one node has all its rows, and it only knows that if every table of
the statement is compared with the same parameter. So the value that a statement gives for the distribution column of
some rows is repeated for the rows that belong to them and are spread alike. They are equal in it anyway, so that this
changes no answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Boolean, ColumnElement, FromClause, and_
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import BooleanClauseList, Grouping

from app.errors import RequestError
from app.query.sql.comparison import USUAL_OPERATORS, compared
from app.query.sql.compiled_constructs import Bound, WrittenComparison
from app.query.sql.sqlalchemy_internals import self_compiling, sources_of, text_of

CLAIM = "@claim"
"""The name under which a request's variables hold the value that its caller has for distribution columns (CITUS_CLAIM).
No variable of a document is called so."""


class Shard:
    """The one value that rows have in their distribution column, as far as the statement tells. It may be told only
    after SQL was made that depends on it, but before that is compiled. ``claimed`` is the caller's own value, which all
    rows must have that a request reads or changes."""

    def __init__(self, claimed: ColumnElement[Any] | None = None) -> None:
        self.claimed = claimed
        self._own = claimed
        self._followed: Shard | None = None

    @property
    def value(self) -> ColumnElement[Any] | None:
        """A parameter with the value; None if the rows may have several."""
        if self._own is not None or self._followed is None:
            return self._own
        return self._followed.value

    def follow(self, other: Shard) -> None:
        """Note that the rows have the value of others."""
        self._followed = other

    def learn(self, column: ColumnElement[Any], conditions: Iterable[ColumnElement[Any]]) -> None:
        """Note the parameter that one of the conditions, all of which hold, says that the ``column`` equals."""
        if self._own is None:
            self._own = next(_parameters(column, conditions), None)


_FULL_NAME = "OPERATOR(pg_catalog.=)"


def _parameters(column: ColumnElement[Any], conditions: Iterable[ColumnElement[Any]]) -> Iterator[ColumnElement[Any]]:
    for each in conditions:
        condition = each.element if isinstance(each, Grouping) else each
        if isinstance(condition, BooleanClauseList) and condition.operator is operators.and_:
            yield from _parameters(column, condition.clauses)
        elif (
            isinstance(condition, WrittenComparison)
            and condition.left is column
            and condition.symbol in (USUAL_OPERATORS.equal, _FULL_NAME)
            and isinstance(condition.right, Bound)
        ):
            yield condition.right


@self_compiling
class OnOneNode(ColumnElement[bool]):
    """That a row of one table belongs to a row of another, as ``linked`` says, and that ``column`` has the value of
    ``shard``, where that is known when this is compiled."""

    inherit_cache = False
    type = Boolean()

    def __init__(self, linked: ColumnElement[bool], column: ColumnElement[Any], shard: Shard) -> None:
        self.linked = linked
        self.column = column
        self.shard = shard

    def sources(self) -> Sequence[FromClause]:
        return sources_of(self.linked)

    def write(self, compiler: Any, **options: Any) -> str:
        value = self.shard.value
        whole = self.linked if value is None else and_(self.linked, equal_to(self.column, value))
        return text_of(whole.self_group(), compiler, **options)


def equal_to(column: ColumnElement[Any], value: ColumnElement[Any]) -> ColumnElement[Any]:
    return compared(column, USUAL_OPERATORS.equal, value)


def claim_text(value: Any) -> str:
    """A claim as text. Raises RequestError for one that is no single value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise RequestError("The claim that CITUS_CLAIM names must be a string or a number", code="BAD_USER_INPUT")
