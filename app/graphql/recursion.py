"""How deep Python may recurse: one limit of the whole process, which two things here need higher.

It guards the stack of each thread as well: a body of a hundred thousand brackets, which Python reads by recursion,
needs more than the usual 8 MiB. So it is never higher than necessary.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

FRAMES_PER_LEVEL = 25
"""What planning one level of fields takes; measured: 19 for a row, 23 for each of the three levels of a collection."""

FRAMES_AROUND = 300

FRAMES_OF_CHAINS = 20_000
"""Measured: the stack of 8 MiB holds twice as many."""


class _Limit:
    def __init__(self) -> None:
        self._lock = Lock()
        self._ordinary = sys.getrecursionlimit()
        self._chains = 0

    def allow_levels(self, levels: int) -> None:
        """Let operations be planned whose fields are nested ``levels`` deep."""
        with self._lock:
            self._ordinary = max(self._ordinary, FRAMES_AROUND + levels * FRAMES_PER_LEVEL)
            self._apply()

    @contextmanager
    def long_chains(self) -> Iterator[None]:
        """A context in which types are walked that refer to each other in a chain as long as there are tables."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, difference: int) -> None:
        with self._lock:
            self._chains += difference
            self._apply()

    def _apply(self) -> None:
        sys.setrecursionlimit(FRAMES_OF_CHAINS if self._chains else self._ordinary)


_limit = _Limit()
allow_levels, long_chains = _limit.allow_levels, _limit.long_chains
