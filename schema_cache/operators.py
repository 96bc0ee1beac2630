"""The operators of a type, as they are written in SQL."""

from __future__ import annotations

from dataclasses import dataclass, field

_OF_WORDS = {"LIKE": "~~", "ILIKE": "~~*"}


@dataclass(frozen=True, slots=True)
class Operators:
    """The operators that compare two values of one type, as they are written in SQL. Operators outside ``pg_catalog``
    are written with their schema: without it, the search path may lead to the operators of another type, to which
    PostgreSQL converts the values.

    ``is_shadowed``: they are PostgreSQL's own and written with their schema, because users' operators have the same
    names. PostgreSQL would choose one of those if it matches better, for example one for ``varchar``. PostGIS's types
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
        """PostgreSQL's own operator with this symbol or keyword, for the same values, as it is written in SQL."""
        if not self.is_shadowed or symbol.startswith("OPERATOR("):
            return symbol
        return f"OPERATOR(pg_catalog.{_OF_WORDS.get(symbol, symbol)})"
