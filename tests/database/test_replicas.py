"""Reads on replicas: never older than what the request must have seen, and never wrong because a replica is."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from app.commands.diagnosis import examine
from app.commands.failure import explained
from app.database import Bookmark, Context, ContextBuilder, Database, Position, Statement, StatementError
from app.errors import Unavailable
from app.identity import Caller
from app.installation.install import InstallationError, install
from app.settings import load
from bench.streaming import Cluster, Node, missing, streaming, wait_until
from tests.database.conftest import ROLES, SCHEMA, WRITER, MakeDatabase
from tests.database.proxy import Proxy
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"needs the programs of PostgreSQL: {missing()}")

PORT = Statement("select current_setting('port')")
COUNT = Statement("select count(*) from entry where body = $1")
INSERT = Statement("insert into entry (body) values ($1)")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with streaming() as made:
        yield made


@pytest.fixture(scope="module")
def primary(cluster: Cluster) -> Node:
    node = cluster.primary()
    node.execute(ROLES + SCHEMA)
    node.execute(f"{cluster.login}; grant {WRITER} to portico")
    return node


@pytest.fixture(scope="module")
def standby(cluster: Cluster, primary: Node) -> Node:
    return cluster.standby(primary, "standby")


_WATCHED = 2
"""Questions of the watch, one a second, that may be among the counted round trips."""


class Reader:
    """A database with replicas, asked as one caller."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def context(self, bookmark: Bookmark) -> Context:
        built = ContextBuilder(statement_timeout_ms=30_000).build(Caller.of({}, default_role=WRITER))
        return replace(built, bookmark=bookmark)

    def write(self, body: str) -> Position:
        bookmark = Bookmark()
        self.database.run(self.context(bookmark), [(INSERT, [body.encode()])], read_only=False)
        assert bookmark.written is not None
        return bookmark.written

    def read(self, statement: Statement = PORT, *values: bytes, needed: Position | None = None) -> int:
        rows = self.database.run(self.context(Bookmark(needed)), [(statement, values)], read_only=True)
        return int(rows[0][0][0] or 0)

    def await_replica(self) -> None:
        wait_until(lambda: any(state.usable for state, _ in self.database.replicas.states()), "a replica is usable")

    def what(self) -> str:
        return self.database.replicas.states()[0][0].what


@pytest.fixture
def make_reader(make_database: MakeDatabase) -> Any:
    def make(primary: str, *replicas: str, **options: Any) -> Reader:
        database = make_database(primary, database_read_urls=replicas, **{"read_max_lag_s": 5.0, **options})
        database.start()
        return Reader(database)

    return make


@pytest.fixture
def reader(primary: Node, standby: Node, make_reader: Any) -> Reader:
    made: Reader = make_reader(primary.url(user="portico"), standby.url(user="portico"))
    made.await_replica()
    return made


@contextlib.contextmanager
def paused(standby: Node) -> Iterator[None]:
    """The standby receives the log but does not replay it."""
    standby.execute("select pg_wal_replay_pause()")
    wait_until(lambda: standby.execute("select pg_get_wal_replay_pause_state()") == [["paused"]], "replay pauses")
    try:
        yield
    finally:
        standby.execute("select pg_wal_replay_resume()")


def test_reads_go_to_the_replica_and_writes_to_the_primary(reader: Reader, primary: Node, standby: Node) -> None:
    assert reader.read() == standby.port
    bookmark = Bookmark()
    rows = reader.database.run(reader.context(bookmark), [(PORT, ())], read_only=False)
    assert int(rows[0][0][0] or 0) == primary.port


def test_without_a_bookmark_the_primary_answers(reader: Reader, primary: Node) -> None:
    assert reader.database.read("select current_setting('port')") == str(primary.port).encode()
    context = replace(reader.context(Bookmark()), bookmark=None)
    rows = reader.database.run(context, [(PORT, ())], read_only=True)
    assert int(rows[0][0][0] or 0) == primary.port


def test_a_read_that_names_a_write_sees_it(reader: Reader, standby: Node) -> None:
    for number in range(50):
        body = f"named {number}"
        assert reader.read(COUNT, body.encode(), needed=reader.write(body)) == 1
    last = reader.write("last")
    wait_until(lambda: reader.read(needed=last) == standby.port, "the replica has replayed it")


def test_a_position_of_another_timeline_is_answered_by_the_primary(reader: Reader, primary: Node) -> None:
    written = reader.write("before or after a promotion")
    for timeline in (written.timeline - 1, written.timeline + 1):
        assert reader.read(needed=written._replace(timeline=timeline)) == primary.port


def test_a_replica_that_has_not_replayed_the_write_does_not_answer(
    reader: Reader, primary: Node, standby: Node
) -> None:
    with paused(standby):
        written = reader.write("paused")
        assert reader.read(COUNT, b"paused", needed=written) == 1
        assert reader.read(needed=written) == primary.port
        assert reader.read(COUNT, b"paused") == 0
        assert reader.read() == standby.port
    wait_until(lambda: reader.read(needed=written) == standby.port, "it answers again")


def test_the_position_includes_writes_of_deferred_triggers(reader: Reader, primary: Node, standby: Node) -> None:
    primary.execute(
        "create table late (id int); grant select on late to public;"
        "create function late() returns trigger language plpgsql security definer as"
        " $$ begin insert into late values (new.id); return null; end $$;"
        "create constraint trigger late after insert on entry deferrable initially deferred"
        " for each row execute function late()"
    )
    count = Statement("select count(*) from late")
    try:
        for expected in range(1, 30):
            assert reader.read(count, needed=reader.write(f"late {expected}")) == expected
    finally:
        primary.execute("drop trigger late on entry; drop table late; drop function late")


def test_a_transaction_records_its_position_too(reader: Reader, standby: Node) -> None:
    bookmark = Bookmark()
    with reader.database.transaction(reader.context(bookmark)) as transaction:
        transaction.run(INSERT, [b"in a transaction"])
    assert bookmark.written is not None
    assert reader.read(COUNT, b"in a transaction", needed=bookmark.written) == 1


def test_a_request_reads_its_own_writes(reader: Reader, standby: Node) -> None:
    with paused(standby):
        bookmark = Bookmark()
        context = reader.context(bookmark)
        reader.database.run(context, [(INSERT, [b"own"])], read_only=False)
        assert reader.database.run(context, [(COUNT, [b"own"])], read_only=True)[0][0][0] == b"1"


def test_a_failed_write_has_no_position_and_the_connection_stays(reader: Reader) -> None:
    for _ in range(3):
        bookmark = Bookmark()
        with pytest.raises(StatementError):
            reader.database.run(reader.context(bookmark), [(Statement("select 1/0"), ())], read_only=False)
        assert (bookmark.written, bookmark.on_replicas) == (None, False)
    assert reader.database.pool_state().open == 1


def test_a_read_and_a_write_cost_one_round_trip_each(primary: Node, standby: Node, make_reader: Any) -> None:
    to_primary, to_standby = Proxy(primary.url(user="portico")), Proxy(standby.url(user="portico"))
    with contextlib.closing(to_primary), contextlib.closing(to_standby):
        # The first watch is answered before the test, the next one is a minute away.
        reader: Reader = make_reader(to_primary.url(), to_standby.url(), read_max_lag_s=240.0)
        reader.await_replica()
        written = reader.write("warm")
        wait_until(lambda: reader.read(needed=written) == standby.port, "the replica has it")
        before = to_primary.flights, to_standby.flights
        reader.write("counted")
        for _ in range(10):
            assert reader.read(needed=written) == standby.port
        assert to_primary.flights - before[0] <= 1 + _WATCHED
        assert 10 <= to_standby.flights - before[1] <= 10 + _WATCHED


def test_data_is_not_older_than_permitted(primary: Node, standby: Node, make_reader: Any) -> None:
    reader: Reader = make_reader(primary.url(user="portico"), standby.url(user="portico"), read_max_lag_s=0.4)
    reader.await_replica()
    assert reader.read() == standby.port
    with paused(standby):
        reader.write("unseen")
        wait_until(lambda: reader.read() == primary.port, "the primary answers")
        assert reader.read(COUNT, b"unseen") == 1
        wait_until(lambda: reader.what() == "it is too far behind", "it is left out")
    wait_until(lambda: reader.read() == standby.port, "the replica answers again")


def test_errors_come_from_the_primary(reader: Reader, primary: Node, standby: Node) -> None:
    with paused(standby):
        primary.execute("create table newer (); grant select on newer to public")
        try:
            assert reader.read(Statement("select count(*) from newer")) == 0
        finally:
            primary.execute("drop table newer")


def test_a_session_left_in_another_isolation_level_is_not_used(reader: Reader, standby: Node) -> None:
    spoil = Statement("select length(set_config('default_transaction_isolation', 'repeatable read', false))")
    for _ in range(3):
        reader.read(spoil)
        assert reader.read() == standby.port


def test_a_replica_is_left_out_while_it_is_away(cluster: Cluster, primary: Node, make_reader: Any) -> None:
    second = cluster.standby(primary, "second")
    reader: Reader = make_reader(primary.url(user="portico"), second.url(user="portico"), read_max_lag_s=2.0)
    reader.await_replica()
    assert reader.read() == second.port
    second.kill()
    assert [reader.read() for _ in range(5)] == [primary.port] * 5
    second.start()
    wait_until(lambda: reader.read() == second.port, "it answers again")
    # A promotion that the service's primary knows nothing of: it is another database from then on.
    second.promote()
    assert reader.read(COUNT, b"after", needed=reader.write("after")) == 1
    assert reader.read() == primary.port
    wait_until(lambda: reader.what() == "it is not a standby", "it is left out")
    second.kill()


def test_another_database_is_no_replica(postgres: PostgresServer, standby: Node, make_reader: Any) -> None:
    reader: Reader = make_reader(postgres.url, standby.url(user="portico"))
    wait_until(lambda: reader.what() == "it is a standby of another database", "it is found out")


def test_commands_report_that_a_standby_accepts_no_changes(standby: Node) -> None:
    settings = load({"DATABASE_URL": standby.url(), "ANON_KEY": "k"})
    with contextlib.closing(Database(settings)) as database:
        found = {finding.what: finding.fix for finding in examine(settings, database)}
    assert "name the primary" in found["the database is a standby, which refuses all changes"]
    with pytest.raises(InstallationError) as raised:
        install(standby.url())
    assert raised.value.hint == "The database is a standby: name the primary in DATABASE_URL."
    assert (explained(raised.value) or "").count("read-write mode during recovery") == 1


def test_a_replica_that_answers_before_the_primary_is_not_reported_as_left_out(
    primary: Node, standby: Node, make_reader: Any, caplog: pytest.LogCaptureFixture
) -> None:
    to_primary, to_standby = Proxy(primary.url(user="portico")), Proxy(standby.url(user="portico"))
    with contextlib.closing(to_primary), contextlib.closing(to_standby):
        with to_primary.frozen():
            # Long enough for a busy machine, on which the replica may really be behind.
            reader: Reader = make_reader(to_primary.url(), to_standby.url(), read_max_lag_s=3)
            wait_until(lambda: to_standby.flights > 5, "the replica was asked")
        reader.await_replica()
    assert "left out" not in caplog.text


def test_processes_share_the_connections_of_a_limited_replica(
    cluster: Cluster, primary: Node, make_reader: Any
) -> None:
    replica = cluster.standby(primary, "limited")
    urls = primary.url(user="portico"), replica.url(user="portico")
    first, second = (make_reader(*urls, pool_size=4, pool_timeout_s=60.0) for _ in range(2))
    for each in (first, second):
        each.await_replica()
    slow = Statement("select current_setting('port') from pg_sleep(0.3)")
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(first.read, [slow] * 4)) == [replica.port] * 4
    # Each watches with one more.
    primary.execute("alter role portico connection limit 6")
    try:
        wait_until(
            lambda: replica.execute("select rolconnlimit from pg_roles where rolname = 'portico'") == [[6]],
            "the replica has the limit",
        )
        assert second.read() == primary.port
        reported: list[tuple[int, int, bool]] = []
        second.database.share(lambda *asked: reported.append(asked) or 0)
        assert reported[1] == (1, 0, True)
        first.database.share(lambda pool, count, _: count // 2 if pool == 1 else 0)
        wait_until(lambda: second.read() == replica.port, "the replica has a place for the second")
        assert first.database.replicas.states()[0][1].open == 2
    finally:
        primary.execute("alter role portico connection limit -1")
        replica.kill()


def test_other_servers_answer_if_all_connections_of_a_replica_are_in_use(
    primary: Node, standby: Node, make_reader: Any
) -> None:
    url = standby.url(user="portico")
    reader: Reader = make_reader(primary.url(user="portico"), url, url, pool_size=1, pool_timeout_s=60.0)
    wait_until(lambda: all(state.usable for state, _ in reader.database.replicas.states()), "both are usable")
    slow = Statement("select current_setting('port') from pg_sleep(3)")

    def in_use() -> list[int]:
        return [pool.in_use for _, pool in reader.database.replicas.states()]

    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(reader.read, slow)
        wait_until(lambda: sum(in_use()) == 1, "one replica works")
        second = threads.submit(reader.read, slow)
        wait_until(lambda: in_use() == [1, 1], "both replicas work")
        assert [reader.read() for _ in range(4)] == [primary.port] * 4
        third = threads.submit(reader.read, slow)
        wait_until(lambda: reader.database.pool_state().in_use == 1, "the primary works too")
        # Now a place is awaited, at a replica.
        assert reader.read() == standby.port
        assert [each.result(60) for each in (first, second, third)] == [standby.port, standby.port, primary.port]
    assert [state.usable for state, _ in reader.database.replicas.states()] == [True, True]


@pytest.mark.timing
def test_a_replica_without_free_connections_is_awaited_once_and_not_left_out(
    primary: Node, standby: Node, make_reader: Any
) -> None:
    urls = primary.url(user="portico"), standby.url(user="portico")
    reader: Reader = make_reader(*urls, pool_size=1, pool_timeout_s=1.0)
    reader.await_replica()
    slow = Statement("select current_setting('port') from pg_sleep(4)")
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(reader.read, slow)
        wait_until(lambda: reader.database.replicas.states()[0][1].in_use == 1, "the replica works")
        second = threads.submit(reader.read, slow)
        wait_until(lambda: reader.database.pool_state().in_use == 1, "the primary works")
        began = time.monotonic()
        with pytest.raises(Unavailable) as raised:
            reader.read()
        assert (raised.value.code, time.monotonic() - began < 2) == ("POOL_TIMEOUT", True)
        assert reader.database.replicas.states()[0][0].usable
        assert [first.result(60), second.result(60)] == [standby.port, primary.port]


def test_a_read_without_state_is_answered_by_the_replica(reader: Reader, standby: Node) -> None:
    builder = ContextBuilder(statement_timeout_ms=30_000)
    context = replace(builder.build(Caller.of({}, default_role=WRITER), discarded=True), bookmark=Bookmark())
    for _ in range(3):
        rows = reader.database.run(context, [(PORT, ())], read_only=True)
        assert int(rows[0][0][0] or 0) == standby.port
    with pytest.raises(StatementError) as failed:
        reader.database.run(context, [(INSERT, [b"never"])], read_only=True)
    assert failed.value.diagnosis.sqlstate == "25006"
    assert reader.read(COUNT, b"never") == 0
