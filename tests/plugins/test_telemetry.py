"""The distribution in telemetry/: found by its entry point, and the spans that it makes."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import start_api as start_api
from tests.plugins.test_extras import run
from tests.process.running import PATIENCE_S, REPOSITORY

sdk = pytest.importorskip("opentelemetry.sdk.trace.export", reason="opentelemetry-sdk is not installed")

SCHEMA = "create table thing (id int primary key); insert into thing values (1); grant select on thing to anon"
TRACE_ID, SPAN_ID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
QUERY = "query Things { thingCollection(filter: { id: { eq: 77 } }) { edges { node { id } } } }"


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """The plugin, and the exporter that has its spans."""
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    monkeypatch.syspath_prepend(str(REPOSITORY / "telemetry"))
    from portico_opentelemetry.plugin import Telemetry

    exporter = InMemorySpanExporter()
    return Telemetry(sdk.SimpleSpanProcessor(exporter)), exporter


def test_a_request_is_a_trace(start_api: Callable[..., Api], plugin: tuple[Any, Any]) -> None:
    telemetry, exporter = plugin
    api = start_api(SCHEMA, plugins={"opentelemetry": telemetry})
    parent = f"00-{TRACE_ID}-{SPAN_ID}-01"
    assert api.ask(QUERY, headers={"traceparent": parent, "X-Request-Id": "abc"}).data
    spans = {each.name: each for each in exporter.get_finished_spans()}
    assert {f"{each.context.trace_id:032x}" for each in spans.values()} == {TRACE_ID}
    request, operation, flight = spans["POST /graphql/v1"], spans["query"], spans["execute"]
    assert f"{request.parent.span_id:016x}" == SPAN_ID
    assert operation.parent.span_id == request.context.span_id
    assert flight.parent.span_id == operation.context.span_id
    assert (request.kind.name, flight.kind.name) == ("SERVER", "CLIENT")
    assert flight.attributes["db.system.name"] == "postgresql"
    assert operation.attributes["graphql.operation.name"] == "Things"
    assert request.attributes["portico.request_id"] == "abc"
    assert set(spans) >= {"parse", "authorize", "plan", "shape"}
    assert request.start_time <= operation.start_time <= flight.start_time < flight.end_time <= request.end_time
    assert "77" not in str([dict(each.attributes) for each in spans.values()])


def test_errors_are_recorded_and_unsampled_requests_are_not(
    start_api: Callable[..., Api], plugin: tuple[Any, Any]
) -> None:
    telemetry, exporter = plugin
    api = start_api(SCHEMA, plugins={"opentelemetry": telemetry})
    api.ask("query Broken { nope }")
    spans = {each.name: each for each in exporter.get_finished_spans()}
    assert spans["query"].status.status_code.name == "ERROR"
    assert spans["query"].attributes["error.type"] == "GRAPHQL_VALIDATION_FAILED"
    exporter.clear()
    api.ask(QUERY, headers={"traceparent": f"00-{TRACE_ID}-{SPAN_ID}-00"})
    assert exporter.get_finished_spans() == ()


def test_an_unreachable_collector_does_not_delay_the_end(
    start_api: Callable[..., Api], plugin: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    telemetry, _ = plugin
    away, exported = threading.Event(), threading.Event()

    class Waiting(sdk.SpanExporter):  # type: ignore[misc, name-defined]
        def export(self, spans: Any) -> Any:
            away.wait(PATIENCE_S)
            exported.set()
            return sdk.SpanExportResult.SUCCESS

    waiting = type(telemetry)(sdk.BatchSpanProcessor(Waiting()))
    start_api(SCHEMA, plugins={"opentelemetry": waiting}).ask(QUERY)
    # For less time than the collector is away.
    monkeypatch.setattr("portico_opentelemetry.plugin._LAST_SPANS_S", 0.1)
    waiting.closing()
    assert not exported.is_set()
    away.set()


def test_telemetry_is_off_without_an_endpoint(start_api: Callable[..., Api], plugin: tuple[Any, Any]) -> None:
    telemetry, _ = plugin
    api = start_api(SCHEMA, plugins={"opentelemetry": type(telemetry)})
    assert api.ask("{ __typename }").data == {"__typename": "Query"}


def test_telemetry_is_installed_and_found(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "site-packages"
    shutil.copytree(REPOSITORY / "telemetry", source)
    install = ["install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "--target", str(target)]
    run(tmp_path, "-m", "pip", *install, str(source))
    listed = run(tmp_path, "-m", "portico", "plugins", PYTHONPATH=f"{target}:{REPOSITORY}")
    assert "portico-opentelemetry 1.0.0  Sends traces to OpenTelemetry over OTLP." in listed
