"""Runs commands in this process, which is faster than in separate ones."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from app.cli import main
from app.settings import SETTINGS


@dataclass(frozen=True, slots=True)
class Finished:
    returncode: int
    stdout: str
    stderr: str


Portico = Callable[..., Finished]


@contextmanager
def process_restored() -> Iterator[None]:
    """Undo what ``serve`` does to its process: its log handler, whose stderr is that of one test here, and what Ctrl-C
    does."""
    root = logging.getLogger()
    handlers, level, at_interrupt = root.handlers[:], root.level, signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, at_interrupt)
        root.handlers[:] = handlers
        root.setLevel(level)


@pytest.fixture
def portico(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Portico:
    """Runs a command line in an empty directory; the environment has only the given variables."""
    for setting in SETTINGS:
        monkeypatch.delenv(setting.env, raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, **variables: str) -> Finished:
        # Undoes what the command itself sets too, such as the folder that serve gives its workers for metrics.
        with patch.dict(os.environ, variables):
            capfd.readouterr()
            with pytest.raises(SystemExit) as ended, process_restored():
                main(arguments)
        said = capfd.readouterr()
        code = ended.value.code
        return Finished(code if isinstance(code, int) else 0, said.out, said.err)

    return run
