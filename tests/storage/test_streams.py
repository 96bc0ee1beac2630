"""Large objects: memory does not grow with them, and slow clients occupy no thread."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from app.hooks import hookimpl
from app.storage.bytes.backend import BackendUnavailable, BlobMissing, Readable
from plugins.storage.file import FolderBackend
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until
from tests.storage.restarted import Restarting
from tests.storage.service import SECRET, SERVICE, Service, error

MIB = 1024 * 1024
# Far more than memory may grow, but not so much that a slow disk takes minutes.
LARGE = int(os.environ.get("PORTICO_TEST_LARGE_MIB", "256")) * MIB


class Zeros:
    """A readable body of zeros that is not held in memory."""

    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int = MIB) -> bytes:
        size = min(size, self.left, MIB)
        self.left -= size
        return bytes(size)


def test_large_objects_take_little_memory(
    postgres: PostgresServer, storage_database: Callable[[], str], tmp_path: Path
) -> None:
    """While a large object is uploaded and downloaded, the process grows by less than 16 MiB."""
    url = storage_database()
    postgres.execute("insert into storage.buckets (id, name) values ('b', 'b')", url)
    server = Restarting(
        {"database_url": url, "jwt_secret": SECRET, "storage_url": tmp_path.as_uri(), "upload_size_limit": 2 * LARGE}
    )
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    try:
        process = psutil.Process(server.serve())
        headers = {"authorization": f"Bearer {SERVICE}", "content-type": "application/octet-stream"}

        def send(method: str, path: str, body: object, length: int, **more: str) -> bytes:
            connection.request(method, path, body, {**headers, "content-length": str(length), **more})  # type: ignore[arg-type]
            response = connection.getresponse()
            content = response.read()
            assert response.status == 200, content
            return content

        send("PUT", "/object/b/warm", b"x", 1)
        before = _peak(process)
        send("PUT", "/object/b/k", Zeros(LARGE), LARGE)
        assert _peak(process) - before < 16 * MIB
        connection.request("GET", "/object/b/k", headers=headers)
        response = connection.getresponse()
        digest, size = hashlib.md5(), 0
        while chunk := response.read(MIB):
            digest.update(chunk)
            size += len(chunk)
        assert size == LARGE
        assert response.headers["etag"] == f'"{digest.hexdigest()}"'
        assert _peak(process) - before < 16 * MIB
    finally:
        connection.close()
        server.close()


def _peak(process: psutil.Process) -> int:
    """The peak memory of the process if the system records it, else its current memory."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    rss: int = process.memory_info().rss
    return rss


@contextlib.contextmanager
def stalled_download(service: Service, path: str) -> Iterator[socket.socket]:
    """A client that requests an object and does not read it."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(service.address)
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {SERVICE}\r\n\r\n".encode())
        assert client.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
        yield client


def test_slow_clients_hold_no_thread(own_service: Callable[..., Service]) -> None:
    """With one thread, and a client that does not read its 64 MiB, others are served."""
    service = own_service(threads=1)
    path = f"/object/{service.bucket()}/k"
    service.put(path, data=bytes(40 * MIB)).raise_for_status()
    with stalled_download(service, path), stalled_download(service, path):
        assert service.get("/bucket").status_code == 200
        assert len(service.get(path).content) == 40 * MIB


class Remote(FolderBackend):
    """A backend that gives streams instead of files, as remote ones do."""

    open_streams = 0
    failure: type[Exception] | None = None

    def open_read(self, key: str, start: int = 0, end: int | None = None) -> Readable:
        local = super().open_read(key, start, end)
        Remote.open_streams += 1
        return Readable(local.length, chunks=_Chunks(local, self.failure))


class _Chunks:
    """``failure`` is raised instead of the first chunk."""

    def __init__(self, local: Readable, failure: type[Exception] | None) -> None:
        assert local.file is not None
        self._file, self._left, self._failure = local.file, local.length, failure

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._failure is not None:
            raise self._failure
        chunk = self._file.read(min(self._left, MIB))
        self._left -= len(chunk)
        if not chunk:
            raise StopIteration
        return chunk

    def close(self) -> None:
        if not self._file.closed:
            Remote.open_streams -= 1
        self._file.close()


class RemotePlugin:
    def __init__(self, root: Path) -> None:
        self.root = root

    @hookimpl
    def storage_backend(self, url: str) -> Remote | None:
        return Remote(self.root) if url.startswith("remote:") else None


def test_remote_streams_leave_threads_to_others(own_service: Callable[..., Service], tmp_path: Path) -> None:
    service = own_service(
        threads=3, remote_streams=2, plugins={"remote": RemotePlugin(tmp_path / "r")}, storage_url="remote:"
    )
    path = f"/object/{service.bucket()}/k"
    service.put(path, data=bytes(40 * MIB)).raise_for_status()
    assert len(service.get(path).content) == 40 * MIB
    with stalled_download(service, path), stalled_download(service, path):
        answer = service.get(path)
        assert error(answer) == (503, "503", "SlowDown", "Too many downloads are running")
        assert answer.headers["retry-after"] == "1"
        assert service.get("/bucket").status_code == 200
        assert service.request("HEAD", path).status_code == 200
    # When the clients are gone, their places are free again.
    until(lambda: service.get(path, headers={"range": "bytes=0-99999"}).content == bytes(100_000))
    # The sending thread closes a stream, possibly after the client has read it all.
    until(lambda: Remote.open_streams == 0)


def test_ranges_of_a_remote_stream_are_read(own_service: Callable[..., Service], tmp_path: Path) -> None:
    service = own_service(plugins={"remote": RemotePlugin(tmp_path / "r")}, storage_url="remote:")
    path = f"/object/{service.bucket()}/k"
    service.put(path, data=bytes(range(256))).raise_for_status()
    for _ in range(20):
        answer = service.get(path, headers={"range": "bytes=5-9"})
        assert (answer.status_code, answer.content) == (206, bytes(range(5, 10)))
    until(lambda: Remote.open_streams == 0)


@pytest.mark.parametrize(
    ("failure", "status", "logical", "code"),
    [(BackendUnavailable, 503, "503", "StorageUnavailable"), (BlobMissing, 400, "404", "NoSuchKey")],
)
def test_a_failing_remote_stream_frees_its_place(
    own_service: Callable[..., Service],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: type[Exception],
    status: int,
    logical: str,
    code: str,
) -> None:
    """Backends that open lazily fail only then; the place of the stream is free again."""
    service = own_service(remote_streams=1, plugins={"remote": RemotePlugin(tmp_path / "r")}, storage_url="remote:")
    path = f"/object/{service.bucket()}/k"
    service.put(path, data=bytes(MIB)).raise_for_status()
    with monkeypatch.context() as patch:
        # A switch of the test's own backend, off again after the block.
        patch.setattr(Remote, "failure", failure)
        for headers in ({}, {"range": "bytes=0-99999"}):
            assert error(service.get(path, headers=headers))[:3] == (status, logical, code)
    assert service.get(path).content == bytes(MIB)
