"""Collects counts until they are written to the metrics together.

Increasing a counter of prometheus_client takes a hundred bytecodes, and a request increases ten.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import add
from typing import Any


class PendingCounts:
    """``amounts`` and ``observations`` by the series to which they belong, and the times of stages. ``stages`` has the
    series of each stage, in their order. Hold ``lock`` while adding."""

    def __init__(self, stages: Sequence[Any]) -> None:
        self.lock = threading.Lock()
        self._stages = stages
        self._not_reached = [0.0] * len(stages)
        self._begin()

    def _begin(self) -> None:
        self.amounts: defaultdict[Any, float] = defaultdict(float)
        self.observations: defaultdict[Any, list[float]] = defaultdict(list)
        self._milliseconds = self._not_reached

    def add_stages(self, milliseconds: Iterable[float]) -> None:
        """Add the times of the stages that a request reached, beginning with the first."""
        self._milliseconds = list(map(add, self._milliseconds, chain(milliseconds, self._not_reached)))

    def write(self) -> None:
        """Write all counts to the metrics, and start again from zero."""
        with self.lock:
            amounts, observations, milliseconds = self.amounts, self.observations, self._milliseconds
            self._begin()
        for series, amount in amounts.items():
            series.inc(amount)
        for series, some in observations.items():
            series.observe_all(some)
        for series, took in zip(self._stages, milliseconds, strict=True):
            series.inc(took / 1000)
