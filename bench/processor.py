"""The CPU time of processes, from /proc."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
# In /proc/PID/stat, after the name: the time of children that have ended and were waited for.
_REAPED = slice(13, 15)
_ENDS_WITHIN_S = 5.0


def cpu_seconds(pid: int) -> float:
    """How long a process and all below it have run on a CPU, those that have ended included."""
    return sum(_own_seconds(each) + _reaped_seconds(each) for each in _tree(pid))


def children_of(pid: int) -> set[int]:
    """The processes that a process has started, those included that have ended and were not waited for."""
    found: set[int] = set()
    for thread in _threads(pid):
        with suppress(OSError):
            found.update(map(int, (thread / "children").read_text().split()))
    return found


def await_end(pid: int, children: set[int]) -> None:
    """Wait until all children of a process have ended but these: what they used is only then counted as its own."""
    until = time.monotonic() + _ENDS_WITHIN_S
    while children_of(pid) - children and time.monotonic() < until:
        time.sleep(0.01)


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for child in children_of(pid):
        yield from _tree(child)


def _threads(pid: int) -> list[Path]:
    with suppress(OSError):
        return list(Path(f"/proc/{pid}/task").iterdir())
    return []


def _own_seconds(pid: int) -> float:
    """The scheduler counts in nanoseconds, for each thread."""
    nanoseconds = 0
    for thread in _threads(pid):
        with suppress(OSError):
            nanoseconds += int((thread / "schedstat").read_text().split()[0])
    return nanoseconds / 1e9


def _reaped_seconds(pid: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[_REAPED])) / _TICKS
    return 0.0
