"""Images on which decoders failed: for a minute they are refused at once, so that one image cannot occupy the decoders.

The refusal covers one version in one format, separately for its original size and for all other sizes. A photo that
cannot be encoded as AVIF in time can still be drawn as JPEG or in a smaller size. With a wider refusal, one client
could make the thumbnails of an image unavailable for everyone.
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
        """The reason of the refusal; None if the image may be drawn."""
        with self._lock:
            reason: str | None = self._reasons.get(_attempt(version, wanted))
            return reason


def _attempt(version: str, wanted: Wanted) -> _Attempt:
    return version, wanted.format, wanted.transform.is_sized
