"""Explicit transactions, which Citus needs: as atomic, clean and well reported as implicit ones.

And transactions that keep nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.database import BoundStatement, Context, ContextBuilder, Database, Row, RowTooLarge, Statement, StatementError
from app.identity import Caller
from app.installation.install import install
from tests.database.conftest import READER, ROLES, SCHEMA, WRITER, MakeDatabase
from tests.postgres_server import PostgresServer

PROCESS = Statement("select pg_backend_pid()")
FAIL = Statement("select 1 / 0")
OWN_NOTES = Statement("select count(*), min(owner), max(owner) from note")
PROPAGATED = "select coalesce(current_setting('citus.propagate_set_commands', true), '')"


@pytest.fixture(scope="module")
def distributed_url(postgres: PostgresServer) -> Iterator[str]:
    url = postgres.create_database(sql=ROLES + SCHEMA)
    install(url)
    yield url
    postgres.drop_database(url)


@pytest.fixture
def database(distributed_url: str, make_database: MakeDatabase) -> Database:
    """A database with one connection, so that each request inherits what the previous one left."""
    database = make_database(distributed_url, pool_size=1)
    database.run(None, [(Statement("truncate entry"), ())], read_only=False)
    return database


@pytest.fixture(scope="module")
def contexts() -> ContextBuilder:
    return ContextBuilder(is_distributed=lambda: True)


def of(contexts: ContextBuilder, role: str, **claims: Any) -> Context:
    return contexts.build(Caller.of(claims, default_role=role), path="/graphql/v1")


def insert(body: bytes) -> BoundStatement:
    return Statement("insert into entry (body) values ($1) returning body"), [body]


def entries(database: Database) -> bytes | None:
    return database.read("select count(*)::text from entry")


def test_the_transaction_is_explicit(database: Database, contexts: ContextBuilder) -> None:
    # Only within a transaction block is there such a thing.
    savepoint = [(Statement("savepoint here"), ()), insert(b"kept")]
    rows = database.run(of(contexts, WRITER), savepoint, read_only=False)
    assert rows == [[], [(b"kept",)]]
    assert entries(database) == b"1"
    with pytest.raises(StatementError, match="SAVEPOINT"):
        database.run(ContextBuilder().build(Caller.of({}, default_role=WRITER)), savepoint, read_only=False)


@pytest.mark.parametrize("read_only", [True, False])
def test_a_failed_statement_rolls_everything_back(
    database: Database, contexts: ContextBuilder, read_only: bool
) -> None:
    context = of(contexts, WRITER)
    process = database.run(context, [(PROCESS, ())], read_only=True)
    with pytest.raises(StatementError) as failed:
        database.run(context, [insert(b"a"), insert(b"b"), (FAIL, ())], read_only=read_only)
    assert (failed.value.statement_index, failed.value.diagnosis.sqlstate) == (3, "22012")
    assert entries(database) == b"0"
    # The connection was rolled back, not thrown away.
    assert database.run(context, [(PROCESS, ())], read_only=True) == process


def test_a_deferred_constraint_fails_the_commit(database: Database, contexts: ContextBuilder) -> None:
    """The constraint is deferred, so it is the end of the transaction that violates it."""
    with pytest.raises(StatementError) as failed:
        database.run(of(contexts, WRITER), [insert(b"same"), insert(b"same")], read_only=False)
    assert (failed.value.statement_index, failed.value.diagnosis.sqlstate) == (3, "23505")
    assert entries(database) == b"0"


def test_a_row_that_is_too_large_is_refused(database: Database, contexts: ContextBuilder) -> None:
    large = Statement("select repeat('x', 3000000)")
    with pytest.raises(RowTooLarge):
        database.run(of(contexts, WRITER), [insert(b"kept"), (large, ())], read_only=False, row_limit=1000)
    assert entries(database) == b"1"


def test_policies_read_only_the_claims_of_their_own_request(database: Database, contexts: ContextBuilder) -> None:
    for user in ("user1", "user2", 'it\'s \\ "user"', "user1"):
        rows = database.run(of(contexts, READER, sub=user), [(OWN_NOTES, ())], read_only=True)
        name = user.encode() if user.startswith("user") else None
        assert rows == [[(b"10" if name else b"0", name, name)]]
    left = "select current_user = session_user and coalesce(current_setting('request.jwt.claim.sub', true), '') = ''"
    assert database.read(left) == b"t"
    assert database.read(PROPAGATED) == b""


def test_settings_of_all_kinds_are_set(database: Database, contexts: ContextBuilder) -> None:
    settings = (("search_path", "pg_catalog, auth"), ("app.tenant", "7; drop"), ("statement_timeout", "20s"))
    context = contexts.build(
        Caller.of({"a.b": "c"}, default_role=READER), headers={"X-A": "é'"}, role_settings=settings
    )
    names = ["search_path", "app.tenant", "statement_timeout", "jit", "request.headers", "request.jwt.claim.a.b"]
    asked = [(Statement("select current_setting($1)"), [name.encode()]) for name in names]
    reported = [rows[0][0] for rows in database.run(context, asked, read_only=True)]
    assert reported == [b"pg_catalog, auth", b"7; drop", b"20s", b"off", b'{"x-a": "\\u00e9\'"}', b"c"]


def test_longer_transactions_propagate_settings_too(database: Database, contexts: ContextBuilder) -> None:
    with database.transaction(of(contexts, WRITER)) as transaction:
        assert transaction.run(Statement(PROPAGATED)) == [(b"local",)]
        transaction.run(*insert(b"kept"))
    assert entries(database) == b"1"
    rows: list[list[Row]] = database.attempt(of(contexts, WRITER), [insert(b"tried")])
    assert rows == [[(b"tried",)]]
    assert entries(database) == b"1"


# Transactions that keep nothing

MODE = Statement("select current_setting('transaction_read_only')")


def _discarded(context_builder: ContextBuilder, role: str = WRITER) -> Context:
    return context_builder.build(Caller.of({"sub": "ann"}, default_role=role), discarded=True)


@pytest.mark.parametrize("is_distributed", [False, True])
def test_a_discarded_transaction_is_read_only_and_leaves_nothing(database: Database, is_distributed: bool) -> None:
    builder = ContextBuilder(is_distributed=lambda: is_distributed)
    process = database.run(_discarded(builder), [(PROCESS, ())], read_only=True)
    for body in (b"one", b"two", b"three"):
        assert database.run(_discarded(builder), [(MODE, ())], read_only=True) == [[(b"on",)]]
        with pytest.raises(StatementError) as failed:
            database.run(_discarded(builder), [(PROCESS, ()), insert(b"a")], read_only=True)
        assert (failed.value.statement_index, failed.value.diagnosis.sqlstate) == (2, "25006")
        left = Statement("select set_config('work_mem', '65kB', false)")
        assert database.run(_discarded(builder), [(left, ())], read_only=True) == [[(b"65kB",)]]
        kept = builder.build(Caller.of({}, default_role=WRITER))
        assert database.run(kept, [(MODE, ()), insert(body), (PROCESS, ())], read_only=False)[::2] == [
            [(b"off",)],
            *process,
        ]
    assert entries(database) == b"3"


def test_effects_of_a_read_only_transaction_are_rolled_back(database: Database) -> None:
    notify = Statement("select pg_notify('noise', 'x'), txid_current()::text")
    database.run(_discarded(ContextBuilder()), [(notify, ())], read_only=True)
    assert database.read("select pg_notification_queue_usage()::text") == b"0"
    too_large = [(Statement("select repeat('x', 3000000)"), ())]
    with pytest.raises(RowTooLarge):
        database.run(_discarded(ContextBuilder()), too_large, read_only=True, row_limit=1000)
    assert database.run(_discarded(ContextBuilder()), [(MODE, ())], read_only=True) == [[(b"on",)]]
