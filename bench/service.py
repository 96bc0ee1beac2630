"""A real service for a benchmark."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(
    variables: Mapping[str, str], workers: int, threads: int, program: str = "app"
) -> Iterator[tuple[tuple[str, int], int]]:
    """Run ``portico serve`` on a free port with these environment variables. Yields its address and process id.

    ``program``: the module to run; another one than `app` prepares the process and then runs `app`.
    """
    command = [sys.executable, "-m", program, "serve", "--port", "0"]
    command += ["--workers", str(workers), "--threads", str(threads)]
    with subprocess.Popen(
        command, env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as service:
        try:
            assert service.stdout is not None
            reported = next(match for line in service.stdout if (match := re.search(r"http://([\d.]+):(\d+)", line)))
            yield (reported[1], int(reported[2])), service.pid
        finally:
            service.send_signal(signal.SIGTERM)


def workers_of(pid: int) -> list[int]:
    """The process ids of a service's workers."""
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def peak_memory(pid: int) -> int:
    """The most memory that a process has had at a time, in bytes."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) * 1024 if found else 0
