"""Calculates an upper bound for the number of rows in the response to a statement, from the sizes of its pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from app.graphql.values.values import Leaf, Source


@dataclass(frozen=True, slots=True)
class NodeCount:
    """``fixed`` nodes, and more for each row of the request: ``per_row`` has pairs of a number of nodes and the value
    that has the number of rows, a list or a number."""

    fixed: int
    per_row: tuple[tuple[int, Source], ...] = ()

    def of(self, variables: Mapping[str, Any]) -> int:
        """The number of nodes of a request with these variables."""
        return self.fixed + sum(nodes * _rows_in(source.read(variables)) for nodes, source in self.per_row)


def _rows_in(value: Any) -> int:
    return len(value) if isinstance(value, list) else value if isinstance(value, int) else 1


@dataclass(frozen=True, slots=True)
class Cap:
    """A collection of which a request may want more rows than a page may have. ``path``: the response keys from the
    root to the field. ``requested``: the source of the number that a request wants. ``given``: the largest page."""

    path: tuple[str, ...]
    requested: Source
    given: int


class Nodes:
    """Counts nodes while a statement is planned; those in a collection count once for each row of its page."""

    def __init__(self) -> None:
        self._each = self._siblings = 1
        self._fixed = 0
        self._per_row: list[tuple[int, Source]] = []
        self._is_per_row = False

    @contextmanager
    def each_of(self, rows: int | Leaf) -> Iterator[None]:
        """Count ``rows`` nodes; nodes counted within the context count for each of them. A Leaf is a list in the
        request with one item for each row, or their number; no other Leaf is counted within its context."""
        outer, siblings, is_per_row = self._each, self._siblings, self._is_per_row
        self._siblings = outer
        if isinstance(rows, Leaf):
            self._is_per_row = True
            self._per_row.append((0, rows.source))
        else:
            self._each *= rows
        if self._is_per_row:
            nodes, source = self._per_row[-1]
            self._per_row[-1] = nodes + self._each, source
        else:
            self._fixed += self._each
        try:
            yield
        finally:
            self._each, self._siblings, self._is_per_row = outer, siblings, is_per_row

    @contextmanager
    def as_siblings(self) -> Iterator[None]:
        """Nodes counted within the context are siblings of those of the innermost ``each_of``: they do not count for
        each of them."""
        outer, self._each = self._each, self._siblings
        try:
            yield
        finally:
            self._each = outer

    @property
    def count(self) -> NodeCount:
        """The nodes counted so far."""
        return NodeCount(self._fixed, tuple(self._per_row))
