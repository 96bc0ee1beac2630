"""The fields, arguments and input members that plugins contribute to a type, and their order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from graphql import GraphQLNamedType

COMMENTED = "directives"
"""The extension of a row's type, or of a field, with the directives in the comment on the object that it shows."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Fields, arguments or members that a plugin adds to a type. Contributions are ordered by ``position``, lower
    first. If two share a name, the one with the higher ``precedence`` is kept, or the first if these are equal.
    ``absent``: by name, why a field that a client may select does not exist. ``replaces``: fields of the same names are
    replaced on purpose, so there is no notice about them."""

    position: int
    fields: Mapping[str, Any]
    precedence: int = 0
    absent: Mapping[str, str] = field(default_factory=dict)
    replaces: bool = False


def in_order(contributions: Sequence[Fields | None], left_out: Callable[[str], object]) -> dict[str, Any]:
    """The fields of all contributions by position, one for each name. ``left_out`` is called with the name of each
    field that is dropped."""
    given = sorted((each for each in contributions if each), key=lambda each: each.position)
    highest: dict[str, int] = {}
    for contribution in given:
        for name in contribution.fields:
            highest[name] = max(highest.get(name, contribution.precedence), contribution.precedence)
    replaced = {name for each in given if each.replaces for name in each.fields}
    result: dict[str, Any] = {}
    for contribution in given:
        for name, made in contribution.fields.items():
            if contribution.precedence < highest[name] or name in result:
                if name not in replaced:
                    left_out(name)
            else:
                result[name] = made
    return result


class Deferred(Mapping[str, Any]):
    """Fields that are made one by one, each on first use, because a request needs few fields of a large schema.

    ``makers`` has a function for each name. If it returns None, there is no field of that name.
    """

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        self._makers = makers
        self._made: dict[str, Any] = {}

    @property
    def names(self) -> Collection[str]:
        """The names of all fields. Some may turn out not to exist once they are made."""
        return self._makers.keys()

    def maker(self, name: str) -> Callable[[], Any]:
        """The function that makes the field of that name."""
        return self._makers[name]

    def free(self) -> None:
        """Forget the fields made so far. They are made again when they are needed again."""
        self._made = {}

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


def each_field(fields: Mapping[str, Any]) -> Iterator[Any]:
    """The fields, one by one. Deferred ones are made for this and not kept."""
    makers = (fields.maker(name) for name in fields.names) if isinstance(fields, Deferred) else None
    return iter(fields.values()) if makers is None else (made for make in makers if (made := make()) is not None)


def names_of(fields: Mapping[str, Any]) -> Collection[str]:
    """The names that the fields may have. No field is made for this."""
    return fields.names if isinstance(fields, Deferred) else fields.keys()


def deferred(
    contributions: Sequence[Fields | None], is_name: Callable[[str], bool], left_out: Callable[[str], object]
) -> Deferred:
    """The same fields as ``in_order`` chooses, sorted by name and without those whose name is no ``is_name``. A field
    is made now only if several contributions may have its name."""
    given = sorted((each for each in contributions if each), key=lambda each: each.position)
    chosen: dict[str, Fields] = {}
    conflicting: dict[str, list[Fields]] = {}
    for contribution in given:
        for name in names_of(contribution.fields):
            first = chosen.setdefault(name, contribution)
            if first is not contribution:
                conflicting.setdefault(name, [first]).append(contribution)
    for name in filter(is_name, conflicting):
        existing = [each for each in conflicting[name] if name in each.fields] or conflicting[name][:1]
        for _ in existing[1:]:
            left_out(name)
        chosen[name] = max(existing, key=lambda each: each.precedence)
    return Deferred({name: _maker(chosen[name].fields, name) for name in sorted(filter(is_name, chosen))})


def _maker(fields: Mapping[str, Any], name: str) -> Callable[[], Any]:
    # Those that ``fields`` would keep are kept once, by the result.
    return fields.maker(name) if isinstance(fields, Deferred) else partial(fields.get, name)


def free_fields(type_: GraphQLNamedType) -> None:
    """Free the fields of a type, if it has any. They are made again when they are needed again."""
    fields = vars(type_).get("fields")
    if isinstance(fields, Deferred):
        fields.free()
    elif fields is not None:
        del type_.fields  # type: ignore[attr-defined]


ABSENT_FIELD = "absent_field"
"""The extension of an object type: a function from the name of a missing field to the reason, None if unknown."""


def absent_field(contributions: Sequence[Fields | None], name: str) -> str | None:
    """The reason why a field of that name does not exist, if a plugin gives one."""
    return next((each.absent[name] for each in contributions if each and name in each.absent), None)


def enabled_by(directive: str) -> str:
    """The reason for missing fields that a directive in their relation's comment would enable."""
    return f"Enable {directive} by the relation's comment: docs/directives.md"


def unknown_field_in(what: str) -> dict[str, Any]:
    """The extensions of an object type whose error for an unknown field is "unknown field in ``what``"."""
    return {"unknown_field": lambda field: f"unknown field in {what}"}
