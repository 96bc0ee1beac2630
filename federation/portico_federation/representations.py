"""Reads the representations of a request: which entities they are of, by which keys, and what is wrong with some.

The SQL depends on the types and keys that occur, not on the number or the order of the representations.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from portico import ArrayText, Leaf, OverLimit, RequestError
from portico_federation.keys import Entities

MOST = 10_000
"""The largest number of representations in a list."""

_LONGEST_NAME = 60

Group = tuple[str, int]
"""The name of a type, and the index of one of its keys."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of the representations of a group: for each its ``number``, counted from 1, and a text for each
    part."""

    numbers: list[int] = field(default_factory=list)
    texts: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Representations:
    """A list of representations: the number of all, those of each group, and errors by index."""

    count: int
    groups: Mapping[Group, Keys]
    errors: Mapping[int, RequestError]


@dataclass(frozen=True)
class Reader:
    """Reads lists of representations of the entities of one schema."""

    entities: Entities

    def read(self, value: Any) -> Representations:
        """The representations in a JSON value. Raises OverLimit for too many."""
        items = _items(value)
        groups: dict[Group, Keys] = {}
        errors: dict[int, RequestError] = {}
        for index, (item, group) in enumerate(zip(items, self._groups(items), strict=True)):
            if isinstance(group, RequestError):
                errors[index] = group
                continue
            keys = groups.get(group)
            if keys is None:
                keys = groups[group] = Keys()
            try:
                texts = self.entities.keys(group[0])[group[1]].texts(item)
            except RequestError as ex:
                errors[index] = ex
                continue
            if texts is not None:
                keys.numbers.append(index + 1)
                keys.texts.append(texts)
        return Representations(len(items), groups, errors)

    def groups(self, value: Any) -> Hashable:
        """The groups of the representations in a JSON value, in the order of the SQL. Raises RequestError for a value
        that is no list of them."""
        return tuple(sorted({each for each in self._groups(_items(value)) if not isinstance(each, RequestError)}))

    def _groups(self, items: Sequence[Any]) -> Iterator[Group | RequestError]:
        """The group of each representation, or what is wrong with it."""
        known: dict[object, Group | RequestError] = {}
        for item in items:
            # Most representations have the same fields, and then they have the same key unless one has null.
            is_usual = isinstance(item, dict) and isinstance(item.get("__typename"), str) and None not in item.values()
            form = (item["__typename"], *item) if is_usual else None
            group = known.get(form) if form else None
            if group is None:
                try:
                    group = self._group(item)
                except RequestError as ex:
                    group = ex
                if form:
                    known[form] = group
            yield group

    def _group(self, item: Any) -> Group:
        if not isinstance(item, dict):
            raise _wrong("A representation must be an object")
        name = item.get("__typename")
        if not isinstance(name, str):
            raise _wrong("A representation must have a __typename")
        keys = self.entities.keys(name)
        for index, key in enumerate(keys):
            if key.fits(item):
                return name, index
        if not keys:
            raise _wrong(f"{_shown(name)} is no entity of this subgraph")
        expected = ", or ".join(" and ".join(key.fields) for key in keys)
        raise _wrong(f"A representation of {name} must have a key: {expected}")


def _items(value: Any) -> Sequence[Any]:
    items = value if isinstance(value, list) else [value]
    if None in items:
        raise _wrong("A representation must not be null")
    if len(items) > MOST:
        raise OverLimit(f"representations has more than {MOST} items")
    return items


def _wrong(message: str) -> RequestError:
    return RequestError(message, code="BAD_USER_INPUT", hint='docs/federation.md, "Representations"')


def _shown(name: str) -> str:
    return json.dumps(name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}...", ensure_ascii=False)


def steered_groups(leaf: Leaf, reader: Reader) -> Sequence[Group]:
    """The groups of the representations in the request being planned; the plan depends on them from now on."""
    _steer(leaf, reader)
    groups: Any = reader.groups(leaf.raw)
    return list(groups)


def _steer(leaf: Leaf, reader: Reader) -> None:
    """Let the parts of the value that decide the groups steer. A literal has its variables in parts."""
    source = leaf.source
    if source.parts is None:
        leaf.steer(reader.groups)
    elif source.keys is None:
        for part in source.parts:
            _steer(replace(leaf, source=part), reader)
    else:
        for key, part in zip(source.keys, source.parts, strict=True):
            within = replace(leaf, source=part)
            if key == "__typename":
                within.steer()
            else:
                within.steer(_is_null)


def _is_null(value: Any) -> bool:
    return value is None


# The parameters, each from the representations that were read once for a request


def count_text(read: Representations) -> str:
    """The number of representations."""
    return str(read.count)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of the representations of a group, as the text of an array."""

    group: Group

    def __call__(self, read: Representations) -> str:
        keys = read.groups.get(self.group)
        return "{" + ",".join(map(str, keys.numbers if keys else ())) + "}"


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a part of the keys of a group, as the text of an array of texts."""

    group: Group
    part: int

    def __call__(self, read: Representations) -> str | None:
        keys = read.groups.get(self.group)
        return _TEXTS([texts[self.part] for texts in keys.texts] if keys else [])


def _same(value: Any) -> str | None:
    text: str | None = value
    return text


_TEXTS = ArrayText(_same)
