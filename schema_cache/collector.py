"""Pauses garbage collection while long-lived objects are created.

Python's collector examines all objects whenever their number has grown by a quarter. While all new objects stay in use
it finds nothing: this was half of the time of making the schema of 1,000 tables.
"""

from __future__ import annotations

import gc
from contextlib import AbstractContextManager
from threading import Lock


class _PausedCollector(AbstractContextManager[None]):
    """Several threads may enter it at the same time: the collector is enabled again when the last one has left."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entered = 0

    def __enter__(self) -> None:
        with self._lock:
            self._entered += 1
            gc.disable()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._entered -= 1
            if not self._entered:
                gc.enable()


collector_paused = _PausedCollector()
"""A context manager that pauses the collector. There is one for the process, because there is one collector."""
