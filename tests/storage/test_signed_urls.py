"""Signed downloads and uploads."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from urllib.parse import quote

import jwt
import pytest

from app.identity.derived_keys import SIGNED_URLS, derived_key
from tests.storage.service import SECRET, SERVICE, USER, Service, error, token, unique

NO_OBJECT = (400, "404", "NoSuchKey", "Object not found")


def encode_uri(url: str) -> str:
    """JavaScript's encodeURI, which clients apply to the URLs that they get."""
    return quote(url, safe="A-Za-z0-9;,/?:@&=+$-_.!~*'()#")


@pytest.fixture(scope="module")
def path(service: Service) -> str:
    path = f"{service.bucket()}/a b.txt"
    service.upload(path.replace(" ", "%20"), b"signed").raise_for_status()
    return path


def test_a_signed_url_returns_the_object(service: Service, path: str) -> None:
    answer = service.post(f"/object/sign/{path}", json={"expiresIn": "60"})
    assert list(answer.json()) == ["signedURL"]
    url = answer.json()["signedURL"]
    assert url.startswith(f"/object/sign/{path}?token=")
    claims = jwt.decode(url.partition("token=")[2], derived_key(SECRET, SIGNED_URLS), algorithms=["HS256"])
    assert claims.keys() == {"url", "scope", "iat", "exp"}
    assert (claims["url"], claims["scope"], claims["exp"] - claims["iat"]) == (path, "download", 60)
    got = service.get(encode_uri(url), None)
    assert got.content == b"signed"
    assert "cache-control" not in got.headers
    assert got.headers["expires"].endswith("GMT")
    assert service.get(encode_uri(url), "rubbish").content == b"signed"
    assert service.get("/storage/v1" + encode_uri(url), None).content == b"signed"
    assert service.request("HEAD", encode_uri(url), None).status_code == 200
    download = service.get(encode_uri(url) + "&download=x", None)
    assert download.headers["content-disposition"].startswith("attachment; filename=x")


@pytest.mark.parametrize("key", ["a?b", "a&b", "a=b+c", "a@b,c;d:e$f", "q?token=1&x", "plain", "a//b/", "(a)!*'"])
@pytest.mark.parametrize("many", [False, True])
def test_every_key_can_be_signed(service: Service, key: str, many: bool) -> None:
    bucket = service.bucket()
    service.upload(f"{bucket}/{quote(key)}", key.encode()).raise_for_status()
    if many:
        body = {"expiresIn": 60, "paths": [key]}
        url = service.post(f"/object/sign/{bucket}", json=body).json()[0]["signedURL"]
    else:
        url = service.post(f"/object/sign/{bucket}/{quote(key)}", json={"expiresIn": 60}).json()["signedURL"]
    assert service.get(encode_uri(url), None).content == key.encode()
    assert service.get(url, None).content == key.encode()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "body must have required property 'expiresIn'"),
        ({"expiresIn": 0}, "body/expiresIn must be >= 1"),
        ({"expiresIn": -5}, "body/expiresIn must be >= 1"),
        ({"expiresIn": 1.5}, "body/expiresIn must be integer"),
        ({"expiresIn": "soon"}, "body/expiresIn must be integer"),
        ({"expiresIn": 10**30}, "body/expiresIn must be <= 9007199254740991"),
    ],
)
def test_invalid_lifetimes_are_refused(service: Service, path: str, body: dict[str, object], message: str) -> None:
    assert error(service.post(f"/object/sign/{path}", json=body)) == (400, "400", "InvalidRequest", message)


def test_a_lifetime_that_is_too_long_is_refused(service: Service, path: str) -> None:
    answer = service.post(f"/object/sign/{path}", json={"expiresIn": 9 * 10**12})
    assert error(answer) == (400, "400", "InvalidParameter", "Invalid Parameter expiresIn")


def test_the_longest_lifetime_is_accepted(service: Service, path: str) -> None:
    """It ends after the last year that an HTTP date can express."""
    url = service.post(f"/object/sign/{path}", json={"expiresIn": 8 * 10**12}).json()["signedURL"]
    answer = service.get(url, None)
    assert (answer.status_code, answer.headers["expires"]) == (200, "Fri, 31 Dec 9999 23:59:59 GMT")


def test_only_visible_objects_are_signed(service: Service, path: str) -> None:
    bucket = path.partition("/")[0]
    body = {"expiresIn": 60}
    assert error(service.post(f"/object/sign/{path}", token(), json=body)) == NO_OBJECT
    assert error(service.post(f"/object/sign/{path}.no", json=body)) == NO_OBJECT
    assert error(service.post(f"/object/sign/{unique()}/k", json=body)) == NO_OBJECT
    unseen = "Either the object does not exist or you do not have access to it"
    paths = ["no", "a b.txt", "no"]
    answer = service.post(f"/object/sign/{bucket}", json={"expiresIn": 60, "paths": paths}).json()
    assert [each["path"] for each in answer] == paths
    assert [list(each) for each in answer] == [["error", "path", "signedURL"]] * 3
    assert [each["error"] for each in answer] == [unseen, None, unseen]
    assert [each["signedURL"] is None for each in answer] == [True, False, True]
    odd = service.post(f"/object/sign/{bucket}", json={"expiresIn": 60, "paths": ["a\0", "\ud800", "../x", ""]}).json()
    assert [each["error"] for each in odd] == [unseen] * 4
    answer = service.post(f"/object/sign/{bucket}", token(), json={"expiresIn": 60, "paths": paths}).json()
    assert [each["error"] for each in answer] == [unseen] * 3


def test_the_number_of_paths_is_limited(service: Service, path: str) -> None:
    bucket = path.partition("/")[0]

    def sign(paths: list[str]) -> object:
        return service.post(f"/object/sign/{bucket}", json={"expiresIn": 60, "paths": paths})

    assert error(sign([]))[3] == "body/paths must NOT have fewer than 1 items"  # type: ignore[arg-type]
    assert error(sign(["x"] * 1001))[3] == "body/paths must NOT have more than 1000 items"  # type: ignore[arg-type]
    assert len(sign(["x"] * 1000).json()) == 1000  # type: ignore[attr-defined]


def signed(claims: dict[str, object], secret: str = SECRET, algorithm: str = "HS256") -> str:
    return jwt.encode(claims, derived_key(secret, SIGNED_URLS), algorithm=algorithm)


def test_a_users_token_and_a_signed_url_are_not_interchangeable(service: Service, path: str) -> None:
    claims = {"url": path, "scope": "download", "exp": int(time.time()) + 60}
    answer = service.get(f"/object/sign/{quote(path)}?token={token('service_role', **claims)}", None)
    assert error(answer)[2:] == ("InvalidJWT", "signature verification failed")
    answer = service.get(f"/object/authenticated/{quote(path)}", signed({**claims, "role": "service_role"}))
    assert error(answer)[3] == "signature verification failed"


def test_other_tokens_do_not_open_the_object(service: Service, path: str) -> None:
    later = int(time.time()) + 60
    url = f"/object/sign/{quote(path)}"

    def answered(given: str | None) -> tuple[str, str]:
        answer = service.get(url if given is None else f"{url}?token={given}", None)
        status, _, code, message = error(answer)
        assert status == 400
        return code, message

    assert answered(None) == ("InvalidRequest", "querystring must have required property 'token'")
    assert answered("") == ("InvalidJWT", "Invalid Compact JWS")
    assert answered("a.b.c") == ("InvalidJWT", "Invalid Compact JWS")
    good = {"url": path, "scope": "download", "exp": later}
    assert answered(signed(good, "another secret of the same length, nearly")) == (
        "InvalidJWT", "signature verification failed"
    )  # fmt: skip
    assert answered(signed(good, algorithm="HS512")) == (
        "InvalidJWT", '"alg" (Algorithm) Header Parameter value not allowed'
    )  # fmt: skip
    assert answered(jwt.encode(good, None, algorithm="none"))[0] == "InvalidJWT"
    assert answered(signed({**good, "exp": later - 120})) == ("InvalidJWT", '"exp" claim timestamp check failed')
    assert answered(signed({"url": path, "scope": "download"})) == ("InvalidJWT", 'missing required "exp" claim')
    assert answered(signed({**good, "scope": "upload"})) == ("InvalidSignature", "Token is not scoped for download")
    assert answered(signed({**good, "url": path + "x"})) == ("InvalidSignature", "Invalid signature")
    assert answered(token(sub=USER, exp=later)) == ("InvalidJWT", "signature verification failed")
    assert answered(signed({**good, "transformations": "width:10"}))[0] == "InvalidSignature"
    assert answered(signed({"url": path, "exp": later, "upsert": False}))[1] == "Token is not scoped for download"
    old = signed({"url": path, "exp": later})
    assert service.get(f"{url}?token={old}", None).content == b"signed"


def test_a_signed_upload_stores_the_object(service: Service) -> None:
    bucket = service.bucket()
    answer = service.post(f"/object/upload/sign/{bucket}/a%3Fb", token("service_role", sub=USER))
    url, given = answer.json()["url"], answer.json()["token"]
    assert list(answer.json()) == ["url", "token"]
    claims = jwt.decode(given, derived_key(SECRET, SIGNED_URLS), algorithms=["HS256"])
    assert claims.keys() == {"owner", "signer", "url", "upsert", "scope", "iat", "exp"}
    assert (claims["scope"], claims["upsert"], claims["exp"] - claims["iat"]) == ("upload", False, 7200)
    put = service.put(encode_uri(url), None, data=b"there", headers={"content-type": "text/x"})
    row = service.sql(f"select id::text, owner_id from storage.objects where bucket_id = '{bucket}'")
    # supabase-kt reads the id.
    assert (put.json(), row) == ({"Key": f"{bucket}/a?b", "Id": row[0][0]}, [[row[0][0], USER]])
    assert service.get(f"/object/{bucket}/a%3Fb").headers["content-type"] == "text/x"
    again = service.put(encode_uri(url), None, data=b"again")
    assert error(again) == (400, "409", "KeyAlreadyExists", "The resource already exists")


def test_a_signed_upload_replaces_only_if_signed_for_it(service: Service) -> None:
    path = f"{service.bucket()}/k"
    url = service.post(f"/object/upload/sign/{path}", headers={"x-upsert": "true"}).json()["url"]
    for content in (b"one", b"two"):
        service.put(url, None, data=content).raise_for_status()
    assert service.get(f"/object/{path}").content == b"two"


def test_conditions_of_a_signed_upload_are_checked(service: Service) -> None:
    path = f"{service.bucket()}/k"

    def put(url: str, data: bytes, **conditions: str) -> int:
        headers = {name.replace("_", "-"): value for name, value in conditions.items()}
        return service.put(url, None, data=data, headers=headers).status_code

    creating = service.post(f"/object/upload/sign/{path}").json()["url"]
    replacing = service.post(f"/object/upload/sign/{path}", headers={"x-upsert": "true"}).json()["url"]
    assert put(replacing, b"0", if_match="*") == 412
    assert put(replacing, b"1", if_none_match="*") == 200
    assert put(replacing, b"2", if_none_match="*") == 412
    etag = service.get(f"/object/{path}").headers["etag"]
    assert put(replacing, b"3", if_match='"other"') == 412
    assert service.get(f"/object/{path}").content == b"1"
    assert put(replacing, b"4", if_match=etag) == 200
    # A condition adds nothing to what the token permits.
    assert put(creating, b"5", if_match="*") == 412
    assert put(creating, b"6", if_none_match="*") == 412
    assert service.get(f"/object/{path}").content == b"4"


def test_a_signed_upload_may_be_a_form(service: Service) -> None:
    path = f"{service.bucket()}/k"
    url = service.post(f"/object/upload/sign/{path}", json={"expiresIn": 5}).json()["url"]
    claims = jwt.decode(url.partition("token=")[2], derived_key(SECRET, SIGNED_URLS), algorithms=["HS256"])
    assert claims["exp"] - claims["iat"] == 5
    service.put(url, None, files={"": ("n", b"form", "a/b")}).raise_for_status()
    assert service.get(f"/object/{path}").content == b"form"


def test_invalid_signing_requests_for_uploads_are_refused(service: Service) -> None:
    bucket = service.bucket()
    service.upload(f"{bucket}/k").raise_for_status()
    sign = f"/object/upload/sign/{bucket}"
    assert error(service.post(f"{sign}/k"))[1:3] == ("409", "KeyAlreadyExists")
    assert error(service.post(f"{sign}/new", token()))[1:3] == ("403", "AccessDenied")
    assert error(service.post(f"{sign}/a%25"))[2] == "InvalidKey"
    assert error(service.post(f"/object/upload/sign/{unique()}/k")) == (
        400, "404", "InvalidRequest", "The related resource does not exist"
    )  # fmt: skip


def test_tokens_have_one_purpose(service: Service) -> None:
    path = f"{service.bucket()}/k"
    upload = service.post(f"/object/upload/sign/{path}").json()["token"]
    service.upload(path).raise_for_status()
    download = service.post(f"/object/sign/{path}", json={"expiresIn": 60}).json()["signedURL"].partition("token=")[2]
    assert error(service.get(f"/object/sign/{path}?token={upload}", None))[3] == "Token is not scoped for download"
    answer = service.put(f"/object/upload/sign/{path}?token={download}", None, data=b"x")
    assert error(answer) == (400, "400", "InvalidSignature", "Token is not scoped for upload")
    answer = service.put(f"/object/upload/sign/{path}x?token={upload}", None, data=b"x")
    assert error(answer) == (400, "400", "InvalidSignature", "Invalid signature")
    assert error(service.put(f"/object/upload/sign/{path}?token={SERVICE}", None, data=b"x"))[2] == "InvalidJWT"


def test_a_signed_upload_follows_the_rules_of_the_bucket(service: Service) -> None:
    bucket = service.bucket(file_size_limit=3, allowed_mime_types=["text/plain"])
    url = service.post(f"/object/upload/sign/{bucket}/k", headers={"content-type": "text/plain"}).json()["url"]
    plain = {"content-type": "text/plain"}
    assert error(service.put(url, None, data=b"1234", headers=plain))[2] == "EntityTooLarge"
    assert error(service.put(url, None, data=b"123", headers={"content-type": "a/b"}))[2] == "InvalidMimeType"
    assert service.put(url, None, data=b"123", headers=plain).status_code == 200


def test_a_service_without_a_secret_accepts_no_signed_urls(own_service: Callable[..., Service]) -> None:
    service = own_service(jwt_secret=None, service_role_key=None)
    claims = {"url": "b/k", "scope": "download", "exp": int(time.time()) + 60}
    with warnings.catch_warnings(action="ignore"):
        # As with an empty key, since HMAC fills keys up with zeros. Some versions of PyJWT verify with one.
        signed = jwt.encode(claims, "\0", algorithm="HS256")
    assert error(service.get(f"/object/sign/b/k?token={signed}", None))[2:] == (
        "InvalidJWT",
        "signature verification failed",
    )
