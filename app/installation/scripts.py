"""The SQL files. CREATE EXTENSION reads the same files that ``portico init`` sends."""

from __future__ import annotations

import re
from collections import deque
from pathlib import Path

from app.installation.version import VERSION, precedence

DIRECTORY = Path(__file__).parent / "sql"

_INSTALL = re.compile(r"portico--(\d+\.\d+\.\d+)\.sql")
_PRIVATE = re.compile(r"create or replace view graphql\.private_relations as\n(.*?);\n", re.DOTALL)
_UPGRADE = re.compile(r"portico--(\d+\.\d+\.\d+)--(\d+\.\d+\.\d+)\.sql")


def versions() -> list[str]:
    """Every version that can be installed, oldest first."""
    found = (_INSTALL.fullmatch(path.name) for path in DIRECTORY.iterdir())
    return sorted((match[1] for match in found if match), key=precedence)


def install_script(version: str) -> str:
    """SQL that installs ``version``, one of ``versions()``, and may be run again."""
    return _read(f"portico--{version}.sql")


def private_relations() -> str:
    """The query of the view ``graphql.private_relations``, for databases without it. The search path must begin with
    ``pg_catalog``."""
    found = _PRIVATE.search(install_script(VERSION))
    if found is None:
        raise LookupError("the script has no view graphql.private_relations")
    return found[1]


def upgrade_path(installed: str, wanted: str) -> list[tuple[str, str]] | None:
    """The shortest path from one version to another as steps ``(from, to)``; None if there is none."""
    steps = [match.groups() for path in DIRECTORY.iterdir() if (match := _UPGRADE.fullmatch(path.name))]
    ways = deque([(installed, list[tuple[str, str]]())])
    seen = {installed}
    while ways:
        reached, way = ways.popleft()
        if reached == wanted:
            return way
        for start, end in sorted(steps):
            if start == reached and end not in seen:
                seen.add(end)
                ways.append((end, [*way, (start, end)]))
    return None


def upgrade_script(step: tuple[str, str]) -> str:
    """The SQL of one step of an upgrade path."""
    return _read(f"portico--{step[0]}--{step[1]}.sql")


def uninstall_script() -> str:
    """SQL that removes the same objects as DROP EXTENSION: those that ``init`` installed, except the ones that users
    build upon."""
    return _read("uninstall.sql")


def _read(name: str) -> str:
    text = (DIRECTORY / name).read_text(encoding="utf-8")
    # These lines stop people who run an extension's file in psql; CREATE EXTENSION ignores them.
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("\\"))
