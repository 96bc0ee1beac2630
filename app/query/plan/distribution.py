"""Restricts a statement to one node of Citus, by comparisons with the distribution column.

Citus answers a nested query like PostgreSQL if one node has all its rows. It recognizes that only if every table of the
statement is compared with the same parameter. So the value that a statement requires for the distribution column of
some rows is repeated for related rows with the same distribution. These have that value anyway, so no response changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Boolean, ColumnElement, FromClause, and_, not_
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import BooleanClauseList, Grouping

from app.errors import RequestError
from app.query.sql.comparison import USUAL_OPERATORS, compared, is_distinct
from app.query.sql.compiled_constructs import Bound, WrittenComparison
from app.query.sql.sqlalchemy_internals import self_compiling, sources_of, text_of

CLAIM = "@claim"
"""The variable with the caller's value for distribution columns, from the claim CITUS_CLAIM. No variable of a document
can have this name."""


Requirement = Callable[[], None]


class Shard:
    """The value of the distribution column of some rows, if the statement restricts them to one value. It may be found
    after SQL that depends on it was made, but before that SQL is compiled. ``claimed``: the caller's own value, which
    all rows must have that a request reads or changes. ``is_result``: the rows are those of a function or a change, not
    of a table."""

    def __init__(
        self,
        claimed: ColumnElement[Any] | None = None,
        value: ColumnElement[Any] | None = None,
        *,
        is_result: bool = False,
    ) -> None:
        self.claimed = claimed
        self.is_result = is_result
        self._own = value if claimed is None else claimed
        self._followed: Shard | None = None
        self._requirement: Requirement | None = None

    @property
    def value(self) -> ColumnElement[Any] | None:
        """A parameter with the value; None if the rows may have several."""
        if self._own is not None or self._followed is None:
            return self._own
        return self._followed.value

    def require(self, requirement: Requirement) -> None:
        """Let ``check`` call ``requirement``, which raises RequestError unless one server has what the rows need."""
        self._requirement = requirement

    def check(self) -> None:
        """Raise RequestError if a requirement is not met. All values must be known that are ever known."""
        if self._requirement is not None:
            self._requirement()

    def follow(self, other: Shard) -> None:
        """Take the value from ``other``, whose rows these are related to."""
        self._followed = other

    def learn(self, column: ColumnElement[Any], conditions: Iterable[ColumnElement[Any]]) -> None:
        """Find the value in ``conditions``, all of which hold: the parameter that one of them compares with
        ``column``."""
        if self._own is None:
            self._own = next(_parameters(column, conditions), None)


def claimed_rows(
    column: ColumnElement[Any], claimed: ColumnElement[Any], conditions: Iterable[ColumnElement[Any]]
) -> list[ColumnElement[Any]]:
    """The conditions on rows whose distribution ``column`` has the caller's value. Another value that the request names
    is compared so that Citus does not use it to find a shard: it fails to change rows if no shard has both values."""
    narrowed: Iterable[Any] = (_not_for_shards(claimed, column, each) for each in conditions)
    return [equal_to(column, claimed), *narrowed]


def _not_for_shards(claimed: ColumnElement[Any], column: ColumnElement[Any], condition: ColumnElement[Any]) -> Any:
    own: Any = condition.element if isinstance(condition, Grouping) else condition
    if isinstance(own, BooleanClauseList) and own.operator is operators.and_:
        return and_(*(_not_for_shards(claimed, column, each) for each in own.clauses))
    value = next(_parameters(column, [own]), None)
    if value is None or value is claimed:
        return condition
    return not_(is_distinct(column, value, USUAL_OPERATORS))


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
    """The condition ``linked`` that a row is related to a row of another table, and that its ``column`` has the value
    of ``shard``, if that is known when this is compiled."""

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
    """A claim as text. Raises RequestError unless it is a string, a number or a boolean."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise RequestError("The claim that CITUS_CLAIM names must be a string or a number", code="BAD_USER_INPUT")
