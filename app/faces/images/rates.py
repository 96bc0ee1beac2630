"""Limits how often one client may request drawings of one object."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from cachetools import LRUCache

from app.storage.records import ObjectName

# A little more than four, since sums of intervals are not exact.
_WINDOW_S = 4.000_001
_MOST_KNOWN = 10_000


class RenderRates:
    """At most ``per_second`` on average over four seconds, so that a page may request several at once; 0: no limit.

    Its methods may be called from many threads at once.
    """

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = 1 / per_second if per_second else 0.0
        self._clock = clock
        self._due: LRUCache[tuple[str, ObjectName], float] = LRUCache(_MOST_KNOWN)
        self._lock = threading.Lock()

    def allow(self, client: str, name: ObjectName) -> bool:
        """Whether this client may request a drawing of the object now. If so, the request is counted."""
        if not self._interval:
            return True
        now = self._clock()
        with self._lock:
            # The time at which the next request would be due if requests were evenly spread.
            due = max(self._due.get((client, name), now), now) + self._interval
            if due > now + _WINDOW_S:
                return False
            self._due[client, name] = due
            return True
