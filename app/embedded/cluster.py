"""The interface to the embedded PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from app.embedded.failure import EmbeddedError
from app.embedded.locks import FileLock, is_held
from app.embedded.paths import Place
from app.embedded.postmaster import SUPERUSER
from app.embedded.state import Instructions, KeeperState

_POLL_S = 0.02
_LEAVE_LIMIT_S = 75.0


class EmbeddedPostgres:
    """A PostgreSQL cluster in a directory, shared by all processes that join it.

    ``join`` starts the server unless it runs. ``leave`` releases it; the server stops when the last process has left. A
    process that ends has also left. A forked child counts as a user until it ends. If the cluster is not ``durable``, a
    crash of the machine may lose data (for tests). A ``temporary`` cluster is removed when its server stops.

    Methods raise EmbeddedError with a message for the operator.
    """

    def __init__(self, directory: Path | str, *, durable: bool = True, temporary: bool = False) -> None:
        self._place = Place(Path(directory).absolute())
        self._instructions = Instructions(str(self._place.directory), durable, temporary)
        self._membership: FileLock | None = None
        self._state: KeeperState | None = None

    def join(self) -> EmbeddedPostgres:
        if sys.platform == "win32":
            raise EmbeddedError(
                "the embedded PostgreSQL needs Linux or macOS; set DATABASE_URL to use another database"
            )
        with self._enter():
            membership = FileLock(self._place.members_lock)
            membership.lock_shared()
            self._ensure_keeper()
        self._membership = membership
        try:
            self._state = self._wait_until_ready()
        except BaseException:
            self.leave()
            raise
        return self

    def leave(self) -> None:
        """Release the server. If no other process uses it, wait until it has stopped."""
        if self._membership is None:
            return
        with FileLock(self._place.gate_lock) as gate:
            gate.lock_exclusive()
            self._membership.close()
            self._membership, self._state = None, None
            # A new lock object is needed, because a forked child may still hold the lock that was just closed.
            with FileLock(self._place.members_lock) as members:
                is_last = members.try_lock_exclusive()
            if is_last and (self._place.data / "postmaster.pid").exists():
                self._ensure_keeper()
        until = time.monotonic() + _LEAVE_LIMIT_S
        while is_last and is_held(self._place.keeper_lock) and time.monotonic() < until:
            time.sleep(_POLL_S)

    def watch(self) -> None:
        """Replace a keeper that was killed. Long-running processes should call this periodically."""
        if self._membership is None or is_held(self._place.keeper_lock):
            return
        with FileLock(self._place.gate_lock) as gate:
            gate.lock_exclusive()
            self._ensure_keeper()

    def url(self, database: str = "postgres", user: str = SUPERUSER) -> str:
        """The connection URI of a database of this cluster."""
        host = quote(self.socket_directory, safe="/")
        return f"postgresql://{quote(user, safe='')}@/{quote(database, safe='')}?host={host}&port={self._known.port}"

    @property
    def socket_directory(self) -> str:
        return self._known.socket_directory

    @property
    def socket_path(self) -> str:
        return f"{self._known.socket_directory}/.s.PGSQL.{self._known.port}"

    @property
    def data_directory(self) -> str:
        """The actual path of the data directory, which may be outside the cluster's directory."""
        return self._known.data

    @property
    def account(self) -> str:
        """The name of the account under which the server runs."""
        return self._known.account

    @property
    def server_pid(self) -> int:
        return self._read_state().server_pid

    @property
    def keeper_pid(self) -> int:
        return self._read_state().keeper_pid

    def __enter__(self) -> EmbeddedPostgres:
        return self.join()

    def __exit__(self, kind: type[BaseException] | None, ex: BaseException | None, trace: TracebackType | None) -> None:
        self.leave()

    def _enter(self) -> FileLock:
        """Take the gate's lock. If a temporary cluster was removed together with the file, the new file is opened."""
        while True:
            self._place.make()
            try:
                gate = FileLock(self._place.gate_lock)
            except FileNotFoundError:
                continue
            gate.lock_exclusive()
            if gate.is_lock_of(self._place.gate_lock):
                return gate
            gate.close()

    @property
    def _known(self) -> KeeperState:
        if self._state is None:
            raise EmbeddedError("the embedded PostgreSQL is not in use by this process")
        return self._state

    def _ensure_keeper(self) -> None:
        """Start a keeper if none runs. The caller holds the gate's lock, so no other keeper is starting, and a stale
        state can be removed."""
        if is_held(self._place.keeper_lock):
            return
        self._place.state.unlink(missing_ok=True)
        package_parent = str(Path(__file__).resolve().parents[2])
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([package_parent, os.environ.get("PYTHONPATH", "")])}
        instructions = json.dumps(asdict(self._instructions))
        starter = subprocess.Popen(
            [sys.executable, "-m", "app.embedded.keeper", instructions],
            cwd="/", env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        output, error = starter.communicate()
        if starter.returncode != 0 or not output.strip():
            raise EmbeddedError(f"the embedded PostgreSQL cannot be started: {error.decode(errors='replace')}")

    def _wait_until_ready(self) -> KeeperState:
        while True:
            keeper_lives = is_held(self._place.keeper_lock)
            state = self._read_state()
            if state.failure:
                raise EmbeddedError(state.failure)
            if state.ready and keeper_lives:
                return state
            if not keeper_lives:
                raise EmbeddedError(f"the embedded PostgreSQL exited during startup; see {self._place.log}")
            time.sleep(_POLL_S)

    def _read_state(self) -> KeeperState:
        try:
            return KeeperState(**json.loads(self._place.state.read_text()))
        except FileNotFoundError:
            return KeeperState()
