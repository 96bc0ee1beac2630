"""The kinds of JSON values in comment directives. Each checks a parsed value and makes it immutable.

The messages have the format of pg_graphql's: ``invalid type: string "a", expected a sequence``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol


class DirectiveValueError(ValueError):
    """A value of the wrong kind. ``path`` leads from the directive's key to the value; ``detail`` says what was
    expected."""

    def __init__(self, detail: str, path: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.path = path

    def within(self, step: str) -> DirectiveValueError:
        """The same error, with the path starting one level further out."""
        return DirectiveValueError(self.detail, f"{step}{self.path}")


class ValueKind(Protocol):
    """A kind of value that a directive accepts."""

    def read(self, value: object) -> object:
        """The value, immutable; None if it counts as absent. Raises ``DirectiveValueError``."""

    def expected_of(self, value: object) -> str | None:
        """The values to write instead of one that is accepted but has no effect; None if it has an effect."""


class _AlwaysEffective:
    """Kinds whose values either have an effect or are malformed."""

    __slots__ = ()

    def expected_of(self, value: object) -> str | None:
        return None


@dataclass(frozen=True, slots=True)
class String(_AlwaysEffective):
    """A string."""

    def read(self, value: object) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str):
            raise _unexpected(value, "a string")
        return _checked(value)


@dataclass(frozen=True, slots=True)
class Count(_AlwaysEffective):
    """A non-negative integer."""

    def read(self, value: object) -> int | None:
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            if value >= 0:
                return value
            raise DirectiveValueError(f"invalid value: integer `{value}`, expected u64")
        raise _unexpected(value, "u64")


@dataclass(frozen=True, slots=True)
class NumberBetween(_AlwaysEffective):
    """An integer from ``least`` to ``most``."""

    least: int
    most: int

    def read(self, value: object) -> int | None:
        if value is None:
            return None
        expected = f"an integer from {self.least} to {self.most}"
        if not isinstance(value, int) or isinstance(value, bool):
            raise _unexpected(value, expected)
        if not self.least <= value <= self.most:
            raise DirectiveValueError(f"invalid value: integer `{value}`, expected {expected}")
        return value


@dataclass(frozen=True, slots=True)
class Flag:
    """On if the value is exactly ``true``. Any other value is off, and never an error."""

    def read(self, value: object) -> bool | None:
        return None if value is None else value is True

    def expected_of(self, value: object) -> str | None:
        return None if value is None or isinstance(value, bool) else "true or false"


@dataclass(frozen=True, slots=True)
class Enabled:
    """On if the value is an object whose ``enabled`` is true or "true". Any other value is off, and never an error."""

    def read(self, value: object) -> bool:
        enabled = value.get("enabled") if isinstance(value, dict) else None
        return enabled is True or enabled == "true"

    def expected_of(self, value: object) -> str | None:
        enabled = value.get("enabled") if isinstance(value, dict) else None
        return None if isinstance(enabled, bool) or enabled in ("true", "false") else '{"enabled": true}'


@dataclass(frozen=True, slots=True)
class ListOf(_AlwaysEffective):
    """An array whose elements are all of one kind."""

    element: ValueKind

    def read(self, value: object) -> tuple[object, ...] | None:
        if value is None:
            return None
        if not isinstance(value, list):
            raise _unexpected(value, "a sequence")
        return tuple(self._element(position, element) for position, element in enumerate(value))

    def _element(self, position: int, value: object) -> object:
        try:
            read = self.element.read(value)
        except DirectiveValueError as ex:
            raise ex.within(f"[{position}]") from None
        if read is None:
            raise DirectiveValueError("invalid type: null, expected a value", f"[{position}]")
        return read


@dataclass(frozen=True, slots=True)
class Object(_AlwaysEffective):
    """An object with members of the given kinds; other members are ignored."""

    required: Mapping[str, ValueKind]
    optional: Mapping[str, ValueKind] = field(default_factory=dict)

    def read(self, value: object) -> Mapping[str, object] | None:
        if value is None:
            return None
        if not isinstance(value, dict):
            raise _unexpected(value, "a map")
        members = {}
        for name, kind in (*self.required.items(), *self.optional.items()):
            try:
                read = kind.read(value.get(name))
            except DirectiveValueError as ex:
                raise ex.within(f".{name}") from None
            if read is not None:
                members[name] = read
            elif name in self.required:
                raise DirectiveValueError(f"missing field `{name}`")
        return MappingProxyType(members)


@dataclass(frozen=True, slots=True)
class Renaming(_AlwaysEffective):
    """An object that maps strings to distinct strings, so that the mapping can be inverted."""

    def read(self, value: object) -> Mapping[str, str] | None:
        if value is None:
            return None
        if not isinstance(value, dict):
            raise _unexpected(value, "a map")
        seen: set[str] = set()
        for name, renamed in value.items():
            if not isinstance(renamed, str):
                raise _unexpected(renamed, "a string").within(f".{name}")
            _checked(renamed)
            if renamed in seen:
                raise DirectiveValueError(f"invalid value: string {_quoted(renamed)}, expected each value only once")
            seen.add(renamed)
        return MappingProxyType(dict(value))


def _checked(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DirectiveValueError("invalid value: half of a surrogate pair, expected a character") from None
    return text


def _unexpected(value: object, expected: str) -> DirectiveValueError:
    return DirectiveValueError(f"invalid type: {_described(value)}, expected {expected}")


def _described(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, int):
        return f"integer `{value}`"
    if isinstance(value, float):
        return f"floating point `{value}`"
    if isinstance(value, str):
        return f"string {_quoted(value)}"
    return "sequence" if isinstance(value, list) else "map"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
