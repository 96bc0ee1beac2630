"""One CPU for each worker process.

Only one thread of a Python process runs at a time (https://docs.python.org/3/glossary.html#term-global-interpreter-lock).
If its threads are on several CPUs, each switch wakes another CPU, which takes longer than the work in between.
"""

from __future__ import annotations

import contextlib
import os


def keep_to_one_cpu(number: int) -> None:
    """Pin this process, the worker with this ``number``, to one of its CPUs, if the system supports that."""
    if not hasattr(os, "sched_setaffinity"):
        return
    cpus = sorted(os.sched_getaffinity(0))
    # Adding the parent's process id prevents several services on a machine from all starting at its first CPU.
    chosen = cpus[(os.getppid() + number) % len(cpus)]
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {chosen})
