"""`portico init` opens no existing table without row level security unless its operator confirms the list of them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from tests.postgres_server import PostgresServer, connect
from tests.process.conftest import Portico
from tests.process.running import PATIENCE_S, REPOSITORY, environment

QUESTION = "Open this relation?"


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


SQL = """
create table "Old" (id int);
create table guarded (id int);
alter table guarded enable row level security;
create table auth_user (id int, password text);
"""


@pytest.mark.parametrize(("typed", "opened"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_init_asks_before_it_opens_all_tables(postgres: PostgresServer, typed: str, opened: bool) -> None:
    url = postgres.create_database(sql=SQL)
    code, screen = on_a_terminal(typed, "--grants-on-public=all", url=url)
    before, question, _ = screen.partition(QUESTION)
    assert question, screen
    assert 'public."Old"' in before
    assert "guarded" not in before
    assert "auth_user" not in before
    assert code == (0 if opened else 1), screen
    assert may_read(postgres, url, '"Old"') == opened
    assert not may_read(postgres, url, "auth_user")


def test_yes_opens_all_tables_without_a_question(postgres: PostgresServer) -> None:
    url = postgres.create_database(sql=SQL)
    code, screen = on_a_terminal("", "--grants-on-public=all", "--yes", url=url)
    assert code == 0, screen
    assert QUESTION not in screen
    assert 'public."Old"' in screen
    assert may_read(postgres, url, '"Old"')


@pytest.mark.parametrize("option", ["--grants-on-public=protected", "--no-grants-on-public", None])
def test_init_asks_nothing_if_it_opens_nothing(postgres: PostgresServer, option: str | None) -> None:
    url = postgres.create_database(sql=SQL)
    code, screen = on_a_terminal("", *filter(None, [option]), url=url)
    assert code == 0, screen
    assert QUESTION not in screen
    assert not may_read(postgres, url, '"Old"')


def test_init_without_a_terminal_opens_nothing_unconfirmed(postgres: PostgresServer, portico: Portico) -> None:
    url = postgres.create_database(sql=SQL)
    refused = portico("init", "--grants-on-public=all", DATABASE_URL=url)
    assert refused.returncode == 1
    assert 'public."Old"' in refused.stdout
    assert refused.stderr == "portico: nothing was changed. Check this list, then confirm it with --yes\n"
    assert postgres.execute("select to_regnamespace('graphql') is null", url) == [[True]]
    confirmed = portico("init", "--grants-on-public=all", "--yes", DATABASE_URL=url)
    assert confirmed.returncode == 0, confirmed.stderr
    assert may_read(postgres, url, '"Old"')
    assert not may_read(postgres, url, "auth_user")
    # There is nothing left to confirm.
    assert portico("init", "--grants-on-public=all", DATABASE_URL=url).returncode == 0


def test_init_asks_nothing_in_an_empty_database(postgres: PostgresServer) -> None:
    url = postgres.create_database()
    code, screen = on_a_terminal("", "--grants-on-public=all", url=url)
    assert code == 0, screen
    assert QUESTION not in screen


def test_init_makes_two_logins_and_prints_their_urls(
    database_url: str, portico: Portico, postgres: PostgresServer
) -> None:
    finished = portico("init", "--logins=printed", DATABASE_URL=database_url)
    try:
        assert finished.returncode == 0, finished.stderr
        lines = dict(line.split("=", 1) for line in finished.stdout.splitlines() if "DATABASE_URL=" in line)
        assert set(lines) == {"DATABASE_URL", "SERVICE_DATABASE_URL"}
        for url, role, can in (("DATABASE_URL", "anon", True), ("DATABASE_URL", "service_role", False)):
            connection = connect(lines[url])
            assert connection.run("select pg_has_role(current_user, :role, 'member')", role=role) == [[can]]
            connection.close()
        stored = postgres.execute("select rolpassword from pg_authid where rolname like 'printed%'")
        assert [str(value).startswith("SCRAM-SHA-256$4096:") for (value,) in stored] == [True, True]
        again = portico("doctor", **lines)
        assert "WRONG" not in again.stdout.replace("WRONG no key is set", ""), again.stdout
    finally:
        postgres.execute("drop owned by printed_api, printed_service", database_url)
        postgres.execute("drop role if exists printed_api, printed_service")
