"""Raises Python's recursion limit, which is one limit for the whole process, for two users: planning and graphql-core.

The limit also protects the stack of each thread: parsing a body of a hundred thousand brackets recurses, and would need
more than the usual 8 MiB. So it is never raised further than necessary.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

FRAMES_PER_LEVEL = 25
"""Stack frames for planning one level of fields. Measured: 19 for a row, 23 for each of the three levels of a
collection."""

FRAMES_AROUND = 300

FRAMES_OF_CHAINS = 20_000
"""Stack frames for a chain of types. Measured: a stack of 8 MiB has room for twice this number."""


class _Limit:
    def __init__(self) -> None:
        self._lock = Lock()
        self._chains = 0
        self._after_chains = 0

    def allow_levels(self, levels: int) -> None:
        """Make room for planning operations whose fields are nested ``levels`` deep."""
        needed = FRAMES_AROUND + levels * FRAMES_PER_LEVEL
        with self._lock:
            self._after_chains = max(self._after_chains, needed)
            # Never lowered: others in this process may need more.
            if sys.getrecursionlimit() < needed:
                sys.setrecursionlimit(needed)

    @contextmanager
    def long_chains(self) -> Iterator[None]:
        """A context for walking types that refer to each other in a chain as long as the number of tables."""
        with self._lock:
            if not self._chains:
                self._after_chains = sys.getrecursionlimit()
                sys.setrecursionlimit(max(FRAMES_OF_CHAINS, self._after_chains))
            self._chains += 1
        try:
            yield
        finally:
            with self._lock:
                self._chains -= 1
                if not self._chains:
                    sys.setrecursionlimit(self._after_chains)


_limit = _Limit()
allow_levels, long_chains = _limit.allow_levels, _limit.long_chains
