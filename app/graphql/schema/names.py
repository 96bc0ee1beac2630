"""Converts SQL names to GraphQL names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

REMEMBERED = 10_000
"""How many converted names are cached: tables share most of their column names."""


def is_valid(name: str) -> bool:
    """Whether ``name`` is a Name of GraphQL's grammar: a Python identifier of ASCII characters."""
    return name.isascii() and name.isidentifier()


@lru_cache(REMEMBERED)
def base(name: str, override: str | None, inflect: bool) -> str:
    """The GraphQL name for an SQL name: ``override`` if given, else in PascalCase with ``inflect``, else unchanged.

    In PascalCase the first character and each one after a non-alphanumeric one is upper-cased; underscores are dropped:
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
    """The field name of a column: unchanged unless ``override`` is given, or in camelCase with ``inflect``."""
    if override is not None or not inflect:
        return base(name, override, inflect)
    return lower_first(base(name, None, inflect=True))


def usable(name: str) -> str:
    """``name`` without the characters that a GraphQL name cannot have."""
    return re.sub("[^_0-9A-Za-z]", "", name)


def function_field(name: str, override: str | None, inflect: bool) -> str:
    """The field name of a function: one leading underscore is dropped, the first letter is lower case."""
    if override is not None:
        return override
    return lower_first(base(name.removeprefix("_"), None, inflect))


NOT_ENUM_VALUES = frozenset(("true", "false", "null"))


def enum_values(labels: Sequence[str]) -> list[str]:
    """A distinct GraphQL enum value for each of ``labels``. A label that can be an enum value is its own value."""
    first = {text: place for place, text in reversed(list(enumerate(labels))) if _is_enum_value(text)}
    taken = set(first)
    values = []
    for place, text in enumerate(labels):
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
    # GraphQL reserves two leading underscores.
    return re.sub("^(?=[0-9])|^__+", "_", name)
