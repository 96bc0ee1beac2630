"""The ownership of a connection by a thread: the only state of a connection that needs a lock."""

from __future__ import annotations

import socket
import threading

from app.server.turns.loop import Loop
from app.server.turns.readiness import Attendant


class Ownership:
    """At most one thread owns a connection: the one that finds it ready takes it. Another event before its release only
    removes the socket from the selector, and the owning thread registers it again. At first its creator owns it.
    """

    __slots__ = ("_is_owned", "_lock", "_loop", "_socket", "_watched", "is_over")

    def __init__(self, loop: Loop, sock: socket.socket) -> None:
        self._loop = loop
        self._socket = sock
        self._lock = threading.Lock()
        self._is_owned = True
        self._watched = 0
        self.is_over = False

    def take(self, attendant: Attendant) -> bool:
        """Take the connection for this thread, on an event of the selector. Returns whether it was free."""
        with self._lock:
            if self.is_over:
                return False
            if self._is_owned:
                if self._watched:
                    self._watch(0, attendant)
                return False
            self._is_owned = True
            return True

    def take_if_free(self) -> bool:
        """Take the connection for this thread, without an event. Returns whether it was free."""
        with self._lock:
            if self._is_owned or self.is_over:
                return False
            self._is_owned = True
            return True

    def release(self, events: int, attendant: Attendant) -> None:
        """Release the connection, and register ``events``: the next one lets a thread take it."""
        with self._lock:
            self._is_owned = False
            if events != self._watched and not self.is_over:
                self._watch(events, attendant)

    def end(self, attendant: Attendant) -> bool:
        """Let no thread take the connection again; call this before closing the socket. False if it was called
        before."""
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
