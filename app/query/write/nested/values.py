"""The batches of a nested insert as the plan has them, without values, and their parameters: an array for each column,
so that one plan serves any number of objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphql import GraphQLInputObjectType

from app.graphql.values.types import ToText
from app.query.write.nested.objects import Batches, Item, ObjectPlace, Sort
from app.query.write.new_rows import Link, columns_of, links_of, type_below


class Batch(NamedTuple):
    """Items of one sort at one place, without their values. ``members``: the members for columns that at least one item
    has. ``number``: the number of items, if the SQL depends on it, which is the case if they have no values at all."""

    place: ObjectPlace
    sort: Sort
    members: tuple[str, ...] = ()
    number: int | None = None

    def of(self, batches: Batches) -> Sequence[Item]:
        """The items of the batch."""
        return batches[self.place, self.sort]


def shape_of(type_: GraphQLInputObjectType, batches: Batches) -> tuple[Batch, ...]:
    """The batches as the plan has them. ``type_``: the input type of the root's objects."""
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
    """The input type of the new rows at a place."""
    for name in place:
        type_ = type_below(type_, name, links_of(type_.fields)[name].member)
    return type_


@dataclass(frozen=True)
class Positions:
    """The text of an array with the numbers of the items of ``batches``, or with ``of_owners`` those of their
    owners."""

    batches: tuple[Batch, ...]
    of_owners: bool = False

    def __call__(self, batches: Batches) -> str:
        items = (item for each in self.batches for item in each.of(batches))
        return "{" + ",".join(str(each.owner if self.of_owners else each.position) for each in items) + "}"


@dataclass(frozen=True)
class Values:
    """The text of a list with the values that the items of ``batches`` have at ``path``, null for an item without one;
    ``to_text`` converts the list."""

    batches: tuple[Batch, ...]
    path: tuple[str, ...]
    to_text: ToText

    def __call__(self, batches: Batches) -> str | None:
        return self.to_text([member_at(item.value, self.path) for each in self.batches for item in each.of(batches)])


def member_at(value: Any, path: Sequence[str]) -> Any:
    """The member at the end of a path of names."""
    for step in path:
        value = value.get(step)
    return value
