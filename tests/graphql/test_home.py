"""The page for browsers at ``/`` and at the path of the GraphQL API, which programs do not get."""

from __future__ import annotations

import re

import pytest

from tests.graphql.api import ANON_KEY, Api
from tests.graphql.conftest import StartApi

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api("create table item (id int primary key); grant select on item to anon")


ADDRESSES = "The GraphQL API is at /graphql/v1, the storage at /storage/v1."


@pytest.mark.parametrize("path", ["/graphql", "/v1/graphql", "/nothing"])
def test_another_path_is_answered_with_the_addresses(api: Api, path: str) -> None:
    refused = api.client.simulate_post(path, body='{"query": "{ __typename }"}')
    assert (refused.status_code, refused.json["errors"][0]["extensions"]["hint"]) == (404, ADDRESSES)


@pytest.mark.parametrize("path", ["/", "/graphql/v1"])
def test_a_browser_gets_a_page_with_the_addresses(api: Api, path: str) -> None:
    page = api.client.simulate_get(path, headers={"Accept": BROWSER})
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "GraphQL API" in page.text
    assert re.findall(r"<dt>(.*?)</dt>", page.text) == [
        "/graphql/v1", "/storage/v1", "/health", "/version", "/metrics",
    ]  # fmt: skip
    assert "pip install ./studio" in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["vary"] == "Accept"


def test_programs_get_no_page(api: Api) -> None:
    for method in ("GET", "POST", "DELETE"):
        refused = api.client.simulate_request(method, "/", headers={"Accept": "application/json"})
        assert (refused.status_code, refused.json) == (
            404, {"errors": [{"message": "404 Not Found", "extensions": {"code": "NOT_FOUND", "hint": ADDRESSES}}]},
        )  # fmt: skip
    assert api.client.simulate_post("/", headers={"Accept": BROWSER}).status_code == 404
    assert api.client.simulate_get("/graphql/v1", headers={"apiKey": ANON_KEY}).status_code == 400
    asked = {"params": {"query": "{ __typename }"}, "headers": {"apiKey": ANON_KEY, "Accept": BROWSER}}
    assert api.client.simulate_get("/graphql/v1", **asked).json == {"data": {"__typename": "Query"}}
