"""The record of a finding of ``portico doctor``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Mark = Literal["ok", "note", "WRONG"]
_NAMED = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement of the report. ``fix`` says what to do, and as which role; '' if nothing needs to be done."""

    mark: Mark
    what: str
    fix: str = ""

    @property
    def is_fatal(self) -> bool:
        return self.mark == "WRONG"


def listed(names: Sequence[str]) -> str:
    """The first ten names, separated by commas, and the number of the others."""
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown
