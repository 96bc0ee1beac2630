"""Requests that are refused before their body is read, over the wire."""

from __future__ import annotations

import errno
import json
import os
import socket
import time

import pytest

from app.identity.tokens import DEFAULT_LEEWAY_S
from app.server.request import body_buffer
from tests.process.running import PATIENCE_S, until
from tests.storage.service import SERVICE, Service, raw_request, token

GIB = 1024**3


def head(method: str, target: str, *lines: str) -> bytes:
    return "\r\n".join([f"{method} {target} HTTP/1.1", "Host: x", *lines, "", ""]).encode()


def answer_to_chunks(service: Service, path: str, *, size: int, most: int) -> bytes:
    """The response to an endless chunked body, sent until the server accepts no more."""
    chunk = b"%x\r\n" % size + bytes(size) + b"\r\n"
    answer = b""
    with socket.create_connection(service.address, timeout=PATIENCE_S) as connection:
        connection.sendall(head("POST", path, f"Authorization: Bearer {SERVICE}", "Transfer-Encoding: chunked"))
        for _ in range(most):
            try:
                connection.sendall(chunk)
            except OSError:
                break
        while more := connection.recv(65536):
            answer += more
    return answer


def body_of(answer: bytes) -> dict[str, str]:
    value: dict[str, str] = json.loads(answer.partition(b"\r\n\r\n")[2])
    return value


@pytest.mark.parametrize(
    "request_head",
    [
        head("POST", "/object/b/k", "Content-Length: 1000000"),
        head("PUT", "/storage/v1/object/b/k", "Content-Length: 1000000"),
        head("POST", "/object/b/k", "Transfer-Encoding: chunked"),
        head("POST", "/object/b/k", "Content-Length: 1000000", "Expect: 100-continue"),
        head("POST", "/bucket", "Content-Length: 1000000"),
    ],
)
def test_a_request_without_a_credential_is_refused_early(service: Service, request_head: bytes) -> None:
    """The response arrives before any byte of the body is sent."""
    answer = raw_request(service.address, request_head)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert body_of(answer) == {
        "statusCode": "400",
        "error": "Error",
        "message": "headers must have required property 'authorization'",
        "code": "InvalidRequest",
    }


@pytest.mark.parametrize("origin", ["http://x", "/", "http://x/storage/v1"])
def test_other_forms_of_a_target_are_refused_early(service: Service, origin: str) -> None:
    path = f"{service.bucket()}/k"
    answer = raw_request(service.address, head("POST", f"{origin}/object/{path}", "Content-Length: 1000000"))
    assert body_of(answer)["message"] == "headers must have required property 'authorization'"
    lines = ("Content-Length: 2000000", f"Authorization: Bearer {SERVICE}")
    answer = raw_request(service.address, head("POST", f"{origin}/object/{path}", *lines) + bytes(2_000_000))
    assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(("value", "status"), [("x", 200), ("\x01", 400), ("\r\n" + " " * 30_000 + "x", 200)])
@pytest.mark.timing
def test_a_header_of_many_spaces_takes_no_time(service: Service, value: str, status: int) -> None:
    began = time.monotonic()
    answer = raw_request(service.address, head("GET", "/version", "X:" + " " * 30_000 + value))
    assert int(answer.split()[1]) == status
    assert time.monotonic() - began < 5


def test_a_credential_in_the_query_is_accepted(service: Service) -> None:
    bucket = service.bucket()
    answer = raw_request(
        service.address,
        head("POST", f"/object/{bucket}/k?authorization={SERVICE}", "Content-Length: 2") + b"ab",
        answers=1,
    )
    assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("target", "line", "message"),
    [
        ("/object/b/k", "Authorization: ", "Invalid Compact JWS"),
        ("/object/b/k", "Authorization: Bearer ", "Invalid Compact JWS"),
        ("/object/b/k?authorization=", "X: y", "Invalid Compact JWS"),
        ("/object/b/k", "Authorization: Bearer nonsense", "Invalid Compact JWS"),
        ("/object/b/k", f"Authorization: Bearer {token()[:-4]}AAAA", "signature verification failed"),
        ("/object/b/k", f"Authorization: Bearer {token(exp=1)}", '"exp" claim timestamp check failed'),
        ("/object/list/b", "Authorization: Bearer nonsense", "Invalid Compact JWS"),
        ("/object/list-v2/b", "Authorization: Bearer nonsense", "Invalid Compact JWS"),
    ],
)
def test_a_credential_is_verified_before_the_body(service: Service, target: str, line: str, message: str) -> None:
    answer = raw_request(service.address, head("POST", target, line, "Content-Length: 1000000"))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert body_of(answer)["message"] == message


@pytest.mark.parametrize("given", ["", "nonsense", SERVICE, "another object's", "a download's"])
def test_a_signed_upload_is_verified_before_the_body(service: Service, given: str) -> None:
    bucket = service.bucket()
    if given == "another object's":
        given = service.post(f"/object/upload/sign/{bucket}/other").json()["token"]
    elif given == "a download's":
        service.upload(f"{bucket}/k").raise_for_status()
        url = service.post(f"/object/sign/{bucket}/k", json={"expiresIn": 60}).json()["signedURL"]
        given = url.partition("token=")[2]
    target = f"/object/upload/sign/{bucket}/k?token={given}"
    answer = raw_request(service.address, head("PUT", target, "Content-Length: 1000000"))
    assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["/graphql/v1", "/object/b/k", "/health"])
@pytest.mark.parametrize("line", ["Content-Length: 1000000", "Transfer-Encoding: chunked"])
def test_bodies_of_reading_methods_are_refused(service: Service, method: str, path: str, line: str) -> None:
    answer = raw_request(service.address, head(method, path, line, f"Authorization: Bearer {SERVICE}"))
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_a_token_expires_although_its_header_is_known(service: Service) -> None:
    """The server does not check the second one, because its header equals that of the first; the operation does."""
    for seconds in (1.1, 5.0, 30.0):
        expiring = token(exp=time.time() - DEFAULT_LEEWAY_S + seconds)
        lines = [f"Authorization: Bearer {expiring}", "Content-Type: application/json", "Content-Length: 13"]
        known = head("POST", "/object/list/b", *lines) + b'{"prefix":""}'
        if raw_request(service.address, known).startswith(b"HTTP/1.1 200"):
            break
    until(lambda: raw_request(service.address, known).startswith(b"HTTP/1.1 400"))
    new = head("POST", "/object/list/b", *lines, "X: y") + b'{"prefix":""}'
    assert body_of(raw_request(service.address, known)) == body_of(raw_request(service.address, new))


def test_bodies_together_are_limited(own_service: object) -> None:
    """A caller with a credential cannot fill the disk either, and the space is freed again."""
    service: Service = own_service(transfer_space=1_000_000)  # type: ignore[operator]
    bucket = service.bucket()
    begun = head("POST", f"/object/{bucket}/k", f"Authorization: Bearer {SERVICE}", "Content-Length: 900000")
    with socket.create_connection(service.address, timeout=PATIENCE_S) as one:
        one.sendall(begun + bytes(800_000))
        # Otherwise this body could be the one that finds no space.
        until(lambda: service.capacity.bytes_held() == 800_000)
        refused = service.upload(f"{bucket}/k2", bytes(500_000))
        assert refused.status_code == 507
        assert refused.headers["retry-after"] == "1"
        assert refused.json()["code"] == "INSUFFICIENT_STORAGE"
        assert service.upload(f"{bucket}/small", b"x").status_code == 200
        one.sendall(bytes(100_000))
        assert one.recv(65536).startswith(b"HTTP/1.1 200 ")
    assert service.upload(f"{bucket}/k2", bytes(500_000)).status_code == 200


def test_a_full_disk_is_reported(own_service: object, monkeypatch: pytest.MonkeyPatch) -> None:
    service: Service = own_service()  # type: ignore[operator]
    bucket = service.bucket()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as changed:
        # Stands for a full disk; a real one would stop the database, too.
        changed.setattr(body_buffer, "_file_without_a_name", full)
        assert service.upload(f"{bucket}/k", bytes(3_000_000)).status_code == 507
    assert service.upload(f"{bucket}/k", bytes(3_000_000)).status_code == 200


def test_a_signed_upload_without_a_token_is_refused_early(service: Service) -> None:
    answer = raw_request(service.address, head("PUT", "/object/upload/sign/b/k", "Content-Length: 1000"))
    assert body_of(answer)["message"] == "querystring must have required property 'token'"


@pytest.mark.parametrize("more", [(), ("Expect: 100-continue",), ("Content-Type: multipart/form-data; boundary=x",)])
def test_a_body_declared_too_large_is_refused_early(service: Service, more: tuple[str, ...]) -> None:
    lines = (f"Authorization: Bearer {SERVICE}", f"Content-Length: {4 * GIB}", *more)
    answer = raw_request(service.address, head("POST", "/object/b/k", *lines))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert body_of(answer)["code"] == "EntityTooLarge"
    assert b"100 Continue" not in answer


def test_a_target_that_is_no_uri_is_refused(service: Service) -> None:
    """waitress alone would close the connection without a response."""
    answer = raw_request(service.address, head("GET", "http://[::1/health"))
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_a_graphql_body_declared_too_large_is_refused_early(service: Service) -> None:
    answer = raw_request(service.address, head("POST", "/graphql/v1", f"Content-Length: {GIB}"))
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"LIMIT_EXCEEDED" in answer


def test_an_unknown_path_accepts_no_large_body(service: Service) -> None:
    answer = raw_request(service.address, head("POST", "/nothing", f"Content-Length: {GIB}"))
    assert body_of(answer)["code"] == "EntityTooLarge"


def test_a_client_that_sends_first_can_read_the_answer(service: Service) -> None:
    """Most clients send the whole body before they read, and must not get a connection reset."""
    data = head("POST", "/object/b/k", "Content-Length: 8000000") + bytes(8_000_000)
    with socket.create_connection(service.address, timeout=PATIENCE_S) as connection:
        connection.sendall(data)
        answer = b""
        while more := connection.recv(65536):
            answer += more
    assert body_of(answer)["code"] == "InvalidRequest"


def test_a_body_is_not_read_as_a_request(service: Service) -> None:
    bucket = service.bucket(public=True)
    smuggled = (
        head("POST", f"/object/{bucket}/smuggled", f"Authorization: Bearer {SERVICE}", "Content-Length: 1") + b"x"
    )
    data = head("POST", "/object/b/k", f"Content-Length: {len(smuggled)}") + smuggled
    answer = raw_request(service.address, data, answers=2)
    assert answer.count(b"HTTP/1.1") == 1
    assert service.get(f"/object/{bucket}/smuggled").json()["code"] == "NoSuchKey"


def test_an_endless_chunked_body_is_refused(own_service: object) -> None:
    """A chunked body has no declared length; it is refused at the limit."""
    service: Service = own_service(upload_size_limit=100_000, body_limit=1000)  # type: ignore[operator]
    answer = answer_to_chunks(service, "/object/b/k", size=0x10000, most=40)
    assert body_of(answer)["code"] == "EntityTooLarge"


@pytest.mark.parametrize("beginning", [b"2;", b"0000", b"0\r\nX: "], ids=["extension", "size", "trailer"])
def test_endless_chunk_framing_is_refused(service: Service, beginning: bytes) -> None:
    """Framing is not part of the body; without its own limit it would be kept and parsed again with each packet."""
    with socket.create_connection(service.address, timeout=PATIENCE_S) as connection:
        connection.sendall(head("POST", "/graphql/v1", "Transfer-Encoding: chunked") + beginning)
        connection.sendall(b"0" * 200_000)
        answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_a_body_of_two_lengths_is_refused(service: Service) -> None:
    """A proxy that uses the other length takes the rest for another request (RFC 9112, section 6.1)."""
    request = head("POST", "/graphql/v1", "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n"
    answer = raw_request(service.address, request + head("GET", "/status"), answers=2)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


def test_accepted_requests_keep_the_connection(service: Service) -> None:
    bucket = service.bucket()
    one = head("POST", f"/object/{bucket}/a", f"Authorization: Bearer {SERVICE}", "Content-Length: 1") + b"x"
    two = head("GET", f"/object/{bucket}/a", f"Authorization: Bearer {SERVICE}")
    answer = raw_request(service.address, one + two, answers=2)
    assert answer.count(b"HTTP/1.1 200") == 2


@pytest.mark.parametrize("path", ["/graphql/v1", "/nothing", "/bucket"])
def test_chunked_bodies_have_the_limit_of_their_path(service: Service, path: str) -> None:
    """Without a declared length the limit applies while the body arrives."""
    answer = answer_to_chunks(service, path, size=0x100000, most=30)
    assert b"LIMIT_EXCEEDED" in answer or body_of(answer)["code"] == "EntityTooLarge"
