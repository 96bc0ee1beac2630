"""A cache of bounded size that threads share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


UNIT = 64 * 1024
"""The default of BoundedCache's ``unit``, in bytes."""


class _Entry(Generic[Value]):
    __slots__ = ("is_used", "value", "weight")

    def __init__(self, value: Value, weight: int) -> None:
        self.value = value
        self.weight = weight
        self.is_used = False


class BoundedCache(Generic[Value]):
    """A cache that evicts unused values first, and counts hits and misses.

    It holds at most ``entries`` values. A value counts as one more for each ``unit`` bytes of its size. A value that
    is larger than the whole cache is not kept.

    Eviction is "second chance": the oldest value is evicted, unless it was used since it was last considered; then it
    becomes the newest. So a look-up takes no lock and reorders nothing, which would double its time.
    """

    def __init__(self, entries: int, unit: int = UNIT) -> None:
        self._entries = entries
        self._unit = unit
        # Oldest first
        self._values: OrderedDict[Hashable, _Entry[Value]] = OrderedDict()
        self._weight = 0
        self._lock = Lock()
        self.hits = 0
        self.misses = 0

    def get(self, key: Hashable) -> Value | None:
        entry = self._values.get(key)
        if entry is None:
            self.misses += 1
            return None
        self.hits += 1
        entry.is_used = True
        return entry.value

    def put(self, key: Hashable, value: Value, size: int = 0) -> None:
        """Store ``value`` under ``key``, replacing its previous value. ``size``: about how many bytes both take."""
        entry = _Entry(value, 1 + size // self._unit)
        with self._lock:
            before = self._values.pop(key, None)
            if before is not None:
                self._weight -= before.weight
            if entry.weight > self._entries:
                return
            self._make_room(self._entries - entry.weight)
            self._values[key] = entry
            self._weight += entry.weight

    def _make_room(self, most: int) -> None:
        while self._weight > most:
            key, entry = next(iter(self._values.items()))
            if entry.is_used:
                entry.is_used = False
                self._values.move_to_end(key)
            else:
                del self._values[key]
                self._weight -= entry.weight

    def __len__(self) -> int:
        return len(self._values)
