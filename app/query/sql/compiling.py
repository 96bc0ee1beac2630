"""Compiles SQLAlchemy expressions to SQL for PostgreSQL, with numbered parameters."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select
from sqlalchemy.dialects.postgresql.base import PGCompiler
from sqlalchemy.dialects.postgresql.pg8000 import PGDialect_pg8000

from app.database.identifiers import IdentifierPreparer


class _Compiler(PGCompiler):
    """Writes the number of each parameter in its place.

    SQLAlchemy's own numbering replaces placeholders in the finished text, also inside identifiers and constants: a
    table called ``t%(p1)s`` would become ``t$1``, which may be another table.
    """

    def bindparam_string(self, name: str, *_: Any, **options: Any) -> str:
        numbers: dict[str, int] = self.__dict__.setdefault("numbers", {})
        return f"${numbers.setdefault(name, len(numbers) + 1)}"


class _Dialect(PGDialect_pg8000):
    statement_compiler = _Compiler  # type: ignore[assignment]
    preparer = IdentifierPreparer
    supports_statement_cache = True


DIALECT = _Dialect(paramstyle="named")  # type: ignore[no-untyped-call]
"""The dialect for all SQL: PostgreSQL's wire protocol, in which a percent sign has no special meaning."""


def compiled(query: Select[Any]) -> tuple[str, tuple[str, ...]]:
    """The text of a query, and the names of its parameters in the order of their numbers."""
    made = query.compile(dialect=DIALECT)
    return str(made), tuple(made.__dict__.get("numbers", ()))
