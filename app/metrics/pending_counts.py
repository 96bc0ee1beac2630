"""What was counted since it was last written to the metrics.

To raise a counter of prometheus_client takes a hundred bytecodes, and a request raises ten.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import add
from typing import Any


class Tally:
    """``amounts`` and ``observations`` by the series of metrics that they are of, and the time of stages, whose series
    are in their order. Its owner holds ``lock`` while it adds."""

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
        """Add the times of the first stages, as many as a request reached."""
        self._milliseconds = list(map(add, self._milliseconds, chain(milliseconds, self._not_reached)))

    def write(self) -> None:
        """Write all of it to the metrics, and begin anew."""
        with self.lock:
            amounts, observations, milliseconds = self.amounts, self.observations, self._milliseconds
            self._begin()
        for series, amount in amounts.items():
            series.inc(amount)
        for series, some in observations.items():
            series.observe_all(some)
        for series, took in zip(self._stages, milliseconds, strict=True):
            series.inc(took / 1000)
