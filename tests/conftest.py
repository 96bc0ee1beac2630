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

# What configures PostgreSQL's and the clouds' programs for whoever runs the tests, and so would our parts and theirs.
_OF_THE_USER = re.compile(r"PG[A-Z]+|(AWS|AZURE|GOOGLE|GCLOUD|CLOUDSDK)_.*|STORAGE_EMULATOR_HOST|(?i:all_proxy)")
_SETTINGS = {setting.env for setting in (*SETTINGS, *declared_settings(plugin_manager(required=False)))}
for _name in list(os.environ):
    if _OF_THE_USER.fullmatch(_name) or _name in _SETTINGS:
        del os.environ[_name]
os.environ.update(dict.fromkeys(("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "NETRC"), os.devnull))
# A proxy is for packages to be installed through; our servers are here.
for _name in ("no_proxy", "NO_PROXY"):
    os.environ[_name] = ",".join(filter(None, (os.environ.get(_name), "127.0.0.1", "localhost")))

# The same examples everywhere, however long they take; `--hypothesis-profile=default` looks for new ones.
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
