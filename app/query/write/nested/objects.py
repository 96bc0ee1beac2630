"""Sorts the objects of a nested insert into batches.

Members of the input of new rows may be links to related rows (Link), so the objects form a tree. All objects at one
place of the tree are written by one statement, or by one for each sort of them, regardless of the number of their
owners.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphql import GraphQLInputObjectType, get_named_type

from app.errors import OverLimit, RequestError
from app.graphql.values.values import whole_value
from app.query.write.new_rows import (
    CONNECT,
    HINT,
    OBJECT,
    Link,
    columns_of,
    has_default,
    is_required,
    links_of,
    missing_member,
    type_below,
)

MAX_LEVELS = 5
MAX_PATHS = 100
MAX_ROWS = 10_000

ObjectPlace = tuple[str, ...]
"""The names of the links that lead from the root's objects to the objects of a place."""

ROOT: ObjectPlace = ()


class Item(NamedTuple):
    """One object or one key. ``position``: its number at its place. ``owner``: the number of the object that it is
    in."""

    position: int
    owner: int
    value: Mapping[str, Any]
    arguments: Mapping[str, Any]

    @property
    def sort_key(self) -> Hashable:
        """A key that is cheap to compute for 10,000 objects. Objects of one place with equal keys are of one sort."""
        nulls = [name for name, each in self.value.items() if each is None] if None in self.value.values() else ()
        return frozenset(self.value), *nulls, whole_value(self.arguments) if self.arguments else None


class Sort(NamedTuple):
    """The properties that items of one place must share to be handled by one statement.

    Of objects: the columns with a default for which they have values (``defaulted``), the links that fill columns
    (``links``), and the arguments of the INSERT. Of keys: the member of the key input (``key``), and the ``parts`` of
    its value.
    """

    key: str | None = None
    parts: tuple[str, ...] = ()
    defaulted: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    arguments: Hashable = ()


Batches = Mapping[tuple[ObjectPlace, Sort], Sequence[Item]]
"""The items of a nested insert by place and sort, those of a place in the order of the request."""


@dataclass(frozen=True)
class BatchesOf:
    """Reads objects of the input type ``type_`` into batches. The columns ``filled`` get their values from the rows
    that the objects belong to.

    Raises RequestError for objects that do not fit the type, since a variable is read here before it is validated, and
    OverLimit for too many rows, levels or paths."""

    type_: GraphQLInputObjectType
    filled: frozenset[str] = frozenset()

    def __call__(self, objects: Any) -> Batches:
        reader = _Reader()
        items = [Item(position, 0, _object(each), {}) for position, each in enumerate(_listed(objects), start=1)]
        reader.read_objects(ROOT, self.type_, items, self.filled)
        return reader.batches


def batches_below(type_: GraphQLInputObjectType, link: Link, value: Any) -> Batches:
    """The batches of the value that one object of ``type_`` has under a link."""
    reader = _Reader()
    reader.follow((link.name,), type_, link, [Item(1, 0, {link.name: value}, {})])
    return reader.batches


def sorts_of_keys(keys: Any) -> tuple[Sort, ...]:
    """The distinct sorts of a list of keys, in the order in which they occur. Raises RequestError for a malformed
    key."""
    return tuple(dict.fromkeys(_sort_of_key(_object(each)) for each in _listed(keys)))


@dataclass
class _Reader:
    batches: dict[tuple[ObjectPlace, Sort], list[Item]] = field(default_factory=dict)
    rows: int = 0

    def read_objects(
        self, place: ObjectPlace, type_: GraphQLInputObjectType, items: Sequence[Item], filled: frozenset[str]
    ) -> None:
        """Read the objects of a place. Their columns ``filled`` get values from the rows that they belong to."""
        kind = _Kind(type_, filled)
        self._count(place, len(items))
        batches: dict[Hashable, list[Item]] = {}
        followed: set[str] = set()
        for item in items:
            sort_key = item.sort_key
            if sort_key not in batches:
                batches[sort_key] = self._batch(place, kind.sort_of(item))
                followed.update(name for name in kind.links if item.value.get(name) is not None)
            batches[sort_key].append(item)
        for name, link in kind.links.items():
            if name in followed:
                self.follow((*place, name), type_, link, items)

    def follow(self, place: ObjectPlace, type_: GraphQLInputObjectType, link: Link, items: Sequence[Item]) -> None:
        _check_taken(type_, link, items)
        keys, below = _below(items, link, CONNECT), _below(items, link, link.member)
        if keys:
            self._count(place, len(keys))
        for key in keys:
            self._batch(place, _sort_of_key(key.value)).append(key)
        if below:
            self.read_objects(place, type_below(type_, link.name, link.member), below, link.fills_below)

    def _count(self, place: ObjectPlace, rows: int) -> None:
        if len(place) >= MAX_LEVELS:
            raise OverLimit(f"The objects are more than {MAX_LEVELS} levels deep", hint=HINT)
        self.rows += rows
        if self.rows > MAX_ROWS:
            raise OverLimit(f"The objects are more than {MAX_ROWS} rows with those in them", hint="Send fewer at once.")

    def _batch(self, place: ObjectPlace, sort: Sort) -> list[Item]:
        batch = self.batches.setdefault((place, sort), [])
        if len(self.batches) > MAX_PATHS:
            raise OverLimit(f"The objects have more than {MAX_PATHS} paths", hint=HINT)
        return batch


class _Kind:
    """The objects of one place: their possible and their required members."""

    def __init__(self, type_: GraphQLInputObjectType, filled: frozenset[str]) -> None:
        self._type, self._filled = type_, filled
        self._columns, self.links = columns_of(type_.fields), links_of(type_.fields)
        self._defaulted = frozenset(name for name, each in type_.fields.items() if has_default(each))
        self._required = [
            name for name, each in type_.fields.items() if is_required(each) and self._columns[name].name not in filled
        ]

    def sort_of(self, item: Item) -> Sort:
        """The sort of an object. Raises RequestError for an object with an unknown, a conflicting or a missing
        member."""
        self._check(item.value)
        return Sort(
            defaulted=self._defaulted.intersection(item.value),
            links=frozenset(
                name for name, link in self.links.items() if link.refers and item.value.get(name) is not None
            ),
            arguments=whole_value(item.arguments),
        )

    def _check(self, value: Mapping[str, Any]) -> None:
        """Raise RequestError for a column that both a member and a link give a value, and for a missing column."""
        by_link = {
            column: name for name, each in self.links.items() if value.get(name) is not None for column in each.fills
        }
        for name in value:
            if name not in self._type.fields:
                raise _refused(f"{self._type.name} has no member {name}")
            column = self._columns[name].name if name in self._columns else None
            if column in by_link or column in self._filled:
                other = by_link.get(column or "", "the row that it belongs to")
                raise _refused(f"{name} of {self._type.name} is given a value by {other} already")
        for name in self._required:
            if value.get(name) is None and self._columns[name].name not in by_link:
                raise missing_member(self._type.name, self._type.fields, name)


def _below(items: Sequence[Item], link: Link, member: str) -> list[Item]:
    """The objects or keys that ``items`` have in a member of a link. For a link to one row their numbers are those of
    their owners."""
    found: list[Item] = []
    for item in items:
        given = item.value.get(link.name)
        taken = {} if given is None else _object(given)
        if taken.get(member) is not None:
            arguments = {} if member == CONNECT or len(taken) == 1 else _arguments(link, taken)
            for each in _listed(taken[member]):
                position = len(found) + 1 if link.relationship.to_many else item.position
                found.append(Item(position, item.position, _object(each), arguments))
    return found


def _arguments(link: Link, taken: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: each for name, each in taken.items() if name not in (link.member, CONNECT) and each is not None}


def _listed(value: Any) -> Sequence[Any]:
    return () if value is None else value if isinstance(value, list) else (value,)


def _object(value: Any) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    raise _refused("Expected an object in objects")


def _check_taken(type_: GraphQLInputObjectType, link: Link, items: Sequence[Item]) -> None:
    known: Any = get_named_type(type_.fields[link.name].type)
    for item in items:
        if item.value.get(link.name) is not None:
            taken = _object(item.value[link.name])
            if not known.fields.keys() >= taken.keys():
                raise _refused(f"{known.name} has other members")
            if not link.relationship.to_many and (taken.get(OBJECT) is None) == (taken.get(CONNECT) is None):
                raise _refused(f"{link.name} takes exactly one of {OBJECT} and {CONNECT}")


def _sort_of_key(key: Mapping[str, Any]) -> Sort:
    if len(key) != 1:
        raise _refused(f"Expected one member of a key in {CONNECT}")
    ((member, value),) = key.items()
    parts = value if isinstance(value, dict) else {}
    if value is None or None in parts.values():
        raise _refused(f"Expected a key without null in {CONNECT}")
    return Sort(key=member, parts=tuple(sorted(parts)))


def _refused(message: str) -> RequestError:
    return RequestError(message, code="BAD_USER_INPUT", hint=HINT)
