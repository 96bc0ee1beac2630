"""The basic SQL constructs of GraphQL fields, as SQLAlchemy Core expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnClause, ColumnElement, CompoundSelect, Select, Subquery, Text, case, func, literal_column
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import Grouping
from sqlalchemy.sql.functions import Function

from app.database.identifiers import as_constant, quoted
from app.database.wire.sqlstates import INVALID_TEXT_REPRESENTATION
from app.errors import Diagnosis
from app.query.sql.compiled_constructs import BOOLEAN, WrittenCast, WrittenComparison, WrittenSQL, pg_type
from app.query.sql.sqlalchemy_internals import has_ordinality


class _BuiltIn:
    """PostgreSQL's own functions as attributes, with their schema ``pg_catalog``.

    Without the schema PostgreSQL uses the search path: it calls a function there that fits the arguments better, and a
    call with one argument becomes a cast if a type of that name exists there, such as a domain ``count`` for
    ``count(x)``.
    """

    def __getattr__(self, name: str) -> Callable[..., Function[Any]]:
        made: Callable[..., Function[Any]] = getattr(func.pg_catalog, name)
        return made


builtin = _BuiltIn()


def unnest(*arrays: ColumnElement[Any]) -> Function[Any]:
    # Several arrays work only without the schema: PostgreSQL's parser then expands the call to one of pg_catalog.unnest
    # for each array.
    return func.unnest(*arrays) if len(arrays) > 1 else builtin.unnest(*arrays)


def row_count() -> Function[Any]:
    return builtin.count(literal_column("*"))


MAX_ARGUMENTS = 100
"""PostgreSQL's limit of arguments in one function call (FUNC_MAX_ARGS)."""


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
    """A type without its modifier. With the modifier a cast could change a value: one to char(n), varchar(n), bit(n) or
    varbit(n) truncates, and one to numeric(p, s), timestamp(p), time(p) or a restricted interval rounds."""
    match = _MODIFIED.match(type_text)
    if match is None:
        return type_text
    name = match[1] or match[2] or match[3]
    return _WITHOUT_LENGTH.get(name, name) + type_text[match.end() :]


class FunctionCall(Function[Any]):
    """A call of a database function by its quoted full name. SQLAlchemy's own construct compiles some names, such as
    ``pow``, to other SQL, and applies formatting to names."""

    def __init__(self, schema: str, name: str, arguments: Sequence[ColumnElement[Any]]) -> None:
        super().__init__(name, *arguments)
        self.full_name = f"{quoted(schema)}.{quoted(name)}"


@compiles(FunctionCall)
def _call_by_full_name(call: FunctionCall, compiler: SQLCompiler, **options: Any) -> str:
    numbered = " WITH ORDINALITY" if has_ordinality(call) else ""
    return call.full_name + compiler.function_argspec(call, **options) + numbered


def named_argument(name: str, value: ColumnElement[Any], *, variadic: bool = False) -> ColumnElement[Any]:
    """``name => value``, an argument of a function call in named notation."""
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


def call(name: str, *arguments: ColumnElement[Any]) -> Function[Any]:
    """A call of one of PostgreSQL's own functions. It is cheaper to make and compile than one by ``builtin``, for
    functions that a plan calls very often."""
    return _written_call("pg_catalog", name, arguments)


def extension_call(schema: str, name: str, *arguments: ColumnElement[Any]) -> Function[Any]:
    """A call of a function of an extension that is installed in ``schema``. The function's name needs no quotes."""
    return _written_call(quoted(schema), name, arguments)


def _written_call(schema: str, name: str, arguments: Sequence[ColumnElement[Any]]) -> Function[Any]:
    return WrittenSQL(name, (f"{schema}.{name}(", *([", "] * (len(arguments) - 1)), ")"), arguments)


def jsonb_array(values: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    """A jsonb array of ``values``, which may be more than MAX_ARGUMENTS."""
    starts = range(0, max(len(values), 1), MAX_ARGUMENTS)
    array, *others = (call("jsonb_build_array", *values[start : start + MAX_ARGUMENTS]) for start in starts)
    joined: ColumnElement[Any] = array
    for each in others:
        joined = joined.concat(each)
    return joined


def row_text(columns: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    """The text of a row of ``columns``, which may have any types."""
    return as_text(Function("ROW", *columns))


def row_comparison(
    columns: Sequence[ColumnElement[Any]], symbol: str, values: Sequence[ColumnElement[Any]]
) -> ColumnElement[Any]:
    """``(columns) symbol (values)``: the comparison of the first pair that differs decides."""
    if len(columns) == 1:
        return WrittenComparison(columns[0], symbol, values[0])
    between = [", "] * (len(columns) - 1)
    return WrittenSQL("row", ("(", *between, f") {symbol} (", *between, ")"), (*columns, *values), BOOLEAN)


def base64_of_json(values: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    """The text of a jsonb array of ``values``, in standard base64 without line breaks."""
    array = as_text(jsonb_array(values))
    return WrittenSQL(
        "translate",
        ("pg_catalog.translate(pg_catalog.encode(pg_catalog.convert_to(", ", 'UTF8'), 'base64'), E'\\n', '')"),
        (array,),
    )


def computed_first(query: Select[Any] | CompoundSelect[Any], name: str) -> Subquery:
    """The rows of a query as a subquery that PostgreSQL does not merge into the outer one, so that its columns are
    computed before they are compared with those of a table.

    Otherwise the comparison would contain an expression, such as a cast, that PostgreSQL does not consider leakproof.
    On a table with policies it would then read every row and apply the policies first, instead of using an index.
    """
    return query.offset(literal_column("0")).subquery(name)


def one_row(query: Select[Any]) -> Select[Any]:
    """An aggregate ``query`` that returns one row even if no aggregate is selected."""
    return query.having(literal_column("true"))


FAILURE_MARK = "portico: "
"""Marks the service's own message inside PostgreSQL's message about a failed conversion."""

HINT_MARK = " | "
"""Separates the message from its hint."""


def fail_with(message: str, because: ColumnElement[Any], hint: str | None = None) -> ColumnElement[Any]:
    """An expression of type text that fails with ``message`` when it is evaluated, which rolls back the transaction.

    PostgreSQL has no function that only raises an error, but a conversion that cannot succeed raises one. ``because``
    is any text that is known only at execution, so that the planner does not evaluate the conversion earlier.
    """
    text = message if hint is None else f"{message}{HINT_MARK}{hint}"
    return WrittenCast(cast_to(constant(f"{FAILURE_MARK}{text}; ").concat(because), "integer"), JSON_TEXT, "TEXT")


def unless(wrong: ColumnElement[Any], message: str, value: ColumnElement[Any]) -> ColumnElement[Any]:
    """``value``, or an error if the condition ``wrong`` is true. For INSERT ... VALUES on Citus, which computes all
    parts of a CASE first, so none of them may fail unless the condition is true."""
    text: ColumnElement[Any] = case((wrong, constant(f"{FAILURE_MARK}{message};")), else_=constant("0"))
    is_right = cast_to(text, "integer").op("=", is_comparison=True)(literal_column("0"))
    return case((is_right, value))


def failure(diagnosis: Diagnosis) -> tuple[str, str | None] | None:
    """The message and the hint of ``fail_with``, found in PostgreSQL's error of a failed conversion, in any language of
    its messages. None for other errors."""
    if diagnosis.sqlstate != INVALID_TEXT_REPRESENTATION:
        return None
    _, mark, rest = diagnosis.message.partition(FAILURE_MARK)
    message, _, hint = rest.partition(";")[0].partition(HINT_MARK)
    return (message, hint or None) if mark else None


def alias_stem(name: str) -> str:
    """The readable part of an alias for a relation: ASCII and short, so that PostgreSQL never truncates the alias."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)[:40] or "rows"


def array_literal(items: Sequence[str | None], delimiter: str = ",") -> str:
    """The text form of a one-dimensional array, as array_in reads it. ``delimiter``: that of the element type."""
    return "{" + delimiter.join("NULL" if item is None else quoted_item(item) for item in items) + "}"


def record_literal(items: Sequence[str | None]) -> str:
    """The text form of a composite value, as record_in reads it."""
    return "(" + ",".join("" if item is None else quoted_item(item) for item in items) + ")"


def quoted_item(item: str) -> str:
    """A text in quotes, as in the text form of an array, a composite value or an hstore."""
    return '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"'
