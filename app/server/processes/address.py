"""The service's address: its listening socket, and the URL under which it is reached."""

from __future__ import annotations

import errno
import socket

_BACKLOG = 1024


class ListenError(RuntimeError):
    """The service cannot listen on the address; the message is for the operator."""


def listen(host: str, port: int) -> socket.socket:
    """Listen on the first address of ``host``. Raises ListenError, which says what to do."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError) as ex:
        why = ex.strerror if isinstance(ex, socket.gaierror) else "it is not a host name"
        raise ListenError(f"cannot listen on the host {host}: {why}; check HOST") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6 and host == "::":
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as ex:
        listener.close()
        raise ListenError(_why_not(host, port, ex)) from None
    listener.setblocking(False)
    return listener


def address_of(listener: socket.socket) -> str:
    """The URL under which a listening socket is reached from this machine."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _why_not(host: str, port: int, ex: OSError) -> str:
    if ex.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use by another process; choose another with --port"
    if ex.errno == errno.EACCES:
        return f"port {port} may not be used by this user; choose one above 1023 with --port"
    if ex.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine; check --host"
    return f"cannot listen on port {port} of {host}: {ex.strerror}"
