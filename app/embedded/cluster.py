"""The embedded PostgreSQL as its users see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from app.embedded.failure import EmbeddedError
from app.embedded.locks import FileLock, is_held
from app.embedded.place import Place
from app.embedded.postmaster import SUPERUSER
from app.embedded.state import Order, State

_POLL_S = 0.02
_LEAVE_LIMIT_S = 75.0


class EmbeddedPostgres:
    """A PostgreSQL cluster in a directory, shared by all processes that join it.

    ``join`` starts the server unless it runs; ``leave`` releases it, and it stops when the last process leaves. A
    process that ends without leaving counts as having left. A child made by fork counts as long as it lives.
    Not ``durable`` means that a crash of the machine may cost data (tests); ``temporary`` removes everything
    when the server stops.

    Raises EmbeddedError with a message for the operator.
    """

    def __init__(self, directory: Path | str, *, durable: bool = True, temporary: bool = False) -> None:
        self._place = Place(Path(directory).absolute())
        self._order = Order(str(self._place.directory), durable, temporary)
        self._membership: FileLock | None = None
        self._state: State | None = None

    def join(self) -> EmbeddedPostgres:
        if sys.platform == "win32":
            raise EmbeddedError("the embedded PostgreSQL needs Linux or macOS; set DATABASE_URL to use a database.")
        with self._enter():
            membership = FileLock(self._place.members_lock)
            membership.share()
            self._ensure_keeper()
        self._membership = membership
        try:
            self._state = self._wait_until_ready()
        except BaseException:
            self.leave()
            raise
        return self

    def leave(self) -> None:
        """Release the server; if nobody else uses it, returns when it has stopped."""
        if self._membership is None:
            return
        with FileLock(self._place.gate_lock) as gate:
            gate.seize()
            self._membership.close()
            self._membership, self._state = None, None
            # A look of its own: a child that was forked still has the lock that we closed.
            with FileLock(self._place.members_lock) as members:
                is_last = members.try_seize()
            if is_last and (self._place.data / "postmaster.pid").exists():
                self._ensure_keeper()
        until = time.monotonic() + _LEAVE_LIMIT_S
        while is_last and is_held(self._place.keeper_lock) and time.monotonic() < until:
            time.sleep(_POLL_S)

    def watch(self) -> None:
        """A long-lived user calls this from time to time: it replaces a keeper that was killed."""
        if self._membership is None or is_held(self._place.keeper_lock):
            return
        with FileLock(self._place.gate_lock) as gate:
            gate.seize()
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
        """The actual location of the data."""
        return self._known.data

    @property
    def account(self) -> str:
        """The name of the account that the server runs under."""
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
        """The gate, held. A temporary cluster that just ended took the file that we waited for with it."""
        while True:
            self._place.make()
            try:
                gate = FileLock(self._place.gate_lock)
            except FileNotFoundError:
                continue
            gate.seize()
            if gate.is_lock_of(self._place.gate_lock):
                return gate
            gate.close()

    @property
    def _known(self) -> State:
        if self._state is None:
            raise EmbeddedError("the embedded PostgreSQL is not in use by this process")
        return self._state

    def _ensure_keeper(self) -> None:
        """Only within the gate: so there is no second keeper on its way, and what a dead one told can be removed."""
        if is_held(self._place.keeper_lock):
            return
        self._place.state.unlink(missing_ok=True)
        package_parent = str(Path(__file__).resolve().parents[2])
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([package_parent, os.environ.get("PYTHONPATH", "")])}
        order = json.dumps({name: getattr(self._order, name) for name in Order.__slots__})
        starter = subprocess.Popen(
            [sys.executable, "-m", "app.embedded.keeper", order],
            cwd="/", env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        said, complaint = starter.communicate()
        if starter.returncode != 0 or not said.strip():
            raise EmbeddedError(f"the embedded PostgreSQL cannot be started: {complaint.decode(errors='replace')}")

    def _wait_until_ready(self) -> State:
        while True:
            keeper_lives = is_held(self._place.keeper_lock)
            state = self._read_state()
            if state.failure:
                raise EmbeddedError(state.failure)
            if state.ready and keeper_lives:
                return state
            if not keeper_lives:
                raise EmbeddedError(f"the embedded PostgreSQL ended while it was started; see {self._place.log}")
            time.sleep(_POLL_S)

    def _read_state(self) -> State:
        try:
            return State(**json.loads(self._place.state.read_text()))
        except FileNotFoundError:
            return State(False, "", "", 0, 0, 0, "", "")
