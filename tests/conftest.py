"""What all tests share: a real PostgreSQL.

The server is the one of TEST_DATABASE_URL (of a superuser), or else an embedded one in a temporary directory, which
goes when the process of the tests ends, however it ends. Each of pytest-xdist's workers has its own: roles belong to a
whole server, and tests change them.
"""

from __future__ import annotations

import gc
import os
import re
import secrets
import shutil
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
# Dozens of processes are started; without bytecode on disk each compiles every module anew, a quarter of its start.
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


def pytest_collection_finish() -> None:
    """Collections of garbage pass over what was collected here, which lives until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running PostgreSQL server."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        server = PostgresServer(given)
        yield server
        server.close()
        return
    directory = _place() / f"portico-test-{os.geteuid()}-{os.getpid()}-{secrets.token_hex(4)}"
    with EmbeddedPostgres(directory, durable=False, temporary=True) as cluster:
        server = PostgresServer(cluster.url())
        yield server
        server.close(drop=False)


def _place() -> Path:
    """Memory if there is plenty: from a disk, hundreds of small databases are removed slowly."""
    plenty, memory = 8 * 1024**3, Path("/dev/shm")
    if "TMPDIR" not in os.environ and memory.is_dir():
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if min(free, shutil.disk_usage(memory).free) > plenty:
            return memory
    return Path(tempfile.gettempdir())


@pytest.fixture
def database_url(postgres: PostgresServer) -> Iterator[str]:
    """The URL of a fresh, empty database, dropped afterwards."""
    url = postgres.create_database()
    yield url
    postgres.drop_database(url)
