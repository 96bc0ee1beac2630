from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pg8000.exceptions
import pg8000.native
import pytest

from app.installation import scripts
from tests.postgres_server import PostgresServer, connect
from tests.servers import own_server

Session = Callable[..., pg8000.native.Connection]
OLDEST = "0.9.0"
HISTORY = Path(__file__).parent / "history"
"""A version from before the first release, and the way up from it: they show that upgrades work."""


@pytest.fixture(scope="package", autouse=True)
def scripts_with_history() -> Iterator[None]:
    """The scripts of the distribution and those of ``HISTORY``, as if both were distributed."""
    with tempfile.TemporaryDirectory(prefix="portico-scripts-") as directory, pytest.MonkeyPatch.context() as patch:
        for source in (*scripts.DIRECTORY.iterdir(), *HISTORY.iterdir()):
            shutil.copy(source, directory)
        # The distribution has no versions from before the first release.
        patch.setattr(scripts, "DIRECTORY", Path(directory))
        yield


@pytest.fixture
def session() -> Iterator[Session]:
    """Opens plain driver connections; all are closed in the end."""
    opened: list[pg8000.native.Connection] = []

    def open_session(url: str) -> pg8000.native.Connection:
        opened.append(connect(url))
        return opened[-1]

    yield open_session
    for connection in opened:
        # its database may have been dropped already
        with contextlib.suppress(pg8000.exceptions.InterfaceError):
            connection.close()


@pytest.fixture(scope="package")
def files(scripts_with_history: None) -> Iterator[Path]:
    """A directory with the extension's files that the server's account can read."""
    directory = Path(tempfile.mkdtemp(prefix="portico-files-"))
    directory.chmod(0o755)
    (directory / "extension").mkdir(mode=0o755)
    for source in scripts.DIRECTORY.glob("portico*"):
        shutil.copyfile(source, directory / "extension" / source.name)
    yield directory
    shutil.rmtree(directory)


def show_files(server: PostgresServer, url: str, files: Path) -> None:
    """Let new sessions in a database see the extension's files, or skip the test."""
    offered = f"select 1 from pg_available_extension_versions where name = 'portico' and version = '{OLDEST}'"
    if server.execute(offered, url):
        return
    if int(str(server.execute("show server_version_num")[0][0])) < 180000:
        if server.share is None:
            pytest.skip("this server does not have the extension's files, and cannot be configured to find them")
        shutil.copytree(files / "extension", server.share / "extension", dirs_exist_ok=True)
        return
    database = server.execute("select current_database()", url)[0][0]
    server.execute(f"alter database \"{database}\" set extension_control_path = '{files}:$system'")


@pytest.fixture
def extension_url(postgres: PostgresServer, database_url: str, files: Path) -> str:
    """The URL of a fresh database in which CREATE EXTENSION portico works."""
    show_files(postgres, database_url, files)
    return database_url


@pytest.fixture(scope="module")
def fresh_server() -> Iterator[PostgresServer]:
    """A separate server, in which the roles do not exist yet: roles belong to a whole cluster."""
    with own_server() as server:
        yield server
