"""Names for types that relations do not reserve. A type always gets the same name, in whichever order types are
made."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from app.graphql.schema.exposure import Exposure
from app.graphql.schema.relations import ApiRelation, OwnName


class Announced:
    """The names that plugins announce: for the whole schema, and for each relation. Those of a relation begin with the
    name of its row type; the plugins announce them when a name with that beginning is needed."""

    def __init__(
        self,
        of_api: Iterable[OwnName],
        of_relation: Callable[[ApiRelation], Iterable[OwnName]],
        relations: Mapping[str, ApiRelation],
    ) -> None:
        """``relations``: all relations with a row type, by the name of that type."""
        self._of_relation = of_relation
        self._pending = dict(relations)
        self._by_bare_name: dict[str, dict[Hashable, str]] = {}
        self._add(of_api)
        self.has_conflict = any(len(by_owner) > 1 for by_owner in self._by_bare_name.values())
        """Whether two owners announced the same name for the whole schema."""

    def similar(self, name: str) -> Mapping[Hashable, str]:
        """The announced names that equal ``name`` except for underscores at the end, by owner."""
        bare = _bare(name)
        for end in range(1, len(bare) + 1):
            relation = self._pending.pop(bare[:end], None)
            if relation is not None:
                self._add(self._of_relation(relation))
        return self._by_bare_name.get(bare, {})

    def _add(self, names: Iterable[OwnName]) -> None:
        for owner, name in names:
            self._by_bare_name.setdefault(_bare(name), {})[owner] = name


class OwnTypeNames:
    """Assigns names to types. Without announced names, the first type gets a name. With them, types may be made in any
    order; for a name that was not announced, or that two owners announced, ``make_all`` first makes all types in their
    fixed order."""

    def __init__(self, exposure: Exposure, make_all: Callable[[], object]) -> None:
        self._exposure = exposure
        self._make_all = make_all
        self._announced: Announced | None = None

    def assign(self, owner: Hashable, name: str) -> str:
        """The name of ``owner``'s type: ``name``, with underscores appended until no other type has it."""
        free = self._exposure.free_name(owner, name)
        if self._announced and not self._exposure.owns(owner, free) and self._announced.similar(name) != {owner: name}:
            self._make_all()
            return self.assign(owner, name)
        self._exposure.claim(owner, (free,))
        return free

    def claim(self, owner: Hashable, names: Sequence[str]) -> bool:
        """Reserve these type names for ``owner``. False if the API, a relation or an earlier owner has one of them, or
        if another owner announced it."""
        return not any(map(self._is_promised, names)) and self._exposure.claim(owner, names)

    def use_announced(self, announced: Announced) -> None:
        """From now on names go to the owners that announced them. If two owners announced the same name, all types are
        made: now if the name is for the whole schema, otherwise when it is needed."""
        self._announced = announced
        if announced.has_conflict:
            self._make_all()

    def ignore_announced(self) -> None:
        """From now on the first type gets a name. Used while all types are made, which has a fixed order."""
        self._announced = None

    def _is_promised(self, name: str) -> bool:
        similar = self._announced.similar(name) if self._announced else {}
        return any(self._exposure.free_name(owner, announced) == name for owner, announced in similar.items())


def _bare(name: str) -> str:
    return name.rstrip("_")
