"""A cache of bounded size that threads share."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

Value = TypeVar("Value")


UNIT = 64 * 1024
"""Bytes that a value may take and still count as one entry; a larger one counts as several."""


class BoundedCache(Generic[Value]):
    """Keeps the most recently used values, and counts hits and misses. It holds at most ``entries``: fewer if
    they are large, and none that is larger than the whole cache."""

    def __init__(self, entries: int) -> None:
        self._values: LRUCache[Hashable, tuple[Value, int]] = LRUCache(entries, getsizeof=lambda pair: pair[1])
        self._lock = Lock()
        self.hits = 0
        self.misses = 0

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            found = self._values.get(key)
            if found is None:
                self.misses += 1
                return None
            self.hits += 1
            return found[0]

    def put(self, key: Hashable, value: Value, size: int = 0) -> None:
        """Keep ``value``, which takes about ``size`` bytes together with its key, in place of what the key had."""
        weight = 1 + size // UNIT
        with self._lock:
            if weight <= self._values.maxsize:
                self._values[key] = value, weight
            else:
                self._values.pop(key, None)

    def __len__(self) -> int:
        return len(self._values)
