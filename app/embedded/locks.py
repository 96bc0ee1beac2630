"""File locks that are released when their process ends, however it ends (flock(2))."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class FileLock:
    """An open file description of a lock file. Forked children share it: closing all copies releases the lock."""

    def __init__(self, path: Path) -> None:
        # Only the owner may open the file, because whoever can open it can hold the lock.
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)

    def share(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def seize(self) -> None:
        """Take the lock exclusively, waiting for it."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def try_seize(self) -> bool:
        """Take the lock exclusively unless somebody else holds it; whether it was taken."""
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
    """Whether some process holds this file's lock exclusively."""
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
