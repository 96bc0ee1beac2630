"""The numbers that a worker counts: of its requests, and now and then of its caches and its connections.

With several workers prometheus_client keeps them in files of one directory, and whoever reads them adds them up
(https://prometheus.github.io/client_python/multiprocess/).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from app.metrics.labelled import LabelledMetric
from app.observation import ObservedOperation, ObservedRequest
from app.pipeline.around import STAGES
from app.pipeline.engine import Engine
from app.services import Services

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_MOST_SERIES = 200
_LOOK_S = 1.0
_ANONYMOUS = "(anonymous)"
_STORAGE = frozenset({"rest", "s3", "resumable", "images"})


class CountedNumbers:
    """The metrics of one process in a registry of its own. ``most_operations``: how many names of operations, each for
    each role, have series of their own; 0 for none, so that only roles are told apart."""

    def __init__(self, services: Services, most_operations: int) -> None:
        import prometheus_client as client

        self.registry = client.CollectorRegistry()
        self._services = services
        self._by_name = most_operations > 0
        names: dict[str, Any] = {"registry": self.registry}

        def counter(name: str, told: str, *labels: str, most: int = _MOST_SERIES) -> LabelledMetric:
            return LabelledMetric(client.Counter(name, told, labels, **names), most)

        def summary(name: str, told: str, *labels: str, most: int) -> LabelledMetric:
            return LabelledMetric(client.Summary(name, told, labels, **names), most)

        self._requests = LabelledMetric(
            client.Histogram(
                "portico_request_seconds",
                "Duration of requests in seconds.",
                ["door", "status"],
                buckets=_BUCKETS,
                **names,
            ),
            _MOST_SERIES,
        )
        self._errors = counter("portico_errors", "Errors in answers, by their codes.", "door", "code")
        self._operations = summary(
            "portico_operation_seconds",
            "Duration of GraphQL operations in seconds.",
            "operation",
            "role",
            most=most_operations or _MOST_SERIES,
        )
        self._bytes = counter("portico_storage_bytes", "Bytes of bodies at the storage.", "door", "direction")
        self._storage = counter("portico_storage_operations", "Requests to the storage.", "door", "operation")
        self._process = _ProcessNumbers(client, self.registry)

    def observe(self, observed: ObservedRequest) -> None:
        """Count a request."""
        self._requests.of(observed.door, str(observed.status)).observe(observed.seconds)
        for code in observed.codes:
            self._errors.of(observed.door, code).inc()
        for operation in observed.operations:
            self._count(operation)
        if observed.door in _STORAGE:
            self._storage.of(observed.door, f"{observed.method} {observed.operation}").inc()
            self._bytes.of(observed.door, "received").inc(observed.received)
            self._bytes.of(observed.door, "sent").inc(observed.sent)
        self._process.look(self._services)

    def refresh(self) -> None:
        """Look at caches and connections now."""
        self._process.refresh(self._services)

    def _count(self, operation: ObservedOperation) -> None:
        name = (operation.name or _ANONYMOUS) if self._by_name else ""
        self._operations.of(name, operation.role).observe(operation.milliseconds / 1000)
        self._process.add(operation.stages)


class _ProcessNumbers:
    """What is looked at, at most once a second, and once more when no connection is in use any longer."""

    def __init__(self, client: Any, registry: Any) -> None:
        def gauge(name: str, told: str, mode: str = "livesum") -> Any:
            return client.Gauge(name, told, multiprocess_mode=mode, registry=registry)

        def counter(name: str, told: str) -> _Growing:
            return _Growing(client.Counter(name, told, registry=registry))

        self._lock = threading.Lock()
        # Adding to five counters of prometheus_client for each request would take a sixteenth of all its bytecodes.
        told = "Seconds spent in each stage of GraphQL requests."
        stages = client.Counter("portico_stage_seconds", told, ["stage"], registry=registry)
        self._stages = {name: _Growing(stages.labels(name)) for name in STAGES}
        self._milliseconds = dict.fromkeys(STAGES, 0.0)
        self._look_at = 0.0
        self._was_in_use = 0
        self._plans = gauge("portico_plans", "Plans in the plan cache.")
        self._plan_hits = gauge("portico_plan_hits", "Requests whose plan was in the cache.")
        self._plan_misses = gauge("portico_plan_misses", "Requests that had to be planned.")
        self._in_use = gauge("portico_connections_in_use", "Database connections in use by requests.")
        self._open = gauge("portico_connections_open", "Database connections that are open.")
        self._limit = gauge("portico_connections_limit", "Database connections that there may be (POOL_SIZE).")
        self._waits = counter("portico_pool_waits", "Requests that waited for a database connection, or opened one.")
        self._waited = counter("portico_pool_wait_seconds", "Seconds that requests waited for a database connection.")
        self._timeouts = counter("portico_pool_timeouts", "Requests that waited in vain for a database connection.")
        told = "The database's counter of schema changes, as the worker farthest behind knows it."
        self._schema_version = gauge("portico_schema_version", told, "livemin")
        told = "When the worker with the oldest schema read it."
        self._schema_read = gauge("portico_schema_read_timestamp_seconds", told, "livemin")

    def add(self, stages: Mapping[str, float]) -> None:
        """Add the milliseconds of an operation's stages."""
        with self._lock:
            for stage, took in stages.items():
                self._milliseconds[stage] += took

    def look(self, services: Services) -> None:
        """Refresh the numbers if it is time."""
        if time.monotonic() >= self._look_at or (self._was_in_use and not services.engine.database.pool_state().in_use):
            self.refresh(services)

    def refresh(self, services: Services) -> None:
        with self._lock:
            self._look_at = time.monotonic() + _LOOK_S
            self._set(services.engine)

    def _set(self, engine: Engine) -> None:
        self._plans.set(len(engine.plans))
        self._plan_hits.set(engine.plans.hits)
        self._plan_misses.set(engine.plans.misses)
        pool = engine.database.pool_state()
        self._was_in_use = pool.in_use
        self._in_use.set(pool.in_use)
        self._open.set(pool.open)
        self._limit.set(pool.size)
        self._waits.raise_to(pool.waits)
        self._waited.raise_to(pool.waited_s)
        self._timeouts.raise_to(pool.timeouts)
        for stage, took in self._milliseconds.items():
            self._stages[stage].raise_to(took / 1000)
        catalog = engine.schema_cache.known
        if catalog is not None:
            self._schema_version.set(catalog.change_count)
            self._schema_read.set(engine.schema_cache.read_at)


class _Growing:
    """A counter of what something else counts."""

    def __init__(self, counter: Any) -> None:
        self._counter = counter
        self._value = 0.0

    def raise_to(self, value: float) -> None:
        """Let the counter of this process have ``value``, which only grows."""
        self._counter.inc(value - self._value)
        self._value = value
