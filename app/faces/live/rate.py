"""How many messages a connection may send."""

from __future__ import annotations

import time

_BURST_S = 10
"""For how many seconds' worth of messages at once a connection may have been silent before: a page that opens
subscribes to all that it shows."""


class MessageRate:
    """A bucket of tokens, of which each message takes one and each second brings ``per_s``."""

    def __init__(self, per_s: int) -> None:
        self._per_s = per_s
        self._left = float(per_s * _BURST_S)
        self._at = time.monotonic()

    def allows_one(self) -> bool:
        """Whether the connection may send a message now; it has sent it."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._per_s, self._per_s * _BURST_S)
        self._at = now
        self._left -= 1
        return self._left >= 0
