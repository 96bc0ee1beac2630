"""Metrics that take many observations at once. This is the only module that uses private names of prometheus_client;
``tests/house/test_private_names.py`` finds any other use.

Import this module only after the environment variable for the directory of prometheus_client's files is set.
"""

from __future__ import annotations

from bisect import bisect_right

from prometheus_client import Histogram, Summary


class HistogramOfMany(Histogram):
    """A histogram that increases its counters once for many observations, which costs as much as for one."""

    def observe_all(self, amounts: list[float]) -> None:
        """Observe all amounts. This sorts the list."""
        self._sum.inc(sum(amounts))
        amounts.sort()
        counted = 0
        for counter, bound in zip(self._buckets, self._upper_bounds, strict=True):
            below = bisect_right(amounts, bound)
            if below > counted:
                counter.inc(below - counted)
            counted = below


class SummaryOfMany(Summary):
    """A summary that increases its counters once for many observations."""

    def observe_all(self, amounts: list[float]) -> None:
        """Observe all amounts."""
        self._count.inc(len(amounts))
        self._sum.inc(sum(amounts))
