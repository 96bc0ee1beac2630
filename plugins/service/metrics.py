"""``GET /metrics``: metrics of the service in the Prometheus text format, of all worker processes together."""

from __future__ import annotations

import logging
import os
import tempfile
import weakref
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import falcon

from app.entrances import Entrance
from app.hooks import hookimpl
from app.metrics.database_numbers import DatabaseNumbers
from app.metrics.files import DIRECTORY, WorkerFiles, forget_dead, make_directory
from app.metrics.replicas import ReplicaNumbers
from app.metrics.worker_numbers import WorkerNumbers
from app.observation import Observer
from app.services import Services
from app.settings import Setting, Settings
from app.settings.kinds import Number

log = logging.getLogger("portico.metrics")

METRICS_OPERATIONS = Setting(
    "metrics_operations",
    Number(0, 10_000),
    100,
    "The number of pairs of a GraphQL operation and a role for which every worker counts metrics; 0 for none.",
    section="Log and metrics",
)

_SHARED = ("app.metrics.prometheus_internals", "prometheus_client.multiprocess")
_NOT_COUNTED = "Metrics are not counted: %s. Set TMPDIR to a folder that has space."


class Metrics:
    """``GET /metrics``: metrics of the service in the Prometheus text format, of all worker processes together.

    One instance for each application.
    """

    def __init__(self) -> None:
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._has_space = True
        self._files: WorkerFiles | None = None
        self._counted: WorkerNumbers | None = None

    @hookimpl
    def settings(self) -> Sequence[Setting[Any]]:
        return (METRICS_OPERATIONS,)

    @hookimpl
    def before_fork(self, settings: Settings) -> None:
        processes = settings.workers + settings.live
        if processes > 1 and DIRECTORY not in os.environ:
            self._make_directory(settings, processes)
        if self._has_space:
            # After the directory is set, since prometheus_client reads it when it is imported. An import in each worker
            # would take twice the memory of the modules: it also copies pages that have been shared so far.
            for name in _SHARED:
                import_module(name)

    def _make_directory(self, settings: Settings, processes: int) -> None:
        try:
            self._directory = make_directory(processes, settings[METRICS_OPERATIONS])
        except OSError as ex:
            log.warning(_NOT_COUNTED, ex)
            self._has_space = False
        else:
            os.environ[DIRECTORY] = self._directory.name
            # Explicitly, as Python warns of a temporary directory that only the garbage collector deletes.
            weakref.finalize(self, self._directory.cleanup)

    @hookimpl
    def observers(self, services: Services) -> Sequence[Observer]:
        operations = services.settings[METRICS_OPERATIONS]
        directory = os.environ.get(DIRECTORY)
        try:
            if directory is not None:
                self._files = WorkerFiles(Path(directory), operations)
        except OSError as ex:
            log.warning(_NOT_COUNTED, ex)
            self._has_space = False
        if not self._has_space:
            return ()
        self._counted = WorkerNumbers(services, operations)
        return (self._counted.observe,)

    @hookimpl
    def routes(self, app: falcon.App[Any, Any], services: Services) -> None:
        if self._counted is not None:
            resource = _MetricsResource(self._counted, DatabaseNumbers(services), ReplicaNumbers(services))
            app.add_route("/metrics", resource)

    @hookimpl
    def closing(self) -> None:
        if self._counted is not None:
            self._counted.close()
        if self._files is not None:
            self._files.close()

    @hookimpl
    def entrances(self) -> Sequence[Entrance]:
        return [Entrance("/metrics", "metrics in the text format of Prometheus")]


class _MetricsResource:
    def __init__(self, counted: WorkerNumbers, *sampled: DatabaseNumbers | ReplicaNumbers) -> None:
        self._counted = counted
        self._sampled = sampled

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        self._counted.write()
        resp.content_type = "text/plain; version=0.0.4; charset=utf-8"
        resp.data = self._text()

    def _text(self) -> bytes:
        import prometheus_client as client

        registry = self._counted.registry
        directory = os.environ.get(DIRECTORY)
        if directory is not None:
            from prometheus_client import multiprocess

            forget_dead(Path(directory))
            registry = client.CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        sampled = client.CollectorRegistry()
        for each in self._sampled:
            sampled.register(each)
        return bytes(client.generate_latest(registry)) + bytes(client.generate_latest(sampled))
