"""Files without a name, which get their name when they are complete. Only Linux has them.

A file system that keeps a journal of all names and files in one order has a file's name on disk once the file is
synced, if it was named before. Elsewhere the directory must be synced too (fsync(2), Notes).
"""

from __future__ import annotations

import os
from contextlib import suppress

# XFS keeps such a journal, and so does ext4, unless made without. tests/storage_backends/test_power_loss.py shuts both
# down with a part of the journal. Nothing in tmpfs outlives the machine.
_NAMES_COME_WITH_FILES = frozenset({"ext4", "xfs", "tmpfs"})


def open_unnamed(folder: str) -> int:
    """The descriptor of a new file on the file system of ``folder``, open for writing. Raises OSError."""
    return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666)


def name_file(descriptor: int, path: str) -> None:
    """Give an unnamed file a name. Raises OSError, FileExistsError among them."""
    # With src_dir_fd, which an absolute path makes irrelevant, Python calls linkat. Without it, Python calls link,
    # which would link the symbolic link itself.
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor, follow_symlinks=True)


def can_name_files(folder: str) -> bool:
    """Whether unnamed files can be made and named in ``folder``."""
    if not hasattr(os, "O_TMPFILE"):
        return False
    path = f"{folder}/{os.urandom(16).hex()}"
    try:
        descriptor = open_unnamed(folder)
    except OSError:
        return False
    try:
        name_file(descriptor, path)
        os.unlink(path)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def syncs_names_with_files(folder: str) -> bool:
    """Whether syncing a file of this folder's file system also syncs a name that it got before."""
    device = os.stat(folder).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    with suppress(OSError, ValueError, IndexError), open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        # proc_pid_mountinfo(5): the third field is the device; the one after "-" is the type of its file system.
        kinds = {fields[fields.index("-") + 1] for fields in map(str.split, mounts) if fields[2] == number}
        return bool(kinds) and kinds <= _NAMES_COME_WITH_FILES and ("ext4" not in kinds or _has_journal(number))
    return False


def _has_journal(device: str) -> bool:
    """Whether the ext4 on this device has a journal: a thread of the kernel writes it. Raises OSError."""
    name = os.path.basename(os.readlink(f"/sys/dev/block/{device}"))
    with open(f"/sys/fs/ext4/{name}/journal_task", encoding="ascii") as thread:
        return thread.read().strip().isdigit()
