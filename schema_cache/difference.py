"""Which relations differ between two catalogs, if nothing else does that a query of other relations could notice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from schema_cache.model import Catalog, Relation, Type

_SAME = ("schemas", "functions", "roles", "operators", "login", "database_owner", "distributed", "writes_run_code")


@dataclass(frozen=True, slots=True)
class CatalogDifference:
    """``is_local``: only relations have changed, and none got another name or comment, from which names in the API
    follow. ``relations``: the oids of those that have changed, and of those that foreign keys connect with them."""

    is_local: bool
    relations: frozenset[int] = frozenset()


NOT_LOCAL = CatalogDifference(is_local=False)


def difference(before: Catalog, after: Catalog) -> CatalogDifference:
    """The difference between two catalogs that share their unchanged records."""
    if any(getattr(before, name) != getattr(after, name) for name in _SAME) or before.effects != after.effects:
        return NOT_LOCAL
    changed = list(_changed(before, after))
    if any(one and other and _properties(one) != _properties(other) for one, other in changed):
        return NOT_LOCAL
    oids = {each.oid for pair in changed for each in pair if each}
    if not _are_types_of_relations(before, after, oids):
        return NOT_LOCAL
    return CatalogDifference(is_local=True, relations=with_neighbours(oids, before) | with_neighbours(oids, after))


def with_neighbours(oids: set[int], catalog: Catalog) -> frozenset[int]:
    """These relations, and those that foreign keys connect with them."""
    keys = ((each.oid, key.foreign) for each in catalog.relations for key in each.foreign_keys)
    return frozenset(oids).union(oid for ends in keys if not oids.isdisjoint(ends) for oid in ends)


def _changed(before: Catalog, after: Catalog) -> Iterator[tuple[Relation | None, Relation | None]]:
    """The relations that are not the same record in both, as pairs; None in place of one that does not exist."""
    if before.relations is after.relations:
        return
    old, new = before.relation_by_oid, after.relation_by_oid
    yield from ((each, new.get(oid)) for oid, each in old.items() if new.get(oid) is not each)
    yield from ((None, each) for oid, each in new.items() if oid not in old)


def _properties(relation: Relation) -> tuple[object, ...]:
    return relation.schema, relation.name, relation.kind, relation.comment, relation.of_extension


def _are_types_of_relations(before: Catalog, after: Catalog, relations: set[int]) -> bool:
    """Whether the types that differ are the row types of these relations, and arrays of them."""
    if before.types is after.types:
        return True
    old, new = before.type_by_oid, after.type_by_oid
    changed = [(each, old) for oid, each in old.items() if new.get(oid) is not each]
    changed += [(each, new) for oid, each in new.items() if oid not in old]
    return all(_relation_of(each, types) in relations for each, types in changed)


def _relation_of(type_: Type, types: Mapping[int, Type]) -> int:
    element = types.get(type_.element) if type_.element else None
    return type_.relation or (element.relation if element is not None else 0)
