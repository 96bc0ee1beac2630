"""50 clients write, delete, restore and purge versions of one key, while the service is killed at random moments."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import random
import threading
import time
from collections.abc import Callable
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
from tests.storage.service import SECRET, SERVICE, unique

CLIENTS, KILLS = 50, int(os.environ.get("PORTICO_TEST_KILLS", "12"))
BUCKET, KEY = "b", "k"
# If a key has no object, its newest version is a delete marker.
DANGLING = """
    select v.name from (
      select distinct on (bucket_id, name) * from storage.versions order by bucket_id, name, number desc) v
    where not v.is_delete_marker
      and not exists (select from storage.objects o where o.bucket_id = v.bucket_id and o.name = v.name)
"""


class VersionClient(threading.Thread):
    """``written``: contents of acknowledged writes. ``doomed``: contents whose deletion for good was requested."""

    def __init__(self, port: int, number: int, stop: threading.Event) -> None:
        super().__init__()
        self._port, self._stop_event, self._random = port, stop, random.Random(number)
        self.written: set[bytes] = set()
        self.doomed: set[bytes] = set()
        self.restored = self.refused = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        acts = (self._write, self._write, self._delete, self._undelete, self._restore, self._purge)
        try:
            while not self._stop_event.is_set():
                self._random.choice(acts)()
        except BaseException as error:
            self.failure = error

    def _ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
        """The status and the body; 0 if the connection broke."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        sent = {
            "authorization": f"Bearer {SERVICE}",
            **{name.replace("_", "-"): text for name, text in headers.items()},
        }
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            time.sleep(0.01)
            return 0, b""
        finally:
            connection.close()

    def _json(self, path: str, body: object) -> tuple[int, bytes]:
        return self._ask("POST", path, json.dumps(body).encode(), content_type="application/json")

    def _write(self) -> None:
        content = unique().encode()
        status, answer = self._ask("PUT", f"/object/{BUCKET}/{KEY}", content)
        if status == 200:
            self.written.add(content)
        else:
            self._check(status, answer)

    def _delete(self) -> None:
        self._check(*self._ask("DELETE", f"/object/{BUCKET}/{KEY}"))

    def _listed(self, **wanted: str) -> list[str]:
        status, answer = self._json(f"/object/list-v2/{BUCKET}", wanted)
        return [each["versionId"] for each in json.loads(answer)["objects"]] if status == 200 else []

    def _undelete(self) -> None:
        for version in self._listed(deleteMarkers="only")[:1]:
            self._check(*self._ask("DELETE", f"/object/{BUCKET}/{KEY}?versionId={version}"))

    def _restore(self) -> None:
        versions = self._listed(noncurrentVersions="only")
        if versions:
            names = {"bucketId": BUCKET, "sourceKey": KEY, "destinationKey": KEY}
            body = json.dumps({**names, "sourceVersionId": self._random.choice(versions)}).encode()
            status, answer = self._ask("POST", "/object/copy", body, content_type="application/json", x_upsert="true")
            self.restored += status == 200
            self._check(status, answer)

    def _purge(self) -> None:
        versions = self._listed(noncurrentVersions="include")
        if not versions:
            return
        version = self._random.choice(versions)
        status, content = self._ask("GET", f"/object/{BUCKET}/{KEY}?versionId={version}")
        if status == 200:
            self.doomed.add(content)
            self._check(*self._ask("DELETE", f"/object/{BUCKET}/{KEY}?versionId={version}"))

    def _check(self, status: int, answer: bytes) -> None:
        """The request succeeded, the connection broke, or another client was faster."""
        if status in (0, 200):
            return
        code = json.loads(answer)["code"]
        assert code in ("NoSuchKey", "NoSuchVersion", "ResourceLocked", "SlowDown", "DatabaseError"), answer
        self.refused += 1


@pytest.mark.timeout(1200)
def test_no_version_is_lost(postgres: PostgresServer, storage_database: Callable[[], str], tmp_path: Path) -> None:
    url = storage_database()
    name = postgres.execute("select current_database()", url)[0][0]
    status = "insert into storage.buckets (id, name, versioning_status) values ('b', 'b', 'ENABLED')"
    postgres.execute(status, url)
    settings = {
        "database_url": url, "jwt_secret": SECRET, "storage_url": tmp_path.as_uri(), "threads": 4,
        "replaced_bytes_grace_s": 0.0,
    }  # fmt: skip
    service, stop, moments = Restarting(settings), threading.Event(), random.Random(1)
    made = [VersionClient(service.port, number, stop) for number in range(CLIENTS)]
    try:
        child = service.serve()
        for client in made:
            client.start()
        for _ in range(KILLS):
            before = sum(len(client.written) for client in made)
            until(lambda before=before: sum(len(client.written) for client in made) > before + 5)
            time.sleep(moments.uniform(0.0, 0.08))
            service.kill(child)
            until(lambda: postgres.execute(f"select count(*) from pg_stat_activity where datname = '{name}'") == [[0]])
            child = service.serve()
        stop.set()
        for client in made:
            client.join(PATIENCE_S)
        service.kill(child)
        until(lambda: postgres.execute(f"select count(*) from pg_stat_activity where datname = '{name}'") == [[0]])
    finally:
        stop.set()
        service.close()
    assert [client.failure for client in made if client.failure] == []
    assert postgres.execute(DANGLING, url) == []
    rows = postgres.execute(
        "select version, metadata ->> 'eTag' from storage.objects union all"
        " select version, metadata ->> 'eTag' from storage.versions where not is_delete_marker", url
    )  # fmt: skip
    kept = set()
    for version, etag in rows:
        content = (tmp_path / "blobs" / str(version)[:2] / str(version)).read_bytes()
        assert f'"{hashlib.md5(content).hexdigest()}"' == etag
        kept.add(content)
    written = set().union(*(client.written for client in made))
    assert written - set().union(*(client.doomed for client in made)) <= kept
    _sweep(postgres, url, settings, tmp_path)
    files = {name for _, _, names in os.walk(tmp_path) for name in names}
    assert files == {str(version) for version, _ in rows}
    print(f"{len(written)} written, {sum(c.restored for c in made)} restored, {len(rows)} kept")


def _sweep(postgres: PostgresServer, url: str, settings: dict[str, object], folder: Path) -> None:
    """Do the work that is due, and delete bytes that no row names."""
    postgres.execute("update storage.work set due_at = now() - interval '1 hour'", url)
    database = Database(load({}, settings))
    try:
        contexts, backend = ContextBuilder(), FolderBackend(folder)
        work = WorkList(database, contexts, lambda: backend, (), installed_features(database, contexts), grace_s=0.0)
        Sweep(database, contexts, backend, work, older_than_s=0.0).run(delete=True)
    finally:
        database.close()
