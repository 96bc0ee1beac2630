"""Behaviour beyond the capacity: requests arrive at a fixed rate, whether or not earlier ones were answered.

``python -m bench.overload`` serves an embedded PostgreSQL with one worker and measures how many requests of 100 ms it
answers each second. Then as many, and up to ten times as many, arrive: the table has how long accepted and refused
requests took, from the time at which they were due.
"""

from __future__ import annotations

import argparse
import json
import selectors
import socket
import tempfile
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from bench.databases import filled_database
from bench.load import http_request, run_load
from bench.service import serving

THREADS = 4
_CONNECTIONS = 800
_KEY = "the key of a benchmark"

SQL = "create function public.takes_100_ms() returns int language sql stable as 'select 1 from pg_sleep(0.1)'"


@dataclass
class Outcome:
    """Seconds from when a request was due to its answer, by status; ``late`` were due while no connection was free."""

    took: dict[int, list[float]] = field(default_factory=dict)
    without_retry_after: int = 0
    late: int = 0

    def line(self, name: str, seconds: float) -> str:
        parts = [f"{name:<22}"]
        for status in sorted(self.took):
            took = sorted(self.took[status])
            middle, most = took[len(took) // 2] * 1000, took[int(len(took) * 0.99)] * 1000
            parts.append(f"{status}: {len(took) / seconds:7.0f}/s, median {middle:6.1f} ms, 99 % {most:6.1f} ms")
        return "; ".join(parts) + (f"; {self.late} late" if self.late else "")


class Arrivals:
    """Sends a request at each of a row of times, over any connection that is free."""

    def __init__(self, address: tuple[str, int], request: bytes) -> None:
        self._request = request
        self._selector = selectors.DefaultSelector()
        self._due: dict[socket.socket, float] = {}
        self._received: dict[socket.socket, bytearray] = {}
        self._free: deque[socket.socket] = deque()
        self._address = address
        for _ in range(_CONNECTIONS):
            self._connect()

    def _connect(self) -> None:
        sock = socket.create_connection(self._address)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._selector.register(sock, selectors.EVENT_READ)
        self._received[sock] = bytearray()
        self._free.append(sock)

    def at(self, per_second: float, seconds: float) -> Outcome:
        """The outcomes of the requests of ``seconds``."""
        outcome = Outcome()
        began = time.perf_counter()
        for number in range(int(per_second * seconds)):
            due = began + number / per_second
            while (now := time.perf_counter()) < due:
                self._receive(outcome, due - now)
            if not self._free:
                outcome.late += 1
                while not self._free:
                    self._receive(outcome, 1.0)
            sock = self._free.popleft()
            self._due[sock] = due
            sock.sendall(self._request)
        while self._due:
            self._receive(outcome, 1.0)
        return outcome

    def _receive(self, outcome: Outcome, wait_s: float) -> None:
        for key, _ in self._selector.select(wait_s):
            sock = key.fileobj
            assert isinstance(sock, socket.socket)
            received = self._received[sock]
            received += sock.recv(65_536)
            head, found, body = bytes(received).partition(b"\r\n\r\n")
            if not found or len(body) < int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]):
                continue
            status = int(head[9:12])
            outcome.took.setdefault(status, []).append(time.perf_counter() - self._due.pop(sock))
            outcome.without_retry_after += status == 503 and b"\r\nretry-after:" not in head.lower()
            received.clear()
            if b"\r\nconnection: close" in head.lower():
                self._selector.unregister(sock)
                sock.close()
                self._connect()
            else:
                self._free.append(sock)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10.0, help="for how long requests arrive at each rate")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, filled_database(Path(place), SQL) as cluster:
        measure(cluster.url(), options.seconds)


def measure(database_url: str, seconds: float) -> None:
    """Print the table."""
    variables = {"DATABASE_URL": database_url, "ANON_KEY": _KEY}
    body = json.dumps({"query": "query Overload { takes_100_ms }"}).encode()
    request = http_request("/graphql/v1", body, {"Content-Type": "application/json", "apikey": _KEY})
    with serving(variables, 1, THREADS) as (address, _):
        run_load(address, request, connections=THREADS, seconds=seconds / 5)
        capacity = run_load(address, request, connections=THREADS, seconds=seconds / 2).per_second
        print(f"capacity: {capacity:.0f}/s with {THREADS} connections")
        arrivals = Arrivals(address, request)
        for times in (0.7, 1, 2, 10):
            outcome = arrivals.at(capacity * times, seconds)
            print(outcome.line(f"{times:g} x the capacity", seconds))
            assert not outcome.without_retry_after


if __name__ == "__main__":
    main()
