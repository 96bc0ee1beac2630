"""The service is killed at random moments, again and again: nothing that it has acknowledged is lost or damaged.

The long form is PORTICO_TEST_KILLS=200 pytest -s tests/storage/test_kills.py
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.database import ContextBuilder, Database
from app.settings import load
from app.storage.upkeep.sweep import Sweep
from app.storage.upkeep.work import WorkList, installed_features
from plugins.storage.file import FolderBackend
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until
from tests.storage.restarted import Restarting
from tests.storage.service import SECRET, SERVICE

KILLS = int(os.environ.get("PORTICO_TEST_KILLS", "40"))
CLIENTS = 4
Content = bytes | None
World = tuple[Content, Content]
"""The objects stored under the two keys of a client."""


class Client(threading.Thread):
    """Writes, overwrites, moves and deletes under its own two keys, and tracks their possible states.

    ``worlds`` are the possible states: one after an acknowledged request, more when the connection broke.
    """

    def __init__(self, port: int, bucket: str, number: int, stop: threading.Event) -> None:
        super().__init__()
        self._port, self._bucket, self._stop_event = port, bucket, stop
        self.keys = (f"client{number}/a", f"client{number}/b")
        self.worlds: set[World] = {(None, None)}
        self._random = random.Random(number)
        self.acknowledged = self.broken = 0
        self.failure: BaseException | None = None
        self._connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        try:
            while not self._stop_event.is_set():
                self._random.choice(
                    (self._create, self._overwrite, self._overwrite, self._move, self._remove, self._read)
                )()
        except BaseException as error:
            self.failure = error
        finally:
            if self._connection is not None:
                self._connection.close()

    def _create(self) -> None:
        self._write("POST", must_be_new=True)

    def _overwrite(self) -> None:
        self._write("PUT", must_be_new=False)

    def _write(self, method: str, *, must_be_new: bool) -> None:
        index = self._random.randrange(2)
        content = self._random.randbytes(self._random.choice((0, 100, 20_000, 400_000)))

        def apply(world: World) -> World | None:
            return None if must_be_new and world[index] is not None else _with(world, index, content)

        self._request(method, f"/object/{self._bucket}/{self.keys[index]}", content, apply)

    def _move(self) -> None:
        index = self._random.randrange(2)

        def apply(world: World) -> World | None:
            if world[index] is None or world[1 - index] is not None:
                return None
            return _with(_with(world, 1 - index, world[index]), index, None)

        body = {"bucketId": self._bucket, "sourceKey": self.keys[index], "destinationKey": self.keys[1 - index]}
        self._request("POST", "/object/move", json.dumps(body).encode(), apply, "application/json")

    # Not _delete, which threading.Thread itself calls at the end of a thread.
    def _remove(self) -> None:
        index = self._random.randrange(2)

        def apply(world: World) -> World | None:
            return None if world[index] is None else _with(world, index, None)

        self._request("DELETE", f"/object/{self._bucket}/{self.keys[index]}", b"", apply)

    def _read(self) -> None:
        index = self._random.randrange(2)
        answer = self._send("GET", f"/object/{self._bucket}/{self.keys[index]}", b"", None)
        if answer is None:
            return
        status, content = answer
        found = content if status == 200 else None
        assert status in (200, 400), content
        self.worlds = {world for world in self.worlds if world[index] == found}
        assert self.worlds, f"{self.keys[index]} has a content that it cannot have: {status} {content[:80]!r}"

    def _request(
        self,
        method: str,
        path: str,
        body: bytes,
        apply: Callable[[World], World | None],
        content_type: str | None = None,
    ) -> None:
        """``apply`` gives the state after the request, or None if it is refused in that state."""
        done = {world: apply(world) for world in self.worlds}
        answer = self._send(method, path, body, content_type)
        if answer is None:
            self.worlds |= {after for after in done.values() if after is not None}
            return
        status, text = answer
        self.acknowledged += 1
        if status == 200:
            self.worlds = {after for after in done.values() if after is not None}
        else:
            assert json.loads(text)["statusCode"] in ("404", "409"), text
            self.worlds = {world for world, after in done.items() if after is None}
        assert self.worlds, f"{method} {path} cannot have had this answer: {status} {text!r}"

    def _send(self, method: str, path: str, body: bytes, content_type: str | None) -> tuple[int, bytes] | None:
        """Status and body, or None when the connection broke."""
        headers = {"authorization": f"Bearer {SERVICE}"}
        if content_type:
            headers["content-type"] = content_type
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            self.broken += 1
            return None


def _with(world: World, index: int, content: Content) -> World:
    return (content, world[1]) if index == 0 else (world[0], content)


@contextmanager
def clients(port: int, bucket: str) -> Iterator[list[Client]]:
    stop = threading.Event()
    made = [Client(port, bucket, number, stop) for number in range(CLIENTS)]
    for client in made:
        client.start()
    try:
        yield made
    finally:
        stop.set()
        for client in made:
            client.join(PATIENCE_S)


def count_acknowledged(made: list[Client]) -> int:
    return sum(client.acknowledged for client in made)


def any_failed(made: list[Client]) -> bool:
    return any(client.failure for client in made)


def wait_for_backends_to_end(postgres: PostgresServer, name: str) -> None:
    """Wait until PostgreSQL has finished what the killed process sent; only then is a new request later."""
    until(lambda: postgres.execute(f"select count(*) from pg_stat_activity where datname = '{name}'") == [[0]])


@pytest.mark.timeout(1800)
def test_killed_services_leave_whole_objects(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path: Path
) -> None:
    url, bucket = storage_database(), "b"
    name = postgres.execute("select current_database()", url)[0][0]
    postgres.execute(f"insert into storage.buckets (id, name) values ('{bucket}', '{bucket}')", url)
    settings = {
        "database_url": url, "jwt_secret": SECRET, "storage_url": tmp_path.as_uri(), "threads": 4,
        # Without a grace period the background work always runs too.
        "replaced_bytes_grace_s": 0.0,
    }  # fmt: skip
    service = Restarting(settings)
    moments = random.Random(1)
    try:
        child = service.serve()
        with clients(service.port, bucket) as made:
            for turn in range(KILLS):
                acknowledged = count_acknowledged(made)
                # Kills come at random moments of the requests.
                time.sleep(moments.uniform(0.0, 0.08))
                if turn % 2:
                    # On a slow machine too, some processes must do something before they are killed.
                    until(lambda before=acknowledged: count_acknowledged(made) > before or any_failed(made))
                service.kill(child)
                wait_for_backends_to_end(postgres, str(name))
                child = service.serve()
            assert [client.failure for client in made] == [None] * CLIENTS
        for client in made:
            assert client.failure is None
        assert count_acknowledged(made) >= KILLS // 2
        # Clients with a response had a connection, which broke; but the last ones may not have noticed.
        assert sum(client.broken for client in made) >= KILLS // 2 - CLIENTS
        service.kill(child)
        wait_for_backends_to_end(postgres, str(name))
    finally:
        service.close()
    rows = postgres.execute("select name, version, metadata from storage.objects", url)
    backend = FolderBackend(tmp_path)
    stored = {}
    for key, version, metadata in rows:
        file = backend.open_read(f"blobs/{str(version)[:2]}/{version}").file
        assert file is not None
        with file:
            content = file.read()
        assert metadata["size"] == len(content)
        assert metadata["eTag"] == f'"{hashlib.md5(content).hexdigest()}"'
        stored[str(key)] = content
    for client in made:
        assert (stored.get(client.keys[0]), stored.get(client.keys[1])) in client.worlds
    # After a sweep there are no more blobs than rows, and no unfinished writes.
    database = Database(load({}, settings))
    try:
        contexts = ContextBuilder()
        postgres.execute("update storage.work set due_at = now() - interval '1 hour'", url)
        work = WorkList(database, contexts, lambda: backend, (), installed_features(database, contexts), grace_s=0.0)
        swept = Sweep(database, contexts, backend, work, older_than_s=0.0).run(delete=True)
        assert swept.foreign == 0
    finally:
        database.close()
    files = {name for _, _, names in os.walk(tmp_path) for name in names}
    assert files == {str(version) for _, version, _ in rows}
    assert postgres.execute("select count(*) from storage.work", url) == [[0]]
    print(f"{KILLS} kills, {sum(c.acknowledged for c in made)} acknowledged, {sum(c.broken for c in made)} broken, "
          f"{swept.orphans} orphans and {swept.unfinished} unfinished writes swept")  # fmt: skip
