"""Metrics of a worker: of its requests, and once a second of its caches and its connections.

With several workers prometheus_client keeps them in files of one directory, and a reader adds them up
(https://prometheus.github.io/client_python/multiprocess/).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from http import HTTPMethod
from typing import Any

from app.database.pool.pool import PoolState
from app.metrics.bounded_labels import OTHER, LabelledMetric
from app.metrics.operations import OperationPlaces
from app.metrics.pending_counts import PendingCounts
from app.observation import ObservedOperation, ObservedRequest
from app.pipeline.stage_wrappers import STAGES
from app.services import Services

log = logging.getLogger("portico.metrics")

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_MOST_SERIES = 200
_WRITTEN_EACH_S = 1.0
_ANONYMOUS = "(anonymous)"
_METHODS = frozenset(each.value for each in HTTPMethod)
_STORAGE = frozenset({"rest", "s3", "resumable", "images"})
_POOL_GAUGES = (
    ("connections_in_use", "Database connections in use by requests."),
    ("connections_open", "Database connections that are open."),
)
_POOL_COUNTERS = (
    ("pool_waits", "Requests that waited for a database connection, or opened one."),
    ("pool_wait_seconds", "Seconds that requests waited for a database connection."),
    ("pool_timeouts", "Requests that timed out waiting for a database connection."),
)


class WorkerNumbers:
    """The metrics of one process in a separate registry. A thread writes them until ``close``.

    ``most_operations``: how many pairs of an operation's name and a role have their own series; 0 to distinguish only
    roles."""

    def __init__(self, services: Services, most_operations: int) -> None:
        import prometheus_client as client

        from app.metrics.prometheus_internals import HistogramOfMany, SummaryOfMany

        self.registry = client.CollectorRegistry()
        self._places = OperationPlaces(most_operations) if most_operations else None
        # One more for the operations without a place.
        most_operations = most_operations + 1 if most_operations else _MOST_SERIES
        names: dict[str, Any] = {"registry": self.registry}

        def counter(name: str, description: str, *labels: str) -> LabelledMetric:
            return LabelledMetric(client.Counter(name, description, labels, **names), _MOST_SERIES)

        description = "Duration of requests in seconds."
        requests = HistogramOfMany(
            "portico_request_seconds", description, ["face", "status"], buckets=_BUCKETS, **names
        )
        description = "Duration of GraphQL operations in seconds."
        operations = SummaryOfMany("portico_operation_seconds", description, ["operation", "role"], **names)
        description = "Seconds spent in each stage of GraphQL requests."
        stages = client.Counter("portico_stage_seconds", description, ["stage"], **names)
        self._pending = PendingCounts([stages.labels(stage) for stage in STAGES])
        self._requests = LabelledMetric(requests, _MOST_SERIES)
        self._operations = LabelledMetric(operations, most_operations)
        description = "GraphQL operations whose response has errors."
        failed = client.Counter("portico_operation_errors", description, ["operation", "role"], **names)
        self._failed = LabelledMetric(failed, most_operations)
        self._errors = counter("portico_errors", "Errors in responses, by their codes.", "face", "code")
        self._bytes = counter("portico_storage_bytes", "Bytes of the storage's bodies.", "face", "direction")
        self._storage = counter("portico_storage_operations", "Requests to the storage.", "face", "operation")
        self._process = _ProcessNumbers(client, self.registry, services)
        self._writing = threading.Lock()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._write_each_second, name="metrics", daemon=True)
        self._thread.start()

    def observe(self, observed: ObservedRequest) -> None:
        """Count a request."""
        face, pending = observed.face, self._pending
        with pending.lock:
            amounts, observations = pending.amounts, pending.observations
            observations[self._requests.of(face, str(observed.status))].append(observed.seconds)
            for code in observed.codes:
                amounts[self._errors.of(face, code)] += 1
            for operation in observed.operations:
                labels = self._labels(operation)
                observations[self._operations.of(*labels)].append(operation.milliseconds / 1000)
                if operation.codes:
                    amounts[self._failed.of(*labels)] += 1
                pending.add_stages(operation.stages.values())
            if face in _STORAGE:
                # Clients can send any method, and such series would fill the bound.
                method = observed.method if observed.method in _METHODS else OTHER
                amounts[self._storage.of(face, f"{method} {observed.operation}")] += 1
                amounts[self._bytes.of(face, "received")] += observed.received
                amounts[self._bytes.of(face, "sent")] += observed.sent

    def _labels(self, operation: ObservedOperation) -> tuple[str, str]:
        if self._places is None:
            return "", operation.role
        return self._places.labels(operation.name or _ANONYMOUS, operation.role, not operation.codes)

    def write(self) -> None:
        """Write the pending counts, and the current state of caches and connections."""
        with self._writing:
            self._pending.write()
            self._process.write()

    def close(self) -> None:
        """Write for the last time."""
        self._closing.set()
        self._thread.join()
        self.write()

    def _write_each_second(self) -> None:
        while not self._closing.wait(_WRITTEN_EACH_S):
            try:
                self.write()
            except Exception:
                log.exception("metrics cannot be written")


class _ProcessNumbers:
    """The metrics that are not counted for each request."""

    def __init__(self, client: Any, registry: Any, services: Services) -> None:
        def gauge(name: str, description: str, mode: str = "livesum", labels: Sequence[str] = ()) -> Any:
            return client.Gauge(name, description, labels, multiprocess_mode=mode, registry=registry)

        def counter(name: str, description: str) -> _Growing:
            return _Growing(client.Counter(name, description, registry=registry))

        def pool(prefix: str, *labels: str) -> list[Any]:
            gauges = [gauge(prefix + name, description, labels=labels) for name, description in _POOL_GAUGES]
            return gauges + [
                client.Counter(prefix + name, description, labels, registry=registry)
                for name, description in _POOL_COUNTERS
            ]

        self._engine = engine = services.engine
        self._deleted = services.lifecycle.deleted
        self._version_changes = services.storage.version_counts.counts
        self._plans = gauge("portico_plans", "Plans in the plan cache.")
        self._plan_hits = counter("portico_plan_hits", "Requests whose plan was in the cache.")
        self._plan_misses = counter("portico_plan_misses", "Requests that had to be planned.")
        self._limit = gauge("portico_connections_limit", "The most database connections that may be open (POOL_SIZE).")
        self._primary = _PoolNumbers(*pool("portico_"))
        replicas = pool("portico_replica_", "replica")
        places = [state.place for state, _ in engine.database.replicas.states()]
        self._replicas = [_PoolNumbers(*(each.labels(place) for each in replicas)) for place in places]
        description = "The database's counter of schema changes when the worker with the oldest schema read it."
        self._schema_version = gauge("portico_schema_version", description, "livemin")
        description = "When the worker with the oldest schema read the schema."
        self._schema_read = gauge("portico_schema_read_timestamp_seconds", description, "livemin")
        description = "What lifecycle rules have deleted, by kind."
        deleted = client.Counter("portico_lifecycle_deleted", description, ["kind"], registry=registry)
        self._lifecycle = {action: _Growing(deleted.labels(action)) for action in self._deleted}
        description = "Deletions, restorations and undeletions of versions of objects by requests, by kind."
        changes = client.Counter("portico_version_changes", description, ["kind"], registry=registry)
        self._versions = {kind: _Growing(changes.labels(kind)) for kind in self._version_changes}

    def write(self) -> None:
        engine = self._engine
        self._plans.set(len(engine.plans))
        self._plan_hits.raise_to(engine.plans.hits)
        self._plan_misses.raise_to(engine.plans.misses)
        pool = engine.database.pool_state()
        self._limit.set(pool.size)
        self._primary.write(pool)
        for numbers, (_, state) in zip(self._replicas, engine.database.replicas.states(), strict=True):
            numbers.write(state)
        for action, count in self._deleted.items():
            self._lifecycle[action].raise_to(count)
        for kind, count in self._version_changes.items():
            self._versions[kind].raise_to(count)
        catalog = engine.schema_cache.known
        if catalog is not None:
            self._schema_version.set(catalog.change_count)
            self._schema_read.set(engine.schema_cache.read_at)


class _PoolNumbers:
    """The numbers of one pool, in the order of ``_POOL_GAUGES`` and ``_POOL_COUNTERS``."""

    def __init__(self, in_use: Any, open_: Any, waits: Any, waited: Any, timeouts: Any) -> None:
        self._in_use, self._open = in_use, open_
        self._waits, self._waited, self._timeouts = _Growing(waits), _Growing(waited), _Growing(timeouts)

    def write(self, pool: PoolState) -> None:
        self._in_use.set(pool.in_use)
        self._open.set(pool.open)
        self._waits.raise_to(pool.waits)
        self._waited.raise_to(pool.waited_s)
        self._timeouts.raise_to(pool.timeouts)


class _Growing:
    """A counter that follows a number counted elsewhere."""

    def __init__(self, counter: Any) -> None:
        self._counter = counter
        self._value = 0.0

    def raise_to(self, value: float) -> None:
        """Set the counter of this process to ``value``, which never decreases."""
        self._counter.inc(value - self._value)
        self._value = value
