"""The operators of a type, as they are written in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
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


@dataclass(frozen=True, slots=True)
class OperatorTables:
    """The operators and casts of a database by the oids of types, from which those of each type follow.

    ``usual``: PostgreSQL's own operators. ``of_class``: those of the default btree class. ``with_class``: the types
    with a default btree or hash class. ``equal``: the equality operators outside of classes. ``same_as`` and
    ``becomes``: the types to which PostgreSQL converts values implicitly, with the same bytes or with a function.
    ``with_json_cast``: the types that have a cast to JSON. ``range_of``: the range of a multirange.
    """

    usual: Operators = field(default_factory=Operators)
    of_class: Mapping[int, Operators] = field(default_factory=dict)
    with_class: Set[int] = frozenset()
    equal: Mapping[int, str] = field(default_factory=dict)
    same_as: Mapping[int, Sequence[int]] = field(default_factory=dict)
    becomes: Mapping[int, Sequence[int]] = field(default_factory=dict)
    with_json_cast: frozenset[int] = frozenset()
    range_of: Mapping[int, int] = field(default_factory=dict)
