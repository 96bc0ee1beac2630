"""The embedded PostgreSQL can see the extension's files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.installation.version import VERSION
from tests.postgres_server import PostgresServer
from tests.servers import embedded_server


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with embedded_server() as server:
        yield server


def test_create_extension_is_shown_by_the_server(postgres: PostgresServer, database_url: str) -> None:
    ask = "select name, default_version, installed_version, comment from pg_available_extensions where name = 'portico'"
    before = postgres.execute(ask, database_url)[0]
    assert before[:3] == ["portico", VERSION, None]
    assert before[3]
    postgres.execute("create extension portico", database_url)
    assert postgres.execute(ask, database_url)[0] == ["portico", VERSION, VERSION, before[3]]
