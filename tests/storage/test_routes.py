"""Which path is which operation, with and without the prefix, and which paths are none."""

from __future__ import annotations

import pytest

from app.faces.rest.routes import ROUTES
from tests.storage.service import SERVICE, Service, error, token, unique

WORDS = sorted({part for route in ROUTES for part in route.segments if part not in ("{bucket}", "*")})


@pytest.mark.parametrize("prefix", ["", "/storage/v1"])
@pytest.mark.parametrize("name", WORDS)
def test_no_bucket_name_is_reserved(service: Service, name: str, prefix: str) -> None:
    """A bucket may be named like a part of the API's paths: each method has its own routes."""
    service.post(f"{prefix}/bucket", json={"name": name})
    assert service.get(f"{prefix}/bucket/{name}").json()["id"] == name
    path = f"{prefix}/object/{name}/foo.txt"
    # Two segments below POST /object/sign and POST /object/upload/sign are those routes; PUT has no such routes.
    assert service.put(path, data=b"foo").json()["Key"] == f"{name}/foo.txt"
    assert service.get(path).content == b"foo", f"a route hides the objects of a bucket called {name}"
    assert service.request("HEAD", path).status_code == 200
    assert service.get(f"{prefix}/object/authenticated/{name}/foo.txt").content == b"foo"
    assert service.get(f"{prefix}/object/info/{name}/foo.txt").json()["name"] == "foo.txt"
    listed = service.post(f"{prefix}/object/list/{name}", json={"prefix": ""}).json()
    assert [each["name"] for each in listed] == ["foo.txt"]
    signed = service.post(f"{prefix}/object/sign/{name}/foo.txt", json={"expiresIn": 60}).json()["signedURL"]
    assert service.get(prefix + signed, None).content == b"foo"
    assert service.delete(path).json() == {"message": "Successfully deleted"}
    assert service.delete(f"{prefix}/object/{name}", json={"prefixes": ["x"]}).json() == []


def test_longer_routes_take_precedence(service: Service) -> None:
    """A path that fits a route with more fixed segments is that route, even if a bucket has that name."""
    assert error(service.get("/object/sign/nobucket/k"))[3] == "querystring must have required property 'token'"
    assert error(service.get("/object/public/nobucket/k", None))[2] == "NoSuchBucket"


def test_info_can_be_a_bucket(service: Service) -> None:
    """GET /object/info/{bucket}/{key} needs both; with one segment it is an object in the bucket "info"."""
    assert error(service.get("/object/info/onlykey"))[2] in ("NoSuchKey", "NoSuchBucket")


@pytest.mark.parametrize("prefix", ["", "/storage/v1"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", "/bucket/x"),
        ("POST", "/bucket/x/y"),
        ("GET", "/bucket/x/"),
        ("GET", "/object"),
        ("GET", "/object/"),
        ("OPTIONS", "/bucket"),
        ("PUT", "/object/b"),
        ("GET", "/cdn/b/k"),
        ("GET", "/render/image/b/k"),
    ],
)
def test_unknown_routes_are_reported(service: Service, method: str, path: str, prefix: str) -> None:
    answer = service.request(method, prefix + path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {
        "statusCode": "404",
        "error": "Not Found",
        "message": f"Route {method}:{path} not found",
        "code": "InvalidRequest",
    }


def test_other_unknown_paths_are_reported(service: Service) -> None:
    answer = service.get("/storage/v1/nothing")
    assert answer.status_code == 404
    assert answer.json() == {"message": "Route GET:/nothing not found", "error": "Not Found", "statusCode": 404}


def test_status_health_and_version_are_answered(service: Service) -> None:
    status = service.get("/storage/v1/status", None)
    assert (status.status_code, status.content) == (200, b"")
    assert service.get("/storage/v1/health").json() == {"healthy": True}
    assert error(service.get("/storage/v1/health", None)) == (400, "403", "AccessDenied", "Invalid Compact JWS")
    assert service.get("/storage/v1/version", None).text.count(".") == 2
    assert service.get("/health", None).json() == {"process": "ok", "database": "ok"}
    answered = service.get("/version", None).json()
    assert answered == {"name": "portico", "version": service.get("/storage/v1/version", None).text}


@pytest.mark.parametrize("path", ["/cdn", "/cdn/b", "/cdn/b/k?transformations=true"])
def test_there_is_no_cdn_to_purge(service: Service, path: str) -> None:
    assert error(service.delete(path)) == (400, "400", "MissingParameter", "No CDN is configured")
    assert error(service.delete(path, token())) == (403, "403", "AccessDenied", "Access denied: Invalid role")
    assert error(service.delete(path, None))[2] == "InvalidRequest"


def test_a_slash_in_a_bucket_name_is_refused(service: Service) -> None:
    bucket = service.bucket()
    assert error(service.get(f"/object/{bucket}%2Fk/l"))[2] == "InvalidBucketName"
    assert error(service.get(f"/bucket/{bucket}%2Fk"))[2] == "InvalidBucketName"


def test_the_host_must_name_the_project(own_service: object) -> None:
    service: Service = own_service(project_ref="a" * 20)  # type: ignore[operator]
    assert service.get("/bucket", SERVICE, headers={"host": f"{'a' * 20}.example.com"}).json() == []
    answer = service.get("/bucket", SERVICE, headers={"host": "other.example.com"})
    assert answer.status_code == 400
    assert unique() not in answer.text
