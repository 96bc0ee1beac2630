"""Where a request carries its credential, and the error for each kind of bad one."""

from __future__ import annotations

import time

import jwt
import pytest

from tests.storage.service import ANON, SECRET, SERVICE, Service, error, token

MISSING = (400, "400", "InvalidRequest", "headers must have required property 'authorization'")

OPERATIONS = [
    ("POST", "/bucket/"),
    ("GET", "/bucket/"),
    ("POST", "/bucket/no-such-bucket/empty"),
    ("GET", "/bucket/no-such-bucket"),
    ("PUT", "/bucket/no-such-bucket"),
    ("DELETE", "/bucket/no-such-bucket"),
    ("DELETE", "/object/no-such-bucket/k"),
    ("PUT", "/object/no-such-bucket/k"),
    ("POST", "/object/no-such-bucket/k"),
    ("DELETE", "/object/no-such-bucket"),
    ("GET", "/object/authenticated/no-such-bucket/k"),
    ("POST", "/object/sign/no-such-bucket/k"),
    ("POST", "/object/sign/no-such-bucket"),
    ("POST", "/object/move"),
    ("POST", "/object/list/no-such-bucket"),
    ("GET", "/object/info/authenticated/no-such-bucket/k"),
    ("POST", "/object/copy"),
    ("POST", "/object/upload/sign/no-such-bucket/k"),
]


@pytest.mark.parametrize("prefix", ["", "/storage/v1"])
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_credentials_are_read_from_header_and_query(service: Service, method: str, path: str, prefix: str) -> None:
    """Both places work, the header takes precedence, and a request with neither is an error."""

    def answer(credential: str | None, query: str = "", body: object = None) -> tuple[int, str, str, str]:
        response = service.request(method, f"{prefix}{path}{query}", credential, json={} if method != "GET" else None)
        return error(response) if response.status_code != 200 else (200, "", "", "")

    assert answer(None) == MISSING
    bad = (400, "403", "AccessDenied", "Invalid Compact JWS")
    assert answer("bad") == bad
    assert answer(None, "?authorization=bad") == bad
    assert answer("bad", f"?authorization={SERVICE}") == bad
    assert answer(None, f"?authorization={SERVICE}") == answer(SERVICE) == answer(SERVICE, "?authorization=bad")
    assert answer(None, f"?authorization=Bearer%20{SERVICE}") == answer(SERVICE)


@pytest.mark.parametrize("given", [f"Bearer {SERVICE}", f"bearer {SERVICE}", SERVICE, f"BEARER  {SERVICE}"])
def test_all_forms_of_the_header_are_accepted(service: Service, given: str) -> None:
    assert service.get("/bucket", None, headers={"authorization": given}).status_code == 200


@pytest.mark.parametrize(
    ("credential", "message"),
    [
        ("", "Invalid Compact JWS"),
        ("a.b", "Invalid Compact JWS"),
        (SERVICE + "x", "signature verification failed"),
        (jwt.encode({"role": "service_role"}, "x" * 40, algorithm="HS256"), "signature verification failed"),
        (token(exp=int(time.time()) - 60), '"exp" claim timestamp check failed'),
        (token(nbf=int(time.time()) + 100_000), '"nbf" claim timestamp check failed'),
        (jwt.encode({"role": "service_role"}, SECRET * 2, algorithm="HS384"),
         '"alg" (Algorithm) Header Parameter value not allowed'),
        (jwt.encode({"role": "service_role"}, None, algorithm="none"),
         '"alg" (Algorithm) Header Parameter value not allowed'),
        (token(role=None, url="b/k", scope="download"), "Token is that of a signed URL"),
    ],
)  # fmt: skip
def test_bad_tokens_are_refused(service: Service, credential: str, message: str) -> None:
    answer = service.get("/bucket", credential)
    assert answer.json() == {"statusCode": "403", "error": "Unauthorized", "message": message, "code": "AccessDenied"}
    assert answer.status_code == 400


def test_list_v2_reports_a_missing_header_differently(service: Service) -> None:
    answer = service.post("/object/list-v2/b", None, json={})
    assert error(answer) == (400, "403", "AccessDenied", "Invalid Compact JWS")


def test_a_token_without_a_role_is_anonymous(service: Service) -> None:
    assert service.get("/bucket", token(role=None)).json() == service.get("/bucket", ANON).json() == []


@pytest.mark.parametrize("role", ["nobody_like_that", 'x"; drop table y'])
def test_unknown_roles_are_reported(service: Service, role: str) -> None:
    expected = (500, "500", "DatabaseError", "database error, code: 22023")
    bucket = service.bucket()
    assert error(service.get("/bucket", token(role))) == expected
    assert error(service.upload(f"{bucket}/k", credential=token(role))) == expected
    assert error(service.get(f"/object/{bucket}/k", token(role))) == expected


def test_a_role_that_is_no_string_is_refused(service: Service) -> None:
    for answer in (
        service.get("/bucket", token("\ud800")),
        service.put(f"/object/{service.bucket()}/k", token("\ud800"), data=b""),
        service.get("/bucket", token(sub="\ud800")),
    ):
        assert answer.status_code < 500
    assert error(service.get("/bucket", token("\ud800")))[1:3] == ("403", "AccessDenied")


def test_the_login_role_is_not_for_tokens(service: Service) -> None:
    assert error(service.get("/bucket", token("none")))[1:3] == ("403", "AccessDenied")
