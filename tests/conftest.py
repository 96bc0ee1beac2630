"""What all tests share: a real PostgreSQL.

The server is the one of TEST_DATABASE_URL (of a superuser), or else an embedded one in a temporary directory, which
goes when the process of the tests ends, however it ends. Each of pytest-xdist's workers has its own: roles belong to a
whole server, and tests change them.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from app.discovery import declared_settings, plugin_manager
from app.embedded import EmbeddedPostgres
from app.settings import SETTINGS
from tests.postgres_server import PostgresServer

# Variables that configure PostgreSQL's and the clouds' programs for the user, and would affect the tests too.
_OF_THE_USER = re.compile(r"PG[A-Z_]+|(AWS|AZURE|GOOGLE|GCLOUD|CLOUDSDK)_.*|STORAGE_EMULATOR_HOST|(?i:all_proxy)")
_SETTINGS = {setting.env for setting in (*SETTINGS, *declared_settings(plugin_manager(required=False)))}
for _name in list(os.environ):
    if _OF_THE_USER.fullmatch(_name) or _name in _SETTINGS:
        del os.environ[_name]
os.environ.update(dict.fromkeys(("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "NETRC"), os.devnull))
# A proxy may be needed to install packages, but the tests' servers are local.
for _name in ("no_proxy", "NO_PROXY"):
    os.environ[_name] = ",".join(filter(None, (os.environ.get(_name), "127.0.0.1", "localhost")))

# The same examples on every machine, without a time limit; `--hypothesis-profile=default` searches for new ones.
hypothesis.settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large],
)
hypothesis.settings.load_profile("repeatable")


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
