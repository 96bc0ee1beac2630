"""``GET /metrics``: metrics of the service in the Prometheus text format, of all worker processes together."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import falcon

from app.entrances import Entrance
from app.hooks import hookimpl
from app.metrics import AskedNumbers, CountedNumbers, ReplicaNumbers
from app.observation import Observer
from app.services import Services
from app.settings import Setting, Settings
from app.settings.kinds import Number

DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable from which prometheus_client reads the directory when it is imported."""

METRICS_OPERATIONS = Setting(
    "metrics_operations",
    Number(0, 10_000),
    100,
    "Names of GraphQL operations, each for each role, of which every worker keeps metrics; 0 for none.",
)

_OF_PROCESS = re.compile(r"gauge_live\w+_(\d+)\.db")


class Metrics:
    """The plugin: one instance for each application."""

    def __init__(self) -> None:
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._counted: CountedNumbers | None = None

    @hookimpl
    def settings(self) -> Sequence[Setting[Any]]:
        return (METRICS_OPERATIONS,)

    @hookimpl
    def before_fork(self, settings: Settings) -> None:
        if settings.workers > 1 and DIRECTORY not in os.environ:
            self._directory = tempfile.TemporaryDirectory(prefix="portico-metrics-")
            os.environ[DIRECTORY] = self._directory.name

    @hookimpl
    def observers(self, services: Services) -> Sequence[Observer]:
        self._counted = CountedNumbers(services, services.settings[METRICS_OPERATIONS])
        return (self._counted.observe,)

    @hookimpl
    def routes(self, app: falcon.App[Any, Any], services: Services) -> None:
        if self._counted is not None:
            app.add_route("/metrics", _MetricsResource(self._counted, AskedNumbers(services), ReplicaNumbers(services)))

    @hookimpl
    def closing(self) -> None:
        if self._counted is not None:
            self._counted.close()

    @hookimpl
    def entrances(self) -> Sequence[Entrance]:
        return [Entrance("/metrics", "metrics in the text format of Prometheus")]


class _MetricsResource:
    def __init__(self, counted: CountedNumbers, *asked: AskedNumbers | ReplicaNumbers) -> None:
        self._counted = counted
        self._asked = asked

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

            _forget_dead(Path(directory))
            registry = client.CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        asked = client.CollectorRegistry()
        for each in self._asked:
            asked.register(each)
        return bytes(client.generate_latest(registry)) + bytes(client.generate_latest(asked))


def _forget_dead(directory: Path) -> None:
    """Leave out the gauges of workers that have ended; what they counted stays."""
    from prometheus_client import multiprocess

    for path in directory.glob("gauge_live*.db"):
        found = _OF_PROCESS.fullmatch(path.name)
        if found and not _is_alive(int(found[1])):
            multiprocess.mark_process_dead(int(found[1]), str(directory))  # type: ignore[no-untyped-call]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
