"""Clients of PostgREST get an error that they understand, which points to GraphQL."""

from __future__ import annotations

from tests.storage.service import Service


def test_rest_is_not_served_and_says_so(service: Service) -> None:
    for method in ("GET", "POST", "PATCH", "DELETE"):
        answer = service.request(method, "/rest/v1/notes", json=None if method == "GET" else {})
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json; charset=utf-8")
        assert answer.json().keys() == {"code", "details", "hint", "message"}
        assert "/graphql/v1" in answer.json()["hint"]
    assert service.get("/restless").json().keys() == {"errors"}
