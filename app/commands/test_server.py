"""``portico test-server``"""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.commands.options import ServiceCommand
from app.server.processes.address import address_of, listen
from app.server.processes.logs import configure_logging
from app.settings import Settings

if TYPE_CHECKING:
    from app.testing.baseline import Baseline

_NOT_OF_TESTS = {
    "DATABASE_URL", "SERVICE_DATABASE_URL", "DATABASE_READ_URLS", "JWT_SECRET", "JWT_JWKS", "JWT_AUDIENCE", "ANON_KEY",
    "SERVICE_ROLE_KEY", "STORAGE_URL", "DATA_DIR", "PUBLIC_URL", "TRUSTED_PROXY", "WEBHOOK_URL",
}  # fmt: skip
"""Settings that may be in a developer's environment and name the database, the keys and the places of another
service."""
_STOP_LIMIT_S = 10.0


@click.command("test-server", cls=ServiceCommand)
@click.option(
    "--migrate",
    "migrations",
    multiple=True,
    metavar="COMMAND",
    help="A shell command that creates the tables in the database of DATABASE_URL; may be repeated.",
)
@click.option(
    "--sql",
    "files",
    multiple=True,
    metavar="PATH",
    type=click.Path(exists=True, path_type=Path),
    help="A file of SQL to run after that, or a folder of files that end in .sql; may be repeated.",
)
@click.argument("command_line", nargs=-1, metavar="[COMMAND...]", type=click.UNPROCESSED)
def command(migrations: Sequence[str], files: Sequence[Path], command_line: Sequence[str], **options: Any) -> int:
    """Serve an app's database for the app's tests, in a new database that is dropped at the end.

    The database is on the PostgreSQL of TEST_DATABASE_URL, the URL of a superuser, or on an embedded one. The commands
    of --migrate and the files of --sql fill it once. POST /test/v1/reset, with the key of the service role, gives all
    tables the rows that they had then.

    With a COMMAND, run that with PORTICO_URL, PORTICO_ANON_KEY, PORTICO_SERVICE_ROLE_KEY, PORTICO_JWT_SECRET and
    DATABASE_URL in its environment, and end with its exit code. Without one, print these variables and serve until
    Ctrl-C.
    """
    from app.testing.baseline import Baseline
    from app.testing.databases import installed_database, test_server
    from app.testing.preparation import migrate, run_files

    name = f"portico_test_server_{os.getpid()}_{secrets.token_hex(3)}"
    with (
        tempfile.TemporaryDirectory(prefix="portico-test-server-") as folder,
        test_server() as server,
        installed_database(server, name) as url,
    ):
        migrate(url, migrations, Path.cwd())
        run_files(url, files)
        return _serve(url, Baseline(url), Path(folder), command_line, options)


def _serve(url: str, baseline: Baseline, folder: Path, program: Sequence[str], options: Mapping[str, Any]) -> int:
    from app.discovery import configure
    from app.identity.issuing import make_keys
    from app.server.processes.worker import run_worker
    from app.testing.control import Control
    from app.wsgi import create_app

    keys = make_keys()
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_OF_TESTS}
    given = {
        **options,
        "port": options.get("port") or environment.get("PORT") or 0,
        "database_url": url,
        "storage_url": (folder / "objects").as_uri(),
        "data_dir": str(folder),
        "workers": 1,
        "jwt_secret": keys.jwt_secret,
        "anon_key": keys.anon_key,
        "service_role_key": keys.service_role_key,
    }
    settings, plugins = configure(environment, given, {"test_control": Control(baseline)})
    configure_logging(settings)
    with closing(listen(settings.host, settings.port)) as listener:
        tests = _Program(program, _variables(settings, address_of(listener), url))
        try:
            run_worker(partial(create_app, plugins=plugins), listener, settings, tests.wait, tests.start)
        finally:
            code = tests.stop()
    return code


def _variables(settings: Settings, address: str, database_url: str) -> dict[str, str]:
    return {
        "PORTICO_URL": address,
        "PORTICO_ANON_KEY": settings.anon_key or "",
        "PORTICO_SERVICE_ROLE_KEY": settings.service_role_key or "",
        "PORTICO_JWT_SECRET": settings.jwt_secret or "",
        "DATABASE_URL": database_url,
    }


class _Program:
    """The program that runs the tests. If there is none, the variables are printed for one that is started by hand."""

    def __init__(self, command_line: Sequence[str], variables: Mapping[str, str]) -> None:
        self._command_line, self._variables = command_line, variables
        self._process: subprocess.Popen[bytes] | None = None
        self._failure: OSError | None = None
        self._is_started = threading.Event()

    def start(self) -> None:
        if not self._command_line:
            click.echo("".join(f"{name}={value}\n" for name, value in self._variables.items()), nl=False)
            return
        try:
            self._process = subprocess.Popen(self._command_line, env=os.environ | self._variables)
        except OSError as ex:
            self._failure = ex
        # wait() returns now if the program could not be started, and the server stops.
        self._is_started.set()

    def wait(self) -> None:
        """Wait until the program has ended; without one, forever."""
        self._is_started.wait()
        if self._process is not None:
            self._process.wait()

    def stop(self) -> int:
        """End the program if it still runs. Returns its exit code, 0 without one."""
        if self._failure is not None:
            from app.commands.failure import CommandError

            raise CommandError(f"{self._command_line[0]} cannot be run: {self._failure.strerror}")
        if self._process is None:
            return 0
        if self._process.poll() is None:
            self._process.terminate()
        try:
            code = self._process.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        # A shell's exit code for a program that a signal has ended.
        return code if code >= 0 else 128 - code
