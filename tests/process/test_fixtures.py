from __future__ import annotations

import pytest

from tests.postgres_server import PostgresServer


def test_a_database_is_empty_and_not_shared(postgres: PostgresServer, database_url: str) -> None:
    assert postgres.execute("select count(*) from pg_tables where schemaname = 'public'", database_url) == [[0]]
    other = postgres.create_database()
    postgres.execute("create table only_here (id int)", other)
    assert postgres.execute("select to_regclass('only_here')", database_url) == [[None]]


def test_sql_runs_once_and_is_copied(postgres: PostgresServer) -> None:
    sql = "create table made (at timestamptz); insert into made values (clock_timestamp())"
    first, second = postgres.create_database(sql=sql), postgres.create_database(sql=sql)
    assert first != second
    assert postgres.execute("select at from made", first) == postgres.execute("select at from made", second)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://postgres@/postgres?host=/a/b&port=5432", "postgresql://postgres@/new?host=/a/b&port=5432"),
        ("postgresql://u:p%40@127.0.0.1:5433/x", "postgresql://u:p%40@127.0.0.1:5433/new"),
        ("postgres:///?dbname=x&host=/a", "postgres:///new?host=/a"),
    ],
)
def test_the_url_of_another_database_is_made(url: str, expected: str) -> None:
    assert PostgresServer(url).url_of("new") == expected
