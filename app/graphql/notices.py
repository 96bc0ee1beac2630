"""Notices for the operator: which objects of the database are not in the API, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """``subject``, such as ``view public.sales``, is not in the API or not as its comment says, because of ``reason``.
    ``fix`` is a statement or directive that fixes it, or ''; ``field`` is a field that a client may have requested."""

    subject: str
    reason: str
    fix: str = ""
    field: str = ""


class Notices:
    """The notices of one schema, each once, in the order in which they were found."""

    def __init__(self) -> None:
        self._found: dict[Notice, None] = {}

    def add(self, subject: str, reason: str, *, fix: str = "", field: str = "") -> None:
        self._found[Notice(subject, reason, fix, field)] = None

    def about(self, field: str) -> Notice | None:
        """The notice that explains why a field of that name does not exist, if there is one."""
        return next((each for each in self._found if each.field == field), None)

    def __iter__(self) -> Iterator[Notice]:
        return iter(tuple(self._found))

    def __len__(self) -> int:
        return len(self._found)
