"""What decoders died of: for a minute it is refused at once, so that one image cannot occupy the decoders.

That is a version in one format, in its own size or in any other: a photo that is not encoded as AVIF in time may be
drawn as JPEG, and in small. Otherwise, whoever may have it drawn could keep everybody from its thumbnails.
"""

from __future__ import annotations

import threading

from cachetools import TTLCache

from app.faces.images.jobs import OutputFormat, Wanted

_MOST, _SECONDS = 1000, 60.0
_Attempt = tuple[str, OutputFormat, bool]


class Failures:
    """Why images were refused in the last minute. Its methods may be called from many threads at once."""

    def __init__(self) -> None:
        self._reasons: TTLCache[_Attempt, str] = TTLCache(_MOST, _SECONDS)
        self._lock = threading.Lock()

    def note(self, version: str, wanted: Wanted, reason: str) -> None:
        with self._lock:
            self._reasons[_attempt(version, wanted)] = reason

    def of(self, version: str, wanted: Wanted) -> str | None:
        """The reason; None for what may be tried."""
        with self._lock:
            reason: str | None = self._reasons.get(_attempt(version, wanted))
            return reason


def _attempt(version: str, wanted: Wanted) -> _Attempt:
    return version, wanted.format, wanted.transform.is_sized
