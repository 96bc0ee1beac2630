"""The files in which the workers of a service keep their metrics. Any worker can read and add up all of them.

prometheus_client maps them into memory (https://prometheus.github.io/client_python/multiprocess/). The kernel kills a
process that writes to a mapped page for which the disk has no space, so the space is allocated when a file is made. A
worker that replaces another continues its files, so that the number of files does not grow.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

log = logging.getLogger("portico.metrics")

DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable from which prometheus_client reads the directory when it is imported."""

_KIB = 1024
_GAUGES = ("gauge_livesum", "gauge_livemin")


def make_directory(workers: int, operations: int) -> tempfile.TemporaryDirectory[str]:
    """A directory with the files of ``workers`` workers, each with space for ``operations`` names of operations. It is
    deleted with the returned object. Raises OSError if there is not enough space."""
    made = tempfile.TemporaryDirectory(prefix="portico-metrics-")
    try:
        for number in range(workers):
            _make_missing(Path(made.name), number, operations)
    except OSError:
        made.cleanup()
        raise
    return made


class WorkerFiles:
    """The files of this process in ``directory``. Metrics that are created after this keep their values in them. They
    belong to the process until ``close`` or its end. Raises OSError if new files are needed and there is not enough
    space."""

    def __init__(self, directory: Path, operations: int) -> None:
        from prometheus_client import values

        self._directory = directory
        self._number = 0
        while (lock := _locked(directory, self._number)) is None:
            self._number += 1
        self._lock = lock
        _make_missing(directory, self._number, operations)
        values.ValueClass = values.MultiProcessValue(lambda: self._number)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Release the files, so that another worker can continue them."""
        _forget_gauges(self._directory, self._number)
        os.close(self._lock)


def find_files() -> WorkerFiles | None:
    """The files of this process in the directory of its service; None if the service has none, or there is not enough
    space."""
    directory = os.environ.get(DIRECTORY)
    try:
        return None if directory is None else WorkerFiles(Path(directory), operations=0)
    except OSError as ex:
        log.warning("Metrics are not counted: %s. Set TMPDIR to a folder that has space.", ex)
        return None


def forget_dead(directory: Path) -> None:
    """Remove the gauges of workers that have ended; their counters stay."""
    for path in directory.glob(f"{_GAUGES[0]}_*.db"):
        number = int(path.stem.rpartition("_")[2])
        lock = _locked(directory, number)
        if lock is not None:
            _forget_gauges(directory, number)
            os.close(lock)


def _forget_gauges(directory: Path, number: int) -> None:
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(number, str(directory))  # type: ignore[no-untyped-call]


def _locked(directory: Path, number: int) -> int | None:
    """A locked descriptor, which marks the files with this number as in use; None if another process uses them."""
    import fcntl

    descriptor = os.open(directory / f"{number}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _make_missing(directory: Path, number: int, operations: int) -> None:
    for kind, size in _sizes(operations).items():
        path = directory / f"{kind}_{number}.db"
        if path.exists():
            continue
        unfinished = path.with_suffix(".new")
        # Zeros are written because a file that is only extended has holes, without space on the disk.
        unfinished.write_bytes(bytes(size))
        unfinished.replace(path)


def _sizes(operations: int) -> Mapping[str, int]:
    """The size of each file in bytes, by its kind. It is enough for one worker: the number of its series is bounded,
    and an operation's name takes at most 1 KiB. A file may grow if replacing workers add further names."""
    return {
        "counter": (1024 + operations) * _KIB,
        "histogram": 1024 * _KIB,
        "summary": (256 + 2 * operations) * _KIB,
        **dict.fromkeys(_GAUGES, 64 * _KIB),
    }
