"""Samples requests to learn whether the application mostly works or mostly waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# One in this number of requests is measured.
_SAMPLE_INTERVAL = 4
# The number of measurements after which it is decided whether most requests wait.
_SAMPLE_SIZE = 16
# If more than this share of the sample waits long, ``mostly_waits`` becomes True. The waits are counted and not added
# up, because on a busy machine a few very long ones would decide the result.
_LONG_WAIT_SHARE = 0.75
# A database on the same machine answers faster than this.
_LONG_WAIT_S = 0.0005
# How long the result "most requests wait" is valid.
_VALID_S = 0.25


class Sampling:
    """Measures a sample of the requests. ``mostly_waits``: most requests wait longer than they use the CPU."""

    def __init__(self) -> None:
        self.mostly_waits = False
        self._requests = self._sampled = self._long_waits = 0
        self._valid_until = 0.0

    def run(self, act: Callable[[T], bool], argument: T) -> bool:
        """Return the result of ``act(argument)``, which runs the application. Every fourth call is measured."""
        self._requests += 1
        if self._requests % _SAMPLE_INTERVAL:
            return act(argument)
        wall, cpu = time.perf_counter(), time.thread_time()
        result = act(argument)
        cpu = time.thread_time() - cpu
        waited = time.perf_counter() - wall - cpu
        self._sampled += 1
        self._long_waits += waited > _LONG_WAIT_S and waited > cpu
        if self._sampled >= _SAMPLE_SIZE:
            self._conclude()
        return result

    def _conclude(self) -> None:
        mostly = self._long_waits > _SAMPLE_SIZE * _LONG_WAIT_SHARE
        self._sampled = self._long_waits = 0
        if self.mostly_waits:
            # While most requests wait, several threads run, and they also wait for each other. So these measurements
            # prove nothing, and only the end of the period resets the result.
            self.mostly_waits = time.monotonic() < self._valid_until
        elif mostly:
            self.mostly_waits = True
            self._valid_until = time.monotonic() + _VALID_S
