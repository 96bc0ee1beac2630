"""How many rows the answer to a statement may hold at most, calculated from the sizes of its pages, without the
database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from app.graphql.values import Leaf, Source


@dataclass(frozen=True, slots=True)
class NodeCount:
    """``fixed`` nodes, and ``per_row`` for each of the rows that ``rows`` counts in the values of a request: items of a
    list, or a number."""

    fixed: int
    per_row: int = 0
    rows: Source | None = None

    def of(self, variables: Mapping[str, Any]) -> int:
        """The number of nodes of a request with these variables."""
        if self.rows is None:
            return self.fixed
        value = self.rows.read(variables)
        rows = len(value) if isinstance(value, list) else value if isinstance(value, int) else 1
        return self.fixed + self.per_row * rows


class Nodes:
    """Counts nodes while a statement is planned; those in a collection count once for each row of its page."""

    def __init__(self) -> None:
        self._each = 1
        self._fixed = 0
        self._per_row = 0
        self._rows: Source | None = None

    @contextmanager
    def each_of(self, rows: int | Leaf) -> Iterator[None]:
        """Count ``rows`` nodes here; what is counted within the context counts for each of them. A Leaf is a value of
        the request that says how many, as a list or a number: at most one in a statement."""
        outer = self._each
        if isinstance(rows, Leaf):
            self._rows = rows.source
        else:
            self._each *= rows
        if self._rows is None:
            self._fixed += self._each
        else:
            self._per_row += self._each
        try:
            yield
        finally:
            self._each = outer

    @property
    def count(self) -> NodeCount:
        """What was counted so far."""
        return NodeCount(self._fixed, self._per_row, self._rows)
