"""Asking a server to cancel the statement that a connection runs.

Source of the message: PostgreSQL documentation, "Frontend/Backend Protocol", "Canceling Requests in Progress".
"""

from __future__ import annotations

import socket
from struct import Struct

_CODE = 80877102
_header = Struct("!ii")


def request_cancel(sock: socket.socket, key: bytes) -> None:
    """Send the request over ``sock``, which is connected and used for nothing else; ``key`` is the body of the
    BackendKeyData of the connection that runs the statement. Returns when the server has acted on it, which may find
    that nothing runs. Raises OSError."""
    sock.sendall(_header.pack(_header.size + len(key), _CODE) + key)
    # The server closes the connection, and answers nothing.
    sock.recv(1)
