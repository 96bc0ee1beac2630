"""The access log: a line for each request, without secrets."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

import pytest

from app.server.processes.logs import JSONLines, PlainLines
from tests.graphql.api import Api
from tests.graphql.conftest import start_api as start_api

SCHEMA = "create table thing (id int primary key); grant select on thing to anon"
QUERY = "query A($token: Int) { thingCollection(first: $token) { edges { node { id } } } }"


def lines(caplog: pytest.LogCaptureFixture, formatter: logging.Formatter) -> list[str]:
    return [formatter.format(each) for each in caplog.records if each.name == "portico.access"]


def test_each_request_is_logged_in_one_line(start_api: Callable[..., Api], caplog: pytest.LogCaptureFixture) -> None:
    api = start_api(SCHEMA, access_log=True)
    caplog.clear()
    with caplog.at_level(logging.INFO, "portico.access"):
        answer = api.ask(QUERY, {"token": 1}, role="anon", headers={"X-Request-Id": "abc"})
        api.ask("{ nope }")
        api.client.simulate_get("/storage/v1/object/secret-bucket/secret-key?token=eyJsecret")
    first, second, third = (json.loads(each) for each in lines(caplog, JSONLines()))
    reported = {
        "message": "request",
        "face": "graphql",
        "method": "POST",
        "operation": "A",
        "role": "anon",
        "status": 200,
        "request_id": "abc",
    }
    assert reported.items() <= first.items()
    assert first["sent"] == int(answer.headers["content-length"])
    assert first["ms"] >= sum(first["stages"].values())
    assert list(first["stages"]) == ["parse", "authorize", "plan", "execute", "shape"]
    assert (second["operation"], second["codes"]) == ("(anonymous)", "GRAPHQL_VALIDATION_FAILED")
    assert second["role"] == "anon"
    assert (third["face"], third["operation"], third["status"]) == ("rest", "/storage/v1/object/{bucket}/*", 400)
    assert "secret" not in str(third)
    plain = lines(caplog, PlainLines())[0]
    assert "INFO portico.access: request face=graphql method=POST operation=A role=anon status=200 " in plain


def test_the_access_log_is_off_by_default(start_api: Callable[..., Api], caplog: pytest.LogCaptureFixture) -> None:
    api = start_api(SCHEMA)
    with caplog.at_level(logging.INFO, "portico.access"):
        api.ask("{ __typename }")
    assert lines(caplog, PlainLines()) == []
