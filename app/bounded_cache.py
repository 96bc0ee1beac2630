"""A cache of bounded size that threads share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


UNIT = 64 * 1024
"""How many bytes make a large value count as one more, unless a cache is told another number."""


class _Entry(Generic[Value]):
    __slots__ = ("is_used", "value", "weight")

    def __init__(self, value: Value, weight: int) -> None:
        self.value = value
        self.weight = weight
        self.is_used = False


class BoundedCache(Generic[Value]):
    """Keeps the values that are used, and counts hits and misses. It holds at most ``entries``: fewer if they are
    large, and none that is larger than the whole cache. A value that takes ``unit`` bytes or more counts as several.

    Where a new value needs room the oldest goes, but one that was used since it was last in question becomes the newest
    instead ("second chance"). So a look-up takes no lock and moves nothing, which is half of its time.
    """

    def __init__(self, entries: int, unit: int = UNIT) -> None:
        self._entries = entries
        self._unit = unit
        # The oldest first
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
        """Keep ``value``, which takes about ``size`` bytes together with its key, in place of what the key had."""
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
