"""Names of objects as PostgreSQL reads them in SQL, quoted by SQLAlchemy's rules."""

from __future__ import annotations

import re
from functools import lru_cache

from sqlalchemy.dialects.postgresql.base import RESERVED_WORDS
from sqlalchemy.dialects.postgresql.pg8000 import PGDialect_pg8000, PGIdentifierPreparer_pg8000


class IdentifierPreparer(PGIdentifierPreparer_pg8000):
    """Quotes each name that is not entirely plain. SQLAlchemy's own pattern accepts a name that ends in a newline as
    plain, so ``t\\n`` would be the table ``t``. Its list of keywords lacks some that cannot name a column."""

    reserved_words = RESERVED_WORDS | {"collation", "concurrently", "lateral", "system_user", "tablesample"}
    legal_characters = re.compile(r"[A-Z0-9_$]+\Z", re.ASCII | re.IGNORECASE)


class _Dialect(PGDialect_pg8000):
    preparer = IdentifierPreparer


# Named parameters: a percent sign in a name has no special meaning.
_PREPARER = _Dialect(paramstyle="named").identifier_preparer  # type: ignore[no-untyped-call]


def quoted(name: str) -> str:
    """An identifier in quotes."""
    return _PREPARER.quote_identifier(name)


def as_constant(text: str) -> str:
    """A string as a constant in SQL text."""
    return "'" + text.replace("'", "''") + "'"


identifier = lru_cache(10_000)(_PREPARER.quote)
"""An identifier, quoted only where it must be."""


def qualified(schema: str, name: str) -> str:
    """The name of an object with its schema, both quoted only where they must be."""
    return f"{identifier(schema)}.{identifier(name)}"
