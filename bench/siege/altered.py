"""`portico` in a ``World``: ``python -m bench.siege.altered serve ...``. It needs no more rights than `portico`."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

import jwt.api_jwt

from bench.siege.world import VARIABLE, World

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHANGES = frozenset({"os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir"})
_POSSIBLE_WHEN_FULL = frozenset({"os.remove", "os.rmdir", "os.rename"})


def main() -> None:
    """Alter what this process and its workers see, then be `portico`."""
    world = World(Path(os.environ[VARIABLE]))
    _move_clock(world)
    sys.addaudithook(_refusing(world))
    # Only now: some modules take the clock when they are imported.
    from app.cli import main as portico

    portico()


def _move_clock(world: World) -> None:
    real = time.time
    time.time = lambda: real() + world.ahead_s

    class Moved(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(time.time(), tz)

    # It compares the times of tokens with this.
    jwt.api_jwt.datetime = Moved  # type: ignore[attr-defined]


def _refusing(world: World) -> Callable[[str, tuple[object, ...]], None]:
    """An audit hook that refuses changes in the folder of objects."""
    folder = unquote(urlsplit(os.environ["STORAGE_URL"]).path)

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        refusal = world.refusal if event == "open" or event in _CHANGES else 0
        if not refusal or (refusal == errno.ENOSPC and event in _POSSIBLE_WHEN_FULL):
            return
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & _WRITES):
            return
        if isinstance(arguments[0], str | os.PathLike) and os.fspath(arguments[0]).startswith(folder):
            raise OSError(refusal, os.strerror(refusal))

    return refuse


if __name__ == "__main__":
    main()
