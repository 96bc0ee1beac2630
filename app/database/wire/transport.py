"""Sends and receives bytes. A send never blocks while the server waits for this side to read."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
from collections.abc import Callable
from struct import Struct

from app.database.wire.failure import ConnectionLost

_CHUNK = 65536
_MAX_CHUNK_BYTES = 1 << 20
# Smaller than the smallest send buffer of a kernel.
_SURELY_BUFFERED = 4096
_DONT_WAIT: int = getattr(socket, "MSG_DONTWAIT", 0)
_TERMINATE = b"X\0\0\0\4"
_TIMEVAL = Struct("@ll")
_WOULD_BLOCK = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Transport:
    """A connected socket in blocking mode, and ``buffer``: bytes that were received but not used yet.

    The server may send a large result of the first statement while the last statement is still being sent. If both
    sides only sent, the kernel buffers would fill and both would deadlock. So bytes that do not fit into the kernel
    buffer at once are sent without blocking, and responses are read in the meantime.
    """

    def __init__(self, sock: socket.socket) -> None:
        sock.settimeout(None)
        self._sock = sock
        # TLS sockets and Windows do not support the flag; there, the socket's blocking mode is changed instead.
        self._plain = _DONT_WAIT != 0 and not isinstance(sock, ssl.SSLSocket)
        self._arrivals = None
        if hasattr(select, "poll"):
            self._arrivals = select.poll()
            self._arrivals.register(sock, select.POLLIN)
        self.buffer = b""
        self._longest_wait_s: float | None = None

    def wait_at_most(self, seconds: float) -> None:
        """Set how long the server may send nothing, in seconds; 0 for no limit."""
        wanted = seconds or None
        if wanted == self._longest_wait_s:
            return
        self._longest_wait_s = wanted
        if self._plain:
            # Set in the kernel: a Python timeout would cost another system call for each receive.
            whole = int(seconds)
            value = _TIMEVAL.pack(whole, int((seconds - whole) * 1e6))
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)
        else:
            self._sock.settimeout(wanted)

    def wait(self, seconds: float) -> None:
        """Wait until bytes arrive, at most ``seconds``."""
        if not self.buffer:
            select.select([self._sock], [], [], seconds)

    def send(self, message: bytes) -> None:
        try:
            if self._plain:
                try:
                    sent = self._sock.send(message, _DONT_WAIT)
                except BlockingIOError:
                    # The kernel's buffer is full.
                    sent = 0
            elif len(message) <= _SURELY_BUFFERED:
                self._sock.sendall(message)
                return
            else:
                sent = 0
            if sent < len(message):
                self._send_and_receive(memoryview(message)[sent:])
        except TimeoutError as ex:
            raise _silent(unapplied=True) from ex
        except (OSError, ValueError) as ex:
            # Sync is the last message: without it the server commits nothing.
            raise ConnectionLost("the connection broke while sending", answered=False, unapplied=True) from ex

    def _send_and_receive(self, rest: memoryview) -> None:
        received = [self.buffer]
        self._sock.settimeout(0)
        try:
            while rest:
                try:
                    rest = rest[self._sock.send(rest[:_MAX_CHUNK_BYTES]) :]
                except _WOULD_BLOCK:
                    self._receive_into(received)
                    _wait_for_either(self._sock, self._longest_wait_s)
        finally:
            self._block()
            self.buffer = b"".join(received)

    def _receive_into(self, received: list[bytes]) -> None:
        """Append all bytes that have arrived; the socket is in non-blocking mode."""
        with contextlib.suppress(*_WOULD_BLOCK):
            while True:
                chunk = self._sock.recv(_CHUNK)
                if not chunk:
                    raise ConnectionResetError("the server closed the connection")
                received.append(chunk)

    def more(self, buffer: bytes, start: int, end: int, *, answered: bool) -> bytes:
        """Receive until ``buffer`` reaches ``end``, a position in it. Returns the bytes of ``buffer`` from ``start`` on
        and all that were received after them. Raises ConnectionLost."""
        missing = end - len(buffer)
        # join does not copy a single chunk.
        received = [buffer[start:]] if start < len(buffer) else []
        try:
            while missing > 0:
                chunk = self._sock.recv(_CHUNK if missing < _CHUNK else min(missing, _MAX_CHUNK_BYTES))
                if not chunk:
                    raise ConnectionResetError("the server closed the connection")
                received.append(chunk)
                missing -= len(chunk)
        except (BlockingIOError, TimeoutError) as ex:
            raise _silent(unapplied=False) from ex
        except (OSError, ValueError) as ex:
            raise ConnectionLost("the connection broke", answered=answered, unapplied=False) from ex
        return b"".join(received)

    def past(self, buffer: bytes, end: int) -> bytes:
        """Receive until ``buffer`` reaches ``end``, and discard these bytes. Returns the received bytes beyond ``end``.
        Raises ConnectionLost."""
        missing = end - len(buffer)
        try:
            while missing > 0:
                buffer = self._sock.recv(_MAX_CHUNK_BYTES)
                if not buffer:
                    raise ConnectionResetError("the server closed the connection")
                missing -= len(buffer)
        except (BlockingIOError, TimeoutError) as ex:
            raise _silent(unapplied=False) from ex
        except (OSError, ValueError) as ex:
            raise ConnectionLost("the connection broke", answered=True, unapplied=False) from ex
        return buffer[len(buffer) + missing :]

    def arrived(self) -> bool:
        """Read unsolicited bytes of the server into ``buffer``; False if it has closed the connection."""
        if self._arrivals is not None and not self._arrivals.poll(0):
            return True
        received = [self.buffer]
        try:
            self._sock.settimeout(0)
            try:
                self._receive_into(received)
            finally:
                self._block()
        except (OSError, ValueError):
            return False
        self.buffer = b"".join(received)
        return True

    def _block(self) -> None:
        self._sock.settimeout(None if self._plain else self._longest_wait_s)

    def close(self, *, orderly: bool, release: Callable[[], None] | None) -> None:
        """Close the socket. ``orderly``: send Terminate first, which requires that the server is reading."""
        with contextlib.suppress(OSError, ValueError):
            if orderly:
                self._sock.sendall(_TERMINATE)
            self._sock.shutdown(socket.SHUT_RDWR)
        if release is not None:
            # The driver sends its own Terminate, which fails after the shutdown, and then releases the socket.
            with contextlib.suppress(Exception):
                release()
        with contextlib.suppress(OSError):
            self._sock.close()


def _silent(*, unapplied: bool) -> ConnectionLost:
    # A retry would take as long again.
    return ConnectionLost("the server is silent", answered=True, unapplied=unapplied, silent=True)


def _wait_for_either(sock: socket.socket, seconds: float | None) -> None:
    """Wait until the socket can be read or written. Raises TimeoutError."""
    if hasattr(select, "poll"):
        waiting = select.poll()
        waiting.register(sock, select.POLLIN | select.POLLOUT)
        is_ready = bool(waiting.poll(None if seconds is None else seconds * 1000))
    else:
        is_ready = any(select.select([sock], [sock], [], seconds))
    if not is_ready:
        raise TimeoutError
