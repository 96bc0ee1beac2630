"""The few SQL constructs that every GraphQL field is made of, as SQLAlchemy Core expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnClause, ColumnElement, CompoundSelect, Select, Subquery, Text, func, literal_column
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import Grouping
from sqlalchemy.sql.functions import Function

from app.database.identifiers import quoted
from app.database.wire.sqlstates import INVALID_TEXT_REPRESENTATION
from app.errors import Diagnosis
from app.query.sql.compiled_constructs import WrittenCast, WrittenSQL, pg_type
from app.query.sql.sqlalchemy_internals import has_ordinality


class _BuiltIn:
    """PostgreSQL's own functions, by their full names, as attributes.

    Without the schema, a call of one argument is a cast where the search path leads to a type of that name, as
    ``count(x)`` is to a domain ``count``, and a function there that fits the arguments better is called instead.
    """

    def __getattr__(self, name: str) -> Callable[..., Function[Any]]:
        made: Callable[..., Function[Any]] = getattr(func.pg_catalog, name)
        return made


builtin = _BuiltIn()


def unnest(*arrays: ColumnElement[Any]) -> Function[Any]:
    # Of several PostgreSQL makes one call each, of its own function, if it is called by its name alone.
    return func.unnest(*arrays) if len(arrays) > 1 else builtin.unnest(*arrays)


def row_count() -> Function[Any]:
    return builtin.count(literal_column("*"))


MAX_ARGUMENTS = 100
"""PostgreSQL takes at most this many arguments of one function call (FUNC_MAX_ARGS)."""


class JsonText(Text):
    """Text that is JSON."""

    cache_ok = True


_TEXT = Text()
JSON_TEXT = JsonText()


def cast_to(expression: ColumnElement[Any], type_text: str) -> ColumnElement[Any]:
    """``CAST(expression AS type_text)``; ``type_text`` comes from the catalog, never from a caller."""
    return WrittenCast(expression, pg_type(type_text), type_text)


_MODIFIED = re.compile(
    r"(character varying|character|bit varying|bit|numeric)\([-\d,]+\)|(timestamp|time)\(\d\)|(interval)[ (][^\[]*"
)
_WITHOUT_LENGTH = {"character": "bpchar", "bit": '"bit"'}


def unmodified(type_text: str) -> str:
    """A type without its modifier: a cast to char(n), varchar(n), bit(n) or varbit(n) cuts what is longer, one to
    numeric(p, s), timestamp(p), time(p) or a kind of interval rounds what is finer."""
    match = _MODIFIED.match(type_text)
    if match is None:
        return type_text
    name = match[1] or match[2] or match[3]
    return _WITHOUT_LENGTH.get(name, name) + type_text[match.end() :]


class FunctionCall(Function[Any]):
    """A call of a function of the database. SQLAlchemy's own construct compiles some names, such as ``pow``, to other
    SQL, and applies formatting to names."""

    def __init__(self, schema: str, name: str, arguments: Sequence[ColumnElement[Any]]) -> None:
        super().__init__(name, *arguments)
        self.full_name = f"{quoted(schema)}.{quoted(name)}"


@compiles(FunctionCall)
def _call_by_full_name(call: FunctionCall, compiler: SQLCompiler, **options: Any) -> str:
    numbered = " WITH ORDINALITY" if has_ordinality(call) else ""
    return call.full_name + compiler.function_argspec(call, **options) + numbered


def named_argument(name: str, value: ColumnElement[Any], *, variadic: bool = False) -> ColumnElement[Any]:
    """``name => value``, as a call of a function takes it."""
    return literal_column(f"VARIADIC {quoted(name)}" if variadic else quoted(name)).op("=>")(value)


def member_of(value: ColumnElement[Any], name: str) -> ColumnElement[Any]:
    """``(value).name``, a member of a composite value."""
    return Grouping(value).op(".", precedence=100)(literal_column(quoted(name)))


def as_text(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    return expression if isinstance(expression.type, JsonText) else WrittenCast(expression, _TEXT, "TEXT")


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


def call(name: str, *arguments: ColumnElement[Any]) -> Function[Any]:
    """A call of one of PostgreSQL's own functions, for those of which a plan has very many: ``func`` has more to do."""
    return _written_call("pg_catalog", name, arguments)


def extension_call(schema: str, name: str, *arguments: ColumnElement[Any]) -> Function[Any]:
    """A call of a function of the extension that is installed in ``schema``. The name is an extension's, and plain."""
    return _written_call(quoted(schema), name, arguments)


def _written_call(schema: str, name: str, arguments: Sequence[ColumnElement[Any]]) -> Function[Any]:
    return WrittenSQL(name, (f"{schema}.{name}(", *([", "] * (len(arguments) - 1)), ")"), arguments)


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
    return WrittenSQL(
        "translate",
        ("pg_catalog.translate(pg_catalog.encode(pg_catalog.convert_to(", ", 'UTF8'), 'base64'), E'\\n', '')"),
        (array,),
    )


def computed_first(query: Select[Any] | CompoundSelect[Any], name: str) -> Subquery:
    """The rows of a query, whose columns PostgreSQL computes before it compares them with those of a table.

    A comparison with an expression, such as a cast, is not known to leak nothing: of a table with policies PostgreSQL
    would read every row, and ask it of those that the policies admit, instead of using an index.
    """
    return query.offset(literal_column("0")).subquery(name)


def one_row(query: Select[Any]) -> Select[Any]:
    """An aggregate ``query`` that returns one row even if no aggregate is selected."""
    return query.having(literal_column("true"))


FAILURE_MARK = "portico: "
"""Marks our message within PostgreSQL's message of a failed conversion."""

HINT_MARK = " | "
"""Between our message and its hint."""


def fail_with(message: str, because: ColumnElement[Any], hint: str | None = None) -> ColumnElement[Any]:
    """An expression of type text that fails with ``message`` when it is evaluated, and so undoes the transaction.

    PostgreSQL has no function that only raises an error, but a conversion that cannot succeed raises one. ``because``
    is any text that is known only at execution, so that the planner does not evaluate the conversion earlier.
    """
    told = message if hint is None else f"{message}{HINT_MARK}{hint}"
    return WrittenCast(cast_to(constant(f"{FAILURE_MARK}{told}; ").concat(because), "integer"), JSON_TEXT, "TEXT")


def failure(diagnosis: Diagnosis) -> tuple[str, str | None] | None:
    """The message and the hint of ``fail_with`` in what PostgreSQL said of a failed conversion, in whatever language;
    else None."""
    if diagnosis.sqlstate != INVALID_TEXT_REPRESENTATION:
        return None
    _, mark, rest = diagnosis.message.partition(FAILURE_MARK)
    message, _, hint = rest.partition(";")[0].partition(HINT_MARK)
    return (message, hint or None) if mark else None


def alias_stem(name: str) -> str:
    """The readable part of an alias for a relation: ASCII and short, so that PostgreSQL never cuts it."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)[:40] or "rows"


def array_literal(items: Sequence[str | None], delimiter: str = ",") -> str:
    """The text form of a one-dimensional array, as array_in reads it; ``delimiter`` is that of the elements' type."""
    return "{" + delimiter.join("NULL" if item is None else quoted_item(item) for item in items) + "}"


def record_literal(items: Sequence[str | None]) -> str:
    """The text form of a composite value, as record_in reads it."""
    return "(" + ",".join("" if item is None else quoted_item(item) for item in items) + ")"


def quoted_item(item: str) -> str:
    """A text in quotes, as it stands within that of an array, a composite value or an hstore."""
    return '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"'
