"""Bodies that are answered in part: a broken or an endless PATCH keeps what has arrived."""

from __future__ import annotations

import hashlib
import os
import socket
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from tests.process.running import PATIENCE_S, until
from tests.storage.service import SERVICE, Service
from tests.storage.test_resumable import BYTES, COLLECTION, Client, tus_metadata

MIB = 1024 * 1024


@pytest.fixture
def client(service: Service) -> Client:
    return Client(service)


@contextmanager
def sending(service: Service, method: str, url: str, **headers: str) -> Iterator[socket.socket]:
    """A connection that has sent the header of a request with bytes."""
    given = {
        "host": "x",
        "authorization": f"Bearer {SERVICE}",
        "tus-resumable": "1.0.0",
        "content-type": BYTES,
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    lines = [f"{method} {url} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items()), "", ""]
    with socket.create_connection(service.address, timeout=PATIENCE_S) as connection:
        connection.sendall("\r\n".join(lines).encode())
        yield connection


def answer(connection: socket.socket) -> bytes:
    received = b""
    while chunk := connection.recv(65536):
        received += chunk
    return received


def offset_of(client: Client, url: str) -> int:
    return int(client.head(url).headers["upload-offset"])


def begin(client: Client, length: int | None = None) -> tuple[str, str]:
    path = f"{client.service.bucket()}/k"
    return client.begin(path, length), path


def test_an_interrupted_large_patch_keeps_a_slice(client: Client) -> None:
    data = os.urandom(40 * MIB)
    url, path = begin(client, len(data))
    # The server may end the connection before all of it is sent.
    request = sending(client.service, "PATCH", url, content_length=str(len(data)), upload_offset="0")
    with request as connection, suppress(OSError):
        connection.sendall(data[: 30 * MIB])
    until(lambda: offset_of(client, url) >= 16 * MIB)
    while (offset := offset_of(client, url)) < len(data):
        client.patch(url, offset, data[offset : offset + 10 * MIB]).raise_for_status()
    found = client.service.get(f"/object/{path}").content
    assert hashlib.md5(found).digest() == hashlib.md5(data).digest()


@pytest.mark.parametrize("arrived", [1, 300, 100_000])
def test_bytes_that_arrived_count(client: Client, arrived: int) -> None:
    data = os.urandom(200_000)
    url, path = begin(client, len(data))
    with sending(client.service, "PATCH", url, content_length=str(len(data)), upload_offset="0") as connection:
        connection.sendall(data[:arrived])
    until(lambda: offset_of(client, url) == arrived)
    client.patch(url, arrived, data[arrived:]).raise_for_status()
    assert client.service.get(f"/object/{path}").content == data


def test_an_interrupted_chunked_body_counts(client: Client) -> None:
    url, _ = begin(client)
    with sending(client.service, "PATCH", url, transfer_encoding="chunked", upload_offset="0") as connection:
        connection.sendall(b"5\r\nabcde\r\n9\r\nfgh")
    until(lambda: offset_of(client, url) == 8)
    with sending(client.service, "PATCH", url, transfer_encoding="chunked", upload_offset="8") as connection:
        connection.sendall(b"2\r\nij\r\n0\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        assert b"Upload-Offset: 10" in answer(connection)


def test_a_body_with_a_checksum_counts_only_as_a_whole(client: Client, own_service: Callable[..., Service]) -> None:
    checksum = "sha1 " + b64encode(hashlib.sha1(b"abcdef").digest()).decode()
    url, _ = begin(client)
    more = {"content_length": "6", "upload_offset": "0", "upload_checksum": checksum}
    with sending(client.service, "PATCH", url, **more) as connection:
        connection.sendall(b"abc")
    assert client.patch(url, 0, b"abcdef").headers["upload-offset"] == "6"
    other = Client(own_service(resumable_slice=4))
    url, _ = begin(other)
    assert other.patch(url, 0, b"abcdef", **{"upload-checksum": checksum}).headers["upload-offset"] == "6"


def test_a_slice_is_answered_while_the_client_still_sends(own_service: Callable[..., Service]) -> None:
    client = Client(own_service(resumable_slice=100_000))
    data = os.urandom(2 * MIB)
    url, path = begin(client, len(data))
    with sending(client.service, "PATCH", url, content_length=str(len(data)), upload_offset="0") as connection:
        connection.sendall(data[: MIB // 2])
        reported = answer(connection)
        connection.sendall(data[MIB // 2 : MIB])
    assert reported.startswith(b"HTTP/1.1 204 ")
    assert b"\r\nConnection: close\r\n" in reported
    assert b"Tus-Complete" not in reported
    offset = offset_of(client, url)
    assert f"Upload-Offset: {offset}".encode() in reported
    assert 100_000 <= offset < MIB // 2
    small = client.patch(url, offset, data[offset : offset + 50_000])
    assert int(small.headers["upload-offset"]) == offset + 50_000
    while (offset := offset_of(client, url)) < len(data):
        client.patch(url, offset, data[offset : offset + 90_000]).raise_for_status()
    assert client.service.get(f"/object/{path}").content == data


def test_a_creation_is_cut_but_not_broken_off(own_service: Callable[..., Service]) -> None:
    client = Client(own_service(resumable_slice=100_000))
    bucket = client.service.bucket()
    given = {"upload_length": "400000", "upload_metadata": tus_metadata(bucketName=bucket, objectName="k")}
    with sending(client.service, "POST", COLLECTION, content_length="400000", **given) as connection:
        connection.sendall(bytes(300_000))
        reported = answer(connection)
    assert reported.startswith(b"HTTP/1.1 201 ")
    length = "select received from storage.uploads"
    ((received,),) = client.service.sql(length)
    assert f"Upload-Offset: {received}".encode() in reported
    with sending(client.service, "POST", COLLECTION, content_length="400000", **given) as connection:
        connection.sendall(bytes(50_000))
    assert client.create(f"{bucket}/other", 1).status_code == 201
    assert len(client.service.sql(length)) == 2


def test_a_silent_client_keeps_what_it_sent(own_service: Callable[..., Service]) -> None:
    client = Client(own_service(body_timeout_s=1.0))
    url, _ = begin(client, 1000)
    with sending(client.service, "PATCH", url, content_length="1000", upload_offset="0") as connection:
        connection.sendall(bytes(300))
        until(lambda: offset_of(client, url) == 300)
        assert b"Upload-Offset: 300" in answer(connection)


def test_other_bodies_count_only_as_a_whole(client: Client) -> None:
    path = f"{client.service.bucket()}/k"
    with sending(client.service, "POST", f"/object/{path}", content_length="1000") as connection:
        connection.sendall(bytes(300))
    url, _ = begin(client, 1000)
    with sending(client.service, "PATCH", url, content_length="1000", upload_offset="0") as connection:
        pass
    with sending(client.service, "PATCH", url, content_length="2", upload_offset="0") as connection:
        connection.sendall(b"abPATCH")
        until(lambda: offset_of(client, url) == 2)
    assert client.service.get(f"/object/{path}").status_code == 400
