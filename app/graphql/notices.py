"""What a database has that is not in the API, and why: for the operator, who would otherwise not notice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """``subject``, such as ``view public.sales``, is not in the API or not as its comment says, because of ``reason``.
    ``fix`` is the statement or directive that fixes it, if one does; ``field`` is what a client may have asked for."""

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
        """Why there is no field of that name, if that is known."""
        return next((each for each in self._found if each.field == field), None)

    def __iter__(self) -> Iterator[Notice]:
        return iter(tuple(self._found))

    def __len__(self) -> int:
        return len(self._found)
