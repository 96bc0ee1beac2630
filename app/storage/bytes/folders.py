"""Makes folders, and syncs them and files to disk."""

from __future__ import annotations

import os
import stat


def make_folder(folder: str) -> None:
    """Make a folder and its missing parents. Raises FileNotFoundError if one of them is removed meanwhile."""
    try:
        _make_one_folder(folder)
    except FileNotFoundError:
        make_folder(os.path.dirname(folder))
        _make_one_folder(folder)


def _make_one_folder(folder: str) -> None:
    try:
        os.mkdir(folder, mode=0o700)
    except FileExistsError:
        # pathlib's exist_ok would raise FileExistsError for a folder that another process has just removed.
        if not stat.S_ISDIR(os.stat(folder).st_mode):
            raise
    # Needed even if another thread or process made the folder: it may not have synced it yet.
    sync(os.path.dirname(folder))


def sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
