"""`portico init` where somebody can be asked: before it opens tables that were there already."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, REPOSITORY, environment

QUESTION = "Shall anon and authenticated be able to read and write all their rows?"


def on_a_terminal(typed: str, *arguments: str, url: str) -> tuple[int, str]:
    """The exit code of `portico init`, and all that was on the screen."""
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
            # So a terminal tells that nobody has its other end any more.
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
    before, _, _ = screen.partition(QUESTION)
    assert 'public."Old"' in before
    assert "closed" not in before
    assert may_read(postgres, url, '"Old"') == opened
    assert may_read(postgres, url, "closed")


@pytest.mark.parametrize("option", ["--grants-on-public=protected", "--grants-on-public=all", "--no-grants-on-public"])
def test_it_does_not_ask_who_has_said_it(postgres: PostgresServer, option: str) -> None:
    url = postgres.create_database(sql="create table old (id int)")
    code, screen = on_a_terminal("", option, url=url)
    assert code == 0, screen
    assert QUESTION not in screen
    assert may_read(postgres, url, "old") == option.endswith("=all")


def test_it_does_not_ask_where_nothing_stays_closed(postgres: PostgresServer) -> None:
    """With no table, and when it is installed: what was decided then stays."""
    url = postgres.create_database()
    for _ in range(2):
        code, screen = on_a_terminal("", url=url)
        assert code == 0, screen
        assert QUESTION not in screen
        postgres.execute("create table if not exists later (id int)", url)
