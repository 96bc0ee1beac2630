"""A database that accepts connections but does not answer, such as one whose machine is frozen."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.database import Context, ContextBuilder, Database, Statement
from app.database.run.context import seconds_of
from app.errors import Unavailable
from app.identity import Caller
from tests.database.conftest import READER, WRITER, MakeDatabase

ECHO = Statement("select $1::text")
PID = "select pg_backend_pid()::text"


def context(role: str, *settings: tuple[str, str]) -> Context:
    caller = Caller.of({"role": role}, default_role=role)
    return ContextBuilder(statement_timeout_ms=200).build(caller, role_settings=settings)


@contextmanager
def frozen(database: Database) -> Iterator[int]:
    """Stop the server process of the only connection. Returns its process id."""
    pid = int(database.read(PID) or b"")
    os.kill(pid, signal.SIGSTOP)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_read_times_out(make_database: MakeDatabase, shared_url: str) -> None:
    database = make_database(shared_url, pool_size=1, statement_timeout_ms=200, database_margin_s=0.2)
    with frozen(database) as pid:
        # The server answers nothing before the end of this block.
        with pytest.raises(Unavailable) as raised:
            database.run(context(READER), [(ECHO, [b"x"])], read_only=True)
        assert raised.value.code == "DATABASE_TIMEOUT"
        assert int(database.read(PID) or b"") != pid
    assert database.run(context(READER), [(ECHO, [b"x"])], read_only=True) == [[(b"x",)]]


def test_the_outcome_of_a_write_is_unknown(make_database: MakeDatabase, shared_url: str) -> None:
    database = make_database(shared_url, pool_size=1, statement_timeout_ms=200, database_margin_s=0.2)
    with frozen(database), pytest.raises(Unavailable) as raised:
        database.run(context(WRITER), [(ECHO, [b"x"])], read_only=False)
    assert raised.value.code == "OUTCOME_UNKNOWN"


def test_a_statement_in_a_transaction_times_out(make_database: MakeDatabase, shared_url: str) -> None:
    database = make_database(shared_url, pool_size=1, statement_timeout_ms=200, database_margin_s=0.2)
    with (
        frozen(database),
        pytest.raises(Unavailable, match="did not answer in time"),
        database.transaction(context(READER)) as transaction,
    ):
        transaction.run(ECHO, [b"x"])


def test_a_role_may_have_a_longer_timeout(make_database: MakeDatabase, shared_url: str) -> None:
    database = make_database(shared_url, pool_size=1, statement_timeout_ms=10, database_margin_s=0.1)
    slow = Statement("select pg_sleep(0.5)::text")
    asker = context(READER, ("statement_timeout", "1min"))
    assert database.run(asker, [(slow, [])], read_only=True) == [[(b"",)]]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("200", 0.2), ("30s", 30), ("1min", 60), ("1.5 h", 5400), ("250000us", 0.25), ("nonsense", 0)],
)
def test_durations_of_settings_are_parsed(text: str, seconds: float) -> None:
    assert seconds_of(text) == pytest.approx(seconds)
