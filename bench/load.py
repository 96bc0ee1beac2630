"""A load on loopback: a few connections, each sending the next request after a response, for a limited time."""

from __future__ import annotations

import selectors
import socket
import time
from dataclasses import dataclass

_CLOSES = b"\r\nConnection: close\r\n"


@dataclass(frozen=True)
class Load:
    """The result of a load: answered requests, elapsed seconds, and the number of answers other than 200."""

    requests: int
    seconds: float
    failures: int

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


def http_request(path: str, body: bytes, headers: dict[str, str]) -> bytes:
    """A POST as bytes, for a connection that stays open."""
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def run_load(address: tuple[str, int], *requests: bytes, connections: int, seconds: float) -> Load:
    """Send ``requests`` over ``connections`` for ``seconds``: each connection asks one of them again and again, and is
    opened anew where the service closes it."""
    selector = selectors.DefaultSelector()

    def ask(request: bytes) -> None:
        sock = socket.create_connection(address)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(sock, selectors.EVENT_READ, (bytearray(), request))
        sock.sendall(request)

    for number in range(connections):
        ask(requests[number % len(requests)])
    answered = failures = 0
    began = time.perf_counter()
    deadline = began + seconds
    while time.perf_counter() < deadline:
        for key, _ in selector.select(timeout=1):
            received, request = key.data
            received += key.fileobj.recv(262_144)  # type: ignore[union-attr]
            if not _is_whole(received):
                continue
            answered += 1
            failures += not received.startswith(b"HTTP/1.1 200")
            if _CLOSES in received:
                selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
                ask(request)
            else:
                received.clear()
                key.fileobj.sendall(request)  # type: ignore[union-attr]
    took = time.perf_counter() - began
    for key in list(selector.get_map().values()):
        key.fileobj.close()  # type: ignore[union-attr]
    selector.close()
    return Load(answered, took, failures)


def _is_whole(received: bytearray) -> bool:
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return False
    at = received.find(b"Content-Length: ", 0, end)
    stop = received.find(b"\r\n", at)
    return len(received) >= end + 4 + int(received[at + 16 : stop])
