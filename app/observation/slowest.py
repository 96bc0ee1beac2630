"""The slowest operations of late: a bounded record, which processes share through a file."""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Lock

from app.observation.observed import SlowOperation

MOST = 50
"""How many operations the record holds, each with its slowest run."""

_KEPT_S = 24 * 3600.0


class Slowest:
    """The record. ``path``: the file through which processes share it; None for one of this process alone."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = Lock()
        self._known: list[SlowOperation] = []

    def add(self, slow: SlowOperation) -> None:
        """Record the operation, if it is among the slowest of the last day."""
        with self._shared() as known:
            found = _slowest((*known, slow), slow.at - _KEPT_S)
            if found != known:
                self._keep(found)

    def operations(self) -> Sequence[SlowOperation]:
        """The operations, the slowest first."""
        with self._shared() as known:
            return _slowest(known, time.time() - _KEPT_S)

    @contextmanager
    def _shared(self) -> Iterator[list[SlowOperation]]:
        with self._lock:
            if self._path is None:
                yield self._known
                return
            with self._path.open("a+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.seek(0)
                yield [SlowOperation(**each) for each in json.loads(file.read() or "[]")]

    def _keep(self, found: list[SlowOperation]) -> None:
        """Within ``_shared``, which locks the file that is written here."""
        if self._path is None:
            self._known = found
        else:
            self._path.write_text(json.dumps([asdict(each) for each in found]))


def _slowest(operations: Iterable[SlowOperation], since: float) -> list[SlowOperation]:
    """The slowest run of each operation, the slowest first."""
    found: dict[tuple[str, str], SlowOperation] = {}
    for each in sorted(operations, key=lambda each: -each.milliseconds):
        if each.at >= since:
            found.setdefault((each.key, each.role), each)
    return list(found.values())[:MOST]
