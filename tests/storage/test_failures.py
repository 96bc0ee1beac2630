"""A full disk, or a database that goes down midway: an error, an intact connection, nothing half stored."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from app.database.url.url import parse_database_url
from tests.postgres_server import PostgresServer, connect
from tests.process.running import PATIENCE_S, until
from tests.storage.gated import Gate, alone, waits_for_a_lock
from tests.storage.restarted import Restarting
from tests.storage.service import SECRET, SERVICE, Service, error, running, token, unique


def test_a_full_disk_is_reported(postgres: PostgresServer, storage_database: Callable[[], str], tmp_path: Path) -> None:
    """The system refuses to write files larger than 100 KiB, midway, as a full disk does."""
    url = storage_database()
    postgres.execute("insert into storage.buckets (id, name) values ('b', 'b')", url)

    settings: dict[str, object] = {"database_url": url, "jwt_secret": SECRET, "storage_url": tmp_path.as_uri()}
    server = Restarting(settings, largest_file=100 * 1024)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    try:
        server.serve()
        headers = {"authorization": f"Bearer {SERVICE}"}
        answers = []
        for size in (200_000, 50_000):
            connection.request("PUT", "/object/b/k", bytes(size), headers)
            response = connection.getresponse()
            answers.append((response.status, json.loads(response.read())))
        assert answers[0][0] == 507
        assert answers[0][1] == {
            "statusCode": "507",
            "error": "InsufficientStorage",
            "message": "The storage has no room for the object",
            "code": "InsufficientStorage",
        }
        assert answers[1][0] == 200
    finally:
        connection.close()
        server.close()
    files = [name for _, _, names in os.walk(tmp_path) for name in names]
    assert len(files) == 1
    assert postgres.execute("select metadata ->> 'size' from storage.objects", url) == [["50000"]]


@pytest.fixture
def outage(gated: tuple[Service, Gate], postgres: PostgresServer) -> Iterator[Callable[[], None]]:
    """Makes the database refuse connections and ends the existing ones; afterwards it accepts connections again."""
    name = parse_database_url(gated[0].database_url).database

    def begin() -> None:
        postgres.execute(f'alter database "{name}" with allow_connections false')
        postgres.execute(f"select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '{name}'")

    yield begin
    postgres.execute(f'alter database "{name}" with allow_connections true')


def test_a_lost_database_before_the_commit_keeps_the_old_object(
    gated: tuple[Service, Gate], outage: Callable[[], None], postgres: PostgresServer
) -> None:
    service, gate = gated
    path = f"/object/{service.bucket()}/k"
    service.put(path, data=b"old").raise_for_status()
    before = service.blobs()
    with ThreadPoolExecutor(1) as pool, gate.hold():
        uploading = pool.submit(alone(service, "PUT", path, data=b"new"))
        assert gate.reached.wait(PATIENCE_S)
        outage()
        gate.open.set()
        answer = uploading.result()
    assert error(answer) == (544, "544", "DatabaseTimeout", "The connection to the database timed out")
    assert service.blobs() == before
    assert error(service.get(path))[:3] == (544, "544", "DatabaseTimeout")
    name = parse_database_url(service.database_url).database
    postgres.execute(f'alter database "{name}" with allow_connections true')
    assert service.get(path).content == b"old"


def test_a_statement_timeout_is_reported(own_service: Callable[..., Service]) -> None:
    service = own_service(statement_timeout_ms=100)
    # Not through the service, which on a busy machine may need longer than that even for a bucket.
    service.sql("insert into storage.buckets (id, name) values ('b', 'b')")
    service.sql(
        "create policy slow on storage.objects for insert to authenticated with check (pg_sleep(60) is not null)"
    )
    answer = service.upload("b/k", credential=token())
    assert error(answer)[:3] == (544, "544", "DatabaseTimeout")


def test_a_lack_of_connections_is_reported(own_service: Callable[..., Service]) -> None:
    service = own_service(threads=4, pool_size=1, pool_timeout_s=0.2)
    with ThreadPoolExecutor(1) as pool, contextlib.closing(connect(service.database_url)) as other:
        other.run("begin")
        other.run("lock table storage.buckets")
        holding = pool.submit(alone(service, "GET", "/bucket"))
        until(lambda: waits_for_a_lock(service))
        answer = service.get("/bucket")
        other.run("rollback")
        assert holding.result().status_code == 200
    assert error(answer) == (429, "429", "SlowDown", "Too many connections issued to the database")


def test_unavailable_keys_are_reported(own_service: Callable[..., Service]) -> None:
    """It is neither the caller's fault nor the database's."""
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
        host, port = server.getsockname()
    service = own_service(jwt_jwks=f"http://{host}:{port}/keys")
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    signed = jwt.encode({"role": "authenticated"}, key, "RS256")
    reads = (service.get("/bucket", signed), service.get("/object/b/k", signed))
    for answer in (*reads, service.upload("b/k", credential=signed)):
        assert error(answer)[:3] == (503, "503", "KeysUnavailable")
        assert answer.headers["retry-after"] == "1"


def test_a_failed_mkdir_is_reported(
    own_service: Callable[..., Service], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """If the default folder below DATA_DIR cannot be created, a service that stores nothing still starts."""
    (tmp_path / "file").touch()
    service = own_service(storage_url="", data_dir=str(tmp_path / "file"))
    service.sql("insert into storage.buckets (id, name) values ('b', 'b')")
    answer = service.upload("b/k")
    assert error(answer) == (503, "503", "StorageUnavailable", "The storage is not available")
    assert f"The storage folder {tmp_path}/file/objects cannot be created: Not a directory" in caplog.text
    assert "Traceback" not in caplog.text


def test_missing_storage_tables_are_reported(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In a database without `portico init` GraphQL works, and storage says what to do."""
    url = storage_database()
    postgres.execute("drop schema storage cascade", url)
    with running(postgres, url, tmp_path) as service:
        answer = service.get("/bucket")
    assert error(answer)[:3] == (400, "503", "DatabaseSchemaMismatch")
    assert "portico init" in answer.json()["hint"]
    assert "storage.buckets" not in answer.text
    assert "storage.buckets" in caplog.text


def test_roles_without_membership_are_reported(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path: Path
) -> None:
    url = storage_database()
    login = unique("login")
    postgres.execute(f"create role {login} login password 'secret'")
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        with running(postgres, urlunsplit(parts._replace(netloc=f"{login}:secret@{host}")), tmp_path) as service:
            answer = service.get("/bucket")
    finally:
        postgres.execute(f"drop role {login}")
    assert error(answer) == (500, "500", "DatabaseError", "database error, code: 42501")
    assert answer.json()["hint"].startswith(
        "The database user of the service is not a member of the role service_role."
    )
    assert "portico init" in answer.json()["hint"]
    assert login not in answer.text


def test_an_unknown_role_is_reported(service: Service) -> None:
    answer = service.get("/bucket", token("nosuchrole"))
    assert error(answer) == (500, "500", "DatabaseError", "database error, code: 22023")
    assert answer.json()["hint"] == "The database has no role nosuchrole."
