"""How SQL is written: for PostgreSQL, with the numbers of parameters, and with names quoted where they must be."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from sqlalchemy import Select
from sqlalchemy.dialects.postgresql.base import RESERVED_WORDS, PGCompiler
from sqlalchemy.dialects.postgresql.pg8000 import PGDialect_pg8000, PGIdentifierPreparer_pg8000


class _Compiler(PGCompiler):
    """Writes the number of each parameter where it stands.

    SQLAlchemy's own numbering looks for its marks in the finished text. It finds them in identifiers and constants
    too: a table called ``t%(p1)s`` would become ``t$1``, which may be another one.
    """

    def bindparam_string(self, name: str, *_: Any, **options: Any) -> str:
        numbers: dict[str, int] = self.__dict__.setdefault("numbers", {})
        return f"${numbers.setdefault(name, len(numbers) + 1)}"


class _Preparer(PGIdentifierPreparer_pg8000):
    """Quotes whatever is not entirely plain: SQLAlchemy's own pattern takes a name for plain that ends in a newline,
    so ``t\\n`` would be the table ``t``, and its list of keywords lacks some that cannot name a column."""

    reserved_words = RESERVED_WORDS | {"collation", "concurrently", "lateral", "system_user", "tablesample"}
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


_PREPARER = DIALECT.identifier_preparer


def quoted(name: str) -> str:
    """An identifier as PostgreSQL reads it, quoted by SQLAlchemy's rules."""
    return _PREPARER.quote_identifier(name)


identifier = lru_cache(10_000)(_PREPARER.quote)
"""The same, quoted only where it must be."""
