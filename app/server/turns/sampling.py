"""Samples requests to learn whether the application mostly works or mostly waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# One in ``_EACH`` requests is measured. ``_SAMPLED`` measurements decide for ``_BELIEVED_S`` whether most requests wait
# long. Requests are counted instead of adding up their waits, because on a busy machine a few very long waits mean
# nothing. A database on the same machine answers faster than ``_LONG_WAIT_S``.
_EACH = 4
_SAMPLED = 16
_MOSTLY = 0.75
_LONG_WAIT_S = 0.0005
_BELIEVED_S = 0.25


class Sampling:
    """``mostly_waits``: most requests wait longer than they work."""

    def __init__(self) -> None:
        self.mostly_waits = False
        self._requests = self._sampled = self._long_waits = 0
        self._believed_until = 0.0

    def run(self, act: Callable[[T], bool], argument: T) -> bool:
        """Call ``act``, which runs the application, and measure it if it is a sample."""
        self._requests += 1
        if self._requests % _EACH:
            return act(argument)
        wall, cpu = time.perf_counter(), time.thread_time()
        result = act(argument)
        cpu = time.thread_time() - cpu
        waited = time.perf_counter() - wall - cpu
        self._sampled += 1
        self._long_waits += waited > _LONG_WAIT_S and waited > cpu
        if self._sampled >= _SAMPLED:
            self._conclude()
        return result

    def _conclude(self) -> None:
        mostly = self._long_waits > _SAMPLED * _MOSTLY
        self._sampled = self._long_waits = 0
        if self.mostly_waits:
            # Threads that run in parallel also wait for each other, so these measurements mean nothing.
            self.mostly_waits = time.monotonic() < self._believed_until
        elif mostly:
            self.mostly_waits = True
            self._believed_until = time.monotonic() + _BELIEVED_S
