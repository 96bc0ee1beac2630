"""The description of the storage API for programs and people."""

from __future__ import annotations

import pytest
import requests

from app.faces.rest.routes import ROUTES
from tests.storage.service import Service

PLACE = "/storage/v1/documentation"


def test_the_description_is_valid_and_has_every_route(service: Service) -> None:
    answer = service.get(f"{PLACE}/json", None)
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    document = answer.json()
    answered = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert {(route.method, route.path.replace("*", "{key}")) for route in ROUTES} <= answered
    assert ("GET", "/render/image/public/{bucket}/{key}") in answered
    validator = pytest.importorskip("openapi_spec_validator", reason="openapi-spec-validator comes with moto")
    validator.validate(document)


def test_operations_are_described(service: Service) -> None:
    document = service.get(f"{PLACE}/json", None).json()
    signing = document["paths"]["/object/sign/{bucket}"]["post"]
    schema = signing["requestBody"]["content"]["application/json"]["schema"]
    assert schema["required"] == ["expiresIn", "paths"]
    assert schema["properties"]["paths"] == {
        "type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 1000
    }  # fmt: skip
    assert signing["security"] == [{"token": []}]
    assert document["servers"] == [{"url": "/storage/v1"}]


def test_the_page_lists_the_operations(service: Service) -> None:
    answer = requests.get(service.url + PLACE, timeout=30)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "<td>POST<td><code>/object/list/{bucket}</code>" in answer.text
    assert service.request("HEAD", PLACE).text == ""
