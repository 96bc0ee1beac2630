"""Wakes the selector from another thread."""

from __future__ import annotations

import contextlib
import selectors
import socket


class Waker:
    """Sends bytes to itself, since only a socket ends the wait; the loop handles it like a connection."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._receiver, self._sender = socket.socketpair()
        self._receiver.setblocking(False)
        self._sender.setblocking(False)
        selector.register(self._receiver, selectors.EVENT_READ, self)

    def wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._sender.send(b".")

    def attend(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._receiver.recv(4096)
