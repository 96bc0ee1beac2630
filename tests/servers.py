"""PostgreSQL servers that the tests start: of the kind that all tests run on, and one that has more extensions.

The kind is the embedded server, or the programs in the directory TEST_POSTGRES_BIN. Each goes when the process of the
tests ends, however it ends.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

import pg8000.native
import psutil

from app.embedded.account import choose_account
from app.embedded.binaries import wheel_programs
from app.embedded.cluster import EmbeddedPostgres
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until

PROGRAMS = "TEST_POSTGRES_BIN"
_OF_DEBIAN = "/usr/lib/postgresql"
"""Where Debian's packages have the programs, by major version."""
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "",
    "log_timezone": "UTC",
    "max_connections": "200",
    "synchronous_commit": "off",
    "timezone": "UTC",
}
_WATCHED = '"$@" & server=$!; read -r _; kill -QUIT $server; wait $server; rm -rf "$0"'
"""A shell that stops the server, which need write nothing more, and removes its data when its own standard input ends:
with the process that has the other end, if not before."""


@contextmanager
def own_server() -> Iterator[PostgresServer]:
    """A new server of the kind that the tests run on."""
    with server_of(own_programs()) if PROGRAMS in os.environ else embedded_server() as server:
        yield server


def own_programs() -> Path:
    """The directory of the programs of that kind; that of a server alone lacks some."""
    given = os.environ.get(PROGRAMS)
    return wheel_programs() if given is None else Path(given)


@contextmanager
def embedded_server() -> Iterator[PostgresServer]:
    directory = _place() / f"portico-test-{os.geteuid()}-{os.getpid()}-{secrets.token_hex(4)}"
    with EmbeddedPostgres(directory, durable=False, temporary=True) as cluster:
        server = PostgresServer(cluster.url())
        yield server
        server.close(drop=False)


@contextmanager
def servers_with_extensions(usual: PostgresServer) -> Iterator[Callable[[str], PostgresServer | None]]:
    """Yields a function that returns a server with an extension: the usual one, Debian's newest, or the embedded
    one."""
    with ExitStack() as servers:
        start = cache(lambda programs: servers.enter_context(server_of(programs) if programs else embedded_server()))

        def find(extension: str) -> PostgresServer | None:
            if usual.has_extension(extension):
                return usual
            server = start(_programs_with(extension))
            return server if server.has_extension(extension) else None

        yield find


def _programs_with(extension: str) -> Path | None:
    """The directory of the newest of Debian's servers that has the extension."""
    controls = sorted(Path("/usr/share/postgresql").glob(f"*/extension/{extension}.control"), reverse=True)
    found = (Path(_OF_DEBIAN) / each.parents[1].name / "bin" for each in controls)
    return next((each for each in found if (each / "initdb").is_file()), None)


@contextmanager
def server_of(programs: Path) -> Iterator[PostgresServer]:
    """A new server of the programs in a directory."""
    account = choose_account()
    # Not pytest's tmp_path, which only root can enter.
    directory = Path(tempfile.mkdtemp(prefix="portico-cluster-", dir=_place()))
    directory.chmod(0o755)
    account.give(directory)
    options = {"cwd": "/", "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | account.process_options()
    data = directory / "data"
    # Sorted by code points, with the cases of all letters: as the embedded server does it.
    initdb = [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8"]
    subprocess.run([*initdb, "--locale", "C.UTF-8", "--lc-collate", "C"], check=True, **options)
    program, share = _movable(programs, directory)
    command = [str(program), "-D", str(data), "-k", str(directory)]
    for name, value in _SETTINGS.items():
        command += ["-c", f"{name}={value}"]
    watched = ["/bin/sh", "-c", _WATCHED, str(data), *command]
    process = subprocess.Popen(watched, stdin=subprocess.PIPE, start_new_session=True, **options)
    try:
        server = PostgresServer(f"postgresql://postgres@/postgres?host={directory}", share)
        until(lambda: _answers(server))
        yield server
        server.close(drop=False)
    finally:
        process.communicate(timeout=PATIENCE_S)
        shutil.rmtree(directory)


def _movable(programs: Path, directory: Path) -> tuple[Path, Path]:
    """The server's program and its shared files in a separate directory, where tests may add an extension.

    It finds its other files by where it is itself: make_relative_path in PostgreSQL's src/port/path.c.
    """
    share = next(each for each in _shares(programs) if (each / "postgres.bki").exists())
    root = Path(os.path.commonpath((programs, share)))
    program, moved = directory / programs.relative_to(root) / "postgres", directory / share.relative_to(root)
    (moved / "extension").mkdir(parents=True)
    for each in (*share.iterdir(), *(share / "extension").iterdir()):
        if each != share / "extension":
            (moved / each.relative_to(share)).symlink_to(each)
    program.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(programs / "postgres", program)
    # On Debian the directory of libraries is among others' beside the programs.
    (program.parents[1] / "lib").symlink_to(programs.parent / "lib")
    return program, moved


def _shares(programs: Path) -> tuple[Path, ...]:
    home = programs.parent
    return home / "share" / "postgresql", home / "share", home.parents[2] / "share" / "postgresql" / home.name


def _answers(server: PostgresServer) -> bool:
    try:
        return bool(server.execute("select 1"))
    except (pg8000.native.DatabaseError, pg8000.native.InterfaceError):
        # It listens before it is ready.
        return False


def _place() -> Path:
    """Memory if there is plenty: from a disk, hundreds of small databases are removed slowly."""
    plenty, memory = 8 * 1024**3, Path("/dev/shm")
    if "TMPDIR" in os.environ or not memory.is_dir():
        return Path(tempfile.gettempdir())
    # With the memory that holds copies of files.
    free = min(psutil.virtual_memory().available, shutil.disk_usage(memory).free)
    return memory if free > plenty else Path(tempfile.gettempdir())
