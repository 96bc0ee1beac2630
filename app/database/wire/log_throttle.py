"""Keeps one repeating failure from filling the log."""

from __future__ import annotations

import math
import time

_EACH_S = 60.0


class LogThrottle:
    """Allows each kind of message at most once a minute. Any thread may use it."""

    def __init__(self) -> None:
        self._quiet_until: dict[str, float] = {}

    def allows(self, kind: str) -> bool:
        """Whether to log a message of this ``kind`` now."""
        now = time.monotonic()
        if now < self._quiet_until.get(kind, -math.inf):
            return False
        self._quiet_until[kind] = now + _EACH_S
        return True
