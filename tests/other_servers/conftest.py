"""The storage API served by unmodified waitress instead of by ``portico serve``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from waitress.server import create_server

from app.discovery import configure
from app.server.capacity import make_capacity
from app.wsgi import create_app
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S
from tests.storage.conftest import storage_database as storage_database
from tests.storage.service import Service, usual_settings


@contextmanager
def served_by_waitress(postgres: PostgresServer, database_url: str, folder: Path) -> Iterator[Service]:
    settings, plugins = configure({}, usual_settings(database_url, folder))
    application = create_app(settings, plugins)
    # waitress takes bodies up to 1 GiB by default, and has four threads.
    server = create_server(application, host="127.0.0.1", port=0, threads=8)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    url = f"http://{server.effective_host}:{server.effective_port}"
    service = Service(url, database_url, folder, postgres, application, make_capacity(settings, 1))
    try:
        yield service
    finally:
        service.session.close()
        server.close()
        thread.join(PATIENCE_S)
        application.close()


@pytest.fixture(scope="session")
def service(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """Replaces the fixture of the same name in tests/storage."""
    with served_by_waitress(postgres, storage_database(), tmp_path_factory.mktemp("objects")) as service:
        yield service
