"""A metric whose labels have a bounded number of values."""

from __future__ import annotations

from typing import Any

OTHER = "(other)"
"""The label value that stands for all values beyond the bound. No GraphQL operation can have this name."""


class LabelledMetric:
    """The time series of ``metric`` by the values of its labels: at most ``most``, and one for all others."""

    def __init__(self, metric: Any, most: int) -> None:
        self._metric = metric
        self._most = most
        self._known: dict[tuple[str, ...], Any] = {}

    def of(self, *values: str) -> Any:
        """The series with these values, one for each label."""
        return self._known.get(values) or self._find(values)

    def _find(self, values: tuple[str, ...]) -> Any:
        if len(self._known) >= self._most:
            return self._metric.labels(*(OTHER for _ in values))
        series = self._known[values] = self._metric.labels(*values)
        return series
