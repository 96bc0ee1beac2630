"""Advice to the operator about a database that cannot be used."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from app.database import Database
from app.database.pool.advice import advice_on
from app.database.url.url import parse_database_url
from app.errors import Unavailable
from tests.database.conftest import MakeDatabase
from tests.database.proxy import Proxy
from tests.postgres_server import PostgresServer

OPERATOR = "The operator has to correct the service's connection."

Answering = Callable[[bytes], str]


@pytest.fixture
def answering() -> Iterator[Answering]:
    """The address of a server that sends one message to each client, and ends the connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(answer: bytes) -> None:
        client, _ = listener.accept()
        with client:
            client.recv(4096)
            client.sendall(answer)

    def start(answer: bytes) -> str:
        threading.Thread(target=serve, args=(answer,), daemon=True).start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    with listener:
        yield start


def unavailable(database: Database) -> Unavailable:
    with pytest.raises(Unavailable) as raised:
        database.read("select 1")
    return raised.value


@pytest.mark.parametrize("options", ["-c%20no_such_setting", "-c%20work_mem=many"])
def test_unknown_options_of_the_server_get_advice(proxy: Proxy, make_database: MakeDatabase, options: str) -> None:
    ex = unavailable(make_database(proxy.url(f"sslmode=disable&options={options}")))
    assert (ex.hint, advice_on(ex.__cause__)) == (OPERATOR, "Correct DATABASE_URL.")


def test_a_user_without_connect_gets_advice(
    postgres: PostgresServer, proxy: Proxy, make_database: MakeDatabase
) -> None:
    closed = postgres.create_database()
    name = parse_database_url(closed).database
    postgres.execute(
        f"revoke connect on database \"{name}\" from public; create role not_invited login password 'word'"
    )
    try:
        ex = unavailable(make_database(f"postgresql://not_invited:word@127.0.0.1:{proxy.port}/{name}?sslmode=disable"))
    finally:
        postgres.execute("drop role not_invited")
        postgres.drop_database(closed)
    assert ex.hint == OPERATOR
    assert str(advice_on(ex.__cause__)).startswith("Grant the user CONNECT on the database")


def test_a_server_without_tls_gets_advice(answering: Answering, make_database: MakeDatabase) -> None:
    ex = unavailable(make_database(f"postgresql://u:word@{answering(b'N')}/d?sslmode=require"))
    assert advice_on(ex.__cause__) == "Set ssl = on at the server, or correct sslmode in DATABASE_URL."


def test_a_missing_password_gets_advice(answering: Answering, make_database: MakeDatabase) -> None:
    place = answering(_refusal("28P01", 'password authentication failed for user "u"'))
    ex = unavailable(make_database(f"postgresql://u@{place}/d?sslmode=disable"))
    assert str(ex.__cause__).endswith("no password was given, or found in a password file that only its owner can read")


def test_a_full_disk_is_logged_once_a_minute(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    full = "do $$ begin raise exception using errcode = 'disk_full', message = 'could not extend file \"x\"'; end $$"
    for _ in range(3):
        with pytest.raises(Unavailable, match="has not enough memory, disk space or connections") as raised:
            database.read(full)
        assert "extend" not in raised.value.message
    assert caplog.messages == ['the database cannot run statements: could not extend file "x" (SQLSTATE 53100)']


def test_a_refusal_by_a_pooler_gets_advice(answering: Answering, make_database: MakeDatabase) -> None:
    place = answering(_refusal("08P01", "no such database: d"))
    ex = unavailable(make_database(f"postgresql://u:word@{place}/d?sslmode=disable"))
    assert "no such database: d" in str(ex.__cause__)
    assert advice_on(ex.__cause__) == (
        "Correct user, password or database in DATABASE_URL or in the pooler's configuration."
    )


@pytest.mark.parametrize(
    ("sqlstate", "advice"),
    [
        ("28000", "Correct the user, sslmode or sslcert in DATABASE_URL, or allow the connection in pg_hba.conf."),
        ("F0000", "Correct the configuration of the server."),
    ],
)
def test_missing_configuration_of_the_server_gets_advice(
    answering: Answering, make_database: MakeDatabase, sqlstate: str, advice: str
) -> None:
    place = answering(_refusal(sqlstate, "no"))
    ex = unavailable(make_database(f"postgresql://u:word@{place}/d?sslmode=disable"))
    assert (ex.hint, advice_on(ex.__cause__)) == (OPERATOR, advice)


def test_each_of_several_hosts_gets_advice(answering: Answering, make_database: MakeDatabase) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        away = f"127.0.0.1:{probe.getsockname()[1]}"
    ex = unavailable(make_database(f"postgresql://u:word@{away},{away},{answering(b'N')}/d?sslmode=require"))
    assert advice_on(ex.__cause__) == (
        "Start PostgreSQL there, or correct host and port in DATABASE_URL. "
        "Set ssl = on at the server, or correct sslmode in DATABASE_URL."
    )


def _refusal(sqlstate: str, message: str) -> bytes:
    body = b"".join(f"{field}\0".encode() for field in ("SFATAL", f"C{sqlstate}", f"M{message}")) + b"\0"
    return b"E" + (len(body) + 4).to_bytes(4, "big") + body
