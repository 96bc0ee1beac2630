"""``GET /metrics`` of the process, in the text format of Prometheus."""

from __future__ import annotations

import falcon.asgi
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from app.faces.live.hub import Hub
from app.faces.live.queries import LiveAnswer

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class LiveMetrics:
    """Counts runs of queries, and reads the hub's figures at each request for metrics."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._runs = Histogram(
            "portico_live_run_seconds", "Runs of live queries", buckets=_SECONDS, registry=self._registry
        )
        self._errors = Counter(
            "portico_live_errors", "Errors in answers of live queries", ["code"], registry=self._registry
        )

    def show(self, hub: Hub) -> None:
        """Include the figures of this hub."""
        self._gauge("portico_live_streams", "Open streams").set_function(lambda: hub.viewers)
        self._gauge("portico_live_queries", "Different queries").set_function(lambda: hub.queries)
        self._gauge("portico_live_changes_heard", "Whether triggers are heard").set_function(lambda: hub.hears)

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(name, about, registry=self._registry)

    def ran(self, answer: LiveAnswer) -> None:
        """Count a run of a query."""
        self._runs.observe(answer.took_s)
        for code in answer.codes:
            self._errors.labels(code).inc()

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        resp.content_type = "text/plain; version=0.0.4; charset=utf-8"
        resp.data = generate_latest(self._registry)
