"""Versions whose decoder died: for a minute they are refused at once, so that one image cannot occupy the decoders."""

from __future__ import annotations

import threading

from cachetools import TTLCache

_MOST, _SECONDS = 1000, 60.0


class Failures:
    """Why versions were refused in the last minute. Its methods may be called from many threads at once."""

    def __init__(self) -> None:
        self._reasons: TTLCache[str, str] = TTLCache(_MOST, _SECONDS)
        self._lock = threading.Lock()

    def note(self, version: str, reason: str) -> None:
        with self._lock:
            self._reasons[version] = reason

    def of(self, version: str) -> str | None:
        """The reason; None for a version that may be tried."""
        with self._lock:
            reason: str | None = self._reasons.get(version)
            return reason
