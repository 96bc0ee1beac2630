"""What keeps a log from filling with one failure that repeats."""

from __future__ import annotations

import math
import time

_EACH_S = 60.0


class LogThrottle:
    """Lets each kind of message through at most once a minute, for any thread."""

    def __init__(self) -> None:
        self._quiet_until: dict[str, float] = {}

    def allows(self, kind: str) -> bool:
        """Whether to log a message of this ``kind`` now."""
        now = time.monotonic()
        if now < self._quiet_until.get(kind, -math.inf):
            return False
        self._quiet_until[kind] = now + _EACH_S
        return True
