"""The request to a server to cancel the statement that a connection runs, and the key for it.

Source of the message: PostgreSQL documentation, "Frontend/Backend Protocol", "Canceling Requests in Progress".
"""

from __future__ import annotations

import socket
from struct import Struct

_CODE = 80877102
_header = Struct("!ii")
_process = Struct("!i")


def request_cancel(sock: socket.socket, key: bytes) -> None:
    """Send the request over ``sock``, a new connection that is used for nothing else. ``key`` is the body of
    BackendKeyData of the connection that runs the statement. Returns when the server has processed the request, even
    if no statement was running. Raises OSError."""
    sock.sendall(_header.pack(_header.size + len(key), _CODE) + key)
    # The server sends no response and closes the connection.
    sock.recv(1)


def process_of(key: bytes) -> int:
    """The process id of the session in the body of its BackendKeyData."""
    (process,) = _process.unpack_from(key)
    return int(process)
