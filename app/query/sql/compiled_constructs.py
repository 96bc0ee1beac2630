"""Constructs that know their SQL: they take their place among those of SQLAlchemy, which has more to find out about its
own.

A plan consists of hundreds of constructs, and compiling SQLAlchemy's takes most of the time of planning. So there is
one here for each that every plan has many of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Boolean, Cast, ColumnClause, ColumnElement, FromClause, TableClause
from sqlalchemy.sql.elements import BinaryExpression
from sqlalchemy.sql.functions import Function
from sqlalchemy.sql.operators import and_, comma_op, custom_op
from sqlalchemy.sql.visitors import InternalTraversal
from sqlalchemy.types import NullType, TypeEngine, UserDefinedType

from app.database.identifiers import identifier


class PgType(UserDefinedType[Any]):
    """A PostgreSQL type by the text that ``format_type`` prints for it, which is quoted where it must be."""

    cache_ok = True

    def __init__(self, text: str) -> None:
        self.text = text

    def get_col_spec(self, **_: Any) -> str:
        return self.text


# A type keeps what SQLAlchemy finds out about it, so each is made once.
UNKNOWN = NullType()
_BOOLEAN = Boolean()
pg_type = lru_cache(1000)(PgType)


class _ComparisonOperator(custom_op[Any]):
    """An operator, of which there is one for each symbol: SQLAlchemy compares them often."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@lru_cache(1000)
def _operator(symbol: str) -> _ComparisonOperator:
    return _ComparisonOperator(symbol, is_comparison=True)


class WrittenSQL(Function[Any]):
    """Texts with the ``values`` between them, such as calls of functions with constants for most arguments."""

    _traverse_internals = (("values", InternalTraversal.dp_clauseelement_tuple),)  # type: ignore[assignment]

    def __init__(
        self,
        name: str,
        texts: Sequence[str],
        values: Iterable[ColumnElement[Any]],
        type_: TypeEngine[Any] = UNKNOWN,
    ) -> None:
        """``name`` is that of the outermost function. There is one text more than there are values."""
        # Without the list of arguments that SQLAlchemy makes for a function: nothing but its own compiler reads that.
        self.name = name
        self.type = type_
        self.texts = texts
        self.values = tuple([each.self_group(against=comma_op) for each in values])

    def _compiler_dispatch(self, visitor: Any, add_to_result_map: Any = None, **options: Any) -> str:
        texts = list(self.texts)
        for place, value in enumerate(self.values):
            texts[place] += value._compiler_dispatch(visitor, **options)
        return "".join(texts)

    @property
    def _from_objects(self) -> list[FromClause]:
        return [each for value in self.values for each in value._from_objects]


class Bound(ColumnElement[Any]):
    """A parameter of the statement by its name, as a value of a PostgreSQL type."""

    inherit_cache = False

    def __init__(self, name: str, type_text: str) -> None:
        self.name = name
        self.type = pg_type(type_text)
        self._type_text = type_text

    def _compiler_dispatch(self, visitor: Any, **_: Any) -> str:
        return f"CAST({visitor.bindparam_string(self.name)} AS {self._type_text})"

    @property
    def _from_objects(self) -> list[FromClause]:
        return []


class WrittenCast(Cast[Any]):
    """``CAST(expression AS type_text)``, which SQLAlchemy takes for a value of ``type_``."""

    inherit_cache = False

    def __init__(self, expression: ColumnElement[Any], type_: TypeEngine[Any], type_text: str) -> None:
        self.clause = expression
        self.type = type_
        self._type_text = type_text

    def _compiler_dispatch(self, visitor: Any, add_to_result_map: Any = None, **options: Any) -> str:
        return f"CAST({self.clause._compiler_dispatch(visitor, **options)} AS {self._type_text})"


class RowColumn(ColumnClause[Any]):
    """A column of rows that have a name."""

    inherit_cache = True
    _constructor = ColumnClause

    def __init__(self, name: str, rows: Any) -> None:
        super().__init__(name, UNKNOWN, _selectable=rows)
        owner = identifier(rows.name)
        self._owner = owner if rows.schema is None else f"{identifier(rows.schema)}.{owner}"

    def _compiler_dispatch(self, visitor: Any, include_table: bool = True, **_: Any) -> str:
        name = identifier(self.name)
        return f"{self._owner}.{name}" if include_table else name


class RowColumns(dict[str, RowColumn]):
    """The columns of rows that have a name; each is made when it is asked for."""

    def __init__(self, rows: FromClause) -> None:
        self._rows = rows

    def __missing__(self, name: str) -> RowColumn:
        column = self[name] = RowColumn(name, self._rows)
        return column


class WrittenComparison(BinaryExpression[bool]):
    """A condition by an operator of PostgreSQL's on two values."""

    inherit_cache = False

    def __init__(self, left: ColumnElement[Any], operator: str, right: ColumnElement[Any]) -> None:
        super().__init__(left, right, _operator(operator), _BOOLEAN)
        self.symbol = operator

    def _compiler_dispatch(self, visitor: Any, add_to_result_map: Any = None, **options: Any) -> str:
        left = self.left._compiler_dispatch(visitor, **options)
        return f"{left} {self.symbol} {self.right._compiler_dispatch(visitor, **options)}"


class InPlace(TableClause):
    """A table of that name; once it has a ``query``, or a call of a function, the rows of this, read where the table
    is."""

    def __init__(self, name: str, query: ColumnElement[Any] | None = None) -> None:
        super().__init__(name)
        self.query = query

    def _compiler_dispatch(self, visitor: Any, asfrom: bool = False, **_: Any) -> str:
        name = identifier(self.name)
        return name if self.query is None or not asfrom else f"{self.query._compiler_dispatch(visitor)} AS {name}"


class Query(ColumnElement[Any]):
    """A query in parentheses, whose only FROM element is known: one value, if it has one column and at most one row.

    ``columns`` have names, or None for a value that needs none. ``beforehand`` is a query that is read under a name.
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
        beforehand: tuple[str, Query] | None = None,
    ) -> None:
        self.columns = columns
        self.source = source
        self.conditions = conditions
        self.order = order
        self.limit = limit
        self.offset = offset
        self.beforehand = beforehand
        self.type = columns[0][0].type

    def _compiler_dispatch(self, visitor: Any, **_: Any) -> str:
        outer = visitor.stack[-1] if visitor.stack else visitor._default_stack_entry
        froms = set(self.source._from_objects)
        # Queries of SQLAlchemy's that stand in this one look here for what they are correlated to.
        visitor.stack.append({**outer, "asfrom_froms": froms, "correlate_froms": froms | outer["correlate_froms"]})
        text = "".join(self._parts(visitor))
        visitor.stack.pop()
        return text

    @property
    def _from_objects(self) -> list[FromClause]:
        return []

    def _parts(self, visitor: Any) -> Iterable[str]:
        if self.beforehand is None:
            yield "(SELECT "
        else:
            name, query = self.beforehand
            yield f"(WITH {identifier(name)} AS {query._compiler_dispatch(visitor)} SELECT "
        yield ", ".join([_named(value._compiler_dispatch(visitor), name) for value, name in self.columns])
        yield " FROM " + self.source._compiler_dispatch(visitor, asfrom=True)
        if self.conditions:
            yield " WHERE " + " AND ".join([each._compiler_dispatch(visitor) for each in anded(self.conditions)])
        if self.order:
            yield " ORDER BY " + ", ".join([each._compiler_dispatch(visitor) for each in self.order])
        if self.limit is not None:
            yield " LIMIT " + self.limit._compiler_dispatch(visitor)
        if self.offset is not None:
            yield " OFFSET " + self.offset._compiler_dispatch(visitor)
        yield ")"


def _named(text: str, name: str | None) -> str:
    return text if name is None else f"{text} AS {identifier(name)}"


def anded(conditions: Sequence[ColumnElement[Any]]) -> Sequence[ColumnElement[Any]]:
    """Conditions in parentheses where they need them to be joined by AND."""
    return conditions if len(conditions) == 1 else [each.self_group(against=and_) for each in conditions]
