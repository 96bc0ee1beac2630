"""Keeps a request body, in memory or in a file, until the request is answered."""

from __future__ import annotations

import os
from contextlib import suppress
from io import BytesIO
from tempfile import TemporaryFile, gettempdir
from typing import IO

from app.server.capacity import WorkerTotals

_ALWAYS_IN_MEMORY = 512 * 1024
_MAX_BODY_BYTES_IN_MEMORY = 2 * 1024 * 1024
_MAX_TOTAL_BYTES_IN_MEMORY = 32 * 1024 * 1024
# Shorter pieces are joined, since each Python object has an overhead in memory.
_SHORT = 4096


class BodyBuffer:
    """A body in memory or in a file. Short bodies stay in memory, and medium ones if the worker holds few bytes.

    Creating and removing a file costs more than writing a MiB into it. In memory the pieces are kept as they arrive,
    and joined when all have arrived: a buffer that grows with each piece would copy them twice.
    """

    __slots__ = ("_file", "_pieces", "_size", "_totals")

    def __init__(self, totals: WorkerTotals) -> None:
        self._totals = totals
        self._pieces: list[bytes | bytearray] = []
        self._file: IO[bytes] | None = None
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, data: bytes) -> None:
        """Keep the next piece. Raises OSError if there is no space for a file."""
        self._size += len(data)
        pieces = self._pieces
        if self._file is not None:
            self._file.write(data)
        elif len(data) >= _SHORT or not pieces:
            pieces.append(data)
        elif isinstance(pieces[-1], bytearray):
            pieces[-1] += data
        else:
            pieces.append(bytearray(data))
        if self._file is None and self._size >= self._most_in_memory():
            self._move_to_file()

    def getfile(self) -> IO[bytes]:
        """The whole body as a file, at its beginning. Nothing may be appended after this."""
        if self._file is None:
            self._file = BytesIO(b"".join(self._pieces))
            self._pieces.clear()
        self._file.seek(0)
        return self._file

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _most_in_memory(self) -> int:
        return _MAX_BODY_BYTES_IN_MEMORY if self._totals.bytes_held < _MAX_TOTAL_BYTES_IN_MEMORY else _ALWAYS_IN_MEMORY

    def _move_to_file(self) -> None:
        self._file = _file_without_a_name()
        self._file.writelines(self._pieces)
        self._pieces.clear()


def _file_without_a_name() -> IO[bytes]:
    """An open file without a name. It is removed when it is closed, unless it is linked to a name: this way a storage
    backend can keep the body without copying it.

    A file of ``tempfile`` cannot be linked. The mode is that of ordinary files, for the linked file; until then no
    other process can open it.
    """
    if hasattr(os, "O_TMPFILE"):
        # Not every file system supports this. If the folder itself is unusable, the last line raises the error.
        with suppress(OSError):
            return open(os.open(gettempdir(), os.O_TMPFILE | os.O_RDWR, 0o666), "w+b")
    return TemporaryFile("w+b")
