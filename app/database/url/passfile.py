"""Passwords from a password file, as libpq reads it.

Format: PostgreSQL documentation, "The Password File".
"""

from __future__ import annotations

import logging
import re
import stat
from collections.abc import Sequence
from pathlib import Path

log = logging.getLogger("portico.database")

_FIELDS_OF_A_LINE = 5
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Passwords:
    """The lines of a password file; none if there is no such file, or if other users may read it."""

    def __init__(self, file: str | None) -> None:
        self._lines = list(map(_fields, _readable(Path(file or "~/.pgpass").expanduser())))

    def find(self, host: str, port: int, database: str, user: str) -> str | None:
        """The password of the first matching line; None if no line matches."""
        wanted = (host, str(port), database, user)
        return next((line[-1] for line in self._lines if _matches(line, wanted)), None)


def _readable(path: Path) -> list[str]:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            return []
        if mode & _OTHERS:
            log.warning("the password file %s is not used: other users may read it; run chmod 600 on it", path)
            return []
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [line for line in lines if line and not line.startswith("#")]


def _fields(line: str) -> list[str | None]:
    """The fields of a line: None for a lone ``*``, which matches anything."""
    parts = re.findall(r"((?:[^:\\]|\\.)*)(?::|$)", line)[:_FIELDS_OF_A_LINE]
    return [None if part == "*" else re.sub(r"\\(.)", r"\1", part) for part in parts]


def _matches(line: Sequence[str | None], wanted: Sequence[str]) -> bool:
    if len(line) < _FIELDS_OF_A_LINE:
        return False
    return all(given is None or given == value for given, value in zip(line[:-1], wanted, strict=True))
