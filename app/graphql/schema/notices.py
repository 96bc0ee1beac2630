"""Notices for the operator: which objects of the database are not in the API, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from schema_cache.model import Function, Relation

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Notice:
    """``subject``, such as ``view public.sales``, is not in the API, or a directive in its comment has no effect,
    because of ``reason``. ``fix``: a statement or directive that solves this, or ''. ``field``: the field that is
    therefore missing."""

    subject: str
    reason: str
    fix: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """The reason why a function is not a field, from the check that found it. ``exposing_helps``: a comment that
    exposes the function lifts the obstacle."""

    reason: str
    exposing_helps: bool = False


class Notices:
    """The distinct notices of one schema, in the order in which they were found. Some are found while types are made;
    ``make_types`` makes all types."""

    def __init__(self, make_types: Callable[[], object] = lambda: None) -> None:
        self._make_types = make_types
        self._found: dict[Notice, None] = {}

    def add(self, subject: str, reason: str, *, fix: str = "", field: str = "") -> None:
        self._found[Notice(subject, reason, fix, field)] = None

    def about(self, field: str) -> Notice | None:
        """The notice that explains why a field of that name does not exist, if there is one."""
        return next((each for each in self._found if each.field == field), None)

    def recorded(self, make: Callable[[], Made]) -> tuple[Made, Sequence[Notice]]:
        """The result of a function, and the notices that it adds."""
        before, self._found = self._found, {}
        try:
            return make(), self.so_far
        finally:
            self._found = before | self._found

    def add_all(self, notices: Sequence[Notice]) -> None:
        self._found |= dict.fromkeys(notices)

    @property
    def so_far(self) -> Sequence[Notice]:
        """The notices found so far; no further types are made."""
        return tuple(self._found)

    def __iter__(self) -> Iterator[Notice]:
        self._make_types()
        return iter(self.so_far)

    def __len__(self) -> int:
        self._make_types()
        return len(self._found)


def function_subject(function: Function) -> str:
    """The subject of notices about a function."""
    return f"function {function.schema}.{function.name}"


KINDS = {"r": "table", "p": "table", "v": "view", "m": "materialized view", "f": "foreign table"}
"""The names of the kinds of relations, by ``relkind``."""


def relation_subject(relation: Relation) -> str:
    """The subject of notices about a relation."""
    return f"{KINDS[relation.kind]} {relation.schema}.{relation.name}"
