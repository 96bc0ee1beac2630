"""Metrics of the replicas, from the worker that answers the request for ``/metrics``."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import Any

from app.services import Services


class ReplicaNumbers:
    """A collector of prometheus_client."""

    def __init__(self, services: Services) -> None:
        self._replicas = services.engine.database.replicas

    def collect(self) -> Iterator[Any]:
        from prometheus_client.metrics_core import GaugeMetricFamily

        states = [state for state, _ in self._replicas.states()]
        usable = GaugeMetricFamily(
            "portico_replica_usable", "Whether a replica answers reads (1) or is left out (0).", labels=["replica"]
        )
        lag = GaugeMetricFamily(
            "portico_replica_lag_seconds",
            "At most how many seconds ago the primary was at the replica's position; NaN if that is not known.",
            labels=["replica"],
        )
        for state in states:
            usable.add_metric([state.place], state.usable)
            lag.add_metric([state.place], nan if state.lag_s is None else state.lag_s)
        if states:
            yield usable
            yield lag
