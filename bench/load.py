"""A load on loopback: connections that each send the next request after a response, for a limited time."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

_CLOSES = b"\r\nConnection: close\r\n"


@dataclass(frozen=True)
class Load:
    """The result of a load: answered requests, elapsed seconds, the number of answers other than 200, and how many
    milliseconds each answer took, the quickest first."""

    requests: int
    seconds: float
    failures: int
    took_ms: Sequence[float] = field(default=(), repr=False)

    def percentile(self, share: float) -> float:
        """The milliseconds within which such a share of the requests was answered."""
        return self.took_ms[min(int(len(self.took_ms) * share), len(self.took_ms) - 1)]

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


def http_request(path: str, body: bytes, headers: dict[str, str]) -> bytes:
    """A POST as bytes, for a connection that stays open."""
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def run_load(
    address: tuple[str, int], *requests: bytes, connections: int, seconds: float, in_turn: bool = False
) -> Load:
    """Send ``requests`` over ``connections`` for ``seconds``, and until there is an answer.

    Each connection repeats one of the requests. With ``in_turn``, each connection sends all of them alternately. A
    connection that the service closes is opened again.
    """
    selector = selectors.DefaultSelector()
    turns = count()

    def ask(next_request: Callable[[], bytes]) -> None:
        sock = socket.create_connection(address)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(sock, selectors.EVENT_READ, _Asking(sock, next_request))

    def in_turns() -> bytes:
        return requests[next(turns) % len(requests)]

    def always(request: bytes) -> Callable[[], bytes]:
        return lambda: request

    for number in range(connections):
        ask(in_turns if in_turn else always(requests[number % len(requests)]))
    failures = 0
    took_ms: list[float] = []
    began = time.perf_counter()
    deadline = began + seconds
    while time.perf_counter() < deadline or not took_ms:
        for key, _ in selector.select(timeout=1):
            asking: _Asking = key.data
            received = asking.receive()
            if received is None:
                continue
            took_ms.append((time.perf_counter() - asking.sent) * 1000)
            failures += not received.startswith(b"HTTP/1.1 200")
            if _CLOSES in received:
                selector.unregister(asking.sock)
                asking.sock.close()
                ask(asking.next_request)
            else:
                asking.send()
    took = time.perf_counter() - began
    for key in list(selector.get_map().values()):
        key.fileobj.close()  # type: ignore[union-attr]
    selector.close()
    return Load(len(took_ms), took, failures, sorted(took_ms))


def seconds_of(address: tuple[str, int], request: bytes) -> float:
    """The time until one request is answered with 200."""
    began = time.perf_counter()
    with socket.create_connection(address) as sock:
        asking = _Asking(sock, lambda: request)
        while (received := asking.receive()) is None:
            pass
    assert received.startswith(b"HTTP/1.1 200"), bytes(received)
    return time.perf_counter() - began


def answers_of(address: tuple[str, int], request: bytes, until: Callable[[], bool]) -> Iterator[tuple[float, bytes]]:
    """Repeat a request on one connection until ``until()``. Yields the seconds and the answer of each."""
    sock = socket.create_connection(address)
    try:
        asking = _Asking(sock, lambda: request)
        while True:
            while (received := asking.receive()) is None:
                pass
            yield time.perf_counter() - asking.sent, bytes(received)
            if until():
                return
            if _CLOSES in received:
                sock.close()
                sock = socket.create_connection(address)
                asking = _Asking(sock, lambda: request)
            else:
                asking.send()
    finally:
        sock.close()


class _Asking:
    """A connection that waits for the answer to the request that it ``sent``, at that time."""

    def __init__(self, sock: socket.socket, next_request: Callable[[], bytes]) -> None:
        self.sock = sock
        self.next_request = next_request
        self._received = bytearray()
        self.send()

    def send(self) -> None:
        self._received.clear()
        self.sent = time.perf_counter()
        self.sock.sendall(self.next_request())

    def receive(self) -> bytearray | None:
        """The answer, when it is there as a whole."""
        self._received += self.sock.recv(262_144)
        assert self._received, "the service closed the connection"
        return self._received if _is_whole(self._received) else None


def _is_whole(received: bytearray) -> bool:
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return False
    at = received.find(b"Content-Length: ", 0, end)
    stop = received.find(b"\r\n", at)
    return len(received) >= end + 4 + int(received[at + 16 : stop])
