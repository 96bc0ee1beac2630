"""The few SQL constructs that every GraphQL field is made of, as SQLAlchemy Core expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnClause,
    ColumnElement,
    CompoundSelect,
    FromClause,
    Select,
    Subquery,
    TableClause,
    Text,
    cast,
    literal_column,
)
from sqlalchemy.dialects.postgresql.base import PGCompiler
from sqlalchemy.dialects.postgresql.pg8000 import PGDialect_pg8000, PGIdentifierPreparer_pg8000
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import Grouping
from sqlalchemy.sql.functions import Function
from sqlalchemy.sql.operators import comma_op
from sqlalchemy.sql.visitors import InternalTraversal
from sqlalchemy.types import NullType, UserDefinedType

from app.errors import Diagnosis

MAX_ARGUMENTS = 100
"""PostgreSQL takes at most this many arguments of one function call (FUNC_MAX_ARGS)."""


class _Compiler(PGCompiler):
    """Writes the number of each parameter where it stands.

    SQLAlchemy's own numbering looks for its marks in the finished text. It finds them in identifiers and constants
    too: a table called ``t%(p1)s`` would become ``t$1``, which may be another one.
    """

    def bindparam_string(self, name: str, *_: Any, **options: Any) -> str:
        numbers: dict[str, int] = self.__dict__.setdefault("numbers", {})
        return f"${numbers.setdefault(name, len(numbers) + 1)}"

    def visit_written(self, written: WrittenSQL, add_to_result_map: Any = None, **options: Any) -> str:
        texts = list(written.texts)
        for place, value in enumerate(written.values):
            texts[place] += value._compiler_dispatch(self, **options)
        return "".join(texts)


class _Preparer(PGIdentifierPreparer_pg8000):
    """Quotes whatever is not entirely plain: SQLAlchemy's own pattern takes a name for plain that ends in a newline,
    so ``t\\n`` would be the table ``t``."""

    legal_characters = re.compile(r"[A-Z0-9_$]+\Z", re.ASCII | re.IGNORECASE)


class _Dialect(PGDialect_pg8000):
    statement_compiler = _Compiler  # type: ignore[assignment]
    preparer = _Preparer
    supports_statement_cache = True


DIALECT = _Dialect(paramstyle="named")  # type: ignore[no-untyped-call]
"""What all SQL is compiled for: PostgreSQL as the wire speaks it, where a percent sign has no special meaning."""


def compiled(query: Select[Any]) -> tuple[str, tuple[str, ...]]:
    """The text of a query, and the names of its parameters in the order of their numbers."""
    made = query.compile(dialect=DIALECT)
    return str(made), tuple(made.__dict__.get("numbers", ()))


_PREPARER = _Preparer(DIALECT)  # type: ignore[no-untyped-call]


class PgType(UserDefinedType[Any]):
    """A PostgreSQL type by the text that ``format_type`` prints for it, which is quoted where it must be."""

    cache_ok = True

    def __init__(self, text: str) -> None:
        self.text = text

    def get_col_spec(self, **_: Any) -> str:
        return self.text


class JsonText(Text):
    """Text that is JSON."""

    cache_ok = True


# A type keeps what SQLAlchemy finds out about it, so each is made once.
_TEXT = Text()
JSON_TEXT = JsonText()
_UNKNOWN = NullType()
_type = lru_cache(1000)(PgType)


def cast_to(expression: ColumnElement[Any], type_text: str) -> ColumnElement[Any]:
    """``CAST(expression AS type_text)``; ``type_text`` comes from the catalog, never from a caller."""
    return cast(expression, _type(type_text))


_LENGTH = re.compile(r"(character varying|character|bit varying|bit)\(\d+\)")
_WITHOUT_LENGTH = {"character": "bpchar", "bit": '"bit"'}


def uncut(type_text: str) -> str:
    """A type without its length: a cast to char(n), varchar(n), bit(n) or varbit(n) cuts what is longer."""
    match = _LENGTH.match(type_text)
    if match is None:
        return type_text
    return _WITHOUT_LENGTH.get(match[1], match[1]) + type_text[match.end() :]


def quoted(name: str) -> str:
    """An identifier as PostgreSQL reads it, quoted by SQLAlchemy's rules."""
    return _PREPARER.quote_identifier(name)


class FunctionCall(Function[Any]):
    """A call of a function of the database. SQLAlchemy's own construct compiles some names, such as ``pow``, to other
    SQL, and applies formatting to names."""

    def __init__(self, schema: str, name: str, arguments: Sequence[ColumnElement[Any]]) -> None:
        super().__init__(name, *arguments)
        self.full_name = f"{quoted(schema)}.{quoted(name)}"


@compiles(FunctionCall)
def _call_by_full_name(call: FunctionCall, compiler: SQLCompiler, **options: Any) -> str:
    numbered = " WITH ORDINALITY" if call._with_ordinality else ""
    return call.full_name + compiler.function_argspec(call, **options) + numbered


def named_argument(name: str, value: ColumnElement[Any], *, variadic: bool = False) -> ColumnElement[Any]:
    """``name => value``, as a call of a function takes it."""
    return literal_column(f"VARIADIC {quoted(name)}" if variadic else quoted(name)).op("=>")(value)


def member_of(value: ColumnElement[Any], name: str) -> ColumnElement[Any]:
    """``(value).name``, a member of a composite value."""
    return Grouping(value).op(".", precedence=100)(literal_column(quoted(name)))


def as_text(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    return expression if isinstance(expression.type, JsonText) else cast(expression, _TEXT)


def constant(text: str) -> ColumnElement[Any]:
    """A quoted string constant in the SQL text, for names that are part of the plan."""
    return Constant(text)


class Constant(ColumnClause[Any]):
    """A quoted string constant: ``content`` without the quotes."""

    def __init__(self, content: str) -> None:
        super().__init__(as_constant(content), is_literal=True)
        self.content = content


def as_constant(text: str) -> str:
    """A string as a constant in SQL text."""
    return "'" + text.replace("'", "''") + "'"


class WrittenSQL(Function[Any]):
    """Calls of functions with constants for most arguments, written as texts before, between and behind the ``values``:
    as a construct for each call and constant they would cost a fifth of planning."""

    __visit_name__ = "written"
    _traverse_internals = (("values", InternalTraversal.dp_clauseelement_tuple),)  # type: ignore[assignment]

    def __init__(self, name: str, texts: Sequence[str], values: Iterable[ColumnElement[Any]]) -> None:
        """``name`` is that of the outermost function. There is one text more than there are values."""
        # Without the list of arguments that SQLAlchemy makes for a function: nothing but its own compiler reads that.
        self.name = name
        self.type = _UNKNOWN
        self.texts = texts
        self.values = tuple([each.self_group(against=comma_op) for each in values])

    @property
    def _from_objects(self) -> list[FromClause]:
        return [each for value in self.values for each in value._from_objects]


def call(name: str, *arguments: ColumnElement[Any]) -> Function[Any]:
    """A call of one of PostgreSQL's own functions, for those of which a plan has very many: ``func`` has more to do."""
    return WrittenSQL(name, (f"{name}(", *([", "] * (len(arguments) - 1)), ")"), arguments)


def jsonb_array(values: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    """A jsonb array of ``values``, which may be more than a call takes."""
    starts = range(0, max(len(values), 1), MAX_ARGUMENTS)
    array, *others = (call("jsonb_build_array", *values[start : start + MAX_ARGUMENTS]) for start in starts)
    joined: ColumnElement[Any] = array
    for each in others:
        joined = joined.concat(each)
    return joined


def row_text(columns: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    """The text of a row of ``columns``, of whatever types."""
    return as_text(Function("ROW", *columns))


def base64_of_json(values: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    """Standard base64 without line breaks of the text of a jsonb array of ``values``."""
    array = as_text(jsonb_array(values))
    return WrittenSQL("translate", ("translate(encode(convert_to(", ", 'UTF8'), 'base64'), E'\\n', '')"), (array,))


def computed_first(query: Select[Any] | CompoundSelect[Any], name: str) -> Subquery:
    """The rows of a query, whose columns PostgreSQL computes before it compares them with those of a table.

    A comparison with an expression, such as a cast, is not known to leak nothing: of a table with policies PostgreSQL
    would read every row, and ask it of those that the policies admit, instead of using an index.
    """
    return query.offset(literal_column("0")).subquery(name)


class InPlace(TableClause):
    """A table of that name; once it has a ``query``, the rows of this, read where the table is."""

    query: Select[Any] | None = None


@compiles(InPlace)
def _in_place(rows: InPlace, compiler: SQLCompiler, asfrom: bool = False, **options: Any) -> str:
    if rows.query is None or not asfrom:
        name: str = compiler.visit_table(rows, asfrom=asfrom, **options)  # type: ignore[no-untyped-call]
        return name
    return f"({compiler.process(rows.query, asfrom=True)}) AS {compiler.preparer.quote(rows.name)}"


def one_row(query: Select[Any]) -> Select[Any]:
    """An aggregate ``query`` that returns one row even if no aggregate is selected."""
    return query.having(literal_column("true"))


FAILURE_MARK = "portico: "
"""Marks our message within PostgreSQL's message of a failed conversion."""

INVALID_TEXT_REPRESENTATION = "22P02"


def fail_with(message: str, because: ColumnElement[Any]) -> ColumnElement[Any]:
    """An expression of type text that fails with ``message`` when it is evaluated, and so undoes the transaction.

    PostgreSQL has no function that only raises an error, but a conversion that cannot succeed raises one. ``because``
    is any text that is known only at execution, so that the planner does not evaluate the conversion earlier.
    """
    return cast(cast_to(constant(f"{FAILURE_MARK}{message}; ").concat(because), "integer"), JSON_TEXT)


def failure_message(diagnosis: Diagnosis) -> str | None:
    """The message of ``fail_with`` in what PostgreSQL said of a failed conversion, in whatever language; else None."""
    if diagnosis.sqlstate != INVALID_TEXT_REPRESENTATION:
        return None
    _, mark, rest = diagnosis.message.partition(FAILURE_MARK)
    return rest.partition(";")[0] if mark else None


def alias_stem(name: str) -> str:
    """The readable part of an alias for a relation: ASCII and short, so that PostgreSQL never cuts it."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)[:40] or "rows"


def array_literal(items: Sequence[str | None], delimiter: str = ",") -> str:
    """The text form of a one-dimensional array, as array_in reads it; ``delimiter`` is that of the elements' type."""
    return "{" + delimiter.join("NULL" if item is None else _quoted(item) for item in items) + "}"


def record_literal(items: Sequence[str | None]) -> str:
    """The text form of a composite value, as record_in reads it."""
    return "(" + ",".join("" if item is None else _quoted(item) for item in items) + ")"


def _quoted(item: str) -> str:
    return '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"'
