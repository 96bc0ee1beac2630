"""Shared by all tests: a real PostgreSQL.

The server is the one of TEST_DATABASE_URL (of a superuser), or else a new one: of the programs in TEST_POSTGRES_BIN, or
embedded. Each of pytest-xdist's workers has its own new one: roles belong to a whole server, and tests change them.
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Iterator

import hypothesis
import pytest

from app.discovery import declared_settings, plugin_manager
from app.settings import SETTINGS
from tests.postgres_server import PostgresServer
from tests.servers import own_server, servers_with_extensions

pytest_plugins = ["tests.skips"]

# Variables that configure PostgreSQL's and the clouds' programs for the user, and would affect the tests too.
_OF_THE_USER = re.compile(r"PG[A-Z_]+|(AWS|AZURE|GOOGLE|GCLOUD|CLOUDSDK)_.*|STORAGE_EMULATOR_HOST|(?i:all_proxy)")
_SETTINGS = {setting.env for setting in (*SETTINGS, *declared_settings(plugin_manager(required=False)))}
for _name in list(os.environ):
    if _OF_THE_USER.fullmatch(_name) or _name in _SETTINGS:
        del os.environ[_name]
os.environ.update(dict.fromkeys(("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "NETRC"), os.devnull))
# Dozens of processes are started; without bytecode on disk each compiles every module again, a quarter of its start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
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


_LONGEST = (
    "tests/elsewhere/test_debian.py",
    "tests/docs/test_performance_page.py",
    "tests/image/test_image.py",
    "tests/bench/test_siege.py",
    "tests/bench/test_measuring.py",
    "tests/process/test_release.py",
    "tests/elsewhere/test_wagtail.py",
    "tests/live/test_live.py",
    "tests/storage_backends/test_faults.py",
)
"""Files that take about a minute or longer."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files are first: begun last, one of them would keep one worker busy long after the others."""
    items.sort(key=lambda item: item.nodeid.partition("::")[0] not in _LONGEST)


def pytest_collection_finish() -> None:
    """Collections of garbage pass over what was collected here, which lives until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def usual_postgres() -> Iterator[PostgresServer]:
    """The server that tests run on which need no other."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given is None:
        with own_server() as server:
            yield server
        return
    server = PostgresServer(given)
    yield server
    server.close()


@pytest.fixture(scope="session")
def postgres(usual_postgres: PostgresServer) -> PostgresServer:
    """A running PostgreSQL server; a file of tests may replace it by another."""
    return usual_postgres


@pytest.fixture(scope="session")
def postgres_with(usual_postgres: PostgresServer) -> Iterator[Callable[[str], PostgresServer]]:
    """``postgres_with("ltree")``: a server that has the extension, the usual one or another; skips the test without."""
    with servers_with_extensions(usual_postgres) as find:

        def found(extension: str) -> PostgresServer:
            return find(extension) or pytest.skip(f"needs a PostgreSQL with the extension {extension}")

        yield found


@pytest.fixture
def database_url(postgres: PostgresServer) -> Iterator[str]:
    """The URL of a fresh, empty database, dropped afterwards."""
    url = postgres.create_database()
    yield url
    postgres.drop_database(url)
