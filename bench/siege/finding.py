"""An attack, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.siege.grounds import Grounds

_LONGEST_EXAMPLE, _MOST_EXAMPLES = 500, 20


@dataclass(frozen=True, slots=True)
class Finding:
    """How often an attack was tried, how often it got through, and examples of that; ``note`` describes the tries."""

    tried: int
    got_through: int
    note: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attack:
    """``promise`` is what holds if nothing gets through. ``run`` takes the grounds and the seconds that it may use."""

    name: str
    promise: str
    run: Callable[[Grounds, float], Finding]


@dataclass(slots=True)
class Tally:
    """Counts tries while an attack runs, and remembers what got through."""

    tried: int = 0
    got_through: int = 0
    _examples: list[str] = field(default_factory=list, init=False)

    def add(self, held: bool, example: object) -> None:
        """Count a try: it ``held``, or ``example`` says what got through."""
        self.tried += 1
        if not held:
            self.got_through += 1
            if len(self._examples) < _MOST_EXAMPLES:
                self._examples.append(str(example)[:_LONGEST_EXAMPLE])

    def finding(self, note: str = "") -> Finding:
        return Finding(self.tried, self.got_through, note, tuple(self._examples))
