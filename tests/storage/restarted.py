"""The program of restarting.py, as a test uses it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import IO


class Restarting:
    """``prepare`` is called in the new process before the program starts."""

    def __init__(self, settings: dict[str, object], prepare: Callable[[], None] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.storage.restarting", json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=prepare,
        )
        self.port = int(self._read())
        self._child = 0

    def serve(self) -> int:
        """The process id of a new server."""
        _pipe(self._process.stdin).write("\n")
        _pipe(self._process.stdin).flush()
        self._child = int(self._read())
        return self._child

    def kill(self, child: int) -> None:
        os.kill(child, signal.SIGKILL)
        assert self._read() == "ended"
        self._child = 0

    def close(self) -> None:
        if self._child:
            self.kill(self._child)
        _pipe(self._process.stdin).close()
        self._process.wait(10)
        _pipe(self._process.stdout).close()

    def _read(self) -> str:
        line = _pipe(self._process.stdout).readline().strip()
        assert line, "the program has ended"
        return line


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe
