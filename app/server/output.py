"""What the client has not taken yet of an answer."""

from __future__ import annotations

import socket
import tempfile
from collections import deque
from typing import Any, Protocol

# What is small goes in one piece, header and body, so that the client gets one segment.
_JOINED = 64 * 1024
_AT_ONCE = 128 * 1024
# A fast client takes so much before others have their turn.
_IN_A_TURN = 4 * 1024 * 1024


class File(Protocol):
    """waitress's buffer over a file, positioned at what is to be sent."""

    remain: int

    def get(self, numbytes: int = ...) -> bytes: ...
    def skip(self, numbytes: int, allow_prune: int = ...) -> None: ...
    def close(self) -> None: ...


class Output:
    """``pending``: bytes that are still to be sent; ``in_memory``: how many of them are no file's;
    ``is_blocked``: the system took no more when it was last tried."""

    __slots__ = ("_parts", "_socket", "in_memory", "is_blocked", "pending")

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._parts: deque[Any] = deque()
        self.pending = 0
        self.in_memory = 0
        self.is_blocked = False

    def add(self, data: bytes) -> None:
        self._parts.append(data)
        self.pending += len(data)
        self.in_memory += len(data)

    def add_file(self, file: File) -> None:
        self._parts.append(file)
        self.pending += file.remain

    def send(self) -> bool:
        """Send what the system takes now, up to a turn's worth; whether anything went. Raises OSError."""
        sent = 0
        self.is_blocked = False
        try:
            while self.pending and sent < _IN_A_TURN:
                sent += self._send_some()
        except BlockingIOError:
            self.is_blocked = True
        return sent > 0

    def _send_some(self) -> int:
        parts = self._parts
        if len(parts) > 1 and self.pending == self.in_memory <= _JOINED:
            joined = b"".join(parts)
            parts.clear()
            parts.append(joined)
        part = parts[0]
        if isinstance(part, bytes | memoryview):
            sent = self._socket.send(part if len(part) <= _IN_A_TURN else memoryview(part)[:_IN_A_TURN])
            self.in_memory -= sent
            if sent == len(part):
                parts.popleft()
            else:
                parts[0] = memoryview(part)[sent:]
        else:
            sent = self._send_of_file(part)
        self.pending -= sent
        return sent

    def _send_of_file(self, file: File) -> int:
        chunk = file.get(min(_AT_ONCE, file.remain))
        if not chunk:
            # Shorter than it was: what was promised cannot be sent.
            raise ConnectionAbortedError("the file ended early")
        sent = self._socket.send(chunk)
        file.skip(sent)
        if not file.remain:
            self._parts.popleft()
            file.close()
        return sent

    def spill(self) -> None:
        """Move what is in memory to a file that has no name."""
        moved: deque[Any] = deque()
        for part in self._parts:
            moved.append(_Spilled(part) if isinstance(part, bytes | memoryview) else part)
        self._parts = moved
        self.in_memory = 0

    def close(self) -> None:
        """Forget what was not sent."""
        for part in self._parts:
            if not isinstance(part, bytes | memoryview):
                part.close()
        self._parts.clear()
        self.pending = self.in_memory = 0


class _Spilled:
    def __init__(self, data: bytes | memoryview) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._file.write(data)
        self._file.seek(0)
        self.remain = len(data)

    def get(self, numbytes: int = -1) -> bytes:
        at = self._file.tell()
        data = self._file.read(numbytes)
        self._file.seek(at)
        return data

    def skip(self, numbytes: int, allow_prune: int = 0) -> None:
        self._file.seek(numbytes, 1)
        self.remain -= numbytes

    def close(self) -> None:
        self._file.close()
