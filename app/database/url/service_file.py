"""The parameters of a connection service, from the files in which libpq looks for them.

Format: PostgreSQL documentation, "The Connection Service File".
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from app.database.wire.target import DatabaseUrlError

# The system-wide directories of Debian's packages, and of the PostgreSQL project's packages for Red Hat.
_SYSTEM_DIRECTORIES = ("/etc/postgresql-common", "/etc/sysconfig/pgsql")


def service_parameters(service: str, file: str | None) -> dict[str, str]:
    """The parameters of ``service``, from ``file`` or else the user's file or the system's. Raises DatabaseUrlError."""
    for path in _files(file):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as ex:
            raise DatabaseUrlError(f"the service file {path} cannot be read: {ex}") from None
        section = list(_section(lines, service))
        if section:
            return dict(_pair(line, path) for line in section[1:])
    raise DatabaseUrlError(f"no service file has the service {service!r}; set PGSERVICEFILE to the file's path")


def _files(file: str | None) -> Iterator[Path]:
    yield Path(file or os.environ.get("PGSERVICEFILE") or "~/.pg_service.conf").expanduser()
    given = os.environ.get("PGSYSCONFDIR")
    for directory in [given] if given else _SYSTEM_DIRECTORIES:
        yield Path(directory) / "pg_service.conf"


def _section(lines: list[str], service: str) -> Iterator[str]:
    """The lines of the service's section, beginning with its header; none if there is no such section."""
    inside = False
    for line in map(str.strip, lines):
        if line.startswith("["):
            if inside:
                return
            inside = line == f"[{service}]"
        if inside and line and not line.startswith("#"):
            yield line


def _pair(line: str, path: Path) -> tuple[str, str]:
    name, equals, value = line.partition("=")
    if not equals or name.strip() in ("service", "servicefile"):
        raise DatabaseUrlError(f"the service file {path} has a line that does not look like port=5432")
    return name.strip(), value.strip()
