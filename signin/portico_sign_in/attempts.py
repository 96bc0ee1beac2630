"""Limits the guessing of passwords: failures are counted by user and in total, in each worker."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from portico_sign_in.errors import too_many

_WINDOW_S = 60.0
_OF_ONE, _OF_ALL = 10, 100
"""Failures in the window: for one user, and for all."""
_REMEMBERED = 1000
_ALL = ""


class Attempts:
    """``now``: returns seconds that never go back."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, email: str) -> None:
        """Count an attempt as failed until ``succeeded`` is called, and raise Refusal if there were too many."""
        with self._lock:
            recent = [(self._recent(email), _OF_ONE), (self._recent(_ALL), _OF_ALL)]
            if any(len(times) >= limit for times, limit in recent):
                raise too_many("Request rate limit reached: too many failed sign-ins. Wait a minute.")
            for times, _ in recent:
                times.append(self._now())

    def succeeded(self, email: str) -> None:
        """Forget the attempt that was counted last."""
        with self._lock:
            for each in (email, _ALL):
                times = self._failures.get(each)
                if times:
                    times.pop()

    def _recent(self, email: str) -> deque[float]:
        times = self._failures.setdefault(email, deque())
        self._failures.move_to_end(email)
        while times and times[0] <= self._now() - _WINDOW_S:
            times.popleft()
        while len(self._failures) > _REMEMBERED:
            self._failures.popitem(last=False)
        return times
