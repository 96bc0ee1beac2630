"""Which thread has a connection. Nothing else of a connection needs a lock."""

from __future__ import annotations

import socket
import threading

from app.server.loop import Attendant, Loop


class Holding:
    """One thread at a time. Whoever finds the connection ready takes it; an event that comes while somebody has it only
    takes the socket out of the selector, and who had it puts it back. It begins held by whoever made the connection.
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
        """Whether this thread, which the selector sent, has the connection now."""
        with self._lock:
            if self.is_over:
                return False
            if self._is_held:
                self._watch(0, attendant)
                return False
            self._is_held = True
            return True

    def take_if_free(self) -> bool:
        """Whether this thread has the connection now; a thread that already had it is not disturbed."""
        with self._lock:
            if self._is_held or self.is_over:
                return False
            self._is_held = True
            return True

    def let_go(self, events: int, attendant: Attendant) -> None:
        """Have the selector send the next thread, on one of ``events``."""
        with self._lock:
            self._is_held = False
            if not self.is_over:
                self._watch(events, attendant)

    def end(self, attendant: Attendant) -> bool:
        """Let nobody have it any more, before the socket is closed; False if this was done already."""
        with self._lock:
            if self.is_over:
                return False
            self.is_over = True
            self._watch(0, attendant)
            return True

    def _watch(self, events: int, attendant: Attendant) -> None:
        if events != self._watched:
            self._loop.watch(self._socket, self._watched, events, attendant)
            self._watched = events
