"""The batches of a nested insert as the plan has them, without values, and their parameters: an array for each column,
so that one plan serves any number of objects, or each value for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphql import GraphQLInputObjectType

from app.graphql.values.types import ToText
from app.query.write.inserting import listed_number
from app.query.write.nested.objects import Batches, Item, ObjectPlace, Sort
from app.query.write.new_rows import Link, columns_of, links_of, type_below


class Batch(NamedTuple):
    """Items of one sort at one place, without their values. ``members``: the members for columns that at least one item
    has. ``number``: the number of items, if the SQL depends on it, which is the case if they have no values at all, and
    with Citus unless there are many."""

    place: ObjectPlace
    sort: Sort
    members: tuple[str, ...] = ()
    number: int | None = None

    def of(self, batches: Batches) -> Sequence[Item]:
        """The items of the batch."""
        return batches[self.place, self.sort]


def shape_of(type_: GraphQLInputObjectType, batches: Batches, *, are_listed: bool) -> tuple[Batch, ...]:
    """The batches as the plan has them. ``type_``: the input type of the root's objects. ``are_listed``: the SQL
    depends on the numbers of items, unless they are large."""
    return tuple(_batch(type_, place, sort, items, are_listed) for (place, sort), items in batches.items())


def _batch(
    type_: GraphQLInputObjectType, place: ObjectPlace, sort: Sort, items: Sequence[Item], is_listed: bool
) -> Batch:
    if sort.key is not None:
        return Batch(place, sort, number=listed_number(len(items), max(1, len(sort.parts))) if is_listed else None)
    given = {name for item in items for name in item.value}
    members = tuple(name for name in columns_of(type_at(type_, place).fields) if name in given)
    holds_key = bool(sort.links) or (bool(place) and not link_at(type_, place).refers)
    if not members and not holds_key:
        return Batch(place, sort, members, len(items))
    return Batch(place, sort, members, listed_number(len(items), len(members)) if is_listed else None)


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


@dataclass(frozen=True)
class ItemText:
    """The text of the value that one item of a batch has at ``path``, None if it has none."""

    batch: Batch
    item: int
    path: tuple[str, ...]
    to_text: ToText

    def __call__(self, batches: Batches) -> str | None:
        value = member_at(self.batch.of(batches)[self.item].value, self.path)
        return None if value is None else self.to_text(value)


@dataclass(frozen=True)
class ItemNumber:
    """The number of one item of a batch, or with ``of_owner`` that of its owner."""

    batch: Batch
    item: int
    of_owner: bool = False

    def __call__(self, batches: Batches) -> str:
        item = self.batch.of(batches)[self.item]
        return str(item.owner if self.of_owner else item.position)


@dataclass(frozen=True)
class IndexAmong:
    """The index of the item with a ``number`` among those of ``batches``."""

    batches: tuple[Batch, ...]
    number: ItemNumber

    def __call__(self, batches: Batches) -> str:
        number = self.number(batches)
        numbers = (str(item.position) for each in self.batches for item in each.of(batches))
        return str(next(index for index, each in enumerate(numbers) if each == number))


def member_at(value: Any, path: Sequence[str]) -> Any:
    """The member at the end of a path of names."""
    for step in path:
        value = value.get(step)
    return value
