"""One CPU for each worker process.

Only one thread of a Python process runs at a time (https://docs.python.org/3/glossary.html#term-global-interpreter-lock).
Where its threads are on several CPUs, each handing over wakes another CPU, which takes longer than the work between.
"""

from __future__ import annotations

import contextlib
import os


def keep_to_one_cpu(number: int) -> None:
    """Keep this process, the worker of that number, to one of the CPUs it may use. Where that cannot be, do nothing."""
    if not hasattr(os, "sched_setaffinity"):
        return
    cpus = sorted(os.sched_getaffinity(0))
    # By the parent too, so that several services of one machine do not all begin with its first CPU.
    chosen = cpus[(os.getppid() + number) % len(cpus)]
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {chosen})
