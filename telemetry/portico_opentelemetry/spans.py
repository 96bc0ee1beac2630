"""Makes the spans of a request after it has ended. Names follow OpenTelemetry's semantic conventions."""

from __future__ import annotations

import time
from collections.abc import Mapping

from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from portico import ObservedOperation, ObservedRequest

_SERVER_ERROR = 500
_DATABASE_STAGE = "execute"


class Spans:
    """Makes spans of observed requests with one tracer."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._propagator = TraceContextTextMapPropagator()

    def observe(self, observed: ObservedRequest) -> None:
        clock = _Clock()
        span = self._tracer.start_span(
            f"{observed.method} {observed.operation}".strip(),
            context=self._parent(observed),
            kind=SpanKind.SERVER,
            attributes=_attributes(observed),
            start_time=clock.at(observed.started),
        )
        if observed.status >= _SERVER_ERROR:
            span.set_status(Status(StatusCode.ERROR))
        # A request that is not sampled gets no further spans.
        if span.is_recording():
            for operation in observed.operations:
                self._operation(operation, set_span_in_context(span, Context()), clock)
        span.end(clock.at(observed.started + observed.seconds))

    def _parent(self, observed: ObservedRequest) -> Context:
        if observed.trace is None:
            return Context()
        carrier = {"traceparent": observed.trace.parent, "tracestate": observed.trace.state}
        return self._propagator.extract(carrier, Context())

    def _operation(self, operation: ObservedOperation, parent: Context, clock: _Clock) -> None:
        span = self._tracer.start_span(
            operation.kind or "GraphQL",
            context=parent,
            attributes=_given({
                "graphql.operation.name": operation.name,
                "graphql.operation.type": operation.kind,
                "enduser.role": operation.role,
                "error.type": ",".join(operation.codes),
            }),
            start_time=clock.at(operation.started),
        )  # fmt: skip
        if operation.codes:
            span.set_status(Status(StatusCode.ERROR))
        within, began = set_span_in_context(span, Context()), operation.started
        for stage, milliseconds in operation.stages.items():
            self._stage(stage, within, clock.at(began), clock.at(began + milliseconds / 1000))
            began += milliseconds / 1000
        span.end(clock.at(began))

    def _stage(self, stage: str, parent: Context, began: int, ended: int) -> None:
        is_flight = stage == _DATABASE_STAGE
        kind = SpanKind.CLIENT if is_flight else SpanKind.INTERNAL
        attributes = {"db.system.name": "postgresql"} if is_flight else {}
        self._tracer.start_span(stage, context=parent, kind=kind, attributes=attributes, start_time=began).end(ended)


class _Clock:
    """Converts times of ``time.perf_counter`` to nanoseconds since 1970."""

    def __init__(self) -> None:
        self._offset = time.time_ns() - time.perf_counter_ns()

    def at(self, counted: float) -> int:
        return self._offset + int(counted * 1e9)


def _attributes(observed: ObservedRequest) -> Mapping[str, str | int]:
    return _given({
        "http.request.method": observed.method,
        "http.route": observed.operation,
        "http.response.status_code": observed.status,
        "http.request.body.size": observed.received,
        "http.response.body.size": observed.sent,
        "error.type": ",".join(observed.codes),
        "enduser.role": observed.role,
        "portico.face": observed.face,
        "portico.request_id": observed.request_id,
    })  # fmt: skip


def _given(attributes: Mapping[str, str | int]) -> Mapping[str, str | int]:
    return {name: value for name, value in attributes.items() if value != ""}
