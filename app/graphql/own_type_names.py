"""The names of types beyond the relations' own ones: each type has the same one, whichever is made first."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from app.graphql.exposure import Exposure
from app.graphql.relations import OwnName


class OwnTypeNames:
    """Gives names to types. First come, first served, until names are settled: from then on types are made in any
    order, and a name that was not announced is given after ``make_all`` made all of them in theirs."""

    def __init__(self, exposure: Exposure, make_all: Callable[[], object]) -> None:
        self._exposure = exposure
        self._make_all = make_all
        self._are_settled = False

    def given(self, owner: Hashable, name: str) -> str:
        """The name of ``owner``'s type: ``name``, with underscores appended until no other type has it."""
        free = self._exposure.free_name(owner, name)
        if self._are_settled and not self._exposure.owns(owner, free):
            self._make_all()
            return self.given(owner, name)
        self._exposure.claim(owner, (free,))
        return free

    def settle(self, announced: Iterable[OwnName]) -> None:
        """Give the names that are announced. If two owners want the same one, all types are made instead."""
        self._are_settled = self._exposure.settle(announced)
        if not self._are_settled:
            self._make_all()

    def unsettle(self) -> None:
        """Serve who comes first: what makes all types does so in their order."""
        self._are_settled = False
