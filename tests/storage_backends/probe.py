"""A separate process that uses a backend, for what the tests' own process cannot show or do.

python -m tests.storage_backends.probe URL memory KEY MIB   prints by how many bytes memory grew at most
python -m tests.storage_backends.probe URL die KEY          is killed in the middle of a put
python -m tests.storage_backends.probe URL modules          prints the modules that were imported, one a line
"""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

from app.discovery import plugin_manager
from app.storage.bytes.backend import Backend, open_backend
from tests.storage_backends.streams import MIB, Generated

STATUS = Path("/proc/self/status")
CHUNK = 64 * 1024


def main(url: str, action: str, *argument: str) -> None:
    backend = open_backend(plugin_manager(), url)
    if action == "memory":
        print(growth(backend, argument[0], int(argument[1]) * MIB))
    elif action == "die":
        backend.put(argument[0], Generated(20 * MIB, lambda: os.kill(os.getpid(), signal.SIGKILL)))
    else:
        print("\n".join(sys.modules))


def growth(backend: Backend, key: str, size: int) -> int:
    """The peak growth of memory while ``size`` bytes are written, with and without a declared length, and read."""
    for _ in range(2):
        backend.put(key, Generated(1000))
        read_all(backend, key, 1000)
    before = fresh_peak()
    backend.put(key, Generated(size), size=size)
    backend.put(key, Generated(size))
    read_all(backend, key, size)
    return peak() - before


def read_all(backend: Backend, key: str, size: int) -> None:
    readable = backend.open_read(key, 0, size)
    chunks = readable.chunks or iter(lambda: readable.file.read(CHUNK), b"")  # type: ignore[union-attr]
    assert sum(map(len, chunks)) == size
    readable.close()


def fresh_peak() -> int:
    """The current memory; resets the peak (proc(5), clear_refs)."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", STATUS.read_text())
    assert found
    return int(found[1]) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
