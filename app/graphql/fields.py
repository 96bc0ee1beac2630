"""Fields, arguments and members that plugins contribute to a type, and their order in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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


def absent_field(contributions: Sequence[Fields | None], name: str) -> str | None:
    """The reason why a field of that name does not exist, if a plugin gives one."""
    return next((each.absent[name] for each in contributions if each and name in each.absent), None)


def unknown_field_in(what: str) -> dict[str, Any]:
    """The extensions of an object type whose error for a field that does not exist is: unknown field in ``what``."""
    return {"unknown_field": lambda field: f"unknown field in {what}"}
