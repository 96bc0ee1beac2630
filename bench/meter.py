"""Loads a service with requests to its storage, and prints how many it answers per second, and their CPU time."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import mean
from typing import Any

from bench.floor import OwnServer
from bench.load import run_load
from bench.processor import cpu_seconds
from bench.storage_service import request

KIB, MIB = 1024, 1024 * 1024
# The operations per second of a comparable service on such a machine, measured by its own benchmark.
PEER = {
    "upload 1 KiB": 357, "upload 1 MiB": 108, "upload 64 MiB": 2.4, "download 1 KiB": 679, "download 1 MiB": 157,
    "download 64 MiB": 3.8, "sign": 2010, "info": 1673, "list 1,000": 99,
}  # fmt: skip


@dataclass(frozen=True)
class Meter:
    """Loads a service. ``pids``: the first processes of the service and of PostgreSQL, whose CPU time is reported.
    If there is an ``empty`` server, its CPU time is measured right before and after."""

    address: tuple[str, int]
    seconds: float
    pids: tuple[int, ...]
    empty: OwnServer | None = None

    def once(self, method: str, path: str, body: bytes) -> None:
        with socket.create_connection(self.address) as connection:
            connection.sendall(request(method, path, body, "application/json"))
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")

    def selector(self, name: str, wanted: bytes) -> None:
        """The same small request again and again."""
        run_load(self.address, wanted, connections=16, seconds=0.5)
        with self._reported(name, 0) as ends:
            done = run_load(self.address, wanted, connections=16, seconds=self.seconds)
            assert not done.failures, f"{done.failures} failures"
            ends.extend([time.perf_counter()] * done.requests)

    @contextmanager
    def _reported(self, name: str, size: int) -> Iterator[list[float]]:
        """Report the figures of a load whose requests end at the times that are put into the list."""
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
        with self._reported(name, size) as ends:

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
    """A connection that is opened again for the next request if the server has closed it after a response."""

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
    """Read one response to its end. Returns its head and the part of its body that arrived with the head."""
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
