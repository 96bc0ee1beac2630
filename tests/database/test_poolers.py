"""Behind PgBouncer in transaction mode, and below limits of connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from app.database import Context, ContextBuilder, Statement, StatementError, parse_database_url
from app.database.wire.connect import connect
from app.errors import Unavailable
from app.identity import Caller
from bench.pooler import keeps_prepared, missing_pooler, pooler
from bench.streaming import Cluster, Node, missing, streaming
from tests.database.conftest import READER, ROLES, SCHEMA, WRITER, MakeDatabase

needs_pooler = pytest.mark.skipif(
    bool(missing() or missing_pooler()), reason=f"needs programs: {missing() or missing_pooler()}"
)
AsRole = Callable[..., Context]

WHO = Statement("select current_user || ' ' || current_setting('request.jwt.claim.sub')")
OWN = Statement("select count(*) from note where owner = $1")
INSERT = Statement("insert into entry (body) values ($1) returning body")
CONNECTIONS, CLIENTS = 20, 1000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with streaming() as made:
        yield made


@pytest.fixture(scope="module")
def server(cluster: Cluster) -> Node:
    node = cluster.primary()
    node.execute(ROLES + SCHEMA)
    return node


@pytest.fixture(scope="module")
def pooled(cluster: Cluster, server: Node) -> Iterator[str]:
    with pooler(cluster, server, connections=CONNECTIONS, clients=2 * CLIENTS) as url:
        yield url


@needs_pooler
@pytest.mark.parametrize("prepared", [True, False])
def test_callers_are_isolated_in_transaction_mode(
    pooled: str, server: Node, make_database: MakeDatabase, as_role: AsRole, prepared: bool
) -> None:
    database = make_database(pooled, pool_size=40, prepared_statements=prepared)

    def ask(number: int) -> Any:
        role, sub = (READER, WRITER)[number % 2], f"user{number % 3}"
        rows = database.run(as_role(role, sub=sub), [(WHO, ()), (OWN, [sub.encode()])], read_only=True)
        return [each[0][0] for each in rows] == [f"{role} {sub}".encode(), b"10"]

    with ThreadPoolExecutor(40) as threads:
        assert all(threads.map(ask, range(600)))
    body = f"prepared {prepared}".encode()
    assert database.run(as_role(WRITER), [(INSERT, [body])], read_only=False) == [[(body,)]]
    with database.transaction(as_role(WRITER, sub="user1")) as transaction:
        assert transaction.run(INSERT, [body + b"!"]) == [(body + b"!",)]
        if not prepared or keeps_prepared():
            # Elsewhere one that the pooler's connection has not prepared cannot be sent again within a transaction.
            assert transaction.run(WHO)[0][0] is not None


@needs_pooler
def test_session_state_of_a_function_is_removed_before_the_next_caller(
    pooled: str, make_database: MakeDatabase, as_role: AsRole
) -> None:
    database = make_database(pooled, pool_size=4, prepared_statements=False)
    leave = Statement("select length(set_config('work_mem', '77MB', false)), pg_advisory_lock(7)::text")
    left = Statement(
        "select current_setting('work_mem') = '77MB' or exists (select from pg_locks where locktype = 'advisory')"
    )
    for _ in range(20):
        database.run(as_role(READER), [(leave, ())], read_only=True)
        assert database.run(as_role(WRITER), [(left, ())], read_only=True)[0][0][0] == b"f"


@needs_pooler
def test_settings_are_pinned_behind_a_pooler_that_refuses_them_at_the_start(
    pooled: str, server: Node, make_database: MakeDatabase, as_role: AsRole
) -> None:
    pins = "select concat_ws(' ', current_setting('extra_float_digits'), current_setting('row_security'))"
    server.execute("alter database postgres set extra_float_digits = 0; alter database postgres set row_security = off")
    try:
        server.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'portico'")
        database = make_database(pooled, pool_size=1)
        for context in (as_role(READER), None):
            assert database.run(context, [(Statement(pins), ())], read_only=True) == [[(b"1 on",)]]
            with database.transaction(context) as transaction:
                assert transaction.run(Statement(pins)) == [(b"1 on",)]
    finally:
        server.execute("alter database postgres reset all")


@needs_pooler
def test_a_thousand_clients_can_share_twenty_connections(
    pooled: str, server: Node, make_database: MakeDatabase, as_role: AsRole
) -> None:
    target = parse_database_url(pooled)
    with ThreadPoolExecutor(20) as threads:
        clients = list(threads.map(lambda _: connect(target, None, prepared_limit=0), range(CLIENTS)))

        def ask(number: int) -> bytes | None:
            context = as_role(READER, sub=f"user{number}")
            steps = [*context.steps, (WHO, (), READER)]
            return clients[number].pipeline(steps, clean=True, prelude=len(context.steps))[0][0][0]

        try:
            answers = [list(threads.map(ask, range(CLIENTS))) for _ in range(2)]
            connections = "select count(*) from pg_stat_activity where backend_type = 'client backend'"
            (count,) = server.execute(f"{connections} and pid <> pg_backend_pid()")[0]
        finally:
            for client in clients:
                client.close()
    assert answers == [[f"{READER} user{number}".encode() for number in range(CLIENTS)]] * 2
    assert 0 < int(str(count)) <= CONNECTIONS


@pytest.mark.skipif(bool(missing()), reason=f"needs the programs of PostgreSQL: {missing()}")
def test_a_limit_of_connections_is_waited_for(cluster: Cluster, server: Node, make_database: MakeDatabase) -> None:
    server.execute(f"{cluster.login} connection limit 2")
    url = server.url(user="portico")
    first, second = (make_database(url, pool_size=4, pool_timeout_s=60.0) for _ in range(2))
    slow = Statement("select pg_sleep(0.05)::text || current_user")
    with ThreadPoolExecutor(8) as threads:
        rows = list(threads.map(lambda _: first.run(None, [(slow, ())], read_only=True)[0][0][0], range(16)))
    assert rows == [b"portico"] * 16
    assert first.pool_state().open <= 2
    # A load balancer must not take away a service that answers.
    first.probe()
    with pytest.raises(Unavailable):
        second.probe()

    # Those of another pool: it gets one as soon as they are closed.
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(second.read, "select 1")
        with pytest.raises(TimeoutError):
            waiting.result(0.3)
        reported = []
        first.share(lambda pool, count, was_refused: reported.append((pool, count, was_refused)) or 1)
        assert reported == [(0, 2, True)]
        assert waiting.result(60) == b"1"
    assert first.pool_state().open == 1
    # Both pools still work with the connections that they have.
    for database in (first, second):
        with ThreadPoolExecutor(4) as threads:
            rows = list(threads.map(lambda _, of=database: of.run(None, [(slow, ())], read_only=True)[0], range(8)))
        assert rows == [[(b"portico",)]] * 8
        assert database.pool_state().open == 1


@needs_pooler
@pytest.mark.parametrize("prepared", [True, False])
def test_reads_without_state_share_connections_with_writes(
    pooled: str, server: Node, make_database: MakeDatabase, as_role: AsRole, prepared: bool
) -> None:
    database = make_database(pooled, pool_size=20, prepared_statements=prepared)
    caller = Caller.of({"sub": "ann"}, default_role=WRITER)
    discarded, kept = ContextBuilder().build(caller, discarded=True), as_role(WRITER, sub="ann")
    mode = Statement("select current_setting('transaction_read_only')")

    def ask(number: int) -> bool:
        body = f"kept beside {prepared} {number}".encode()
        if number % 3 == 0:
            return database.run(kept, [(INSERT, [body]), (mode, ())], read_only=False)[1] == [(b"off",)]
        if number % 3 == 1:
            return database.run(discarded, [(mode, ())], read_only=True) == [[(b"on",)]]
        with pytest.raises(StatementError) as failed:
            database.run(discarded, [(INSERT, [body])], read_only=True)
        return failed.value.diagnosis.sqlstate == "25006"

    with ThreadPoolExecutor(20) as threads:
        assert all(threads.map(ask, range(300)))
    count = f"select count(*) from entry where body like 'kept beside {prepared}%'"
    assert server.execute(count) == [[100]]
