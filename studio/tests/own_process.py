"""``portico serve`` with Studio, as a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points

from app.testing.service import JWT_SECRET

METADATA = "Metadata-Version: 2.1\nName: portico-studio\nVersion: 0\n"
ENTRY_POINT = "[portico]\nstudio = portico_studio.plugin:Studio\n"


@contextmanager
def serving_as_a_process(service, directory, **variables) -> Iterator[str]:
    """The address of a development service on the database of ``service``. ``variables`` are settings."""
    own = [] if entry_points(group="portico", name="studio") else [_installed(directory)]
    settings = {
        "DATABASE_URL": service.database_url,
        "JWT_SECRET": JWT_SECRET,
        "ANON_KEY": service.anon_key,
        "SERVICE_ROLE_KEY": service.service_role_key,
        "STORAGE_URL": (directory / "objects").as_uri(),
        "DEVELOPMENT": "on",
        "PORT": "0",
        "WEB_CONCURRENCY": "1",
        "PYTHONPATH": os.pathsep.join([*own, os.environ.get("PYTHONPATH", "")]),
        **variables,
    }
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen([sys.executable, "-m", "app", "serve"], env={**os.environ, **settings}, **options) as process:
        try:
            lines = []
            while not (found := re.search(r"(http://\S+)/studio#start=", "".join(lines))):
                lines.append(process.stdout.readline())
                assert lines[-1], lines
            yield found[1]
        finally:
            process.terminate()
            process.stdout.read()


def _installed(directory):
    """A directory in which the entry point of Studio is found."""
    info = directory / "installed" / "portico_studio-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text(ENTRY_POINT)
    return str(info.parent)
