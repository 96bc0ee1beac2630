"""A cache of bounded size that threads share."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """Keeps the most recently used values, and counts hits and misses. ``entries`` is the most it holds."""

    def __init__(self, entries: int) -> None:
        self._values: LRUCache[Hashable, Value] = LRUCache(entries)
        self._lock = Lock()
        self.hits = 0
        self.misses = 0

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            value: Value | None = self._values.get(key)
            if value is None:
                self.misses += 1
            else:
                self.hits += 1
            return value

    def put(self, key: Hashable, value: Value) -> None:
        with self._lock:
            self._values[key] = value

    def __len__(self) -> int:
        return len(self._values)
