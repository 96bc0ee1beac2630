"""File locks that end with the process that holds them, however it ends (flock(2))."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class FileLock:
    """One open description of a lock file. A forked child shares it: the lock ends when all copies are closed."""

    def __init__(self, path: Path) -> None:
        # Readable by the owner alone: whoever can open the file can hold the lock.
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)

    def share(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def seize(self) -> None:
        """Take the lock exclusively; waits for it."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def try_seize(self) -> bool:
        """Take the lock exclusively if nobody else holds it now."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def is_lock_of(self, path: Path) -> bool:
        """Whether the file is still the one under that name."""
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(path))
        except FileNotFoundError:
            return False

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> FileLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_held(path: Path) -> bool:
    """Whether some process holds the lock of this file exclusively."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
