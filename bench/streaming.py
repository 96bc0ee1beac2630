"""A PostgreSQL primary with streaming standbys, each a process of its own on a loopback port."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pg8000.exceptions
import pg8000.native

from app.embedded.account import Account, choose_account
from app.embedded.binaries import reachable_programs

USER = "postgres"
_NEEDED = ("initdb", "pg_basebackup", "postgres")
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "max_connections": "200",
    "hot_standby_feedback": "on",
    "wal_keep_size": "512MB",
    "shared_buffers": "32MB",
}
_START_LIMIT_S = 60.0


def missing() -> str:
    """Why there can be no standbys here; '' if there can."""
    try:
        programs = reachable_programs(choose_account())
    except RuntimeError as ex:
        return str(ex)
    return ", ".join(f"no {each}" for each in _NEEDED if not (programs / each).is_file())


class Node:
    """One server. ``port`` stays the same when it is stopped and started again."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        self.data = cluster.directory / name
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres", parameters: str = "", user: str = USER) -> str:
        login = f"{user}:{self._cluster.password}"
        return f"postgresql://{login}@127.0.0.1:{self.port}/{database}?sslmode=disable{parameters}"

    def start(self, **settings: str) -> Node:
        """Start it and wait until it takes connections."""
        command = [str(self._cluster.programs / "postgres"), "-D", str(self.data), "-p", str(self.port)]
        for name, value in {**_SETTINGS, **settings}.items():
            command += ["-c", f"{name}={value}"]
        log = open(self._cluster.directory / f"{self.data.name}.log", "ab")  # noqa: SIM115 - the child has it
        with log:
            self._process = subprocess.Popen(
                command, cwd="/", stdout=log, stderr=log, start_new_session=True,
                **self._cluster.account.process_options(),
            )  # fmt: skip
        wait_until(self._answers, f"{self.data.name} takes connections", seconds=_START_LIMIT_S)
        return self

    def kill(self) -> None:
        """End it as a crash does."""
        self._end(signal.SIGQUIT)

    def stop(self) -> None:
        """End it in order."""
        self._end(signal.SIGINT)

    def follow(self, primary: Node) -> None:
        """Have a standby follow another primary."""
        source = f"host=127.0.0.1 port={primary.port} user={USER} password={self._cluster.password}"
        self.execute(f"alter system set primary_conninfo to '{source}'")
        self.execute("select pg_reload_conf()")

    def promote(self) -> None:
        """Make a standby the primary, and wait until it takes writes."""
        self.execute("select pg_promote(true, 30)")

    def execute(self, sql: str, database: str = "postgres") -> list[list[object]]:
        """Run SQL as the superuser; the rows of the last statement."""
        connection = pg8000.native.Connection(
            USER, "127.0.0.1", database, self.port, self._cluster.password, ssl_context=False, timeout=30
        )
        try:
            return [list(row) for row in connection.execute_simple(sql).rows or ()]
        finally:
            connection.close()

    def _answers(self) -> bool:
        if self._process is not None and self._process.poll() is not None:
            log = self._cluster.directory / f"{self.data.name}.log"
            raise RuntimeError(f"{self.data.name} ended: {log.read_text()[-1000:]}")
        with suppress(pg8000.exceptions.Error, OSError):
            self.execute("select")
            return True
        return False

    def _end(self, number: int) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(number)
            process.wait(60)


class Cluster:
    """The servers of one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.account: Account = choose_account()
        self.account.give(directory)
        self.programs = reachable_programs(self.account)
        self.password = secrets.token_hex(8)
        self._nodes: list[Node] = []

    def primary(self) -> Node:
        """A new server, started."""
        node = self._node("primary")
        file = self.directory / "password"
        file.write_text(self.password)
        self.account.give(file)
        self._run(
            "initdb", "-D", str(node.data), "-U", USER, "-A", "scram-sha-256", "--pwfile", str(file), "-E", "UTF8",
            "--locale", "C", "--no-sync", "--no-instructions",
        )  # fmt: skip
        return node.start()

    @property
    def login(self) -> str:
        """A statement that creates the ordinary role ``portico``, which may log in."""
        return f"create role portico login password '{self.password}'"

    def standby(self, of: Node, name: str) -> Node:
        """A new server that follows ``of``, started."""
        node = self._node(name)
        self.copy(of, node)
        return node.start(cluster_name=name)

    def copy(self, of: Node, node: Node) -> None:
        """Make the data of ``node``, which is stopped, a standby's of ``of``."""
        shutil.rmtree(node.data, ignore_errors=True)
        source = f"host=127.0.0.1 port={of.port} user={USER} password={self.password}"
        self._run(
            "pg_basebackup", "-d", source, "-D", str(node.data), "-R", "-X", "stream", "-c", "fast", "--no-sync"
        )  # fmt: skip

    def close(self) -> None:
        for node in self._nodes:
            node.kill()

    def _node(self, name: str) -> Node:
        self._nodes.append(Node(self, name))
        return self._nodes[-1]

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self.programs / program), *arguments],
            cwd="/", check=True, capture_output=True, env={"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"},
            **self.account.process_options(),
        )  # fmt: skip


@contextmanager
def streaming() -> Iterator[Cluster]:
    """A cluster in a temporary directory, which goes with its servers at the end."""
    directory = Path(tempfile.mkdtemp(prefix="portico-streaming-"))
    cluster = Cluster(directory)
    try:
        yield cluster
    finally:
        cluster.close()
        shutil.rmtree(directory, ignore_errors=True)


def wait_until(happened: Callable[[], bool], what: str, *, seconds: float = 30.0) -> None:
    """Wait for an event. Raises TimeoutError, which names it."""
    until = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > until:
            raise TimeoutError(f"not within {seconds:g} s: {what}")
        time.sleep(0.01)


def listens(port: int) -> bool:
    """Whether somebody takes connections on this port of the loopback."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
        return True
    return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
