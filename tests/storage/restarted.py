"""Runs the program restarting.py for a test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import IO

from tests.process.running import PATIENCE_S, environment


class Restarting:
    """``largest_file``: the program may write no file that is larger, in bytes."""

    def __init__(self, settings: dict[str, object], largest_file: int | None = None) -> None:
        program = [sys.executable, "-m", "tests.storage.restarting", json.dumps(settings)]
        if largest_file is not None:
            program.append(str(largest_file))
        self._process = subprocess.Popen(
            program, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
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
        self._process.wait(PATIENCE_S)
        _pipe(self._process.stdout).close()

    def _read(self) -> str:
        line = _pipe(self._process.stdout).readline().strip()
        assert line, "the program has ended"
        return line


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe
