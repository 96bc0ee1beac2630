"""Calculates an upper bound for the number of rows in the response to a statement, from the sizes of its pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from app.graphql.values.values import Leaf, Source


@dataclass(frozen=True, slots=True)
class NodeCount:
    """``fixed`` nodes, and ``per_row`` nodes for each row of the request. ``rows`` is the value that has the number of
    rows: a list, or a number."""

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
        self._per_row = 0
        self._rows: Source | None = None

    @contextmanager
    def each_of(self, rows: int | Leaf) -> Iterator[None]:
        """Count ``rows`` nodes; nodes counted within the context count for each of them. A Leaf is a list in the
        request with one item for each row, or their number; a statement has at most one Leaf."""
        outer, siblings = self._each, self._siblings
        self._siblings = outer
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
            self._each, self._siblings = outer, siblings

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
        return NodeCount(self._fixed, self._per_row, self._rows)
