"""`portico init` on a terminal asks before it grants anything on existing tables without row level security."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, REPOSITORY, environment

QUESTION = "Let anon and authenticated read and write all their rows?"


def on_a_terminal(typed: str, *arguments: str, url: str) -> tuple[int, str]:
    """The exit code of `portico init`, and what the terminal shows."""
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "portico", "init", *arguments],
            cwd=REPOSITORY,
            env=environment(DATABASE_URL=url),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        os.write(ours, typed.encode())
        screen = b""
        try:
            while more := os.read(ours, 65536):
                screen += more
        except OSError:
            # On Linux the end of the process closes the terminal with an error.
            pass
        return process.wait(PATIENCE_S), screen.decode()
    finally:
        os.close(ours)


def may_read(postgres: PostgresServer, url: str, table: str) -> bool:
    found: bool = postgres.execute(f"select has_table_privilege('anon', '{table}', 'select')", url)[0][0]
    return found


@pytest.mark.parametrize(("typed", "opened"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_it_asks(postgres: PostgresServer, typed: str, opened: bool) -> None:
    url = postgres.create_database(
        sql='create table "Old" (id int); create table closed (id int); alter table closed enable row level security'
    )
    code, screen = on_a_terminal(typed, url=url)
    assert code == 0, screen
    before, question, _ = screen.partition(QUESTION)
    assert question
    assert 'public."Old"' in before
    assert "closed" not in before
    assert may_read(postgres, url, '"Old"') == opened
    assert may_read(postgres, url, "closed")


@pytest.mark.parametrize("option", ["--grants-on-public=protected", "--grants-on-public=all", "--no-grants-on-public"])
def test_an_option_is_the_answer(postgres: PostgresServer, option: str) -> None:
    url = postgres.create_database(sql="create table old (id int)")
    code, screen = on_a_terminal("", option, url=url)
    assert code == 0, screen
    assert QUESTION not in screen
    assert may_read(postgres, url, "old") == option.endswith("=all")


def test_it_asks_only_about_tables_that_stay_closed(postgres: PostgresServer) -> None:
    """It does not ask in a database without tables, nor when it is run again."""
    url = postgres.create_database()
    for _ in range(2):
        code, screen = on_a_terminal("", url=url)
        assert code == 0, screen
        assert QUESTION not in screen
        postgres.execute("create table if not exists later (id int)", url)
