"""Sends traces to OpenTelemetry over OTLP. OTEL_EXPORTER_OTLP_ENDPOINT turns it on."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from portico import ObservedRequest, Services, hookimpl
from portico_opentelemetry.spans import Spans

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")

_LAST_SPANS_S = 2.0
"""The time for which a worker that stops waits until its last spans are sent, in seconds."""


class Telemetry:
    """Sends traces to OpenTelemetry over OTLP.

    ``processor`` receives the spans. By default it exports them in the background if the environment names an endpoint.
    """

    def __init__(self, processor: SpanProcessor | None = None) -> None:
        self._processor = processor
        self._provider: TracerProvider | None = None

    @hookimpl
    def observers(self, services: Services) -> Sequence[Callable[[ObservedRequest], None]]:
        # This hook is called in each worker after the fork; the exporter's thread would not survive a fork.
        processor = self._processor or _exporting()
        if processor is None:
            return ()
        # In Resource.create, explicit attributes override OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
        named = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: "portico"}
        self._provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        spans = Spans(self._provider.get_tracer("portico"))
        return (spans.observe,)

    @hookimpl
    def closing(self) -> None:
        if self._provider is not None:
            # The shutdown waits up to 30 s for an unreachable collector, which cannot be configured, so it runs in a
            # thread.
            sending = threading.Thread(target=self._provider.shutdown, daemon=True)
            sending.start()
            sending.join(_LAST_SPANS_S)


def _exporting() -> SpanProcessor | None:
    if not any(os.environ.get(each) for each in _ENDPOINTS):
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return BatchSpanProcessor(OTLPSpanExporter())
