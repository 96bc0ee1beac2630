"""Relationships between the rows of two relations, as plugins contribute them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, select

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiRelation
from app.query.filter.conditions import narrowed
from app.query.plan.distribution import OnOneNode
from app.query.plan.one_server import check_step
from app.query.plan.rows import Rows, TableRows
from app.query.read.relationship_names import is_unique
from app.query.sql.comparison import compared
from schema_cache.collector import collector_paused


@dataclass(frozen=True)
class Relationship:
    """One direction of a key: the field ``name`` on ``source`` leads to ``target``. ``pairs``: the pairs of their
    columns that are equal, compared by ``operators``. ``refers``: the source has the foreign key, otherwise the target
    has it. ``deprecated``: the deprecation reason."""

    name: str
    source: ApiRelation
    target: ApiRelation
    pairs: tuple[tuple[str, str], ...]
    operators: tuple[str, ...]
    to_many: bool
    required: bool = False
    refers: bool = True
    deprecated: str | None = None

    @property
    def leads_to_one(self) -> bool:
        """Whether a unique index guarantees that at most one row of the target belongs to a row of the source."""
        return is_unique(self.target.relation, tuple(target for _, target in self.pairs), at_once=True)

    def linked(self, outer: Rows, rows: Rows) -> list[ColumnElement[Any]]:
        """The conditions that a row of the target is related to ``outer``, a row of the source that the statement
        already has."""
        return self._linked(outer, rows, known=outer, new=rows)

    def linked_to(self, outer: Rows, rows: Rows) -> list[ColumnElement[Any]]:
        """The conditions that a row of the source is related to ``outer``, a row of the target that the statement
        already has."""
        return self._linked(rows, outer, known=outer, new=rows)

    def _linked(self, source: Rows, target: Rows, *, known: Rows, new: Rows) -> list[ColumnElement[Any]]:
        conditions = [
            compared(target.column(to), operator, source.column(from_))
            for (from_, to), operator in zip(self.pairs, self.operators, strict=True)
        ]
        place = self._place_of_distribution()
        if known.relation.relation.placement is not None or new.relation.relation.placement is not None:
            new.shard.require(partial(check_step, known, new, is_linked=place is not None))
        if place is None:
            return narrowed(new, conditions)
        from_, to = self.pairs[place]
        new.shard.follow(known.shard)
        shard = known.shard if new.shard.claimed is None else new.shard
        conditions[place] = OnOneNode(conditions[place], new.column(to if new is target else from_), shard)
        return conditions

    def _place_of_distribution(self) -> int | None:
        """The index of the pair with the distribution columns of both relations; None unless both relations have the
        same distribution and the pair exists."""
        source, target = self.source.distribution, self.target.distribution
        if source is None or target is None or not source.may_be_with(target):
            return None
        pair = source.column, target.column
        return self.pairs.index(pair) if pair in self.pairs else None

    def query(self, outer: Rows, rows: TableRows, *columns: ColumnElement[Any]) -> Select[Any]:
        """A query for ``columns`` of the target's ``rows`` that are related to ``outer``, a row of the source."""
        query = select(*columns).select_from(rows.element).where(*self.linked(outer, rows))
        return query.correlate(outer.element)


class DeferredRelationships(Mapping[int, Sequence[Relationship]]):
    """Relationships by the oid of their source, made on first use: a request needs few of a large schema. ``makers``
    has the functions that make them; one that returns None makes none. ``sources``: the oids of the sources of those
    that lead to a relation, by its oid."""

    def __init__(
        self, makers: Mapping[int, Sequence[Callable[[], Relationship | None]]], sources: Mapping[int, Iterable[int]]
    ) -> None:
        self._makers = makers
        self._sources = sources
        self._made: dict[int, Sequence[Relationship]] = {}

    def sources_of(self, oid: int) -> Iterable[int]:
        """The oids of the relations from which a relationship may lead to the one with that oid."""
        return self._sources.get(oid, ())

    def __getitem__(self, oid: int) -> Sequence[Relationship]:
        if oid not in self._made:
            made = (make() for make in self._makers[oid])
            self._made[oid] = [each for each in made if each is not None]
        return self._made[oid]

    def __iter__(self) -> Iterator[int]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


Contributed = Sequence[Mapping[int, Sequence[Relationship]]]


def relationships_of(api: ApiSchema, relation: ApiRelation) -> Sequence[Relationship]:
    """The relationships of a relation's rows, in the order of their fields."""
    oid = relation.relation.oid
    known: dict[int, Sequence[Relationship]] = api.shared("relationships by source", dict)
    if oid not in known:
        known[oid] = tuple(each for some in _contributed(api) for each in some.get(oid, ()))
    return known[oid]


def relationships_to(api: ApiSchema, relation: ApiRelation) -> Sequence[Relationship]:
    """The relationships that lead to a relation's rows."""
    oid = relation.relation.oid
    sources = dict.fromkeys(each for some in _contributed(api) for each in _sources_of(some, oid))
    found = (each for source in sources for each in relationships_of(api, api.rows_by_oid[source]))
    return [each for each in found if each.target.relation.oid == oid]


def _sources_of(contribution: Mapping[int, Sequence[Relationship]], oid: int) -> Iterable[int]:
    return contribution.sources_of(oid) if isinstance(contribution, DeferredRelationships) else contribution


def _contributed(api: ApiSchema) -> Contributed:
    def make() -> Contributed:
        with collector_paused:
            return cast(Contributed, api.hooks.relationships(api=api))

    return api.shared("relationships", make)
