"""What all tests share: a real PostgreSQL.

The server is the one of TEST_DATABASE_URL (of a superuser), or else an embedded one in a temporary directory, which
goes when the process of the tests ends, however it ends. Each of pytest-xdist's workers has its own: roles belong to a
whole server, and tests change them.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.embedded import EmbeddedPostgres
from tests.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running PostgreSQL server."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        server = PostgresServer(given)
        yield server
        server.close()
        return
    directory = Path(tempfile.gettempdir()) / f"portico-test-{os.geteuid()}-{os.getpid()}-{secrets.token_hex(4)}"
    with EmbeddedPostgres(directory, durable=False, temporary=True) as cluster:
        server = PostgresServer(cluster.url())
        yield server
        server.close(drop=False)


@pytest.fixture
def database_url(postgres: PostgresServer) -> Iterator[str]:
    """The URL of a fresh, empty database, dropped afterwards."""
    url = postgres.create_database()
    yield url
    postgres.drop_database(url)
