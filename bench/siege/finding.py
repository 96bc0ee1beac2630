"""What an attack is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.siege.grounds import Grounds

_LONGEST_EXAMPLE = 300


@dataclass(frozen=True, slots=True)
class Finding:
    """How often something was tried, how often it got through, and what is worth saying of it."""

    tried: int
    got_through: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Attack:
    """``promise`` is what holds if nothing gets through. ``run`` takes the grounds and the seconds that it may use."""

    name: str
    promise: str
    run: Callable[[Grounds, float], Finding]


@dataclass(slots=True)
class Tally:
    """Counts tries while an attack runs, and remembers the first that got through."""

    tried: int = 0
    got_through: int = 0
    _example: str = field(default="", init=False)

    def add(self, held: bool, example: object) -> None:
        """One more try: it held, or ``example`` says what got through."""
        self.tried += 1
        if not held:
            self.got_through += 1
            self._example = self._example or f"got through: {str(example)[:_LONGEST_EXAMPLE]}"

    def finding(self, note: str = "") -> Finding:
        return Finding(self.tried, self.got_through, "; ".join(filter(None, (note, self._example))))
