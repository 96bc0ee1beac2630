"""The storage API on the local backend: ``python -m bench.storage [--seconds N] [--workers N] [--threads N]``.

Uploads and downloads of 1 KiB and 1 MiB over 16 connections and of 64 MiB over 4, and 16 connections each for signing,
info, listing 1,000 objects, and an image in another size. A real service on a durable database, both on this machine.
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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import jwt

from app.embedded import EmbeddedPostgres
from app.installation import install
from bench.images import measure_images
from bench.load import run_load
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
        with serving(variables(cluster.url(), place), options.workers, options.threads) as (address, pid):
            measure(address, options.seconds)
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


def measure(address: tuple[str, int], seconds: float) -> None:
    meter = Meter(address, seconds)
    meter.once("POST", "/bucket", json.dumps({"name": "b"}).encode())
    for size, connections, name in ((KIB, 16, "1 KiB"), (MIB, 16, "1 MiB"), (64 * MIB, 4, "64 MiB")):
        content = os.urandom(size)
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


@dataclass
class Meter:
    address: tuple[str, int]
    seconds: float

    def once(self, method: str, path: str, body: bytes) -> None:
        with socket.create_connection(self.address) as connection:
            connection.sendall(request(method, path, body, "application/json"))
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")

    def selector(self, name: str, wanted: bytes) -> None:
        """The same small request again and again."""
        run_load(self.address, wanted, connections=16, seconds=0.5)
        done = run_load(self.address, wanted, connections=16, seconds=self.seconds)
        assert not done.failures, f"{done.failures} failures"
        tell(name, done.per_second, 0)

    def threads(self, name: str, connections: int, size: int, make: Callable[[], bytes]) -> None:
        """Requests or answers with a body, each connection in a thread."""
        deadline = time.perf_counter() + self.seconds
        done: list[float] = []
        began = time.perf_counter()

        def run() -> None:
            with socket.create_connection(self.address) as connection:
                buffer = bytearray(MIB)
                while time.perf_counter() < deadline:
                    connection.sendall(make())
                    receive(connection, buffer)
                    done.append(time.perf_counter())

        running = [threading.Thread(target=run) for _ in range(connections)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        tell(name, len(done) / (max(done) - began), size)


def receive(connection: socket.socket, buffer: bytearray) -> bytes:
    """Read one answer to its end; gives its head, and with it what came along of its body."""
    head = bytearray()
    while (end := head.find(b"\r\n\r\n")) < 0:
        head += connection.recv(65536)
    assert head.startswith(b"HTTP/1.1 200"), bytes(head[:1000])
    found = re.search(rb"(?i)content-length: (\d+)", head)
    assert found
    left = int(found[1]) - (len(head) - end - 4)
    while left > 0:
        left -= connection.recv_into(buffer, min(left, len(buffer)))
    return bytes(head)


def tell(name: str, per_second: float, size: int) -> None:
    peer = PEER.get(name)
    rate = f"{per_second * size / MIB:8.1f} MiB/s" if size else ""
    print(f"{name:18} {per_second:9.1f} per second  {rate:16}" + (f" (the peer: {peer})" if peer else ""), flush=True)


def _peak(pid: int) -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) * 1024 if found else 0


if __name__ == "__main__":
    main()
