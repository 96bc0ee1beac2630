"""Hands the connections of clients over to another process, which stays beside the workers.

A worker passes the socket itself (SCM_RIGHTS, unix(7)) with the bytes that it has received, so that no process copies
bytes between the client and the other process. The channel has no name: only processes forked from the one that made
it can use it. The parent keeps both of its ends, so a connection that was handed over while the other process died
waits for its successor.
"""

from __future__ import annotations

import mmap
import os
import socket
import sys
from collections.abc import Callable, Iterator

# Each message is one connection. Linux limits the number of datagrams that wait, but not of these; macOS has only
# datagrams.
_KIND = getattr(socket, "SOCK_SEQPACKET", 0) if sys.platform == "linux" else socket.SOCK_DGRAM
# The longest message: the longest head of a request, and what is received at once with its end.
_LONGEST = 96 * 1024
# The kernel may allow less. Linux counts over a KiB for each message besides its bytes.
_BUFFER = 1024 * 1024


class NotRunning(Exception):
    """The other process does not run now."""


class QueueFull(Exception):
    """Too many connections wait for the other process."""


def can_hand_over() -> bool:
    """Whether this system can pass sockets to another process; Windows cannot."""
    return hasattr(os, "fork") and hasattr(socket, "send_fds")


def _every_host(_host: str) -> bool:
    return True


class HandingOver:
    """Made by the parent before it forks. Workers call ``send``, the other process calls ``open`` and ``receive``.

    Connections are handed over when they request ``path`` with GET or POST, at a host that ``serves_host`` accepts.
    ``what``: what the other process serves, for messages.
    """

    def __init__(self, what: str, path: str, serves_host: Callable[[str], bool] = _every_host) -> None:
        self.what = what
        self.path = path
        self.serves_host = serves_host
        self.beginnings = tuple(f"{method} {path}{end}".encode() for method in ("GET", "POST") for end in " ?")
        """The first bytes of the requests that are handed over."""
        self._sender, self.receiver = socket.socketpair(socket.AF_UNIX, _KIND)
        self._sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
        self.receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
        for each in (self._sender, self.receiver):
            each.setblocking(False)
        self._shared = mmap.mmap(-1, 1)

    @property
    def is_open(self) -> bool:
        """Whether the other process runs and takes connections."""
        return self._shared[0] == 1

    def open(self) -> None:
        """Let workers hand connections over."""
        self._shared[0] = 1

    def close(self) -> None:
        """Let workers refuse requests instead of handing their connections over."""
        self._shared[0] = 0

    def send(self, sock: socket.socket, received: bytes) -> None:
        """Hand a connection over; ``received`` begins with the request. The caller closes its own ``sock`` afterwards.
        Raises NotRunning and QueueFull, and never blocks."""
        if not self.is_open:
            raise NotRunning
        try:
            socket.send_fds(self._sender, [received], [sock.fileno()])
        except OSError as ex:
            raise QueueFull from ex

    def receive(self) -> Iterator[tuple[socket.socket, bytes]]:
        """The connections that wait, each with the bytes that were received from it. A connection for which this
        process has no file descriptor left is closed by the kernel."""
        while True:
            try:
                received, descriptors, _, _ = socket.recv_fds(self.receiver, _LONGEST, 1)
            except BlockingIOError:
                return
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
                yield socket.socket(fileno=descriptor), received

    def drop(self) -> None:
        """Close the connections that wait, because no process will take them."""
        for sock, _ in self.receive():
            sock.close()
