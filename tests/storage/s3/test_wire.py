"""Requests of unusual clients, byte by byte: early refusals, nested framing, names with underscores, hosts."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from app.faces.s3.signature import ALGORITHM
from tests.storage.s3.clients import KEY, SECRET_KEY, client
from tests.storage.s3.test_chunked import crc32, framed
from tests.storage.service import Service, raw_request, unique


def signed_head(
    service: Service, method: str, path: str, headers: dict[str, str], *, key: str = KEY, secret: str = SECRET_KEY,
    payload: str = "UNSIGNED-PAYLOAD", host: str = "",
) -> bytes:  # fmt: skip
    """The head of a request, signed as botocore signs it."""
    url = f"http://{host or urlsplit(service.url).netloc}{path}"
    # These are for the server in front, and proxies add them: they are not signed.
    unsigned = {
        name: value for name, value in headers.items() if name.lower() in ("transfer-encoding", "expect", "connection")
    }
    request = AWSRequest(method, url, headers={name: value for name, value in headers.items() if name not in unsigned})
    request.headers["X-Amz-Content-SHA256"] = payload
    request.context["payload_signing_enabled"] = True
    signer: Any = S3SigV4Auth(Credentials(key, secret), "s3", "us-east-1")
    signer.payload = lambda _: payload
    signer.add_auth(request)
    lines = [f"{method} {path} HTTP/1.1", f"Host: {urlsplit(url).netloc}"]
    lines += [f"{name}: {value}" for name, value in (*request.headers.items(), *unsigned.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def code(answer: bytes) -> str:
    found = re.search(rb"<Code>(\w+)</Code>", answer)
    return found[1].decode() if found else ""


def test_requests_are_refused_before_the_body(s3_service: Service) -> None:
    path, large = f"/s3/{s3_service.bucket()}/k", {"Content-Length": "1000000", "Expect": "100-continue"}
    heads = [
        (f"PUT {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n".encode(), 403, "AccessDenied"),
        (signed_head(s3_service, "PUT", path, large, key="unknown"), 403, "InvalidAccessKeyId"),
        (signed_head(s3_service, "PUT", path, large, key="0" * 32), 403, "InvalidAccessKeyId"),
        (signed_head(s3_service, "PUT", path, large, secret="wrong"), 403, "SignatureDoesNotMatch"),
        (signed_head(s3_service, "PUT", path, {"Content-Length": "99999999999"}), 413, "EntityTooLarge"),
        (
            signed_head(
                s3_service, "PUT", path,
                {"Transfer-Encoding": "chunked", "X-Amz-Decoded-Content-Length": "99999999999"},
                payload="STREAMING-UNSIGNED-PAYLOAD-TRAILER",
            ),
            413, "EntityTooLarge",
        ),
        (signed_head(s3_service, "PUT", f"{path}?acl", {"Content-Length": "9999999"}), 413, "EntityTooLarge"),
        (b"POST /s3/b?nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n", 405, "MethodNotAllowed"),
    ]  # fmt: skip
    for head, wanted, word in heads:
        answer = raw_request(s3_service.address, head)
        assert (status(answer), code(answer)) == (wanted, word), head
        assert b"application/xml" in answer


@pytest.mark.timing
def test_a_credential_of_many_spaces_takes_no_time(s3_service: Service) -> None:
    """Clients can send such a header without a valid credential, so parsing it must be fast."""
    for parts in ("Credential=" + " " * 60_000 + "x", " " * 60_000 + "x", "Credential=" * 5_000):
        began = time.monotonic()
        answer = raw_request(
            s3_service.address,
            f"GET /s3/b/k HTTP/1.1\r\nHost: x\r\nAuthorization: {ALGORITHM} {parts}\r\n\r\n".encode(),
        )
        assert (status(answer), code(answer)) == (400, "AuthorizationHeaderMalformed")
        assert time.monotonic() - began < 5


def unsigned_head(names: list[str], lines: list[str]) -> bytes:
    """The head of a request with a session token and an invented signature, which needs no secret."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    signed = ";".join(["host", "x-amz-date", "x-amz-security-token", *names])
    credential = f"Credential=a/{moment[:8]}/r/s3/aws4_request, SignedHeaders={signed}, Signature={'0' * 64}"
    own = [f"X-Amz-Date: {moment}", "X-Amz-Security-Token: x", f"Authorization: {ALGORITHM} {credential}"]
    return "\r\n".join(["GET /s3/b/k HTTP/1.1", "Host: x", *own, *lines, "", ""]).encode()


@pytest.mark.timing
def test_many_signed_headers_take_no_time(s3_service: Service) -> None:
    began = time.monotonic()
    names = [f"a{number}" for number in range(5_000)]
    answer = raw_request(s3_service.address, unsigned_head(names, ["b: c"] * 5_000))
    assert (status(answer), code(answer)) == (403, "SignatureDoesNotMatch")
    assert time.monotonic() - began < 10


def test_a_header_is_signed_once(s3_service: Service) -> None:
    """Otherwise what is signed would be much longer than the request."""
    answer = raw_request(s3_service.address, unsigned_head(["a", "a"], ["a: b"]))
    assert (status(answer), code(answer)) == (400, "AuthorizationHeaderMalformed")


@pytest.mark.timing
def test_a_form_with_a_long_content_type_takes_no_time(s3_service: Service) -> None:
    began = time.monotonic()
    head = (
        f'POST /s3/b HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Type: multipart/form-data; a="{";" * 60_000}"'
    )
    answer = raw_request(s3_service.address, f"{head}\r\n\r\nx".encode())
    assert (status(answer), code(answer)) == (400, "MalformedPOSTRequest")
    assert time.monotonic() - began < 5


def test_continue_is_sent_for_accepted_requests(s3_service: Service) -> None:
    path = f"/s3/{s3_service.bucket()}/k"
    head = signed_head(
        s3_service, "PUT", path, {"Content-Length": "5", "Expect": "100-continue", "Connection": "close"}
    )
    assert raw_request(s3_service.address, head + b"hello").startswith(b"HTTP/1.1 100 Continue")
    assert s3_service.get(path.replace("/s3", "/object", 1)).content == b"hello"


def test_trailers_inside_a_chunked_body_are_verified(s3_service: Service) -> None:
    path = f"/s3/{s3_service.bucket()}/k"
    data = bytes(range(256)) * 1000
    inner = framed([data[:100_000], data[100_000:]], f"x-amz-checksum-crc32:{crc32(data)}\r\n".encode())
    head = signed_head(
        s3_service, "PUT", path,
        {
            "Transfer-Encoding": "chunked", "X-Amz-Decoded-Content-Length": str(len(data)),
            "X-Amz-Trailer": "x-amz-checksum-crc32", "Content-Encoding": "aws-chunked,gzip",
        },
        payload="STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    )  # fmt: skip
    outer = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (inner[:70_000], inner[70_000:])) + b"0\r\n\r\n"
    answer = raw_request(s3_service.address, head + outer)
    assert status(answer) == 200, answer
    bucket = path.split("/")[2]
    stored = s3_service.sql(f"select metadata from storage.objects where bucket_id = '{bucket}'")[0][0]
    assert (stored["size"], stored["contentEncoding"]) == (len(data), "gzip")
    other = inner.replace(b"x-amz-checksum-crc32:", b"x-amz-checksum-sha256:")
    answer = raw_request(s3_service.address, head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(other), other))
    assert (status(answer), code(answer)) == (400, "MalformedTrailerError")
    broken = inner.replace(crc32(data).encode(), b"AAAAAA==")
    answer = raw_request(s3_service.address, head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(broken), broken))
    assert (status(answer), code(answer)) == (400, "BadDigest")


def test_another_body_than_the_signed_one_is_refused(s3_service: Service) -> None:
    bucket = s3_service.bucket()
    head = signed_head(s3_service, "PUT", f"/s3/{bucket}/k", {"Content-Length": "5"}, payload="0" * 64)
    answer = raw_request(s3_service.address, head + b"hello")
    assert (status(answer), code(answer)) == (400, "XAmzContentSHA256Mismatch")
    assert s3_service.sql(f"select 1 from storage.objects where bucket_id = '{bucket}'") == []


@pytest.mark.parametrize("document", [
    b'<!DOCTYPE a [<!ENTITY b "c">]><Delete><Object><Key>&b;</Key></Object></Delete>',
    b"<Delete><Object></Object></Delete>", b"<Delete/>", b"<Other/>", b"not XML", b"",
    b"<Delete><Object><Key>k</Key></Object>",
])  # fmt: skip
def test_malformed_documents_are_refused(s3_service: Service, document: bytes) -> None:
    path = f"/s3/{s3_service.bucket()}?delete="
    head = signed_head(s3_service, "POST", path, {"Content-Length": str(len(document))})
    answer = raw_request(s3_service.address, head + document)
    assert (status(answer), code(answer)) == (400, "MalformedXML")


def test_the_paths_of_the_protocol_are_served(s3_service: Service) -> None:
    bucket = s3_service.bucket()
    for path in ("/s3", "/s3/", "/storage/v1/s3", f"/s3/{bucket}/", f"/storage/v1/s3/{bucket}"):
        assert status(raw_request(s3_service.address, signed_head(s3_service, "GET", path, {}))) == 200
    for path in (f"/s3/{bucket}/../k", f"/s3/{bucket}//"):
        answer = raw_request(s3_service.address, signed_head(s3_service, "GET", path, {}))
        assert code(answer) in ("InvalidKey", "NoSuchKey")
    answer = raw_request(s3_service.address, signed_head(s3_service, "GET", "/s3/b/%ff", {}))
    assert (status(answer), code(answer)) == (400, "InvalidURI")


def test_the_protocol_can_be_turned_off(own_service: Any) -> None:
    service = own_service(s3_protocol=False)
    assert service.get("/s3/b/k").json()["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert service.get("/storage/v1/s3").status_code == 404


def test_the_protocol_can_have_its_own_host(own_service: Any) -> None:
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    service = own_service(s3_protocol_host="s3.localhost", **keys)
    name = unique("b")

    def send(method: str, path: str, host: str, data: bytes = b"") -> bytes:
        headers = {"Content-Length": str(len(data))} if data else {}
        return raw_request(service.address, signed_head(service, method, path, headers, host=host) + data)

    assert status(send("PUT", f"/{name}", "s3.localhost")) == 200
    assert status(send("PUT", f"/{name}/object/k", "s3.localhost:80", b"one")) == 200
    assert send("GET", "/object/k", f"{name}.s3.localhost").endswith(b"one")
    assert b"<Key>object/k</Key>" in send("GET", "/?list-type=2", f"{name}.s3.localhost")
    assert b"<Name>" + name.encode() in send("GET", "/", "s3.localhost")
    # Buckets may be called as paths of the REST API are.
    assert status(send("PUT", "/object", "s3.localhost")) == 200
    assert status(send("PUT", "/object/k", "s3.localhost", b"two")) == 200
    assert send("GET", "/object/k", "s3.localhost").endswith(b"two")
    assert service.get(f"/object/{name}/object/k").content == b"one"


def test_pages_of_allowed_origins_can_read(own_service: Any) -> None:
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    service = own_service(cors_origins=("https://app.example.com",), **keys)
    s3, bucket = client(service, KEY, SECRET_KEY), service.bucket()
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", Metadata={"a": "b"})
    url = s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "k"})
    answer = service.session.get(url, headers={"origin": "https://app.example.com"}, timeout=30)
    exposed = {each.strip() for each in answer.headers["access-control-expose-headers"].split(",")}
    assert answer.headers["access-control-allow-origin"] == "https://app.example.com"
    assert {"etag", "x-amz-meta-a", "x-amz-request-id", "content-range"} <= exposed
    preflight = service.session.options(
        url, timeout=30,
        headers={"origin": "https://app.example.com", "access-control-request-method": "PUT",
                 "access-control-request-headers": "x-amz-date,authorization"},
    )  # fmt: skip
    assert "PUT" in preflight.headers["access-control-allow-methods"]


def test_the_debug_setting_shows_the_canonical_request(own_service: Any) -> None:
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    service = own_service(s3_protocol_debug=True, **keys)
    answer = raw_request(service.address, signed_head(service, "GET", "/s3/", {}, secret="wrong"))
    assert b"<CanonicalRequest>GET&#10;/s3/&#10;" in answer
    assert SECRET_KEY.encode() not in answer


def presigned(service: Service, bucket: str, key: str, **config: Any) -> str:
    """The target of a URL that its holder may PUT to."""
    url = client(service, **config).generate_presigned_url("put_object", {"Bucket": bucket, "Key": key})
    return url.partition("://")[2].partition("/")[2]


def put(service: Service, target: str, host: str, *more: str) -> int:
    lines = "".join(f"{line}\r\n" for line in (f"PUT {target} HTTP/1.1", f"Host: {host}", *more, "Content-Length: 4"))
    return status(raw_request(service.address, f"{lines}\r\nevil".encode()))


def test_forged_proxy_headers_do_not_extend_a_signed_url(s3_service: Service) -> None:
    uploads, private = s3_service.bucket(), s3_service.bucket()
    inner = f"s3/{private}/k"
    path, _, query = presigned(s3_service, uploads, f"mine/{inner}").partition("?")
    prefix = "/" + path.removesuffix(f"/{inner}")
    host = s3_service.url.removeprefix("http://")
    assert put(s3_service, f"/{inner}?{query}", host, f"X-Forwarded-Prefix: {prefix}") == 403
    assert s3_service.sql(f"select name from storage.objects where bucket_id in ('{uploads}', '{private}')") == []
    assert put(s3_service, f"/{path}?{query}", host) == 200
    for spelled in (path.replace("/s3/", "/s%33/", 1), path.replace("storage/v1/s3/", "s%33/", 1)):
        assert put(s3_service, f"/{spelled}?{query}", host) == 400


def test_a_signed_url_is_valid_for_one_host(own_service: Any) -> None:
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    service = own_service(s3_protocol_host="s3.localhost", **keys)
    ours, theirs, inner = service.bucket(), service.bucket(), service.bucket()
    headers: dict[str, str] = {}
    for bucket in (ours, "s3", "storage"):
        raw_request(service.address, signed_head(service, "PUT", f"/{bucket}", headers, host="s3.localhost"))

    def signed_for(host: str, path: str) -> str:
        signer: Any = S3SigV4QueryAuth(Credentials(KEY, SECRET_KEY), "s3", "us-east-1", expires=60)
        request = AWSRequest("PUT", f"http://{host}{path}")
        signer.add_auth(request)
        return str(request.url).partition("?")[2]

    api = service.url.removeprefix("http://")
    for signed_host, signed_path, host, path in (
        (f"{ours}.s3.localhost", "/k", f"{theirs}.s3.localhost", "/k"),
        ("s3.localhost", f"/{ours}/k", f"{theirs}.s3.localhost", f"/{ours}/k"),
        ("s3.localhost", f"/s3/{inner}/k", api, f"/s3/{inner}/k"),
        (api, f"/s3/{inner}/k", "s3.localhost", f"/s3/{inner}/k"),
        ("s3.localhost", f"/storage/v1/{inner}/k", "s3.localhost", f"/{inner}/k"),
    ):
        query = signed_for(signed_host, signed_path)
        assert put(service, f"{path}?{query}", host, f"X-Forwarded-Host: {signed_host}") == 403, (signed_host, host)
    assert service.sql("select name from storage.objects") == []
    assert put(service, f"/k?{signed_for(f'{ours}.s3.localhost', '/k')}", f"{ours}.s3.localhost") == 200


def test_an_upload_without_a_declared_length_changes_nothing(s3: Any, s3_service: Service) -> None:
    """As with `curl -X PUT` of a presigned URL, where the file was forgotten."""
    bucket = s3_service.bucket()
    s3.put_object(Bucket=bucket, Key="k", Body=b"precious")
    upload = s3.create_multipart_upload(Bucket=bucket, Key="k")["UploadId"]
    part = {"Bucket": bucket, "Key": "k", "UploadId": upload, "PartNumber": 1}
    host = s3_service.url.removeprefix("http://")
    for operation, given in (("put_object", {"Bucket": bucket, "Key": "k"}), ("upload_part", part)):
        url = s3.generate_presigned_url(operation, given)
        target = url.removeprefix(s3_service.url)
        answer = raw_request(s3_service.address, f"PUT {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert (status(answer), code(answer)) == (411, "MissingContentLength")
        answer = raw_request(s3_service.address, f"PUT {target} HTTP/1.0\r\nHost: {host}\r\n\r\nthe body".encode())
        assert (status(answer), code(answer)) == (411, "MissingContentLength")
    answer = raw_request(s3_service.address, signed_head(s3_service, "PUT", f"/s3/{bucket}/k", {}))
    assert (status(answer), code(answer)) == (411, "MissingContentLength")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"precious"
    assert "Parts" not in s3.list_parts(Bucket=bucket, Key="k", UploadId=upload)
    # A copy has no body.
    headers = {"X-Amz-Copy-Source": f"{bucket}/k"}
    assert status(raw_request(s3_service.address, signed_head(s3_service, "PUT", f"/s3/{bucket}/copy", headers))) == 200
