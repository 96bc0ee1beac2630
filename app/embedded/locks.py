"""File locks (flock(2)), which are released when their process ends, even if it is killed."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class FileLock:
    """An open lock file. Forked children share the lock: it is released when all of them have closed the file."""

    def __init__(self, path: Path) -> None:
        # Only the owner may open the file, because any process that can open it can hold the lock.
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)

    def lock_shared(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def lock_exclusive(self) -> None:
        """Wait for the lock and take it exclusively."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def try_lock_exclusive(self) -> bool:
        """Take the lock exclusively, unless another process holds it. Returns whether it was taken."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def is_lock_of(self, path: Path) -> bool:
        """Whether ``path`` is still the locked file."""
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
    """Whether a process holds this file's lock exclusively."""
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
