"""The names of types beyond the relations' own ones: each type has the same one, whichever is made first."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from app.graphql.schema.exposure import Exposure
from app.graphql.schema.relations import ApiRelation, OwnName


class Announced:
    """The names that plugins ask for: those of the whole schema, and those of each relation, which begin with the name
    of its rows' type and are found out when one that does is needed."""

    def __init__(
        self,
        of_api: Iterable[OwnName],
        of_relation: Callable[[ApiRelation], Iterable[OwnName]],
        relations: Mapping[str, ApiRelation],
    ) -> None:
        """``relations`` are all that have names of their own, by the names of their rows' types."""
        self._of_relation = of_relation
        self._not_asked = dict(relations)
        self._wanted: dict[str, dict[Hashable, str]] = {}
        self._add(of_api)
        self.are_apart = all(len(alike) == 1 for alike in self._wanted.values())
        """Whether no two owners want the same of the whole schema's names."""

    def like(self, name: str) -> Mapping[Hashable, str]:
        """What is wanted that equals ``name`` but for underscores at the end, by owner."""
        bare = _bare(name)
        for end in range(1, len(bare) + 1):
            relation = self._not_asked.pop(bare[:end], None)
            if relation is not None:
                self._add(self._of_relation(relation))
        return self._wanted.get(bare, {})

    def _add(self, names: Iterable[OwnName]) -> None:
        for owner, name in names:
            self._wanted.setdefault(_bare(name), {})[owner] = name


class OwnTypeNames:
    """Gives names to types. First come, first served, until names are settled: from then on types are made in any
    order, and a name that was not announced, or that two owners want, is given after ``make_all`` made all types in
    theirs."""

    def __init__(self, exposure: Exposure, make_all: Callable[[], object]) -> None:
        self._exposure = exposure
        self._make_all = make_all
        self._announced: Announced | None = None

    def given(self, owner: Hashable, name: str) -> str:
        """The name of ``owner``'s type: ``name``, with underscores appended until no other type has it."""
        free = self._exposure.free_name(owner, name)
        if self._announced and not self._exposure.owns(owner, free) and self._announced.like(name) != {owner: name}:
            self._make_all()
            return self.given(owner, name)
        self._exposure.claim(owner, (free,))
        return free

    def claim(self, owner: Hashable, names: Sequence[str]) -> bool:
        """Whether types of these names are ``owner``'s to make: not the API's, a relation's, an earlier owner's, or
        promised to who announced them."""
        return not any(map(self._is_promised, names)) and self._exposure.claim(owner, names)

    def settle(self, announced: Announced) -> None:
        """From now on give names to who announced them. If two owners want the same one, all types are made instead:
        now if it is one of the whole schema's, else when it is asked for."""
        self._announced = announced
        if not announced.are_apart:
            self._make_all()

    def unsettle(self) -> None:
        """Serve who comes first: what makes all types does so in their order."""
        self._announced = None

    def _is_promised(self, name: str) -> bool:
        alike = self._announced.like(name) if self._announced else {}
        return any(self._exposure.free_name(owner, wanted) == name for owner, wanted in alike.items())


def _bare(name: str) -> str:
    return name.rstrip("_")
