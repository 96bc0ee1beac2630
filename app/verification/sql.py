"""The SQL side: runs statements as the compared role, on its own connection, in transactions that change nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from functools import reduce
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, bindparam, func, select

from app.database.url.url import parse_database_url
from app.database.wire.connect import connect
from app.database.wire.failure import StatementError
from app.database.wire.statement import Statement
from app.database.wire.tls import tls_context
from app.query.sql.compiling import DIALECT
from app.query.sql.constructs import MAX_ARGUMENTS, cast_to
from app.verification.result import Failure, ResultOrFailure, Value

_CONTEXT = Statement(
    "select pg_catalog.set_config('role', $1, true), pg_catalog.set_config('statement_timeout', $2, true),"
    " pg_catalog.set_config('transaction_read_only', $3, true)"
)


class Sql:
    """A connection to ``database_url`` that sets ``role`` for each statement. Must be closed."""

    def __init__(self, database_url: str, role: str, *, timeout_ms: int) -> None:
        target = parse_database_url(database_url)
        self._connection = connect(target, tls_context(target), prepared_limit=0)
        self._role = role
        self._timeout = str(timeout_ms)

    def value(self, query: Select[Any]) -> ResultOrFailure:
        """The single JSON value that a query returns; numbers with a fraction are Decimal."""
        return self._run(*_text(query), read_only=True)

    def try_statement(self, statement: Any) -> ResultOrFailure:
        """Run a statement that returns nothing, check deferred constraints, and roll back. The result says whether it
        succeeded."""
        self._connection.simple("begin")
        try:
            return self._run(*_text(statement), read_only=False)
        finally:
            self._connection.simple("rollback")

    def close(self) -> None:
        self._connection.close()

    def _run(self, sql: str, values: Sequence[bytes | None], *, read_only: bool) -> ResultOrFailure:
        context = [each.encode() for each in (self._role, self._timeout, "on" if read_only else "off")]
        steps = [(_CONTEXT, context, ""), (Statement(sql), values, "")]
        if not read_only:
            steps.append((Statement("set constraints all immediate"), (), ""))
        try:
            rows = self._connection.pipeline(steps)[1]
        except StatementError as ex:
            return Failure(ex.diagnosis.message, sqlstate=ex.diagnosis.sqlstate)
        text = rows[0][0] if rows else None
        return Value(None if text is None else json.loads(text, parse_float=Decimal))


def _text(statement: Any) -> tuple[str, list[bytes | None]]:
    made = statement.compile(dialect=DIALECT)
    names = made.__dict__.get("numbers", {})
    return str(made), [None if made.params[each] is None else str(made.params[each]).encode() for each in names]


def typed(text: str | None, type_text: str) -> ColumnElement[Any]:
    """A parameter: the text of a value, cast to its PostgreSQL type."""
    return cast_to(bindparam(None, text), type_text)


def listed(rows: FromClause) -> Select[Any]:
    """All rows of a subquery, in the order of the subquery, as a JSON array of arrays."""
    columns = list(rows.c)
    if len(columns) <= MAX_ARGUMENTS:
        row: ColumnElement[Any] = func.json_build_array(*columns)
    else:
        # A call has too few arguments for all columns, and only jsonb arrays can be concatenated.
        parts = (columns[start : start + MAX_ARGUMENTS] for start in range(0, len(columns), MAX_ARGUMENTS))
        row = reduce(lambda one, other: one.op("||")(other), (func.jsonb_build_array(*each) for each in parts))
    return select(func.coalesce(func.json_agg(row), _EMPTY))


_EMPTY = cast_to(bindparam(None, "[]"), "json")
