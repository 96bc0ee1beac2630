"""The service is killed at random moments of resumable uploads: what it has acknowledged is never lost, on any backend.

Without PORTICO_TEST_UPLOAD_KILLS, the number of kills, a few are done on the fastest backend only. The long form is
PORTICO_TEST_UPLOAD_KILLS=200 pytest -s tests/storage_backends/test_upload_kills.py
"""

from __future__ import annotations

import http.client
import os
import random
import threading
import time
from base64 import b64encode
from collections.abc import Callable

import pytest

from app.database import ContextBuilder, Database
from app.installation.scripts import install_script
from app.installation.version import VERSION
from app.settings import Settings, load
from app.storage.bytes.blobs import blob_key
from app.storage.upkeep.sweep import Sweep
from app.storage.upkeep.work import WorkList, installed_features
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until
from tests.storage.restarted import Restarting
from tests.storage.service import SECRET, SERVICE
from tests.storage_backends.places import Place

WANTED = os.environ.get("PORTICO_TEST_UPLOAD_KILLS")
KILLS = int(WANTED or "4")
CLIENTS = 3 if WANTED else 2
BUCKET = "b"
Answer = tuple[int, dict[str, str], bytes]


class Uploader(threading.Thread):
    """Uploads one object after the other, and checks each offset and each object."""

    def __init__(self, port: int, number: int, stop: threading.Event) -> None:
        super().__init__()
        self._port, self._number, self._stop_event = port, number, stop
        self._random = random.Random(number)
        self._connection: http.client.HTTPConnection | None = None
        self.acknowledged = self.broken = self.objects = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self._stop_event.is_set():
                self._upload(f"client{self._number}/{self.objects}", self._random.randbytes(300_000))
                self.objects += 1
        except BaseException as error:
            self.failure = error
        finally:
            if self._connection is not None:
                self._connection.close()

    def _upload(self, key: str, data: bytes) -> None:
        path = self._begin(key, len(data))
        offset = 0
        while offset < len(data):
            chunk = data[offset : offset + self._random.randrange(1, 120_000)]
            headers = {"content-type": "application/offset+octet-stream", "upload-offset": str(offset)}
            answer = self._send("PATCH", path, headers, chunk)
            if answer is None:
                found = self._offset(path)
                # All or any part of what was sent may have arrived.
                assert offset <= found <= offset + len(chunk), (offset, found)
                offset = found
                continue
            status, answered, text = answer
            assert (status, answered.get("upload-offset")) == (204, str(offset + len(chunk))), (status, answered, text)
            offset += len(chunk)
            self.acknowledged += 1
        status, _, content = self._surely("GET", f"/object/{BUCKET}/{key}")
        assert (status, content == data) == (200, True), (key, status, len(content))
        assert self._offset(path) == len(data)

    def _begin(self, key: str, length: int) -> str:
        names = {"bucketName": BUCKET, "objectName": key}
        given = ",".join(f"{name} {b64encode(value.encode()).decode()}" for name, value in names.items())
        headers = {"upload-length": str(length), "upload-metadata": given}
        status, answered, text = self._surely("POST", "/upload/resumable", headers)
        assert status == 201, text
        return "/upload/" + answered["location"].partition("/upload/")[2]

    def _offset(self, path: str) -> int:
        # Another request, which was cut off, may still have the upload's lock; its end is not reported.
        answer = until(lambda: found if (found := self._surely("HEAD", path))[0] != 423 else None)
        assert answer[0] == 200, answer
        return int(answer[1]["upload-offset"])

    def _surely(self, method: str, path: str, headers: dict[str, str] | None = None) -> Answer:
        answer = None
        while answer is None:
            answer = self._send(method, path, headers or {}, b"")
        return answer

    def _send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer | None:
        """The answer, or None when the connection broke."""
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
            given = {"authorization": f"Bearer {SERVICE}", "tus-resumable": "1.0.0", **headers}
            self._connection.request(method, path, body or None, given)
            response = self._connection.getresponse()
            answered = {name.lower(): value for name, value in response.getheaders()}
            return response.status, answered, response.read()
        except (OSError, http.client.HTTPException):
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            self.broken += 1
            return None


@pytest.mark.timeout(1800)
def test_killed_uploads_lose_no_acknowledged_byte(
    postgres: PostgresServer, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    if WANTED is None and place.kind != "file":
        pytest.skip("only in the long form")
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    url = postgres.create_database(sql=install_script(VERSION))
    postgres.execute(f"insert into storage.buckets (id, name) values ('{BUCKET}', '{BUCKET}')", url)
    settings = {
        "database_url": url, "jwt_secret": SECRET, "storage_url": f"{place.url}/kills", "threads": 4,
        "replaced_bytes_grace_s": 0.0, "remote_streams": CLIENTS,
    }  # fmt: skip
    service, stop, moments = Restarting(settings), threading.Event(), random.Random(1)
    uploaders = [Uploader(service.port, number, stop) for number in range(CLIENTS)]

    def acknowledged() -> int:
        return sum(each.acknowledged for each in uploaders)

    def progress(before: int) -> Callable[[], bool]:
        return lambda: acknowledged() > before or any(each.failure for each in uploaders)

    try:
        child = service.serve()
        for each in uploaders:
            each.start()
        for turn in range(KILLS):
            before = acknowledged()
            # Kills come at random moments of the requests.
            time.sleep(moments.uniform(0.0, 0.2))
            if turn % 2 == 0:
                # On a slow machine too, some processes must do something before they are killed.
                until(progress(before))
            service.kill(child)
            child = service.serve()
        until(lambda: all(each.objects or each.failure for each in uploaders))
        stop.set()
        for each in uploaders:
            each.join(PATIENCE_S)
    finally:
        stop.set()
        service.close()
    assert [each.failure for each in uploaders] == [None] * CLIENTS
    assert not any(each.is_alive() for each in uploaders)
    assert sum(each.broken for each in uploaders) > 0
    _nothing_is_left_behind(postgres, place, load({}, settings))
    print(f"{place.kind}: {KILLS} kills, {acknowledged()} requests with bytes acknowledged, "
          f"{sum(each.broken for each in uploaders)} broken, "
          f"{sum(each.objects for each in uploaders)} objects")  # fmt: skip


def _nothing_is_left_behind(postgres: PostgresServer, place: Place, settings: Settings) -> None:
    url = settings.database_url
    postgres.execute("update storage.uploads set expires_at = now()", url)
    database, contexts = Database(settings), ContextBuilder()
    try:
        with Place(place.kind, settings.storage_url, place.environment, place.port).backend() as backend:
            work = WorkList(
                database, contexts, lambda: backend, (), installed_features(database, contexts), grace_s=0.0
            )
            work.expire_uploads()
            postgres.execute("update storage.work set due_at = now() - interval '1 hour'", url)
            Sweep(database, contexts, backend, work, older_than_s=-60.0).run(delete=True)
            versions = postgres.execute("select version from storage.objects", url)
            assert {blob.key for blob in backend.list("blobs/")} == {blob_key(str(row[0])) for row in versions}
    finally:
        database.close()
    assert postgres.execute("select count(*) from storage.upload_parts", url) == [[0]]
