"""Observations of requests, and the ids that are passed on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.observation import ObservedRequest, read_request_id, read_trace
from portico import hookimpl
from tests.graphql.api import Api
from tests.graphql.conftest import start_api as start_api
from tests.storage.conftest import own_service as own_service
from tests.storage.conftest import storage_database as storage_database
from tests.storage.service import Service

SCHEMA = "create table thing (id int primary key); insert into thing values (1); grant select on thing to anon"
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@dataclass
class Watch:
    """A plugin that keeps what it observes."""

    seen: list[ObservedRequest] = field(default_factory=list)

    @hookimpl
    def observers(self) -> Any:
        return [self.seen.append]

    def last(self) -> ObservedRequest:
        return self.seen[-1]


def test_an_operation_is_observed(start_api: Callable[..., Api]) -> None:
    watch = Watch()
    api = start_api(SCHEMA, plugins={"watch": watch}, batch_limit=2)
    answer = api.ask("query A { thingCollection { edges { node { id } } } }", headers={"traceparent": TRACE})
    reported = watch.last()
    (operation,) = reported.operations
    assert (reported.face, reported.method, reported.operation, reported.status, reported.role, reported.codes) == (
        "graphql", "POST", "/graphql/v1", 200, "anon", ())  # fmt: skip
    assert (operation.name, operation.kind, operation.role, operation.codes) == ("A", "query", "anon", ())
    assert list(operation.stages) == ["parse", "authorize", "plan", "execute", "shape"]
    assert operation.milliseconds <= reported.seconds * 1000
    assert (reported.sent, reported.trace) == (int(answer.headers["content-length"]), read_trace(TRACE, None))
    assert answer.headers["traceparent"] == TRACE

    api.ask("query B { nope }")
    assert (watch.last().status, watch.last().codes) == (200, ("GRAPHQL_VALIDATION_FAILED",))
    assert [(each.name, each.role) for each in watch.last().operations] == [("B", "anon")]

    api.post(json.dumps([{"query": "query C { __typename }"}, {"query": "{"}]))
    assert [(each.name, each.codes) for each in watch.last().operations] == [("C", ()), ("", ("GRAPHQL_PARSE_FAILED",))]

    api.post("no json")
    assert (watch.last().status, watch.last().codes, watch.last().operations) == (400, ("BAD_REQUEST",), ())
    api.client.simulate_get("/nowhere")
    assert (watch.last().face, watch.last().status, watch.last().codes) == ("unknown", 404, ("NOT_FOUND",))


def test_an_observer_that_fails_is_named_and_the_request_answered(
    start_api: Callable[..., Api], caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        @hookimpl
        def observers(self) -> Any:
            return [lambda observed: observed.no_such_member]

    api = start_api(SCHEMA, plugins={"broken": Broken})
    assert api.ask("{ __typename }").data == {"__typename": "Query"}
    assert api.client.simulate_get("/health").json["plugins"] == {"broken": "failed in observers"}


def test_ids_are_checked_and_passed_on(start_api: Callable[..., Api]) -> None:
    watch = Watch()
    api = start_api(SCHEMA, plugins={"watch": watch})
    given = {"X-Request-Id": "abc-1", "traceparent": TRACE, "tracestate": "a=1,b=2"}
    answer = api.ask("{ __typename }", headers=given)
    assert {name: answer.headers[name.lower()] for name in given} == given
    for wrong in ("a\tb", "x" * 201):
        assert "x-request-id" not in api.ask("{ __typename }", headers={"X-Request-Id": wrong}).headers
        assert watch.last().request_id == ""
    assert "traceparent" not in api.ask("{ __typename }", headers={"traceparent": TRACE + "-x"}).headers


def test_with_an_access_log_each_request_has_an_id(start_api: Callable[..., Api]) -> None:
    api = start_api(SCHEMA, access_log=True)
    ids = [api.ask("{ __typename }").headers["x-request-id"] for _ in range(2)]
    assert ids[0] != ids[1]
    assert api.ask("{ __typename }", headers={"X-Request-Id": "mine"}).headers["x-request-id"] == "mine"
    refused = dict(api.application.refused("GET", "/graphql/v1", {"traceparent": TRACE}, 503, "OVERLOADED"))
    assert refused["X-Request-Id"] not in (*ids, "")
    assert refused["traceparent"] == TRACE


INVALID = [
    "",
    TRACE[:-1],
    TRACE.upper(),
    "ff" + TRACE[2:],
    TRACE + "-00",
    TRACE.replace(TRACE[3:35], "0" * 32),
    TRACE.replace(TRACE[36:52], "0" * 16),
    TRACE + "\n",
    "01" + TRACE[2:] + "-" + "x" * 300,
]


@pytest.mark.parametrize("parent", INVALID)
def test_an_invalid_trace_context_is_left_out(parent: str) -> None:
    assert read_trace(parent, None) is None


def test_a_trace_context_is_read() -> None:
    trace = read_trace(TRACE, "vendor=1")
    assert trace is not None
    assert (trace.trace_id, trace.span_id, trace.state) == (TRACE[3:35], TRACE[36:52], "vendor=1")
    assert read_trace("01" + TRACE[2:] + "-later", "x\ny").state == ""  # type: ignore[union-attr]
    assert read_request_id("a\nb") == ""


@pytest.fixture
def watched(own_service: Callable[..., Service]) -> tuple[Service, Watch]:
    watch = Watch()
    return own_service(plugins={"watch": watch}), watch


def test_requests_to_the_storage_are_observed_by_protocol(watched: tuple[Service, Watch]) -> None:
    service, watch = watched
    bucket = service.bucket()
    service.post(f"/storage/v1/object/{bucket}/a.txt", data=b"12345", headers={"content-type": "text/plain"})
    reported = watch.last()
    assert (reported.face, reported.operation, reported.role, reported.received) == (
        "rest", "/storage/v1/object/{bucket}/*", "service_role", 5)  # fmt: skip
    service.get(f"/object/{bucket}/a.txt")
    assert (watch.last().face, watch.last().sent, watch.last().codes) == ("rest", 5, ())
    service.get(f"/object/{bucket}/none.txt")
    assert (watch.last().status, watch.last().codes) == (400, ("NoSuchKey",))
    service.post("/upload/resumable", headers={"tus-resumable": "1.0.0"})
    assert (watch.last().face, watch.last().status) == ("resumable", 400)
    assert watch.last().codes != ()


def test_requests_refused_by_the_server_are_observed(watched: tuple[Service, Watch]) -> None:
    service, watch = watched
    body = b"x" * (2 * 1024 * 1024)
    refused = service.post("/graphql/v1", data=body, headers={"x-request-id": "large"})
    reported = watch.last()
    assert (refused.status_code, reported.status, reported.face, reported.method) == (413, 413, "graphql", "POST")
    assert (reported.operation, reported.request_id, reported.codes) == ("", "large", ("LIMIT_EXCEEDED",))
    assert refused.headers["x-request-id"] == "large"


def test_the_s3_protocol_has_no_other_id_for_a_request(own_service: Callable[..., Service]) -> None:
    service = own_service(access_log=True)
    for given in ({}, {"x-request-id": "mine"}, {"x-request-id": "x" * 201}):
        reported = service.get("/s3/no-bucket", headers=given).headers
        assert reported["x-amz-request-id"] == reported["x-request-id"]
    assert service.get("/s3/no-bucket", headers={"x-request-id": "mine"}).headers["x-amz-request-id"] == "mine"
