"""Where a body is kept while it arrives, and until it is answered."""

from __future__ import annotations

from waitress.buffers import OverflowableBuffer

from app.server.capacity import Seat

_ALWAYS_IN_MEMORY = 512 * 1024
_LARGEST_IN_MEMORY = 2 * 1024 * 1024
_MOST_IN_MEMORY = 32 * 1024 * 1024


class BodyBuffer(OverflowableBuffer):  # type: ignore[misc]
    """A body in memory while it is short, or not large and the worker holds few bytes of others; else in a file.

    To make and remove a file costs more than to write a MiB into it.
    """

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    @property
    def overflow(self) -> int:
        """The size from which this body is in a file; it is asked whenever more has arrived."""
        return _LARGEST_IN_MEMORY if self._seat.bytes_held < _MOST_IN_MEMORY else _ALWAYS_IN_MEMORY
