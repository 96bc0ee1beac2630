"""A cache of bounded size that threads share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


UNIT = 64 * 1024
"""Bytes that a value may take and still count as one entry; a larger one counts as several."""


class BoundedCache(Generic[Value]):
    """Keeps the most recently used values, and counts hits and misses. It holds at most ``entries``: fewer if
    they are large, and none that is larger than the whole cache."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        # The least recently used first, each with how many entries it counts as.
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._weight = 0
        self._lock = Lock()
        self.hits = 0
        self.misses = 0

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            found = self._values.get(key)
            if found is None:
                self.misses += 1
                return None
            self._values.move_to_end(key)
            self.hits += 1
            return found[0]

    def put(self, key: Hashable, value: Value, size: int = 0) -> None:
        """Keep ``value``, which takes about ``size`` bytes together with its key, in place of what the key had."""
        weight = 1 + size // UNIT
        with self._lock:
            self._weight -= self._values.pop(key, (None, 0))[1]
            if weight > self._entries:
                return
            self._values[key] = value, weight
            self._weight += weight
            while self._weight > self._entries:
                self._weight -= self._values.popitem(last=False)[1][1]

    def __len__(self) -> int:
        return len(self._values)
