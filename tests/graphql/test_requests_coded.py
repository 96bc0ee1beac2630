"""Requests that clients send by mistake, and codings of bodies."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tests.graphql.api import ANON_KEY, SERVICE_KEY, Api
from tests.graphql.conftest import StartApi

BODY = json.dumps({"query": "{ __typename }"}).encode()


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api("create table item (id int primary key); grant select on item to anon;")


def send(api: Api, method: str, path: str, body: bytes = BODY, **headers: str) -> tuple[int, Any, Any]:
    sent = {"apiKey": ANON_KEY, "Content-Type": "application/json", **headers}
    result = api.client.simulate_request(method, path, body=body, headers=sent)
    return result.status_code, json.loads(result.content) if result.content else None, result.headers


def test_a_slash_at_the_end_of_the_endpoint_is_ignored(api: Api) -> None:
    assert send(api, "POST", "/graphql/v1/")[:2] == (200, {"data": {"__typename": "Query"}})
    assert send(api, "GET", "/graphql/v1/?query={__typename}", b"")[:2] == (200, {"data": {"__typename": "Query"}})


def test_documents_are_not_posted_to(api: Api) -> None:
    status, body, headers = send(api, "POST", "/graphql/v1/document")
    assert (status, headers["allow"]) == (405, "GET")
    (error,) = body["errors"]
    assert error["extensions"]["code"] == "METHOD_NOT_ALLOWED"
    assert "POST requests to /graphql/v1" in error["extensions"]["hint"]


COMPRESSED = gzip.compress(BODY, mtime=0)


@pytest.mark.parametrize(
    ("coding", "body"),
    [("gzip", COMPRESSED), ("br", b"x"), ("x-unknown", BODY), ("gzip, identity", BODY)],
    ids=["gzip", "br", "unknown", "two"],
)
def test_codings_of_the_body_are_not_supported(api: Api, coding: str, body: bytes) -> None:
    status, answer, _ = send(api, "POST", "/graphql/v1", body, **{"Content-Encoding": coding})
    assert status == 415
    assert answer["errors"][0]["extensions"]["code"] == "UNSUPPORTED_MEDIA_TYPE"
    assert "Content-Encoding" in answer["errors"][0]["message"]
    assert send(api, "POST", "/graphql/v1", **{"Content-Encoding": "identity"})[0] == 200


def test_the_storage_takes_no_coded_json_either(api: Api) -> None:
    headers = {"apiKey": SERVICE_KEY, "Authorization": f"Bearer {SERVICE_KEY}", "Content-Encoding": "gzip"}
    status, answer, _ = send(api, "POST", "/storage/v1/bucket", gzip.compress(b'{"name": "a"}'), **headers)
    assert (status, answer["statusCode"]) == (415, "415")
    assert "content-encoding" in answer["message"]


def test_a_body_that_is_not_utf_8(api: Api) -> None:
    body = '{"query": "{ __typename } # é"}'.encode("latin-1")
    status, answer, _ = send(api, "POST", "/graphql/v1", body, **{"Content-Type": "application/json; charset=latin1"})
    assert (status, answer["errors"][0]["message"]) == (400, "The body is not UTF-8: it must be JSON")


def test_an_empty_list_of_variables_has_a_hint_about_php(api: Api) -> None:
    status, answer, _ = send(api, "POST", "/graphql/v1", b'{"query": "{ __typename }", "variables": []}')
    assert status == 400
    assert "PHP" in answer["errors"][0]["extensions"]["hint"]
