"""Transactions of several round trips."""
# ruff: noqa: PT012 - what raises is the end of the block, as a whole

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from app.database import Context, Database, RoleRefused, Statement, StatementError
from app.errors import Unavailable
from schema_cache.fingerprint import BETWEEN_STATEMENTS
from tests.database.conftest import WRITER, MakeDatabase
from tests.database.proxy import Proxy
from tests.process.running import until

AsRole = Callable[..., Context]
INSERT = Statement("insert into entry (body) values ($1) returning body")
FAIL = Statement("select 1 / 0")


@pytest.fixture
def database(url: str, make_database: MakeDatabase) -> Database:
    return make_database(url, pool_size=1)


def bodies(database: Database) -> bytes | None:
    return database.read("select string_agg(body, ',' order by body) from entry")


def test_a_transaction_commits(database: Database, as_role: AsRole) -> None:
    with database.transaction(as_role(WRITER, sub="u1")) as transaction:
        assert transaction.run(INSERT, [b"a"]) == [(b"a",)]
        assert transaction.run(Statement("select current_user, current_setting('request.jwt.claim.sub')")) == [
            (WRITER.encode(), b"u1")
        ]
        assert transaction.run_all([(INSERT, [b"b"]), (INSERT, [b"c"])]) == [[(b"b",)], [(b"c",)]]
    assert bodies(database) == b"a,b,c"
    assert database.read("select current_user = session_user") == b"t"


def test_closing_a_database_cancels_running_statements(url: str, make_database: MakeDatabase, as_role: AsRole) -> None:
    database = make_database(url)
    insert = Statement("insert into entry (body) select 'late' from pg_sleep(30)")
    failures: list[Exception] = []

    def write(run: Callable[[], object]) -> None:
        try:
            run()
        except Exception as ex:
            failures.append(ex)

    def in_one_flight() -> object:
        return database.run(as_role(WRITER), [(insert, ())], read_only=False)

    def in_a_transaction() -> object:
        with database.transaction(as_role(WRITER)) as transaction:
            return transaction.run(insert)

    other = make_database(url)
    running = "select count(*)::text from pg_stat_activity where query like '%''late''%' and pid <> pg_backend_pid()"
    writing = [threading.Thread(target=write, args=(each,)) for each in (in_one_flight, in_a_transaction)]
    for thread in writing:
        thread.start()
    until(lambda: other.read(running) == b"2")
    database.close()
    assert other.read(running) == b"0"
    for thread in writing:
        thread.join()
    assert [str(each) for each in failures] == ["The service is stopping; nothing was changed."] * 2
    assert bodies(other) is None


def test_an_exception_rolls_back(database: Database, as_role: AsRole) -> None:
    with pytest.raises(KeyError), database.transaction(as_role(WRITER)) as transaction:
        transaction.run(INSERT, [b"a"])
        raise KeyError
    assert bodies(database) is None
    assert database.pool_state().in_use == 0


def test_a_failed_statement_rolls_back(database: Database, as_role: AsRole) -> None:
    with pytest.raises(StatementError) as raised, database.transaction(as_role(WRITER)) as transaction:
        transaction.run(INSERT, [b"a"])
        transaction.run(FAIL)
    assert raised.value.statement_index == 1
    assert bodies(database) is None


def test_a_caught_failure_is_not_taken_for_a_commit(database: Database, as_role: AsRole) -> None:
    with pytest.raises(StatementError, match="division"), database.transaction(as_role(WRITER)) as transaction:
        transaction.run(INSERT, [b"a"])
        with pytest.raises(StatementError):
            transaction.run(FAIL)
    assert bodies(database) is None


def test_a_failing_commit_rolls_back(database: Database, as_role: AsRole) -> None:
    with pytest.raises(StatementError, match="entry_body_key"), database.transaction(as_role(WRITER)) as transaction:
        transaction.run(INSERT, [b"a"])
        transaction.run(INSERT, [b"a"])
    assert bodies(database) is None


def test_a_refused_role_opens_no_transaction(database: Database, as_role: AsRole) -> None:
    with pytest.raises(RoleRefused), database.transaction(as_role("wire_nobody")) as transaction:
        transaction.run(INSERT, [b"a"])
    assert database.read("select 1") == b"1"


def test_an_empty_transaction_takes_no_connection(database: Database, as_role: AsRole) -> None:
    with database.transaction(as_role(WRITER)):
        assert database.pool_state().open == 0


def test_forgotten_statements_are_prepared_again(database: Database, as_role: AsRole) -> None:
    for body in (b"a", b"b"):
        with database.transaction(as_role(WRITER)) as transaction:
            transaction.run(INSERT, [body])
        # DISCARD ALL has to be the first statement of its transaction.
        database.read(f"commit{BETWEEN_STATEMENTS}discard all")
    assert bodies(database) == b"a,b"


def test_a_break_before_the_first_answer_is_repeated(
    proxy: Proxy, make_database: MakeDatabase, as_role: AsRole
) -> None:
    database = make_database(proxy.url(), pool_size=1)
    database.read("select 1")
    proxy.cut_next_request = True
    with database.transaction(as_role(WRITER)) as transaction:
        transaction.run(INSERT, [b"a"])
    assert bodies(database) == b"a"


def test_a_break_in_the_middle_undoes_everything(proxy: Proxy, make_database: MakeDatabase, as_role: AsRole) -> None:
    database = make_database(proxy.url(), pool_size=1)
    with pytest.raises(Unavailable, match="lost"), database.transaction(as_role(WRITER)) as transaction:
        transaction.run(INSERT, [b"a"])
        proxy.cut()
        transaction.run(INSERT, [b"b"])
    assert bodies(database) is None


def test_a_break_at_the_commit_leaves_the_outcome_unknown(
    proxy: Proxy, make_database: MakeDatabase, as_role: AsRole
) -> None:
    database = make_database(proxy.url(), pool_size=1)
    with pytest.raises(Unavailable) as raised, database.transaction(as_role(WRITER)) as transaction:
        transaction.run(INSERT, [b"a"])
        proxy.cut_next_answer_after = 0
    assert raised.value.code == "OUTCOME_UNKNOWN"
    assert bodies(database) == b"a"
