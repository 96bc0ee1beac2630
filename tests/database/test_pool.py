"""Waiting, dead connections, outages."""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.database import Context, Database, Statement
from app.database.pool.pool import Lease
from app.database.wire.wire import DatabaseConnection
from app.errors import Unavailable
from schema_cache.fingerprint import BETWEEN_STATEMENTS
from tests.database.conftest import READER, WRITER, MakeDatabase
from tests.database.proxy import Proxy
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until

AsRole = Callable[..., Context]
INSERT = Statement("insert into entry (body) values ($1) returning body")
ECHO = Statement("select $1::text, pg_backend_pid()")


def terminate_all(postgres: PostgresServer, url: str) -> None:
    """End all server processes of the database and wait until they are gone, as a restart does."""
    postgres.execute(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity "
        "where datname = current_database() and pid <> pg_backend_pid()",
        url,
    )


def test_a_request_fails_if_no_connection_becomes_free(url: str, make_database: MakeDatabase) -> None:
    database = make_database(url, pool_size=1, pool_timeout_s=0.2)
    with database.transaction(None) as transaction:
        transaction.run(Statement("select 1"))
        with pytest.raises(Unavailable, match=r"0\.2 s") as raised:
            database.read("select 1")
    assert (raised.value.code, raised.value.status, raised.value.retry_after) == ("POOL_TIMEOUT", 503, 1)
    assert database.read("select 1") == b"1"


def test_a_waiting_request_gets_the_returned_connection(url: str, make_database: MakeDatabase) -> None:
    database = make_database(url, pool_size=1, pool_timeout_s=PATIENCE_S)
    with ThreadPoolExecutor(1) as threads:
        with database.transaction(None) as transaction:
            transaction.run(Statement("select 1"))
            waiting = threads.submit(database.read, "select 'mine'")
            until(lambda: database._pool._waiting)
            assert not waiting.done()
        assert waiting.result(PATIENCE_S) == b"mine"


def test_a_connection_is_replaced_after_its_time(
    url: str, make_database: MakeDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An hour otherwise.
    monkeypatch.setattr("app.database.pool.pool._RENEW_AFTER_S", 0.5)
    database = make_database(url, pool_size=1)
    session = database.read("select pg_backend_pid()")
    assert database.read("select pg_backend_pid()") == session
    database.read("select pg_sleep(0.6)")
    assert database.read("select pg_backend_pid()") != session


def test_many_threads_can_share_few_connections(url: str, make_database: MakeDatabase, as_role: AsRole) -> None:
    database = make_database(url, pool_size=3, pool_timeout_s=PATIENCE_S)
    pids = set()
    lock = threading.Lock()

    def work(number: int) -> None:
        context = as_role((READER, WRITER)[number % 2], sub=f"u{number}")
        for turn in range(40):
            text = f"{number}.{turn}".encode()
            whoami = Statement("select current_user, current_setting('request.jwt.claim.sub')")
            rows = database.run(context, [(ECHO, [text]), (whoami, [])], read_only=True)
            assert rows[0][0][0] == text
            assert rows[1] == [(context.role.encode(), f"u{number}".encode())]
            with lock:
                pids.add(rows[0][0][1])

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(work, range(16)))
    assert len(pids) <= 3
    state = database.pool_state()
    assert (state.size, state.in_use) == (3, 0)
    assert state.open <= 3


def test_closed_connections_are_replaced_without_errors(
    postgres: PostgresServer, url: str, make_database: MakeDatabase, as_role: AsRole
) -> None:
    database = make_database(url, pool_size=3)
    hold = threading.Barrier(3)

    def use(_: int) -> None:
        with database.transaction(None) as transaction:
            transaction.run(Statement("select 1"))
            hold.wait(PATIENCE_S)

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(use, range(3)))
    assert database.pool_state().open == 3
    terminate_all(postgres, url)
    for body in (b"a", b"b", b"c", b"d"):
        assert database.run(as_role(WRITER), [(INSERT, [body])], read_only=False) == [[(body,)]]


def test_a_read_is_repeated_when_the_connection_breaks_before_the_answer(
    proxy: Proxy, make_database: MakeDatabase, as_role: AsRole
) -> None:
    database = make_database(proxy.url(), pool_size=1)
    for _ in range(2):
        proxy.cut_next_answer_after = 0 if database.read("select 1") else None
        assert database.run(as_role(READER), [(ECHO, [b"x"])], read_only=True)[0][0][0] == b"x"
        proxy.cut_next_answer_after = 0
        assert database.read("select 2") == b"2"


def test_a_read_is_not_repeated_for_ever(proxy: Proxy, make_database: MakeDatabase) -> None:
    database = make_database(proxy.url(), pool_size=1)
    database.read("select 1")
    crash = Statement("select pg_terminate_backend(pg_backend_pid())")
    opened = proxy.opened
    with pytest.raises(Unavailable) as raised:
        database.run(None, [(crash, [])], read_only=True)
    assert raised.value.code == "DATABASE_UNAVAILABLE"
    assert proxy.opened - opened <= 1
    assert database.read("select 1") == b"1"


def test_read_is_not_repeated_once_it_has_done_something(proxy: Proxy, make_database: MakeDatabase) -> None:
    database = make_database(proxy.url(), pool_size=1)
    statements = "insert into entry (body) values ('a')", "commit", "select pg_terminate_backend(pg_backend_pid())"
    with pytest.raises(Unavailable):
        database.read(BETWEEN_STATEMENTS.join(statements))
    assert database.read("select count(*) from entry") == b"1"


def test_an_answer_that_breaks_off_is_not_used(proxy: Proxy, make_database: MakeDatabase, as_role: AsRole) -> None:
    database = make_database(proxy.url(), pool_size=1)
    long = Statement("select repeat('x', 1000)")
    database.run(as_role(READER), [(long, [])], read_only=True)
    proxy.cut_next_answer_after = 200
    with pytest.raises(Unavailable, match="lost"):
        database.run(as_role(READER), [(long, [])], read_only=True)
    assert len(database.run(as_role(READER), [(long, [])], read_only=True)[0][0][0] or b"") == 1000


def test_a_write_is_never_applied_twice(proxy: Proxy, make_database: MakeDatabase, as_role: AsRole) -> None:
    database = make_database(proxy.url(), pool_size=1)
    database.read("select 1")
    proxy.cut_next_answer_after = 0
    with pytest.raises(Unavailable) as raised:
        database.run(as_role(WRITER), [(INSERT, [b"a"])], read_only=False)
    assert raised.value.code == "OUTCOME_UNKNOWN"
    assert database.read("select count(*) from entry") == b"1"


def test_requests_succeed_again_after_an_outage(
    proxy: Proxy, make_database: MakeDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    database = make_database(proxy.url(), pool_size=2)
    database.read("select 1")
    proxy.refuse = True
    proxy.cut()
    with caplog.at_level(logging.WARNING, "portico.database"):
        for _ in range(5):
            with pytest.raises(Unavailable) as raised:
                database.read("select 1")
            assert raised.value.code == "DATABASE_UNAVAILABLE"
            assert str(proxy.port) not in raised.value.message
        proxy.refuse = False
        for _ in range(3):
            assert database.read("select 1") == b"1"
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "cannot connect to the database",
        "the database can be reached again",
    ]


def test_a_connection_limit_is_logged_once(
    postgres: PostgresServer, url: str, make_database: MakeDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    """Connections come and go below a limit, so that it is met again and again."""
    postgres.execute("drop role if exists wire_limited; create role wire_limited login password 'p'")
    database = make_database(f"postgres://wire_limited:p@{url.rpartition('@')[2]}", pool_timeout_s=0.2)
    try:
        with caplog.at_level(logging.WARNING, "portico.database"):
            for _ in range(3):
                postgres.execute("alter role wire_limited connection limit 0")
                with pytest.raises(Unavailable, match="no more connections"):
                    database.read("select 1")
                postgres.execute("alter role wire_limited connection limit -1")
                assert database.read("select 1") == b"1"
                terminate_all(postgres, url)
        assert [record.message.partition(":")[0] for record in caplog.records] == ["cannot connect to the database"]
    finally:
        postgres.execute("drop role wire_limited")


def test_an_unreachable_database_is_unavailable_without_showing_the_password(make_database: MakeDatabase) -> None:
    database = make_database("postgresql://someone:secret-word@127.0.0.1:1/x?connect_timeout=2", pool_size=1)
    for _ in range(3):
        with pytest.raises(Unavailable) as raised:
            database.read("select 1")
        assert "secret-word" not in str(raised.value) + str(raised.value.__cause__)


def test_only_the_log_names_a_wrong_database(
    url: str, make_database: MakeDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    name = url.partition("?")[0].rpartition("/")[2]
    database = make_database(url.replace(name, "no_such_database"))
    with pytest.raises(Unavailable) as raised, caplog.at_level(logging.WARNING, "portico.database"):
        database.read("select 1")
    assert "no_such_database" not in raised.value.message
    assert "no_such_database" in caplog.text


def test_too_many_connections_are_reported(postgres: PostgresServer, url: str, make_database: MakeDatabase) -> None:
    name = url.partition("?")[0].rpartition("/")[2]
    postgres.execute("drop role if exists wire_limited; create role wire_limited login connection limit 0 password 'p'")
    address = url.partition("://")[2].rpartition("@")[2]
    try:
        with pytest.raises(Unavailable, match="no more connections"):
            make_database(f"postgres://wire_limited:p@{address}", pool_timeout_s=0.2).read("select 1")
    finally:
        postgres.execute("drop role wire_limited")
    assert name


def test_close_ends_idle_and_later_used_connections(
    postgres: PostgresServer, url: str, make_database: MakeDatabase
) -> None:
    database: Database = make_database(url + ("&" if "?" in url else "?") + "application_name=closing")
    database.read("select 1")
    with database.transaction(None) as transaction:
        transaction.run(Statement("select 1"))
        database.close()
        transaction.run(Statement("select 1"))
    count = "select count(*) from pg_stat_activity where application_name = 'closing'"
    until(lambda: postgres.execute(count) == [[0]])


def test_old_connections_are_renewed(url: str, make_database: MakeDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    session = "select pg_backend_pid()"
    database = make_database(url, pool_size=1)
    assert database.read(session) == database.read(session)
    # Any connection is old from now on.
    monkeypatch.setattr("app.database.pool.pool._RENEW_AFTER_S", 0.0)
    database = make_database(url, pool_size=1)
    assert database.read(session) != database.read(session)


def test_an_interrupted_request_leaves_no_answer_for_the_next(
    postgres: PostgresServer, url: str, make_database: MakeDatabase
) -> None:
    database = make_database(url, pool_size=1)
    database.read("select 1")
    here = threading.get_ident()
    sleeping = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def interrupt_while_it_waits() -> None:
        until(lambda: postgres.execute(sleeping, url))
        signal.pthread_kill(here, signal.SIGALRM)

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with ThreadPoolExecutor(1) as threads:
            threads.submit(interrupt_while_it_waits)
            with pytest.raises(KeyboardInterrupt):
                database.run(None, [(Statement("select 'late' from pg_sleep(60)"), [])], read_only=True)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert database.run(None, [(ECHO, [b"mine"])], read_only=True)[0][0][0] == b"mine"


def test_a_transaction_left_open_is_not_given_to_the_next(
    postgres: PostgresServer, url: str, make_database: MakeDatabase
) -> None:
    database = make_database(url, pool_size=1)
    database.run(None, [(Statement("begin"), []), (Statement("set local work_mem = '5MB'"), [])], read_only=False)
    # Its locks would stay until another request needs the connection.
    is_open = "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'"
    until(lambda: not postgres.execute(is_open, url))
    assert database.read("select current_setting('work_mem') = '5MB'") == b"f"


def test_a_listener_that_is_no_postgresql_is_unavailable(make_database: MakeDatabase) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            for _ in range(2):
                client, _ = listener.accept()
                with client:
                    client.recv(1000)
                    client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        for mode in ("disable", "require"):
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            with pytest.raises(Unavailable):
                make_database(f"postgres://u:p@{address}/d?sslmode={mode}&connect_timeout=60").read("select 1")


def test_a_connection_returned_just_before_a_wait_is_not_overlooked(url: str, make_database: MakeDatabase) -> None:
    database = make_database(url, pool_size=1, pool_timeout_s=PATIENCE_S)
    pool = database._pool
    lease = pool.acquire()

    class AnotherThreadIsFaster(deque[None]):
        def append(self, item: None) -> None:
            pool.give_back(lease)
            super().append(item)

    pool._waiting = AnotherThreadIsFaster()
    assert database.read("select 1") == b"1"


def test_a_connection_that_is_parked_while_another_thread_looks_is_found(url: str, make_database: MakeDatabase) -> None:
    class Parked(deque[Lease]):
        changes = 2

        def __iter__(self) -> Iterator[Lease]:
            if self.changes:
                # As CPython raises it if another thread changes the deque meanwhile
                self.changes -= 1
                raise RuntimeError("deque mutated during iteration")
            return super().__iter__()

    database = make_database(url, pool_size=1)
    database.read("select 1")
    pool = database._pool
    pool._parked = parked = Parked(pool._parked)
    assert database.read("select 2") == b"2"
    assert (parked.changes, pool.state().open) == (0, 1)


def test_pools_of_replicas_are_shared_too(url: str, make_database: MakeDatabase) -> None:
    database = make_database(url, database_read_urls=(url, url))
    database.read("select 1")
    reported: list[tuple[int, int, bool]] = []
    database.share(lambda pool, count, was_refused: reported.append((pool, count, was_refused)) or 0)
    assert reported == [(0, 1, False), (1, 0, False), (2, 0, False)]


def test_a_connection_returned_during_a_failed_attempt_is_found(
    postgres: PostgresServer, url: str, make_database: MakeDatabase
) -> None:
    """The attempt's place in the pool, that of a connection which was closed, must not hide it for ever."""
    postgres.execute("drop role if exists wire_limited; create role wire_limited login password 'p'")
    address = url.partition("://")[2].rpartition("@")[2]
    database = make_database(f"postgres://wire_limited:p@{address}", pool_size=2, pool_timeout_s=PATIENCE_S)
    pool, attempted, given_back = database._pool, threading.Event(), threading.Event()
    connect = pool._connect

    def slow_connect() -> DatabaseConnection:
        attempted.set()
        given_back.wait(PATIENCE_S)
        return connect()

    try:
        open_, closed = pool.acquire(), pool.acquire()
        pool.give_back(closed)
        database.share(lambda number, count, was_refused: 1)
        postgres.execute("alter role wire_limited connection limit 1")
        pool._connect = slow_connect
        with ThreadPoolExecutor(1) as threads:
            asked = threads.submit(database.read, "select 1")
            assert attempted.wait(PATIENCE_S)
            pool.give_back(open_)
            given_back.set()
            assert asked.result(PATIENCE_S / 2) == b"1"
    finally:
        database.close()
        postgres.execute("drop role wire_limited")
