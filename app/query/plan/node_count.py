"""How many rows the answer to a statement may hold at most, calculated from the sizes of its pages, without the
database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from app.graphql.values.values import Leaf, Source


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


@dataclass(frozen=True, slots=True)
class Cap:
    """Where a request may ask for more rows than it is given: the ``path`` of response keys to the field, where each
    request finds the number that it asks for, and how many it is given at most."""

    path: tuple[str, ...]
    asked: Source
    given: int


class Nodes:
    """Counts nodes while a statement is planned; those in a collection count once for each row of its page."""

    def __init__(self) -> None:
        self._each = self._beside = 1
        self._fixed = 0
        self._per_row = 0
        self._rows: Source | None = None

    @contextmanager
    def each_of(self, rows: int | Leaf) -> Iterator[None]:
        """Count ``rows`` nodes here; what is counted within the context counts for each of them. A Leaf is a value of
        the request that says how many, as a list or a number: at most one in a statement."""
        outer, beside = self._each, self._beside
        self._beside = outer
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
            self._each, self._beside = outer, beside

    @contextmanager
    def beside(self) -> Iterator[None]:
        """What is counted within the context counts beside the nodes of the innermost ``each_of``, not for each."""
        outer, self._each = self._each, self._beside
        try:
            yield
        finally:
            self._each = outer

    @property
    def count(self) -> NodeCount:
        """What was counted so far."""
        return NodeCount(self._fixed, self._per_row, self._rows)
