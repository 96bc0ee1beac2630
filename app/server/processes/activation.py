"""A listening socket that a supervisor opened for the service, by the protocol of sd_listen_fds(3).

The supervisor keeps the socket open while the service restarts, so that clients wait instead of being refused, and may
pass it to the next service before the last one has stopped.
"""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping

from app.server.processes.address import ListenError

_FIRST = 3
_VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def passed_socket(environ: MutableMapping[str, str]) -> socket.socket | None:
    """The socket that was passed to this process; None if there is none. The environment variables are removed, so that
    no child process uses the socket. Raises ListenError, which says what to do, unless it is one listening TCP
    socket."""
    if environ.get("LISTEN_PID") != str(os.getpid()):
        return None
    given = {name: environ.pop(name, "") for name in _VARIABLES}
    if given["LISTEN_FDS"] in ("", "0"):
        return None
    if given["LISTEN_FDS"] != "1":
        raise ListenError(f"LISTEN_FDS is {given['LISTEN_FDS']}; pass one socket, with one ListenStream= in the unit")
    try:
        listener = socket.socket(fileno=_FIRST)
    except OSError as ex:
        raise ListenError(f"the passed file descriptor {_FIRST} is not a socket: {ex.strerror}") from None
    is_listening = listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if not is_listening or listener.family not in (socket.AF_INET, socket.AF_INET6):
        listener.close()
        raise ListenError("the passed socket is not a listening TCP socket; give ListenStream= a port")
    listener.set_inheritable(False)
    listener.setblocking(False)
    return listener
