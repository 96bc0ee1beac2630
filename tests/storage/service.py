"""The service under test, with its URL and credentials of every kind."""

from __future__ import annotations

import itertools
import json
import os
import re
import socket
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jwt
import requests

from app.discovery import configure
from app.server.capacity import Capacity, make_capacity
from app.server.processes.address import listen
from app.server.processes.worker import Worker
from app.wsgi import Application, create_app
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S

SECRET = "a secret that is long enough for the tests"
_numbers = itertools.count(1)


def token(role: str | None = "authenticated", sub: str | None = None, **claims: Any) -> str:
    """A signed credential."""
    payload = {**({"role": role} if role else {}), **({"sub": sub} if sub else {}), **claims}
    return jwt.encode(payload, SECRET, algorithm="HS256")


SERVICE = token("service_role")
ANON = token("anon")
USER = "317eadce-631a-4429-a0bb-f19a7a517b4a"


@dataclass
class Service:
    """A running service; its methods are what a client would send."""

    url: str
    database_url: str
    folder: Path
    postgres: PostgresServer
    application: Application
    capacity: Capacity
    session: requests.Session = field(default_factory=requests.Session)

    def request(
        self,
        method: str,
        path: str,
        credential: str | None = SERVICE,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> requests.Response:
        """``path`` is sent as it is, escapes and all."""
        given = dict(headers or {})
        if credential is not None:
            given.setdefault("authorization", f"Bearer {credential}")
        prepared = requests.Request(method, self.url, headers=given, **more).prepare()
        query = prepared.url.partition("?")[2] if more.get("params") else ""
        prepared.url = self.url + path + (f"?{query}" if query else "")
        return self.session.send(prepared, timeout=PATIENCE_S, stream=False)

    def get(self, path: str, credential: str | None = SERVICE, **more: Any) -> requests.Response:
        return self.request("GET", path, credential, **more)

    def post(self, path: str, credential: str | None = SERVICE, **more: Any) -> requests.Response:
        return self.request("POST", path, credential, **more)

    def put(self, path: str, credential: str | None = SERVICE, **more: Any) -> requests.Response:
        return self.request("PUT", path, credential, **more)

    def delete(self, path: str, credential: str | None = SERVICE, **more: Any) -> requests.Response:
        return self.request("DELETE", path, credential, **more)

    def bucket(self, **settings: Any) -> str:
        """A new bucket; its name."""
        name = f"bucket{next(_numbers)}"
        self.post("/bucket", json={"name": name, **settings}).raise_for_status()
        return name

    def upload(
        self, path: str, data: bytes = b"content", credential: str | None = SERVICE, **headers: str
    ) -> requests.Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.post(f"/object/{path}", credential, data=data, headers=names)

    def sql(self, statement: str) -> list[list[Any]]:
        """Query the database as its superuser."""
        return self.postgres.execute(statement, self.database_url)

    def blobs(self) -> set[str]:
        """The names of the files with bytes."""
        return {name for _, _, names in os.walk(self.folder / "blobs") for name in names}

    @contextmanager
    def keeping_blobs(self) -> Iterator[set[str]]:
        """Yields the blobs. Fails if the block adds or deletes one, except for deletions that earlier requests on a
        shared service left in its work list."""
        doomed = {version for (version,) in self.sql("select version from storage.work where kind = 'delete_blob'")}
        before = self.blobs()
        yield before
        after = self.blobs()
        assert after - before == set()
        assert before - after <= doomed

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").partition(":")
        return host, int(port)


def usual_settings(database_url: str, folder: Path) -> dict[str, Any]:
    """Settings of a service that keeps bytes in ``folder``, and knows the credentials of this module."""
    return {
        "database_url": database_url,
        "jwt_secret": SECRET,
        "anon_key": ANON,
        "service_role_key": SERVICE,
        "storage_url": folder.as_uri(),
        "threads": 8,
        "shutdown_grace_s": 1.0,
    }


@contextmanager
def running(
    postgres: PostgresServer,
    database_url: str,
    folder: Path,
    *,
    plugins: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Iterator[Service]:
    """Serve the application as a worker process does, in threads of this one."""
    loaded, chosen = configure({}, {**usual_settings(database_url, folder), **settings}, plugins)
    listener = listen("127.0.0.1", 0)
    application = create_app(loaded, chosen)
    capacity = make_capacity(loaded, 1)
    worker = Worker(application, listener, loaded, capacity.totals(0))
    thread = threading.Thread(target=worker.run, daemon=True)
    thread.start()
    host, port = listener.getsockname()[:2]
    service = Service(f"http://{host}:{port}", database_url, folder, postgres, application, capacity)
    try:
        yield service
    finally:
        service.session.close()
        worker.stop()
        thread.join(PATIENCE_S)
        application.close()


def error(response: requests.Response) -> tuple[int, str, str, str]:
    """HTTP status, logical status, code and message of an error."""
    body = json.loads(response.text)
    return response.status_code, body["statusCode"], body["code"], body["message"]


def raw_request(address: tuple[str, int], data: bytes, *, answers: int = 1) -> bytes:
    """The server's response to these bytes, read until it closes or ``answers`` responses have arrived."""
    with socket.create_connection(address, timeout=PATIENCE_S) as connection:
        connection.sendall(data)
        received = b""
        while _answers(received) < answers and (more := connection.recv(65536)):
            received += more
        return received


def _answers(received: bytes) -> int:
    """The number of complete responses in these bytes; each declares its length."""
    count = 0
    while (end := received.find(b"\r\n\r\n")) >= 0:
        length = re.search(rb"(?i)^content-length: *(\d+)", received[:end], re.MULTILINE)
        received = received[end + 4 :]
        if length is None or len(received) < int(length[1]):
            break
        received = received[int(length[1]) :]
        count += 1
    return count


def unique(prefix: str = "k") -> str:
    return f"{prefix}{uuid.uuid4().hex[:12]}"
