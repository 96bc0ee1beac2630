"""Metrics of the process, in the text format of Prometheus: at its own ``GET /metrics``, or in files that the workers
of ``portico serve`` read for theirs."""

from __future__ import annotations

import falcon.asgi
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from app.faces.live.hub import Hub
from app.faces.live.queries import LiveAnswer
from app.metrics.files import WorkerFiles

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class LiveMetrics:
    """Counts runs of queries. ``files``: those of this process, in which all metrics are kept that are created later;
    None if they are kept in memory."""

    def __init__(self, files: WorkerFiles | None) -> None:
        self._files = files
        self._hub: Hub | None = None
        self._registry = CollectorRegistry()
        self._runs = Histogram(
            "portico_live_run_seconds", "Runs of live queries", buckets=_SECONDS, registry=self._registry
        )
        self._errors = Counter(
            "portico_live_errors", "Errors in answers of live queries", ["code"], registry=self._registry
        )
        self._streams = self._gauge("portico_live_streams", "Open streams")
        self._queries = self._gauge("portico_live_queries", "Different queries")
        self._heard = self._gauge("portico_live_changes_heard", "Whether triggers are heard")

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(name, about, registry=self._registry, multiprocess_mode="livesum")

    def show(self, hub: Hub) -> None:
        """Include the figures of this hub."""
        self._hub = hub

    def ran(self, answer: LiveAnswer) -> None:
        """Count a run of a query."""
        self._runs.observe(answer.took_s)
        for code in answer.codes:
            self._errors.labels(code).inc()

    def write(self) -> None:
        """Set the figures of the hub."""
        if self._hub is not None:
            self._streams.set(self._hub.viewers)
            self._queries.set(self._hub.queries)
            self._heard.set(self._hub.hears)

    def close(self) -> None:
        """Leave the files to a successor."""
        if self._files is not None:
            self._files.close()

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        self.write()
        resp.content_type = "text/plain; version=0.0.4; charset=utf-8"
        resp.data = generate_latest(self._registry)
