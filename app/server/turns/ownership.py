"""Which thread has a connection, the only state of a connection that needs a lock."""

from __future__ import annotations

import socket
import threading

from app.server.turns.loop import Loop
from app.server.turns.readiness import Attendant


class Holding:
    """At most one thread has a connection: the one that finds it ready takes it. An event in the meantime only removes
    the socket from the selector, and the thread that has it puts it back. At first its creator has it.
    """

    __slots__ = ("_is_held", "_lock", "_loop", "_socket", "_watched", "is_over")

    def __init__(self, loop: Loop, sock: socket.socket) -> None:
        self._loop = loop
        self._socket = sock
        self._lock = threading.Lock()
        self._is_held = True
        self._watched = 0
        self.is_over = False

    def take(self, attendant: Attendant) -> bool:
        """Take the connection for this thread, on an event of the selector; whether it was free."""
        with self._lock:
            if self.is_over:
                return False
            if self._is_held:
                if self._watched:
                    self._watch(0, attendant)
                return False
            self._is_held = True
            return True

    def take_if_free(self) -> bool:
        """Take the connection for this thread without disturbing one that has it; whether it was free."""
        with self._lock:
            if self._is_held or self.is_over:
                return False
            self._is_held = True
            return True

    def let_go(self, events: int, attendant: Attendant) -> None:
        """Release the connection; one of ``events`` brings the next thread."""
        with self._lock:
            self._is_held = False
            if events != self._watched and not self.is_over:
                self._watch(events, attendant)

    def end(self, attendant: Attendant) -> bool:
        """Let no thread take it again, before the socket is closed; False if this was done before."""
        with self._lock:
            if self.is_over:
                return False
            self.is_over = True
            if self._watched:
                self._watch(0, attendant)
            return True

    def _watch(self, events: int, attendant: Attendant) -> None:
        self._loop.watch(self._socket, self._watched, events, attendant)
        self._watched = events
