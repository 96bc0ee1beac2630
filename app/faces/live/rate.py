"""Limits the number of messages that a connection may send."""

from __future__ import annotations

import time

_BURST_S = 10
"""After a silence, a connection may send the messages of this number of seconds together, since a page that opens
subscribes to everything that it shows."""


class MessageRate:
    """A token bucket: each message takes one token, and each second adds ``per_s``."""

    def __init__(self, per_s: int) -> None:
        self._per_s = per_s
        self._left = float(per_s * _BURST_S)
        self._at = time.monotonic()

    def allows_one(self) -> bool:
        """Whether the message that the connection has just sent is within the limit. It is counted."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._per_s, self._per_s * _BURST_S)
        self._at = now
        self._left -= 1
        return self._left >= 0
