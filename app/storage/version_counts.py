"""How often this process has changed versions that are not current, for metrics.

Versions that a write replaced are not counted: triggers of the database keep them.
"""

from __future__ import annotations

import threading
from typing import Literal, get_args

VersionChange = Literal["marked", "undeleted", "deleted", "restored"]
"""A deletion that left a delete marker; the deletion of a marker; the deletion of a version for good; a copy of a
version onto its own key."""


class VersionCounts:
    """``counts``: the number of changes of each kind so far. Lifecycle rules count theirs themselves."""

    def __init__(self) -> None:
        self.counts: dict[VersionChange, int] = dict.fromkeys(get_args(VersionChange), 0)
        self._lock = threading.Lock()

    def add(self, change: VersionChange, number: int = 1) -> None:
        """Count ``number`` changes."""
        with self._lock:
            self.counts[change] += number
