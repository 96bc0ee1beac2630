"""The servers on which Citus keeps the rows of a relation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Distribution:
    """How Citus spreads the rows of a relation over its nodes: by their values in ``column``. Rows of relations in one
    ``group`` that have the same value there are on the same node."""

    column: str
    group: int | None

    def may_be_with(self, other: Distribution) -> bool:
        """Whether rows of two relations may be together. The group of a view is not known."""
        return self.group == other.group or self.group is None or other.group is None


@dataclass(frozen=True, slots=True)
class Placement:
    """The servers that Citus uses for the rows of a relation: all (``is_everywhere``, a reference table), or those of a
    co-location ``group``. A view of such tables has no group."""

    group: int | None = None
    is_everywhere: bool = False
