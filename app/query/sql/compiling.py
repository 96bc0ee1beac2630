"""How SQL is written: for PostgreSQL, with the numbers of parameters."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select
from sqlalchemy.dialects.postgresql.base import PGCompiler
from sqlalchemy.dialects.postgresql.pg8000 import PGDialect_pg8000

from app.database.identifiers import IdentifierPreparer


class _Compiler(PGCompiler):
    """Writes the number of each parameter where it stands.

    SQLAlchemy's own numbering looks for its marks in the finished text. It finds them in identifiers and constants
    too: a table called ``t%(p1)s`` would become ``t$1``, which may be another one.
    """

    def bindparam_string(self, name: str, *_: Any, **options: Any) -> str:
        numbers: dict[str, int] = self.__dict__.setdefault("numbers", {})
        return f"${numbers.setdefault(name, len(numbers) + 1)}"


class _Dialect(PGDialect_pg8000):
    statement_compiler = _Compiler  # type: ignore[assignment]
    preparer = IdentifierPreparer
    supports_statement_cache = True


DIALECT = _Dialect(paramstyle="named")  # type: ignore[no-untyped-call]
"""What all SQL is compiled for: PostgreSQL as the wire speaks it, where a percent sign has no special meaning."""


def compiled(query: Select[Any]) -> tuple[str, tuple[str, ...]]:
    """The text of a query, and the names of its parameters in the order of their numbers."""
    made = query.compile(dialect=DIALECT)
    return str(made), tuple(made.__dict__.get("numbers", ()))
