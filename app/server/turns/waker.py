"""Wakes the leader from another thread."""

from __future__ import annotations

import contextlib
import socket
from selectors import EVENT_READ

from app.server.turns.readiness import Readiness


class Waker:
    """A pair of connected sockets. A byte through them ends the leader's wait; the loop handles them like a
    connection."""

    def __init__(self, readiness: Readiness) -> None:
        self._receiver, self._sender = socket.socketpair()
        self._receiver.setblocking(False)
        self._sender.setblocking(False)
        readiness.watch(self._receiver, 0, EVENT_READ, self)

    def wake(self) -> None:
        # The buffer is full, so the leader is being woken; or the sockets are closed, and no thread waits any more.
        with contextlib.suppress(OSError):
            self._sender.send(b".")

    def attend(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._receiver.recv(4096)

    def close(self) -> None:
        self._receiver.close()
        self._sender.close()
