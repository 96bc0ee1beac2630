"""Acknowledged blobs survive a file system that is cut off from its journal, as by a loss of power.

It takes the right to mount, as root: ``PORTICO_TEST_POWER_LOSS=1 pytest tests/storage_backends/test_power_loss.py``.
"""

from __future__ import annotations

import fcntl
import os
import random
import struct
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pytest

from app.errors import PorticoError
from app.storage.bytes.unnamed_files import can_name_files, syncs_names_with_files
from plugins.storage.file import FolderBackend
from tests.process.running import until
from tests.storage_backends.streams import content

# _IOR('X', 125, __u32): FS_IOC_SHUTDOWN of linux/fs.h, without writing the rest of the journal.
_SHUTDOWN, _WITHOUT_THE_JOURNAL = 0x8004587D, 2
_WRITERS = 6
_SIZES = (10, 5_000, 70_000)


@contextmanager
def mounted(image: Path, folder: Path) -> Iterator[None]:
    subprocess.run(["mount", "-o", "loop", image, folder], check=True)
    try:
        yield
    finally:
        until(lambda: subprocess.run(["umount", folder], capture_output=True).returncode == 0)


@pytest.mark.skipif(not os.environ.get("PORTICO_TEST_POWER_LOSS"), reason="only in the long form")
@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_acknowledged_blobs_survive_a_loss_of_power(tmp_path: Path, kind: str) -> None:
    image, folder = _image(tmp_path), tmp_path / "mounted"
    subprocess.run([f"mkfs.{kind}", "-q", image], check=True)
    for _ in range(5):
        with mounted(image, folder):
            assert can_name_files(str(folder))
            assert syncs_names_with_files(str(folder))
            acknowledged = _write_until_shutdown(folder)
        with mounted(image, folder):
            backend = FolderBackend(folder)
            assert {key for key, data in acknowledged.items() if content(backend, key) != data} == set()


@pytest.mark.skipif(not os.environ.get("PORTICO_TEST_POWER_LOSS"), reason="only in the long form")
def test_directories_are_synced_where_there_is_no_journal(tmp_path: Path) -> None:
    image, folder = _image(tmp_path), tmp_path / "mounted"
    subprocess.run(["mkfs.ext4", "-q", "-O", "^has_journal", image], check=True)
    with mounted(image, folder):
        assert can_name_files(str(folder))
        assert not syncs_names_with_files(str(folder))


def _image(tmp_path: Path) -> Path:
    """A file for a file system, beside a folder to mount it."""
    (tmp_path / "mounted").mkdir()
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(512 * 1024 * 1024)
    return image


def _write_until_shutdown(folder: Path) -> dict[str, bytes]:
    """Write new blobs, and cut the file system off while they are written. Returns those acknowledged before."""
    backend = FolderBackend(folder)
    acknowledged: dict[str, bytes] = {}
    enough = threading.Event()

    def write() -> None:
        while True:
            key, data = f"blobs/{os.urandom(1).hex()}/{os.urandom(16).hex()}", os.urandom(random.choice(_SIZES))
            try:
                backend.create(key, BytesIO(data), size=len(data))
            except PorticoError:
                # The file system is cut off.
                return
            acknowledged[key] = data
            if len(acknowledged) > 200:
                enough.set()

    with ThreadPoolExecutor(_WRITERS) as pool:
        for _ in range(_WRITERS):
            pool.submit(write)
        assert enough.wait(60)
        before = dict(acknowledged)
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, _SHUTDOWN, struct.pack("I", _WITHOUT_THE_JOURNAL))
        finally:
            os.close(descriptor)
    return before
