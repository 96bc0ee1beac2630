"""The cost of any such service, measured at the same time as Portico: on a busy machine only the ratio counts."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.load import http_request, run_load
from bench.processor import cpu_seconds

_REQUEST = http_request("/300", b"{}", {"Content-Type": "application/json"})
_WRITTEN_FOR_S = 0.5


@dataclass(frozen=True)
class OwnServer:
    """Falcon and waitress without changes, with a trivial resource."""

    address: tuple[str, int]
    pid: int

    def cpu_of_request(self, seconds: float = 0.4, connections: int = 16) -> float:
        """How many seconds of CPU time a request of the empty server takes now, whose answer are 300 bytes."""
        before = cpu_seconds(self.pid)
        load = run_load(self.address, _REQUEST, connections=connections, seconds=seconds)
        return (cpu_seconds(self.pid) - before) / load.requests


@contextmanager
def own_server(module: str, workers: int, threads: int, *arguments: str) -> Iterator[OwnServer]:
    """The server that a module of this package starts, with this number of workers and of threads in each."""
    command = [sys.executable, "-m", f"bench.{module}", str(workers), str(threads), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as server:
        try:
            assert server.stdout is not None
            yield OwnServer(("127.0.0.1", int(server.stdout.readline())), server.pid)
        finally:
            os.killpg(server.pid, signal.SIGTERM)


def empty_server(workers: int, threads: int) -> AbstractContextManager[OwnServer]:
    """A server that answers with bytes of nothing."""
    return own_server("empty", workers, threads)


def cpu_of_writing(folder: Path, content: bytes) -> float:
    """How many seconds of CPU time it takes to hash such bytes and to have them in a new file on disk."""
    place = folder / "written-alone"
    place.mkdir(exist_ok=True)
    began, used, count = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - began < _WRITTEN_FOR_S:
        hashlib.md5(content, usedforsecurity=False).digest()
        unfinished = place / "unfinished"
        with open(unfinished, "xb", buffering=0) as file:
            file.write(content)
            os.fsync(file.fileno())
        os.replace(unfinished, place / str(count))
        descriptor = os.open(place, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        count += 1
    return (time.process_time() - used) / count
