"""The storage API on the local backend: ``python -m bench.storage [--seconds N] [--workers N] [--threads N]``.

Uploads and downloads of 1 KiB and 1 MiB over 16 connections and of 64 MiB over 4, and 16 connections each for signing,
info, listing 1,000 objects, and an image in another size. A real service on a durable database, both on this machine.
Each line has the CPU time of the service and of PostgreSQL for one request, and how many times that of an empty web
server it is, which is measured right before and after. ``hash and write`` is what the bytes of an upload take alone,
in one thread. Files are made below TMPDIR: the first write to memory that a virtual machine has not used yet may take
several times as long, and so do new files on ext4 without a journal for minutes after many were deleted.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import jwt

from app.embedded import EmbeddedPostgres
from app.installation import install
from bench.floor import EmptyServer, cpu_of_writing, empty_server
from bench.images import measure_images
from bench.load import run_load
from bench.processor import cpu_seconds
from bench.service import serving, workers_of

SECRET = "a secret that only this benchmark uses"
KEY = jwt.encode({"role": "service_role"}, SECRET, algorithm="HS256")
KIB, MIB = 1024, 1024 * 1024
# What a comparable service reached on such a machine, in its own kind of measurement.
PEER = {
    "upload 1 KiB": 357, "upload 1 MiB": 108, "upload 64 MiB": 2.4, "download 1 KiB": 679, "download 1 MiB": 157,
    "download 64 MiB": 3.8, "sign": 2010, "info": 1673, "list 1,000": 99,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, EmbeddedPostgres(Path(place) / "postgres", temporary=True) as cluster:
        install(cluster.url())
        with (
            serving(variables(cluster.url(), place), options.workers, options.threads) as (address, pid),
            empty_server(options.workers, options.threads) as empty,
        ):
            measure(Meter(address, options.seconds, (pid, server_of(cluster)), empty), Path(place))
            peaks = ", ".join(f"{_peak(each) / MIB:.0f}" for each in workers_of(pid))
            print(f"peak memory of the workers: {peaks} MiB")


def variables(database_url: str, place: str) -> dict[str, str]:
    """The environment of a service that keeps its bytes in ``place``."""
    return {
        "DATABASE_URL": database_url, "JWT_SECRET": SECRET, "SERVICE_ROLE_KEY": KEY, "ANON_KEY": "anon",
        "STORAGE_URL": f"file://{place}/objects", "UPLOAD_SIZE_LIMIT": "1G", "TMPDIR": place,
        # More connections than threads are measured, not refused.
        "WAITING_S": "60",
    }  # fmt: skip


def server_of(cluster: EmbeddedPostgres) -> int:
    """The process id of PostgreSQL's first process."""
    return int((Path(cluster.data_directory) / "postmaster.pid").read_text().split()[0])


def measure(meter: Meter, place: Path) -> None:
    meter.once("POST", "/bucket", json.dumps({"name": "b"}).encode())
    for size, connections, name in ((KIB, 16, "1 KiB"), (MIB, 16, "1 MiB"), (64 * MIB, 4, "64 MiB")):
        content = os.urandom(size)
        alone = cpu_of_writing(place, content)
        tell(f"hash and write {name}", 1 / alone, size, (alone * 1e6,))
        numbers = itertools.count()
        meter.threads(f"upload {name}", connections, size,
                     lambda: request("POST", f"/object/b/{name}/{next(numbers)}", content))  # noqa: B023  # fmt: skip
        path = f"/object/b/{name}/0".replace(" ", "%20")
        if size < MIB:
            meter.selector(f"download {name}", request("GET", path))
        else:
            meter.threads(f"download {name}", connections, size, lambda: request("GET", path))  # noqa: B023
    small = "/b/1%20KiB/0"
    meter.selector("sign", request("POST", f"/object/sign{small}", b'{"expiresIn":60}', "application/json"))
    meter.selector("info", request("GET", f"/object/info/authenticated{small}"))
    meter.once("POST", "/bucket", json.dumps({"name": "public", "public": True}).encode())
    meter.once("POST", "/object/public/1KiB", os.urandom(KIB))
    meter.selector("public download", request("GET", "/object/public/public/1KiB"))
    for number in range(1000):
        meter.once("PUT", f"/object/b/listed/{number:04}", b"x")
    body = b'{"prefix":"listed","limit":1000}'
    meter.selector("list 1,000", request("POST", "/object/list/b", body, "application/json"))
    body = b'{"prefix":"listed/","limit":1000,"with_delimiter":true}'
    meter.selector("list-v2 1,000", request("POST", "/object/list-v2/b", body, "application/json"))
    measure_images(meter, request)


def request(method: str, path: str, body: bytes = b"", content_type: str = "application/octet-stream") -> bytes:
    head = (
        f"{method} {path.replace(' ', '%20')} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@dataclass(frozen=True)
class Meter:
    """Loads a service. ``pids``: the first processes of the service and of PostgreSQL, whose CPU time is told, beside
    that of ``empty`` right before and after if there is one."""

    address: tuple[str, int]
    seconds: float
    pids: tuple[int, ...]
    empty: EmptyServer | None = None

    def once(self, method: str, path: str, body: bytes) -> None:
        with socket.create_connection(self.address) as connection:
            connection.sendall(request(method, path, body, "application/json"))
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")

    def selector(self, name: str, wanted: bytes) -> None:
        """The same small request again and again."""
        run_load(self.address, wanted, connections=16, seconds=0.5)
        with self._told(name, 0) as ends:
            done = run_load(self.address, wanted, connections=16, seconds=self.seconds)
            assert not done.failures, f"{done.failures} failures"
            ends.extend([time.perf_counter()] * done.requests)

    @contextmanager
    def _told(self, name: str, size: int) -> Iterator[list[float]]:
        """Tells the figures of a load whose requests end at the times that are put into the list."""
        ends: list[float] = []
        empty = [self.empty.cpu_of_request()] if self.empty else []
        before, began = [cpu_seconds(pid) for pid in self.pids], time.perf_counter()
        yield ends
        after = [cpu_seconds(pid) for pid in self.pids]
        used = [(each - least) / len(ends) * 1e6 for each, least in zip(after, before, strict=True)]
        if self.empty:
            empty.append(self.empty.cpu_of_request())
        tell(name, len(ends) / (max(ends) - began), size, used, mean(empty) * 1e6 if empty else None)

    def threads(self, name: str, connections: int, size: int, make: Callable[[], bytes]) -> float:
        """Requests or answers with a body, each connection in a thread. Gives how many per second."""

        def once(connection: socket.socket, buffer: bytearray) -> None:
            connection.sendall(make())
            receive(connection, buffer)

        return self.each(name, connections, size, once)

    def each(self, name: str, connections: int, size: int, once: Callable[[socket.socket, bytearray], None]) -> float:
        """``once`` again and again, on each connection in a thread, once at least. Gives how many per second."""
        began = time.perf_counter()
        deadline = time.perf_counter() + self.seconds
        with self._told(name, size) as ends:

            def run() -> None:
                with KeptConnection(self.address) as connection:
                    buffer = bytearray(MIB)
                    while not ends or time.perf_counter() < deadline:
                        once(connection, buffer)
                        ends.append(time.perf_counter())

            running = [threading.Thread(target=run) for _ in range(connections)]
            for thread in running:
                thread.start()
            for thread in running:
                thread.join()
        return len(ends) / (max(ends) - began)


class KeptConnection(socket.socket):
    """A connection that is opened anew for the next request where the server closes it after an answer."""

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__()
        self._address = address
        self._current: socket.socket | None = None

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        self._current = self._current or socket.create_connection(self._address)
        self._current.sendall(data, flags)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        assert self._current is not None
        return self._current.recv(size, flags)

    def recv_into(self, buffer: Any, size: int = 0, flags: int = 0, /) -> int:
        assert self._current is not None
        return self._current.recv_into(buffer, size, flags)

    def close(self) -> None:
        if self._current is not None:
            self._current.close()
            self._current = None


def receive(connection: socket.socket, buffer: bytearray) -> bytes:
    """Read one answer to its end; gives its head, and with it what came along of its body."""
    head = bytearray()
    while (end := head.find(b"\r\n\r\n")) < 0:
        more = connection.recv(65536)
        assert more, "the connection was closed before an answer"
        head += more
    assert head.startswith(b"HTTP/1.1 200"), bytes(head[:1000])
    found = re.search(rb"(?i)content-length: (\d+)", head)
    assert found
    left = int(found[1]) - (len(head) - end - 4)
    while left > 0:
        got = connection.recv_into(buffer, min(left, len(buffer)))
        assert got, "the connection was closed within an answer"
        left -= got
    if b"\r\nconnection: close" in head[:end].lower():
        connection.close()
    return bytes(head)


def tell(name: str, per_second: float, size: int, used: Sequence[float], empty: float | None = None) -> None:
    """``used``: microseconds of CPU time, of the service and of PostgreSQL; ``empty``: of the empty web server."""
    peer = PEER.get(name)
    rate = f"{per_second * size / MIB:8.1f} MiB/s" if size else ""
    cpu = ", ".join(f"{who} {each:.0f} us" for who, each in zip(("CPU", "PostgreSQL"), used, strict=False))
    times = f", {used[0] / empty:.2f} x the empty server's {empty:.0f} us" if empty else ""
    line = f"{name:21} {per_second:9.1f} per second  {rate:16} {cpu}{times}"
    print(line + (f"   (the peer: {peer} per second)" if peer else ""), flush=True)


def _peak(pid: int) -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) * 1024 if found else 0


if __name__ == "__main__":
    main()
