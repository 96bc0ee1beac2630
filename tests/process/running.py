"""Processes that tests start, talk to, and end by their process ids."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

REPOSITORY = Path(__file__).resolve().parents[2]
# Generous, because a busy machine is slow, not wrong.
PATIENCE_S = 100.0
T = TypeVar("T")


def environment(**changes: str) -> dict[str, str]:
    """The environment without variables that configure a service, and with the repository importable."""
    from app.settings import SETTINGS

    kept = {name: value for name, value in os.environ.items() if name not in {each.env for each in SETTINGS}}
    return kept | {"PYTHONPATH": str(REPOSITORY), "PYTHONUNBUFFERED": "1"} | changes


def until(find: Callable[[], T], patience_s: float = PATIENCE_S) -> T:
    """The first true result of ``find``; fails if that takes too long."""
    deadline = time.monotonic() + patience_s
    while not (found := find()):
        assert time.monotonic() < deadline, "it did not happen in time"
        # Processes and databases do not report everything that tests wait for.
        time.sleep(0.01)
    return found


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    if not Path("/proc/self/stat").exists():
        return True
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        # It has just ended.
        return False
    # A zombie still exists, but does not run.
    return state != "Z"


@contextmanager
def started(
    program: list[str], cwd: Path, pass_fds: Sequence[int] = (), **variables: str
) -> Iterator[subprocess.Popen[str]]:
    """A process with its output in a pipe, killed at the end if it still runs."""
    process = subprocess.Popen(
        program,
        cwd=cwd, env=environment(**variables), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, pass_fds=pass_fds,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()


@contextmanager
def open_directory() -> Iterator[Path]:
    """A directory that every account can enter, as the server's account cannot enter pytest's tmp_path of root."""
    base = Path(tempfile.mkdtemp(prefix="portico-cluster-"))
    base.chmod(0o755)
    try:
        yield base
    finally:
        shutil.rmtree(base)
