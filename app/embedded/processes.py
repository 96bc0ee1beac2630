"""Process checks: is it the server of a data directory, and is it listening?"""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path


def listens(path: Path) -> bool:
    """Whether a process accepts connections on a Unix socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def is_server_of(pid: int, data: Path) -> bool:
    """Whether the process is a running PostgreSQL server with this data directory."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    if not Path("/proc/self/cwd").exists():
        listed = subprocess.run(["/bin/ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True)
        return "postgres" in listed.stdout and str(data) in listed.stdout
    return _works_in(pid, data) and not _is_zombie(pid)


def is_unrelated_process(pid: int, data: Path) -> bool:
    """Whether the process exists, and it is certain that no process works in this data directory."""
    if not Path("/proc/self/cwd").exists():
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return not any(_works_in(int(name), data) for name in os.listdir("/proc") if name.isdigit())


def _works_in(pid: int, data: Path) -> bool:
    try:
        return os.path.samefile(f"/proc/{pid}/cwd", data)
    except OSError:
        return False


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
