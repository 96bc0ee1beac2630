"""The operators of a type, as SQL has them."""

from __future__ import annotations

from dataclasses import dataclass, field

_OF_WORDS = {"LIKE": "~~", "ILIKE": "~~*"}


@dataclass(frozen=True, slots=True)
class Operators:
    """The operators that compare two values of one type, as SQL has them between the two. Outside ``pg_catalog`` their
    schema is part of that: without it a search path may lead to operators of another type, to which values convert.

    ``is_shadowed``: they are PostgreSQL's own, and have their schema too, since the database has operators of users by
    the same names. PostgreSQL would take one of those where it fits better, as one for ``varchar``. PostGIS's types
    have no ``unequal``.
    """

    less: str = "<"
    less_or_equal: str = "<="
    equal: str = "="
    greater_or_equal: str = ">="
    greater: str = ">"
    unequal: str | None = "<>"
    is_shadowed: bool = field(default=False, kw_only=True)

    def named(self, symbol: str) -> str:
        """PostgreSQL's own operator by that symbol, or word, for the same values."""
        if not self.is_shadowed or symbol.startswith("OPERATOR("):
            return symbol
        return f"OPERATOR(pg_catalog.{_OF_WORDS.get(symbol, symbol)})"
