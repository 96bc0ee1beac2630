"""Accepts new connections: spreads them over the workers, and limits their number."""

from __future__ import annotations

import logging
import select
import socket
import threading
import time
from contextlib import suppress
from selectors import EVENT_READ

from app.http.refusal import overloaded
from app.server.connection.connection import Connection
from app.server.connection.connections import Connections
from app.server.connection.server import Server

_log = logging.getLogger("portico.server")

# How long a worker leaves a new connection to another worker that has fewer. If it is still there then, the other
# worker is stuck, and for a while this one leaves nothing to it.
_LEFT_TO_OTHERS_S = 0.25
_LOOK_AGAIN_S = 0.002
_OTHERS_STUCK_S = 1.0
# How many clients beyond the limit get a 503 at a time. Further ones get a short refusal and are closed at once.
_TURNED_AWAY = 100
_SHORT_REFUSAL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n"
_OUT_OF_FILES_S = 0.05
_TAKEN_AT_THE_END = 1024


class Listener:
    """Accepts up to ``limit`` connections for this worker."""

    def __init__(self, server: Server, connections: Connections, sock: socket.socket, limit: int) -> None:
        self._server = server
        self._connections = connections
        self._socket = sock
        self._limit = limit
        self._left_since: float | None = None
        self._stuck_until = 0.0
        self._is_watched = False
        self._is_closed = False
        # A slow leader may be replaced while it runs a method of this class.
        self._lock = threading.Lock()
        sock.setblocking(False)

    def start(self) -> None:
        with self._lock:
            if not self._is_closed and not self._is_watched:
                self._is_watched = True
                self._server.loop.watch(self._socket, 0, EVENT_READ, self)

    def _ignore(self) -> None:
        with self._lock:
            if self._is_watched:
                self._is_watched = False
                self._server.loop.watch(self._socket, EVENT_READ, 0, self)

    def attend(self) -> None:
        """Accept a connection, or leave it to another worker."""
        if self._leaves_it_to_others():
            self._pause(_LOOK_AGAIN_S)
            return
        self._left_since = None
        self._accept()

    def close(self) -> None:
        """Accept the connections in the backlog, which would otherwise be reset, and stop listening."""
        self._is_closed = True
        self._ignore()
        for _ in range(_TAKEN_AT_THE_END):
            if not select.select([self._socket], [], [], 0)[0] or not self._accept():
                break
        self._socket.close()

    def _leaves_it_to_others(self) -> bool:
        if not self._server.totals.has_more_than_another():
            return False
        now = time.monotonic()
        if self._left_since is None:
            self._left_since = now
        if now - self._left_since > _LEFT_TO_OTHERS_S:
            self._stuck_until = now + _OTHERS_STUCK_S
        return now > self._stuck_until

    def _pause(self, seconds: float) -> None:
        self._ignore()
        self._server.loop.after(seconds, self.start)

    def _accept(self) -> bool:
        try:
            sock, address = self._socket.accept()
        except (BlockingIOError, ConnectionAbortedError):
            # Another worker was faster, or the client is gone.
            return False
        except OSError as ex:
            _log.warning("a connection cannot be accepted: %s", ex.strerror)
            if not self._connections.make_room():
                self._pause(_OUT_OF_FILES_S)
            return False
        self._open(sock, address)
        return True

    def _open(self, sock: socket.socket, address: object) -> None:
        server = self._server
        connections = self._connections
        is_full = len(connections) - connections.turned_away >= self._limit and not connections.make_room()
        sock.setblocking(False)
        if is_full and connections.turned_away >= _TURNED_AWAY:
            _refuse_briefly(sock)
            return
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = Connection(server, sock, address, connections.discard)
        connections.add(connection, turned_away=is_full)
        if is_full:
            connection.turn_away(overloaded(None, server.cross_origin))
        else:
            connection.start()


def _refuse_briefly(sock: socket.socket) -> None:
    """Send a short refusal without waiting, and close. Received bytes are read first; otherwise closing would reset the
    connection."""
    with suppress(OSError):
        sock.send(_SHORT_REFUSAL)
        sock.shutdown(socket.SHUT_WR)
        sock.recv(64 * 1024)
    sock.close()
