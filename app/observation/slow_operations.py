"""The slowest recent operations: a bounded record, which processes share through a file."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from threading import Lock

from app.observation.records import SlowOperation

MAX_OPERATIONS = 50
"""The most operations that the record holds, each with its slowest run."""

_KEPT_S = 24 * 3600.0


def shared_file() -> int:
    """The descriptor of a new file without a name. Processes that are forked later share it. It stays open."""
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class Slowest:
    """The record. ``file``: the descriptor of the ``shared_file`` through which processes share it; None for a record
    that is not shared."""

    def __init__(self, file: int | None) -> None:
        self._file = file
        self._lock = Lock()
        self._known: list[SlowOperation] = []

    def add(self, slow: SlowOperation) -> None:
        """Record the operation, if it is among the slowest of the last day."""
        with self._shared() as known:
            found = _slowest((*known, slow), slow.at - _KEPT_S)
            if found != known:
                self._keep(found)

    def operations(self) -> Sequence[SlowOperation]:
        """The operations, slowest first."""
        with self._shared() as known:
            return _slowest(known, time.time() - _KEPT_S)

    def close(self) -> None:
        """Close the file. After this the process has its own record."""
        with self._lock:
            file, self._file = self._file, None
        if file is not None:
            os.close(file)

    @contextmanager
    def _shared(self) -> Iterator[list[SlowOperation]]:
        with self._lock:
            if self._file is None:
                yield self._known
                return
            # flock and seek do not work here: forked processes share the locks of flock, and the file's position.
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                content = os.pread(self._file, os.fstat(self._file).st_size, 0)
                yield [SlowOperation(**each) for each in json.loads(content or b"[]")]
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def _keep(self, found: list[SlowOperation]) -> None:
        """Write the record. Call this within ``_shared``, which locks the file."""
        if self._file is None:
            self._known = found
            return
        content = json.dumps([asdict(each) for each in found]).encode()
        os.pwrite(self._file, content, 0)
        os.ftruncate(self._file, len(content))


def _slowest(operations: Iterable[SlowOperation], since: float) -> list[SlowOperation]:
    """The slowest run of each operation, slowest first."""
    found: dict[tuple[str, str], SlowOperation] = {}
    for each in sorted(operations, key=lambda each: -each.milliseconds):
        if each.at >= since:
            found.setdefault((each.key, each.role), each)
    return list(found.values())[:MAX_OPERATIONS]
