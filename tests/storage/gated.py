"""Holds requests between the permission check and the commit, so that others can run in between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

from app.hooks import hookimpl
from app.storage.bytes.backend import ByteSource, Stored
from plugins.storage.file import FolderBackend
from tests.process.running import PATIENCE_S
from tests.storage.service import SERVICE, Service


class Gate:
    """Holds requests in the storage between the permission check and the commit."""

    def __init__(self) -> None:
        self.barrier: threading.Barrier | None = None
        self.reached = threading.Event()
        self.open = threading.Event()
        self.holding = False

    def pass_through(self) -> None:
        if self.barrier is not None:
            self.barrier.wait(PATIENCE_S)
        elif self.holding:
            self.reached.set()
            assert self.open.wait(PATIENCE_S)

    @contextmanager
    def hold(self) -> Iterator[None]:
        self.reached.clear()
        self.open.clear()
        self.holding = True
        try:
            yield
        finally:
            self.holding = False
            self.open.set()


class GatedBackend(FolderBackend):
    def __init__(self, root: Path, gate: Gate) -> None:
        super().__init__(root)
        self._gate = gate

    def put(self, key: str, stream: ByteSource, *, size: int | None = None, content_type: str | None = None) -> Stored:
        stored = super().put(key, stream, size=size, content_type=content_type)
        self._gate.pass_through()
        return stored

    def create(
        self, key: str, stream: ByteSource, *, size: int | None = None, content_type: str | None = None
    ) -> Stored:
        return self.put(key, stream, size=size, content_type=content_type)

    def copy(self, source: str, target: str) -> None:
        super().copy(source, target)
        self._gate.pass_through()


class GatedPlugin:
    def __init__(self, root: Path) -> None:
        self.root, self.gate = root, Gate()

    @hookimpl
    def storage_backend(self, url: str) -> FolderBackend | None:
        return GatedBackend(self.root, self.gate) if url.startswith("gated:") else None


def alone(
    service: Service, method: str, path: str, credential: str = SERVICE, **more: Any
) -> Callable[[], requests.Response]:
    """A request on its own connection."""
    headers = {"authorization": f"Bearer {credential}", **more.pop("headers", {})}
    return lambda: requests.request(method, service.url + path, headers=headers, timeout=PATIENCE_S, **more)


def waits_for_a_lock(service: Service) -> int:
    """The number of sessions of the service's database that wait for a lock."""
    rows = service.sql(
        "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    )
    count: int = rows[0][0]
    return count
