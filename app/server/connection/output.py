"""The part of a response that the client has not read yet."""

from __future__ import annotations

import errno
import os
import socket
import tempfile
import time
from collections import deque
from io import UnsupportedOperation
from typing import Any, Protocol

from app.server.capacity import WorkerTotals

# Small responses are sent in one piece, header and body, so that the client gets one segment.
_JOINED = 64 * 1024
_CHUNK = 128 * 1024
# How much a fast client gets before it is the turn of others.
_IN_A_TURN = 4 * 1024 * 1024
_ALWAYS_IN_MEMORY = 1024 * 1024
# How much all connections of a worker may keep in memory beyond that, request bodies included. Writing a file costs
# three times as much as sending, and a fast client is soon ready for more.
_MAX_TOTAL_BYTES_IN_MEMORY = 32 * 1024 * 1024
_BYTES = (bytes, memoryview)


# The errors of sendfile for files or systems that do not support it.
_NOT_IN_THE_KERNEL = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)


class File(Protocol):
    """waitress's buffer over a file, positioned at the next byte to send."""

    file: Any
    remain: int

    def get(self, numbytes: int = ...) -> bytes: ...
    def skip(self, numbytes: int, allow_prune: int = ...) -> None: ...
    def close(self) -> None: ...


class Output:
    """``pending``: the number of bytes still to send; ``last_activity``: when the client last read some."""

    __slots__ = ("_charged", "_in_files", "_kept", "_parts", "_socket", "_totals", "last_activity", "pending")

    def __init__(self, sock: socket.socket, totals: WorkerTotals) -> None:
        self._socket = sock
        self._totals = totals
        self._parts: deque[Any] = deque()
        # The number of ``pending`` bytes in files; of bytes charged to the worker's totals; and of these, in memory.
        self._in_files = 0
        self._charged = 0
        self._kept = 0
        self.pending = 0
        self.last_activity = 0.0

    def add(self, data: bytes) -> None:
        self._parts.append(data)
        self.pending += len(data)

    def add_file(self, file: File) -> None:
        self._parts.append(file)
        self.pending += file.remain
        self._in_files += file.remain

    def send(self) -> None:
        """Send as much as the kernel accepts now, up to one turn's share. Raises OSError, also if there is no space for
        the rest."""
        sent = 0
        is_blocked = False
        try:
            while self.pending and sent < _IN_A_TURN:
                sent += self._send_some()
        except BlockingIOError:
            is_blocked = True
        if sent:
            self.last_activity = time.monotonic()
        if self._charged and not self.pending:
            self._refund()
        if is_blocked and self.pending - self._in_files > _ALWAYS_IN_MEMORY:
            self._keep()

    def _send_some(self) -> int:
        parts = self._parts
        if len(parts) > 1 and not self._in_files and self.pending <= _JOINED:
            joined = b"".join(parts)
            parts.clear()
            parts.append(joined)
        part = parts[0]
        if isinstance(part, _BYTES):
            sent = self._socket.send(part if len(part) <= _IN_A_TURN else memoryview(part)[:_IN_A_TURN])
            if sent == len(part):
                parts.popleft()
            else:
                parts[0] = memoryview(part)[sent:]
        else:
            sent = self._send_of_file(part)
        self.pending -= sent
        return sent

    def _send_of_file(self, file: File) -> int:
        sent = _sent_in_the_kernel(self._socket, file)
        if sent is None:
            chunk = file.get(min(_CHUNK, file.remain))
            sent = self._socket.send(chunk) if chunk else 0
        if not sent:
            # The file has become shorter than the declared length.
            raise ConnectionAbortedError("the file ended early")
        file.skip(sent)
        self._in_files -= sent
        if not file.remain:
            self._parts.popleft()
            file.close()
        return sent

    def _keep(self) -> None:
        """Keep the unsent bytes in memory, or in a file if the worker's connections keep much."""
        size = self.pending - self._in_files
        added = size - self._kept
        if added > 0:
            self._charged += added
            self._kept = size
            if not self._totals.charge(added):
                raise OSError(errno.ENOSPC, "no space is left for responses that clients have not read")
        if self._totals.bytes_held > _MAX_TOTAL_BYTES_IN_MEMORY:
            self._spill()

    def _spill(self) -> None:
        """Move the parts in memory to unnamed temporary files."""
        self._kept = 0
        moved: deque[Any] = deque()
        for part in self._parts:
            moved.append(_Spilled(part) if isinstance(part, _BYTES) else part)
        self._parts = moved
        self._in_files = self.pending

    def _refund(self) -> None:
        charged, self._charged, self._kept = self._charged, 0, 0
        self._totals.refund(charged)

    def close(self) -> None:
        """Drop the unsent bytes."""
        for part in self._parts:
            if not isinstance(part, _BYTES):
                part.close()
        self._parts.clear()
        self.pending = self._in_files = 0
        if self._charged:
            self._refund()


def _sent_in_the_kernel(sock: socket.socket, file: File) -> int | None:
    """How many bytes of the file the kernel sent, with sendfile; None if it cannot do that with this file."""
    try:
        return os.sendfile(sock.fileno(), file.file.fileno(), file.file.tell(), min(_IN_A_TURN, file.remain))
    except AttributeError:
        return None
    except OSError as ex:
        if isinstance(ex, UnsupportedOperation) or ex.errno in _NOT_IN_THE_KERNEL:
            return None
        raise


class _Spilled:
    def __init__(self, data: bytes | memoryview) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115
        self.file.write(data)
        self.file.seek(0)
        self.remain = len(data)

    def get(self, numbytes: int = -1) -> bytes:
        at = self.file.tell()
        data = self.file.read(numbytes)
        self.file.seek(at)
        return data

    def skip(self, numbytes: int, allow_prune: int = 0) -> None:
        self.file.seek(numbytes, 1)
        self.remain -= numbytes

    def close(self) -> None:
        self.file.close()
