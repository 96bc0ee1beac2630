"""``GET /metrics``: metrics of the service in the Prometheus text format, summed over all worker processes.

Workers keep their numbers in files of one directory; the worker that answers adds them up
(https://prometheus.github.io/client_python/multiprocess/).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

import falcon

from app.entrances import Entrance
from app.hooks import hookimpl
from app.pipeline.around import STAGES, Around
from app.services import Services
from app.settings import Settings

DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable from which prometheus_client reads the directory when it is imported."""

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The plugin: one instance for each application."""

    def __init__(self) -> None:
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._numbers: _Numbers | None = None

    @hookimpl
    def before_fork(self, settings: Settings) -> None:
        if settings.workers > 1 and DIRECTORY not in os.environ:
            self._directory = tempfile.TemporaryDirectory(prefix="portico-metrics-")
            os.environ[DIRECTORY] = self._directory.name

    @hookimpl
    def around_stages(self) -> Mapping[str, Around]:
        self._numbers = _Numbers()
        return {stage: _timed(counter) for stage, counter in self._numbers.stages.items()}

    @hookimpl
    def middleware(self, services: Services) -> Sequence[object]:
        if self._numbers is None:
            return ()
        return [_Observer(self._numbers)]

    @hookimpl
    def routes(self, app: falcon.App[Any, Any], services: Services) -> None:
        if self._numbers is not None:
            app.add_route("/metrics", _MetricsResource(self._numbers, services))

    @hookimpl
    def entrances(self) -> Sequence[Entrance]:
        return [Entrance("/metrics", "metrics in the text format of Prometheus")]


def _timed(counter: Any) -> Around:
    """Wrap a stage so that ``counter`` counts its seconds."""

    def timed(run: Callable[..., Any], *arguments: Any) -> Any:
        began = perf_counter()
        try:
            return run(*arguments)
        finally:
            counter.inc(perf_counter() - began)

    return timed


class _Numbers:
    """The metrics of this process; reading them adds those of the other workers."""

    def __init__(self) -> None:
        import prometheus_client as client

        self._client = client
        self.registry = client.CollectorRegistry()
        names: dict[str, Any] = {"registry": self.registry}
        self.requests = client.Histogram(
            "portico_request_seconds", "Duration of requests in seconds.", ["door", "status"], buckets=_BUCKETS, **names
        )
        stages = client.Counter(
            "portico_stage_seconds", "Seconds spent in each stage of GraphQL requests.", ["stage"], **names
        )
        self.stages = {name: stages.labels(name) for name in STAGES}
        gauge: dict[str, Any] = {"multiprocess_mode": "livesum", **names}
        self.plans = client.Gauge("portico_plans", "Plans in the plan cache.", **gauge)
        self.plan_hits = client.Gauge("portico_plan_hits", "Requests whose plan was in the cache.", **gauge)
        self.plan_misses = client.Gauge("portico_plan_misses", "Requests that had to be planned.", **gauge)
        self.in_use = client.Gauge("portico_connections_in_use", "Database connections in use by requests.", **gauge)

    def text(self) -> bytes:
        registry = self.registry
        if DIRECTORY in os.environ:
            from prometheus_client import multiprocess

            registry = self._client.CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return bytes(self._client.generate_latest(registry))


class _Observer:
    """Falcon middleware that times every request."""

    def __init__(self, numbers: _Numbers) -> None:
        self._numbers = numbers

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        req.context.began = perf_counter()

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool) -> None:
        if not hasattr(req.context, "began"):
            return  # an earlier middleware has answered the request
        door = (req.uri_template or "/unknown").removeprefix("/storage/v1").split("/", 2)[1]
        self._numbers.requests.labels(door, str(resp.status)[:3]).observe(perf_counter() - req.context.began)


class _MetricsResource:
    def __init__(self, numbers: _Numbers, services: Services) -> None:
        self._numbers = numbers
        self._services = services

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        numbers, plans = self._numbers, self._services.engine.plans
        numbers.plans.set(len(plans))
        numbers.plan_hits.set(plans.hits)
        numbers.plan_misses.set(plans.misses)
        numbers.in_use.set(self._services.engine.database.pool_state().in_use)
        resp.content_type = "text/plain; version=0.0.4; charset=utf-8"
        resp.data = numbers.text()
