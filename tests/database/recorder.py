"""A proxy that also records the statements that a client sends, by flight."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from typing import Any

from tests.database.proxy import Proxy

Flight = tuple[str, ...]
"""The texts of the statements between two Sync messages, in their order."""

_LENGTH = struct.Struct("!i")


class Recorder(Proxy):
    """``sent``: each flight, recorded before the server receives it. A simple query is a flight of one statement."""

    def __init__(self, url: str) -> None:
        self.sent: list[Flight] = []
        super().__init__(url)

    def _pump(self, source: Any, sink: socket.socket, state: dict[str, bool], from_client: bool) -> None:
        super()._pump(_Recorded(source, self.sent) if from_client else source, sink, state, from_client)


class _Recorded:
    """A client's socket whose messages are decoded when they are received.

    Source of the formats: PostgreSQL documentation, "Frontend/Backend Protocol", "Message Formats".
    """

    def __init__(self, sock: socket.socket, sent: list[Flight]) -> None:
        self._sock = sock
        self._sent = sent
        self._unread = b""
        self._has_started = False
        self._texts: dict[bytes, str] = {}
        self._flight: list[str] = []

    def recv(self, size: int) -> bytes:
        data = self._sock.recv(size)
        self._unread += data
        for kind, body in self._messages():
            self._add(kind, body)
        return data

    def shutdown(self, how: int) -> None:
        self._sock.shutdown(how)

    def _messages(self) -> Iterator[tuple[bytes, bytes]]:
        while True:
            # The first message has no kind.
            start = 1 if self._has_started else 0
            if len(self._unread) < start + 4:
                return
            end = start + _LENGTH.unpack_from(self._unread, start)[0]
            if len(self._unread) < end:
                return
            message, self._unread, self._has_started = self._unread[:end], self._unread[end:], True
            yield message[:start], message[start + 4 :]

    def _add(self, kind: bytes, body: bytes) -> None:
        if kind == b"P":
            name, text, _ = body.split(b"\0", 2)
            self._texts[name] = text.decode()
        elif kind == b"B":
            _, name, _ = body.split(b"\0", 2)
            self._flight.append(self._texts[name])
        elif kind == b"Q":
            self._sent.append((body[:-1].decode(),))
        elif kind == b"S":
            self._sent.append(tuple(self._flight))
            self._flight.clear()
