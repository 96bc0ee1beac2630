"""Fields, arguments and members that plugins contribute to a type, and their order in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any


@dataclass(frozen=True, slots=True)
class Fields:
    """Fields, arguments or members that a plugin adds to a type. Contributions are laid out by ``position``, lower
    first. If two share a name, the one of higher ``precedence`` is kept, else the first. ``absent`` says, by name, why
    a field that a client may ask for does not exist."""

    position: int
    fields: Mapping[str, Any]
    precedence: int = 0
    absent: Mapping[str, str] = field(default_factory=dict)


def in_order(contributions: Sequence[Fields | None], left_out: Callable[[str], object]) -> dict[str, Any]:
    """The fields of all contributions by position, only one of each name; ``left_out`` is called with the others."""
    given = sorted((each for each in contributions if each), key=lambda each: each.position)
    standing: dict[str, int] = {}
    for contribution in given:
        for name in contribution.fields:
            standing[name] = max(standing.get(name, contribution.precedence), contribution.precedence)
    result: dict[str, Any] = {}
    for contribution in given:
        for name, made in contribution.fields.items():
            if contribution.precedence < standing[name] or name in result:
                left_out(name)
            else:
                result[name] = made
    return result


class Deferred(Mapping[str, Any]):
    """Fields that are made one by one, each when it is first asked for: of a large schema a request needs a few.

    ``makers`` has by name what makes each; one that returns None shows that there is no field of that name after all.
    """

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        self._makers = makers
        self._made: dict[str, Any] = {}

    @property
    def names(self) -> Collection[str]:
        """The names that fields may have: those of all fields, and of some that there turn out not to be."""
        return self._makers.keys()

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        made = self._made[name]
        if made is None:
            raise KeyError(name)
        return made

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._makers if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def names_of(fields: Mapping[str, Any]) -> Collection[str]:
    """The names that fields may have. None is made to find that out."""
    return fields.names if isinstance(fields, Deferred) else fields.keys()


def deferred(
    contributions: Sequence[Fields | None], is_name: Callable[[str], bool], left_out: Callable[[str], object]
) -> Deferred:
    """What ``in_order`` chooses, but in the order of the names, of which each ``is_name``. Only the fields whose name
    several contributions may have are made."""
    given = sorted((each for each in contributions if each), key=lambda each: each.position)
    holders: dict[str, Fields] = {}
    sharing: dict[str, list[Fields]] = {}
    for contribution in given:
        for name in names_of(contribution.fields):
            holder = holders.setdefault(name, contribution)
            if holder is not contribution:
                sharing.setdefault(name, [holder]).append(contribution)
    for name in filter(is_name, sharing):
        having = [each for each in sharing[name] if name in each.fields] or sharing[name][:1]
        for _ in having[1:]:
            left_out(name)
        holders[name] = max(having, key=lambda each: each.precedence)
    return Deferred({name: partial(holders[name].fields.get, name) for name in sorted(filter(is_name, holders))})


ABSENT_FIELD = "absent_field"
"""The extension of an object type that says, of a name, why there is no such field; None if no plugin knows."""


def absent_field(contributions: Sequence[Fields | None], name: str) -> str | None:
    """The reason why a field of that name does not exist, if a plugin gives one."""
    return next((each.absent[name] for each in contributions if each and name in each.absent), None)


def enabled_by(directive: str) -> str:
    """The reason why fields are absent that a directive of their relation enables."""
    return f"Enable {directive} by the relation's comment: docs/directives.md"


def unknown_field_in(what: str) -> dict[str, Any]:
    """The extensions of an object type whose error for a field that does not exist is: unknown field in ``what``."""
    return {"unknown_field": lambda field: f"unknown field in {what}"}
