"""A running storage API for the tests: the real server, a real database, and a folder for the bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from app.installation.scripts import install_script
from app.installation.version import VERSION
from tests.postgres_server import PostgresServer
from tests.storage.gated import Gate, GatedPlugin
from tests.storage.service import Service, running


@pytest.fixture(scope="session")
def storage_database(postgres: PostgresServer) -> Callable[[], str]:
    """Creates databases with the storage tables; they are dropped with the server's other ones."""
    return lambda: postgres.create_database(sql=install_script(VERSION))


@pytest.fixture(scope="session")
def service(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """One service for all tests that do not change its settings; each test creates its own buckets."""
    with running(postgres, storage_database(), tmp_path_factory.mktemp("objects")) as service:
        yield service


@pytest.fixture
def storage3_client() -> Iterator[Callable[[Service, str], Any]]:
    """Makes clients of storage3 for a service and a key; they are closed at the end."""
    storage3 = pytest.importorskip("storage3")
    with ExitStack() as clients:

        def make(service: Service, key: str) -> Any:
            headers = {"apikey": key, "Authorization": f"Bearer {key}"}
            return clients.enter_context(storage3.create_client(f"{service.url}/storage/v1/", headers, is_async=False))

        yield make


@pytest.fixture
def own_service(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path: Path
) -> Iterator[Callable[..., Service]]:
    """Services with settings of the test's own, each on a fresh database."""
    with ExitStack() as stack:

        def start(**settings: object) -> Service:
            folder = tmp_path / f"objects{len(list(tmp_path.iterdir()))}"
            return stack.enter_context(running(postgres, storage_database(), folder, **settings))

        yield start


@pytest.fixture
def gated(own_service: Callable[..., Service], tmp_path: Path) -> tuple[Service, Gate]:
    plugin = GatedPlugin(tmp_path / "gated")
    service = own_service(plugins={"gated": plugin}, storage_url="gated:")
    service.folder = plugin.root
    return service, plugin.gate
