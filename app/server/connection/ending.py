"""The end of a connection after a refusal, in two steps."""

from __future__ import annotations

import socket
import time

LONGEST_S = 5.0
_MOST_BYTES = 64 * 1024 * 1024
_CHUNK = 128 * 1024


class Ending:
    """Closes a connection whose client may still be sending. Closing at once would reset the connection, and the client
    could not read the response. So the server stops sending, discards the bytes that arrive, and closes after the
    client. Raises OSError."""

    __slots__ = ("_discarded", "_socket", "since")

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._discarded = 0
        self.since = time.monotonic()
        sock.shutdown(socket.SHUT_WR)

    def discard(self) -> bool:
        """Discard the bytes that have arrived. False if the connection must be closed."""
        try:
            data = self._socket.recv(_CHUNK)
        except OSError:
            return False
        self._discarded += len(data)
        return bool(data) and self._discarded <= _MOST_BYTES and time.monotonic() - self.since <= LONGEST_S
