"""A cache of verified credentials until they expire."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Verified(Generic[Value]):
    """A bounded cache of values that expire. The oldest is evicted first; ``find`` takes no lock."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._known: OrderedDict[Hashable, tuple[Value, float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Hashable, now: float) -> Value | None:
        entry = self._known.get(key)
        # If the clock was set back to a time before the entry was made, the entry may not be valid then.
        return entry[0] if entry is not None and entry[1] <= now < entry[2] else None

    def until(self, key: Hashable, otherwise: float) -> float:
        """The time until which the value of ``key`` is kept; ``otherwise`` if there is none."""
        entry = self._known.get(key)
        return entry[2] if entry is not None else otherwise

    def keep(self, key: Hashable, value: Value, since: float, until: float) -> None:
        with self._lock:
            self._known.pop(key, None)
            self._known[key] = (value, since, until)
            while len(self._known) > self._entries:
                self._known.popitem(last=False)

    def __len__(self) -> int:
        return len(self._known)
