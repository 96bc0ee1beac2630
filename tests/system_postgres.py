"""The PostgreSQL of the system, where a package has put one: it has extensions that the embedded one lacks."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pg8000.native
import pytest

from app.embedded.account import choose_account
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, open_directory, until

_PROGRAMS = "/usr/lib/postgresql"
"""Where Debian's packages have the programs, by major version."""
_NOT_DURABLE = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")


@contextmanager
def server_with(extension: str, usual: PostgresServer) -> Iterator[PostgresServer]:
    """A server that has the extension: the ``usual`` one, or else the system's. Without either tests are skipped."""
    if usual.has_extension(extension):
        yield usual
        return
    programs = _programs(extension)
    if programs is None:
        pytest.skip(f"no server has the extension {extension}")
    with open_directory() as directory, _running(programs, directory) as server:
        yield server


def _programs(extension: str) -> Path | None:
    controls = sorted(Path("/usr/share/postgresql").glob(f"*/extension/{extension}.control"), reverse=True)
    found = (Path(_PROGRAMS) / each.parents[1].name / "bin" for each in controls)
    return next((each for each in found if (each / "initdb").is_file()), None)


@contextmanager
def _running(programs: Path, directory: Path) -> Iterator[PostgresServer]:
    account = choose_account()
    account.give(directory)
    options = {"cwd": "/", "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | account.process_options()
    data = directory / "data"
    initdb = [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8"]
    subprocess.run([*initdb, "--locale", "C"], check=True, **options)
    command = [str(programs / "postgres"), "-D", str(data), "-k", str(directory), "-c", "listen_addresses="]
    process = subprocess.Popen([*command, "-c", "max_connections=200", *_NOT_DURABLE], **options)
    try:
        server = PostgresServer(f"postgresql://postgres@/postgres?host={directory}")
        until(lambda: _answers(server))
        yield server
        server.close(drop=False)
    finally:
        # A fast shutdown: it does not wait for clients.
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)


def _answers(server: PostgresServer) -> bool:
    try:
        return bool(server.execute("select 1"))
    except (pg8000.native.DatabaseError, pg8000.native.InterfaceError):
        # It listens before it is ready.
        return False
