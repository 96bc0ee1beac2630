"""The batches of a nested insert as its plan knows them, and their parameters: an array for each column, so that a plan
serves any number of objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphql import GraphQLInputObjectType

from app.graphql.values.types import ToText
from app.query.write.nested.objects import Batches, Item, ObjectPlace, Sort
from app.query.write.new_rows import Link, columns_of, links_of, type_below


class Batch(NamedTuple):
    """What the plan knows of items of one sort at one place: ``members`` are those for columns that any of them has.
    ``number`` is how many they are, if that matters to the SQL: where they have no value at all."""

    place: ObjectPlace
    sort: Sort
    members: tuple[str, ...] = ()
    number: int | None = None

    def of(self, batches: Batches) -> Sequence[Item]:
        """Its items."""
        return batches[self.place, self.sort]


def shape_of(type_: GraphQLInputObjectType, batches: Batches) -> tuple[Batch, ...]:
    """What the plan knows of the batches of objects whose type is ``type_``."""
    return tuple(_batch(type_, place, sort, items) for (place, sort), items in batches.items())


def _batch(type_: GraphQLInputObjectType, place: ObjectPlace, sort: Sort, items: Sequence[Item]) -> Batch:
    if sort.key is not None:
        return Batch(place, sort)
    given = {name for item in items for name in item.value}
    members = tuple(name for name in columns_of(type_at(type_, place).fields) if name in given)
    holds_key = bool(sort.links) or (bool(place) and not link_at(type_, place).refers)
    return Batch(place, sort, members, None if members or holds_key else len(items))


def link_at(type_: GraphQLInputObjectType, place: ObjectPlace) -> Link:
    """The link that leads to a place below the root."""
    return links_of(type_at(type_, place[:-1]).fields)[place[-1]]


def type_at(type_: GraphQLInputObjectType, place: ObjectPlace) -> GraphQLInputObjectType:
    """The input of the new rows at a place."""
    for name in place:
        type_ = type_below(type_, name, links_of(type_.fields)[name].member)
    return type_


@dataclass(frozen=True)
class Positions:
    """The numbers at their place of the items of ``batches``, or of the objects that they are given for, as an
    array."""

    batches: tuple[Batch, ...]
    of_owners: bool = False

    def __call__(self, batches: Batches) -> str:
        items = (item for each in self.batches for item in each.of(batches))
        return "{" + ",".join(str(each.owner if self.of_owners else each.position) for each in items) + "}"


@dataclass(frozen=True)
class Values:
    """What the items of ``batches`` have below ``path``, null where one lacks it, as ``to_text`` writes a list."""

    batches: tuple[Batch, ...]
    path: tuple[str, ...]
    to_text: ToText

    def __call__(self, batches: Batches) -> str | None:
        return self.to_text([_at(item.value, self.path) for each in self.batches for item in each.of(batches)])


def _at(value: Any, path: Sequence[str]) -> Any:
    for step in path:
        value = value.get(step)
    return value
