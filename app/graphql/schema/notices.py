"""Notices for the operator: which objects of the database are not in the API, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from schema_cache.model import Function, Relation


@dataclass(frozen=True, slots=True)
class Notice:
    """``subject``, such as ``view public.sales``, is not in the API or not as its comment says, because of ``reason``.
    ``fix`` is a statement or directive that fixes it, or ''; ``field`` is a field that a client may have requested."""

    subject: str
    reason: str
    fix: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a function is no field: what the check says that found it. ``exposing_helps`` says that a function which a
    comment exposes may be like that."""

    reason: str
    exposing_helps: bool = False


class Notices:
    """The notices of one schema, each once, in the order in which they were found. Some are found while its types are
    made, all of which ``make_types`` makes."""

    def __init__(self, make_types: Callable[[], object] = lambda: None) -> None:
        self._make_types = make_types
        self._found: dict[Notice, None] = {}

    def add(self, subject: str, reason: str, *, fix: str = "", field: str = "") -> None:
        self._found[Notice(subject, reason, fix, field)] = None

    def about(self, field: str) -> Notice | None:
        """The notice that explains why a field of that name does not exist, if there is one."""
        return next((each for each in self._found if each.field == field), None)

    @property
    def so_far(self) -> Sequence[Notice]:
        """Those that were found by now."""
        return tuple(self._found)

    def __iter__(self) -> Iterator[Notice]:
        self._make_types()
        return iter(self.so_far)

    def __len__(self) -> int:
        self._make_types()
        return len(self._found)


def function_subject(function: Function) -> str:
    """How notices speak of a function."""
    return f"function {function.schema}.{function.name}"


KINDS = {"r": "table", "p": "table", "v": "view", "m": "materialized view", "f": "foreign table"}
"""What relations are called, by their ``relkind``."""


def relation_subject(relation: Relation) -> str:
    """How notices speak of a relation."""
    return f"{KINDS[relation.kind]} {relation.schema}.{relation.name}"
