"""Fills a test database as an app's developers fill theirs: with their migration commands and files of SQL."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from app.database.wire.failure import StatementError
from app.testing.databases import run_sql
from app.testing.failure import TestingError

_STDERR = 2


def migrate(database_url: str, commands: Iterable[str], directory: Path) -> None:
    """Run shell commands one after another in ``directory``, each with the URL of the database in DATABASE_URL. Their
    output goes to stderr. Raises TestingError for the first that fails."""
    for command in commands:
        environment = os.environ | {"DATABASE_URL": database_url}
        finished = subprocess.run(  # noqa: S602 - it is the developer's own command
            command,
            shell=True,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=_STDERR,
            check=False,
        )
        if finished.returncode != 0:
            raise TestingError(f"the command {command!r} failed with exit code {finished.returncode}")


def run_files(database_url: str, paths: Sequence[Path]) -> None:
    """Run files of SQL; of a folder those that end in .sql, in the order of their names. Raises TestingError with file
    and line."""
    for file in _files(paths):
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as ex:
            reason = ex.strerror if isinstance(ex, OSError) else "it is not UTF-8"
            raise TestingError(f"{file} cannot be read: {reason}") from None
        try:
            run_sql(database_url, text)
        except StatementError as ex:
            position = ex.diagnosis.position
            place = f"{file}, line {_line(text, int(position))}" if position else str(file)
            raise TestingError(f"{place}: {ex.diagnosis.message}") from None


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = sorted(path.glob("*.sql"))
            if not found:
                raise TestingError(f"the folder {path} has no file that ends in .sql")
            yield from found
        else:
            yield path


def _line(text: str, position: int) -> int:
    """The line of a position in characters, both counted from 1."""
    return text.count("\n", 0, position - 1) + 1
