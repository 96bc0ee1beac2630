"""Several hosts in the URL: which one is chosen, and what happens when another one becomes the primary."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from functools import partial

import pytest

from app.database import Database, Statement, StatementError
from app.errors import Unavailable
from bench.streaming import Cluster, Node, missing, streaming, wait_until
from tests.database.conftest import MakeDatabase

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"needs the programs of PostgreSQL: {missing()}")

INSERT = Statement("insert into entry values ($1)")
PORT = Statement("select current_setting('port')")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with streaming() as made:
        yield made


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Node, Node]]:
    """A primary and its standby, for tests that only read."""
    with streaming() as made:
        primary = made.primary()
        yield primary, made.standby(primary, "standby")


def both(first: Node, second: Node, parameters: str) -> str:
    hosts = f"127.0.0.1:{first.port},127.0.0.1:{second.port}"
    return first.url(parameters=parameters).replace(f"127.0.0.1:{first.port}", hosts)


def port_of(database: Database) -> int:
    return int(database.run(None, [(PORT, ())], read_only=True)[0][0][0] or 0)


def ports_of_both(database: Database) -> set[int]:
    """Where the two connections of a pool lead, taken at the same time."""
    with database.transaction(None) as transaction:
        return {int(transaction.run(PORT)[0][0] or 0), port_of(database)}


def _reads_only(database: Database) -> bool:
    return database.read("show default_transaction_read_only") == b"on"


def write(database: Database, text: bytes) -> None:
    database.run(None, [(INSERT, [text])], read_only=False)


@pytest.mark.parametrize(
    ("attributes", "chosen"),
    [("any", 1), ("read-write", 0), ("primary", 0), ("standby", 1), ("read-only", 1), ("prefer-standby", 1)],
)
def test_the_first_host_that_matches_is_used(
    pair: tuple[Node, Node], make_database: MakeDatabase, attributes: str, chosen: int
) -> None:
    url = both(pair[1], pair[0], f"&target_session_attrs={attributes}")
    assert port_of(make_database(url)) == pair[chosen].port


def test_any_host_is_used_without_a_preferred_standby(pair: tuple[Node, Node], make_database: MakeDatabase) -> None:
    assert port_of(make_database(pair[0].url(parameters="&target_session_attrs=prefer-standby"))) == pair[0].port


def test_an_unreachable_host_is_skipped(pair: tuple[Node, Node], make_database: MakeDatabase) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        away = probe.getsockname()[1]
    url = pair[0].url().replace("127.0.0.1:", f"127.0.0.1:{away},127.0.0.1:")
    assert port_of(make_database(url)) == pair[0].port


def test_the_log_has_the_failure_of_each_host(
    pair: tuple[Node, Node], make_database: MakeDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        away = probe.getsockname()[1]
    url = pair[1].url(parameters="&target_session_attrs=read-write")
    database = make_database(url.replace("127.0.0.1:", f"127.0.0.1:{away},127.0.0.1:"))
    with pytest.raises(Unavailable) as raised, caplog.at_level(logging.WARNING, "portico.database"):
        database.read("select 1")
    assert "127.0.0.1" not in raised.value.message
    assert f"127.0.0.1:{away}: " in caplog.text
    assert f"127.0.0.1:{pair[1].port}: its sessions are read-only (target_session_attrs=read-write)" in caplog.text
    assert "Name a server that matches target_session_attrs" in caplog.text


def test_a_wrong_password_is_not_tried_on_every_host(pair: tuple[Node, Node], make_database: MakeDatabase) -> None:
    url = both(*pair, "").replace("postgresql://postgres:", "postgresql://postgres:not")
    with pytest.raises(Unavailable) as raised:
        make_database(url).read("select 1")
    assert str(raised.value.__cause__).startswith(f"127.0.0.1:{pair[0].port}: ")
    assert str(pair[1].port) not in str(raised.value.__cause__)


@pytest.mark.timing
def test_writes_continue_after_a_promotion(cluster: Cluster, make_database: MakeDatabase) -> None:
    primary = cluster.primary()
    primary.execute("create table entry (body text)")
    standby = cluster.standby(primary, "standby")
    database = make_database(both(primary, standby, "&target_session_attrs=read-write"), pool_size=2)
    write(database, b"before")
    wait_until(lambda: standby.execute("select count(*) from entry") == [[1]], "the standby has the row")
    primary.kill()
    with pytest.raises(Unavailable):
        write(database, b"between")
    standby.promote()
    began = time.monotonic()
    write(database, b"after")
    assert time.monotonic() - began < 2.0
    assert standby.execute("select string_agg(body, ' ') from entry") == [["before after"]]


def test_connections_to_a_server_that_no_longer_writes_are_replaced(
    cluster: Cluster, make_database: MakeDatabase
) -> None:
    first = cluster.primary()
    first.execute("create table entry (body text)")
    second = cluster.standby(first, "second")
    second.promote()
    url = both(first, second, "&target_session_attrs=read-write")
    databases = [make_database(url, pool_size=2) for _ in range(2)]
    for database in databases:
        assert ports_of_both(database) == {first.port}
    first.execute("alter system set default_transaction_read_only to on")
    first.execute("select pg_reload_conf()")
    for database in databases:
        wait_until(partial(_reads_only, database), "its session knows")
    write(databases[0], b"in one flight")
    with databases[1].transaction(None) as transaction:
        transaction.run(INSERT, [b"in a transaction"])
    assert second.execute("select string_agg(body, ', ') from entry") == [["in one flight, in a transaction"]]
    assert [ports_of_both(database) for database in databases] == [{second.port}] * 2


def test_a_transaction_that_makes_itself_read_only_keeps_the_connection(
    pair: tuple[Node, Node], make_database: MakeDatabase
) -> None:
    database = make_database(pair[0].url(parameters="&target_session_attrs=read-write"), pool_size=1)
    session = database.read("select pg_backend_pid()")
    for _ in range(2):
        with pytest.raises(StatementError) as raised:
            database.run(
                None,
                [(Statement("set local transaction_read_only to on"), ()), (Statement("create table t ()"), ())],
                read_only=False,
            )
        assert raised.value.code == "READ_ONLY_SQL_TRANSACTION"
    assert database.read("select pg_backend_pid()") == session
