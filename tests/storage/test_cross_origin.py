"""CORS: pages of other origins in a browser, with both APIs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.storage.service import ANON, Service

PAGE = "https://a.example"
FACES = ("/object/b/k", "/storage/v1/bucket", "/graphql/v1", "/nothing")


def preflight(service: Service, path: str, origin: str = PAGE) -> dict[str, str]:
    headers = {
        "origin": origin,
        "access-control-request-method": "PUT",
        "access-control-request-headers": "apikey,authorization,x-anything",
    }
    answer = service.request("OPTIONS", path, None, headers=headers)
    return {"status": str(answer.status_code), **{name.lower(): value for name, value in answer.headers.items()}}


@pytest.fixture
def service_of_a(own_service: Callable[..., Service]) -> Service:
    return own_service(cors_origins=(PAGE,))


def test_cross_origin_access_is_off_by_default(service: Service) -> None:
    for path in FACES:
        assert "access-control-allow-origin" not in preflight(service, path)
        answer = service.get(path, headers={"origin": PAGE})
        assert "access-control-allow-origin" not in answer.headers
    assert preflight(service, "/bucket")["status"] == "404"


@pytest.mark.parametrize("path", FACES)
def test_a_preflight_is_answered(service_of_a: Service, path: str) -> None:
    answer = preflight(service_of_a, path)
    assert answer["status"] == "204"
    assert answer["access-control-allow-origin"] == PAGE
    assert answer["access-control-allow-headers"] == "apikey,authorization,x-anything"
    assert "PUT" in answer["access-control-allow-methods"]
    assert answer["vary"] == "Origin"
    assert "access-control-allow-credentials" not in answer


def test_answers_and_errors_can_be_read(service_of_a: Service) -> None:
    service, origin = service_of_a, {"origin": PAGE}
    answers = [
        service.request(
            "POST", "/graphql/v1", None, json={"query": "{ __typename }"}, headers={**origin, "apikey": ANON}
        ),
        service.request("POST", "/graphql/v1", None, json={"query": "{ __typename }"}, headers=origin),
        service.get("/object/public/b/k", None, headers=origin),
        service.get("/nothing", headers=origin),
    ]
    assert [answer.status_code for answer in answers] == [200, 401, 400, 404]
    for answer in answers:
        assert answer.headers["access-control-allow-origin"] == PAGE
        assert "etag" in answer.headers["access-control-expose-headers"]


def test_early_refusals_can_be_read(service_of_a: Service) -> None:
    service, origin = service_of_a, {"origin": PAGE}
    refused = service.post("/object/b/k", None, data=b"x", headers=origin)
    large = service.request("POST", "/graphql/v1", None, data=b"x" * 2_000_000, headers={**origin, "apikey": ANON})
    assert (refused.status_code, large.status_code) == (400, 413)
    for answer in (refused, large):
        assert answer.headers["access-control-allow-origin"] == PAGE


def test_another_origin_is_refused(service_of_a: Service) -> None:
    assert "access-control-allow-origin" not in preflight(service_of_a, "/graphql/v1", "https://b.example")
    answer = service_of_a.get("/bucket", headers={"origin": "https://b.example"})
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["vary"] == "Origin"


def test_all_origins_can_be_allowed(own_service: Callable[..., Service]) -> None:
    service = own_service(cors_origins=("*",))
    assert preflight(service, "/graphql/v1", "null")["access-control-allow-origin"] == "*"
    assert service.get("/bucket", headers={"origin": PAGE}).headers["access-control-allow-origin"] == "*"
    assert "vary" not in service.get("/bucket").headers
