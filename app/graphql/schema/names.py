"""From SQL names to GraphQL names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

REMEMBERED = 10_000
"""How many names are remembered: tables share most names of their columns."""


def is_valid(name: str) -> bool:
    """Whether GraphQL's grammar takes ``name`` as a Name: what Python calls an identifier, of ASCII's characters."""
    return name.isascii() and name.isidentifier()


@lru_cache(REMEMBERED)
def base(name: str, override: str | None, inflect: bool) -> str:
    """The GraphQL form of an SQL name: the override verbatim, else with ``inflect`` in PascalCase, else verbatim.

    A character after a non-alphanumeric one (and the first) is upper-cased, then underscores go:
    ``account_holder`` -> ``AccountHolder``, ``blog_BY_email`` -> ``BlogBYEmail``.
    """
    if override is not None:
        return override
    if not inflect:
        return name
    previous = " "
    characters = []
    for character in name:
        characters.append(character if previous.isalnum() else character.upper())
        previous = character
    return "".join(characters).replace("_", "")


def lower_first(name: str) -> str:
    """``name`` with its first character in lower case."""
    return name[:1].lower() + name[1:]


@lru_cache(REMEMBERED)
def field(name: str, override: str | None, inflect: bool) -> str:
    """The field name of a column: verbatim unless overridden or inflected to camelCase."""
    if override is not None or not inflect:
        return base(name, override, inflect)
    return lower_first(base(name, None, inflect=True))


def usable(name: str) -> str:
    """What of ``name`` can be a part of a GraphQL name."""
    return re.sub("[^_0-9A-Za-z]", "", name)


def function_field(name: str, override: str | None, inflect: bool) -> str:
    """The field name of a function: one leading underscore is dropped, the first letter is lower case."""
    if override is not None:
        return override
    return lower_first(base(name.removeprefix("_"), None, inflect))


NOT_ENUM_VALUES = frozenset(("true", "false", "null"))


def enum_values(wanted: Sequence[str]) -> list[str]:
    """A GraphQL enum value for each of the ``wanted`` texts, no two alike; those that can be values stay."""
    first = {text: place for place, text in reversed(list(enumerate(wanted))) if _is_enum_value(text)}
    taken = set(first)
    values = []
    for place, text in enumerate(wanted):
        value = text
        if first.get(text) != place:
            value = _as_name(text)
            while value in taken or value in NOT_ENUM_VALUES:
                value += "_"
            taken.add(value)
        values.append(value)
    return values


def _is_enum_value(text: str) -> bool:
    return is_valid(text) and text not in NOT_ENUM_VALUES and not text.startswith("__")


def _as_name(text: str) -> str:
    name = re.sub("[^_0-9A-Za-z]", "_", text)
    if name.strip("_") == "":
        return "value"
    # Two leading underscores are GraphQL's own.
    return re.sub("^(?=[0-9])|^__+", "_", name)
