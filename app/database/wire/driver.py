"""Starts a session with pg8000, and gives access to its private attributes."""

from __future__ import annotations

import contextlib
from typing import Any

import pg8000.core


class DriverSession(pg8000.core.CoreConnection):  # type: ignore[misc]
    """A connection of pg8000 that always closes the file through which it writes to its socket.

    A file with unsent bytes tries to send them when it is garbage-collected, and Python prints that failure (always
    from 3.13 on).
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        try:
            super().__init__(*arguments, **named)
        except BaseException:
            _close(vars(self).get("_sock"))
            raise

    @property
    def cancel_key(self) -> bytes | None:
        """The key for ``request_cancel``; None if the server sent none."""
        key: bytes | None = self._backend_key_data
        return key

    def close(self) -> None:
        file = self._sock
        try:
            super().close()
        finally:
            _close(file)


def _close(file: Any) -> None:
    if file is not None:
        with contextlib.suppress(OSError, ValueError):
            file.close()
