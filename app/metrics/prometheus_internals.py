"""Metrics that take many observations at once: all that is used of prometheus_client beside its public names.
``tests/house/test_private_names.py`` finds any other use.

prometheus_client is imported with this module, which must be after the environment says where it keeps its files.
"""

from __future__ import annotations

from bisect import bisect_right

from prometheus_client import Histogram, Summary


class HistogramOfMany(Histogram):
    """A histogram whose counters are raised once for many observations: each time costs as much as for one."""

    def observe_all(self, amounts: list[float]) -> None:
        """Observe all of the amounts, whose list is sorted by this."""
        self._sum.inc(sum(amounts))
        amounts.sort()
        counted = 0
        for counter, bound in zip(self._buckets, self._upper_bounds, strict=True):
            below = bisect_right(amounts, bound)
            if below > counted:
                counter.inc(below - counted)
            counted = below


class SummaryOfMany(Summary):
    """The same of a summary."""

    def observe_all(self, amounts: list[float]) -> None:
        """Observe all of the amounts."""
        self._count.inc(len(amounts))
        self._sum.inc(sum(amounts))
