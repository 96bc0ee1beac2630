"""SQLAlchemy constructs that write their own SQL text, which is faster than compiling SQLAlchemy's.

A plan consists of hundreds of constructs, and compiling SQLAlchemy's own takes most of the time of planning. So the
most frequent constructs of a plan are replaced by those in this file. Both kinds can be combined in one expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Boolean, Cast, ColumnElement, FromClause, TableClause
from sqlalchemy.sql.elements import BinaryExpression
from sqlalchemy.sql.functions import Function
from sqlalchemy.sql.operators import and_, comma_op, custom_op
from sqlalchemy.types import NullType, TypeEngine, UserDefinedType

from app.database.identifiers import identifier
from app.query.sql.sqlalchemy_internals import (
    ColumnOf,
    enter_query,
    leave_query,
    self_compiling,
    sources_of,
    text_of,
)


class PgType(UserDefinedType[Any]):
    """A PostgreSQL type, by the text that ``format_type`` prints for it, which is already quoted."""

    cache_ok = True

    def __init__(self, text: str) -> None:
        self.text = text

    def get_col_spec(self, **_: Any) -> str:
        return self.text


# A type object caches what SQLAlchemy computes for it, so each type is created once.
UNKNOWN = NullType()
BOOLEAN = Boolean()
pg_type = lru_cache(1000)(PgType)


class _ComparisonOperator(custom_op[Any]):
    """An operator, compared by identity because SQLAlchemy compares operators often. There is one for each symbol."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@lru_cache(1000)
def _operator(symbol: str) -> _ComparisonOperator:
    return _ComparisonOperator(symbol, is_comparison=True)


@self_compiling
class WrittenSQL(Function[Any]):
    """Constant SQL texts with ``values`` between them, such as a function call in which most arguments are
    constants."""

    children = ("values",)

    def __init__(
        self,
        name: str,
        texts: Sequence[str],
        values: Iterable[ColumnElement[Any]],
        type_: TypeEngine[Any] = UNKNOWN,
    ) -> None:
        """``name``: the name of the outermost function. There is one text more than there are values."""
        # The base class's constructor is not called: it builds a list of arguments that only its own compiler needs.
        self.name = name
        self.type = type_
        self.texts = texts
        self.values = tuple([each.self_group(against=comma_op) for each in values])

    def write(self, compiler: Any, add_to_result_map: Any = None, **options: Any) -> str:
        texts = list(self.texts)
        for place, value in enumerate(self.values):
            texts[place] += text_of(value, compiler, **options)
        return "".join(texts)

    def sources(self) -> list[FromClause]:
        return [each for value in self.values for each in sources_of(value)]


@self_compiling
class Bound(ColumnElement[Any]):
    """A parameter of the statement, cast to a PostgreSQL type."""

    inherit_cache = False

    def __init__(self, name: str, type_text: str) -> None:
        self.name = name
        self.type = pg_type(type_text)
        self._type_text = type_text

    def write(self, compiler: Any, **_: Any) -> str:
        return f"CAST({compiler.bindparam_string(self.name)} AS {self._type_text})"

    def sources(self) -> list[FromClause]:
        return []


@self_compiling
class WrittenCast(Cast[Any]):
    """``CAST(expression AS type_text)``; its type in SQLAlchemy is ``type_``."""

    inherit_cache = False

    def __init__(self, expression: ColumnElement[Any], type_: TypeEngine[Any], type_text: str) -> None:
        self.clause = expression
        self.type = type_
        self._type_text = type_text

    def write(self, compiler: Any, add_to_result_map: Any = None, **options: Any) -> str:
        return f"CAST({text_of(self.clause, compiler, **options)} AS {self._type_text})"


@self_compiling
class RowColumn(ColumnOf):
    """A column of rows with an alias."""

    inherit_cache = True

    def __init__(self, name: str, rows: Any) -> None:
        super().__init__(name, UNKNOWN, rows)
        owner = identifier(rows.name)
        self._owner = owner if rows.schema is None else f"{identifier(rows.schema)}.{owner}"

    def write(self, compiler: Any, include_table: bool = True, **_: Any) -> str:
        name = identifier(self.name)
        return f"{self._owner}.{name}" if include_table else name


class RowColumns(dict[str, RowColumn]):
    """The columns of rows with an alias, by name; each is created on first use."""

    def __init__(self, rows: FromClause) -> None:
        self._rows = rows

    def __missing__(self, name: str) -> RowColumn:
        column = self[name] = RowColumn(name, self._rows)
        return column


@self_compiling
class WrittenComparison(BinaryExpression[bool]):
    """A condition: a PostgreSQL operator on two values."""

    inherit_cache = False

    def __init__(self, left: ColumnElement[Any], operator: str, right: ColumnElement[Any]) -> None:
        super().__init__(left, right, _operator(operator), BOOLEAN)
        self.symbol = operator

    def write(self, compiler: Any, add_to_result_map: Any = None, **options: Any) -> str:
        left = text_of(self.left, compiler, **options)
        return f"{left} {self.symbol} {text_of(self.right, compiler, **options)}"


@self_compiling
class InPlace(TableClause):
    """A table of that name. If ``query`` is set, which may be a function call, it is written in FROM in place of the
    table, with the name as its alias."""

    def __init__(self, name: str, query: ColumnElement[Any] | None = None) -> None:
        super().__init__(name)
        self.query = query

    def write(self, compiler: Any, asfrom: bool = False, **_: Any) -> str:
        name = identifier(self.name)
        return name if self.query is None or not asfrom else f"{text_of(self.query, compiler)} AS {name}"


@self_compiling
class Query(ColumnElement[Any]):
    """A query in parentheses with a single FROM element. It is a value if it has one column and at most one row.

    ``columns``: expressions with their names; None for a column without a name. ``beforehand``: the name and the query
    of a common table expression.
    """

    inherit_cache = False

    def __init__(
        self,
        columns: Sequence[tuple[ColumnElement[Any], str | None]],
        source: FromClause,
        conditions: Sequence[ColumnElement[Any]] = (),
        order: Sequence[ColumnElement[Any]] = (),
        limit: ColumnElement[Any] | None = None,
        offset: ColumnElement[Any] | None = None,
        beforehand: tuple[str, Query | Consecutive] | None = None,
    ) -> None:
        self.columns = columns
        self.source = source
        self.conditions = conditions
        self.order = order
        self.limit = limit
        self.offset = offset
        self.beforehand = beforehand
        self.type = columns[0][0].type

    def write(self, compiler: Any, **_: Any) -> str:
        enter_query(compiler, sources_of(self.source))
        text = "".join(self._parts(compiler))
        leave_query(compiler)
        return text

    def sources(self) -> list[FromClause]:
        return []

    def _parts(self, compiler: Any) -> Iterable[str]:
        if self.beforehand is None:
            yield "(SELECT "
        else:
            name, query = self.beforehand
            yield f"(WITH {identifier(name)} AS {text_of(query, compiler)} SELECT "
        yield ", ".join([_named(text_of(value, compiler), name) for value, name in self.columns])
        yield " FROM " + text_of(self.source, compiler, asfrom=True)
        if self.conditions:
            yield " WHERE " + " AND ".join([text_of(each, compiler) for each in anded(self.conditions)])
        if self.order:
            yield " ORDER BY " + ", ".join([text_of(each, compiler) for each in self.order])
        if self.limit is not None:
            yield " LIMIT " + text_of(self.limit, compiler)
        if self.offset is not None:
            yield " OFFSET " + text_of(self.offset, compiler)
        yield ")"


@self_compiling
class Consecutive(ColumnElement[Any]):
    """At most ``limit`` rows of several queries, one query after the other, in parentheses.

    Each of the queries has a LIMIT. PostgreSQL runs such queries in their order, and a later one only if the earlier
    ones return fewer rows than are needed: it does not run queries with a LIMIT in parallel. Only queries on foreign
    tables may be run at the same time."""

    inherit_cache = False

    def __init__(self, queries: Sequence[Query], limit: ColumnElement[Any]) -> None:
        self.queries = queries
        self.limit = limit
        self.type = queries[0].type

    def write(self, compiler: Any, **_: Any) -> str:
        queries = " UNION ALL ".join([text_of(each, compiler) for each in self.queries])
        return f"({queries} LIMIT {text_of(self.limit, compiler)})"

    def sources(self) -> list[FromClause]:
        return []


def _named(text: str, name: str | None) -> str:
    return text if name is None else f"{text} AS {identifier(name)}"


def anded(conditions: Sequence[ColumnElement[Any]]) -> Sequence[ColumnElement[Any]]:
    """The conditions, in parentheses where they need these to be joined by AND."""
    return conditions if len(conditions) == 1 else [each.self_group(against=and_) for each in conditions]
