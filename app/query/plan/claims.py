"""The tables of a cluster for which the claim CITUS_CLAIM counts: whose distribution column has its value.

Tables that are distributed by another column must not be narrowed by it. Citus may keep them together with the others,
so the co-location group does not tell them apart; names and foreign keys do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from app.graphql.schema.api_schema import ApiSchema
from schema_cache.distribution import Distribution
from schema_cache.model import Relation


@dataclass(frozen=True)
class Cluster:
    """A database with Citus. ``claimed``: the oids of the tables for which the claim counts; ``columns``: the
    distribution columns of views for which it does."""

    claimed: frozenset[int] = frozenset()
    columns: frozenset[str] = frozenset()

    def is_claimed(self, relation: Relation, distribution: Distribution) -> bool:
        """Whether the claim is the value of the relation's distribution column."""
        if relation.distribution is None:
            return distribution.column in self.columns
        return relation.oid in self.claimed


def cluster_of(api: ApiSchema) -> Cluster | None:
    """The cluster of a database with Citus."""
    if not api.catalog.distributed:
        return None
    return api.shared("cluster", lambda: with_claim(api.catalog.relations, *api.rules.claim))


def with_claim(relations: Iterable[Relation], claim: str | None, column: str | None) -> Cluster:
    """The cluster with these relations, for the settings CITUS_CLAIM and CITUS_CLAIM_COLUMN.

    The claim counts for tables that are distributed by that column, and for those whose distribution column a foreign
    key connects to it. Without the setting these are columns named like the claim, perhaps with ``_id``. If no column
    is, and all tables are distributed by one column, it counts for that.
    """
    if claim is None:
        return Cluster()
    spread = {each.oid: each.distribution for each in relations if each.distribution is not None}
    names = {column} if column else {claim, f"{claim}_id"}
    named = {oid for oid, each in spread.items() if each.column in names}
    columns = {each.column for each in spread.values()}
    if not named and column is None and len(columns) == 1:
        return Cluster(frozenset(spread), frozenset(columns))
    links = _links(relations, spread)
    reached, waiting = set(named), list(named)
    while waiting:
        new = links[waiting.pop()] - reached
        reached |= new
        waiting += new
    return Cluster(frozenset(reached), frozenset(names))


def _links(relations: Iterable[Relation], spread: Mapping[int, Distribution]) -> Mapping[int, set[int]]:
    """For each table those whose distribution column a foreign key connects to its own, in either direction."""
    links: dict[int, set[int]] = defaultdict(set)
    for one, other in _connected(relations, spread):
        links[one].add(other)
        links[other].add(one)
    return links


def _connected(relations: Iterable[Relation], spread: Mapping[int, Distribution]) -> Iterator[tuple[int, int]]:
    for each in relations:
        for key in each.foreign_keys:
            if each.oid in spread and key.foreign in spread:
                pair = spread[each.oid].column, spread[key.foreign].column
                if pair in zip(key.columns, key.foreign_columns, strict=True):
                    yield each.oid, key.foreign
