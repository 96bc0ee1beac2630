"""The keeper: the one process that starts a cluster's server, watches it, and stops it after the last user has left.

EmbeddedPostgres starts it as ``python -m app.embedded.keeper '<instructions as JSON>'``. It prints one line when it
holds its lock, goes into the background, and writes its state to ``state.json``.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path

from app.embedded.account import choose_account
from app.embedded.binaries import reachable_programs
from app.embedded.failure import EmbeddedError, StillInUse
from app.embedded.locks import FileLock
from app.embedded.paths import PORT, Place
from app.embedded.postmaster import Postmaster
from app.embedded.state import Instructions, KeeperState

_POLL_S = 0.2
_MAX_LOG_BYTES = 4 * 1024 * 1024
_MAX_PAUSE_S = 10.0
_LOCK_LIMIT_S = 2.0
_STILL_IN_USE_LIMIT_S = 60.0


def main(argument: str) -> int:
    instructions = Instructions(**json.loads(argument))
    place = Place(Path(instructions.directory))
    if os.fork():
        # The caller waits only for this process; the child becomes the keeper.
        return 0
    lock = FileLock(place.keeper_lock)
    is_keeper = _take_lock(lock)
    print("keeper started" if is_keeper else "another keeper runs already", flush=True)
    if not is_keeper:
        return 0
    _go_to_background(place)
    return _keep(instructions, place, lock)


def _take_lock(lock: FileLock) -> bool:
    """Take the lock within a time limit, since a process that only checks for a keeper holds it very briefly. Returns
    whether it was taken."""
    deadline = time.monotonic() + _LOCK_LIMIT_S
    while not lock.try_lock_exclusive():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _keep(instructions: Instructions, place: Place, lock: FileLock) -> int:
    try:
        server = _create_postmaster(instructions, place)
        _start_server(server)
    except (EmbeddedError, OSError) as ex:
        failure = str(ex) if isinstance(ex, EmbeddedError) else f"the embedded PostgreSQL cannot be started: {ex}"
        _report(place, KeeperState(failure=failure, port=PORT, keeper_pid=os.getpid()))
        return 1
    _report_ready(place, server)
    pause = _POLL_S
    while True:
        time.sleep(pause)
        with FileLock(place.gate_lock) as gate, FileLock(place.members_lock) as members:
            gate.lock_exclusive()
            if members.try_lock_exclusive():
                server.stop(keep=not instructions.temporary)
                _clear(instructions, place, server)
                # Released before the gate's lock, so that the next process that takes the gate's lock starts a new
                # keeper.
                lock.close()
                return 0
        if server.is_alive():
            pause = _POLL_S
            continue
        print("the server ended; starting it again", file=sys.stderr, flush=True)
        try:
            server.ensure_running()
            _report_ready(place, server)
        except (EmbeddedError, OSError) as ex:
            print(ex, file=sys.stderr, flush=True)
            pause = min(pause * 2, _MAX_PAUSE_S)


def _start_server(server: Postmaster) -> None:
    deadline = time.monotonic() + _STILL_IN_USE_LIMIT_S
    while True:
        try:
            server.ensure_running()
            return
        except StillInUse:
            # Processes of a killed server hold its shared memory until they notice and exit.
            if time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)


def _create_postmaster(instructions: Instructions, place: Place) -> Postmaster:
    account = choose_account(place.data)
    programs = reachable_programs(account)
    home = place.server_home(account)
    return Postmaster(place, account, programs, home, place.socket_directory(home, account), instructions.durable)


def _report_ready(place: Place, server: Postmaster) -> None:
    state = KeeperState(
        ready=True,
        failure="",
        socket_directory=str(server.socket_directory),
        port=PORT,
        server_pid=server.pid,
        keeper_pid=os.getpid(),
        data=str(server.home / "data"),
        account=server.account.name,
    )
    _report(place, state)


def _report(place: Place, state: KeeperState) -> None:
    temporary = place.state.with_suffix(".draft")
    temporary.write_text(json.dumps(asdict(state)))
    temporary.replace(place.state)


def _clear(instructions: Instructions, place: Place, server: Postmaster) -> None:
    place.state.unlink(missing_ok=True)
    if instructions.temporary:
        shutil.rmtree(server.home, ignore_errors=True)
        shutil.rmtree(server.socket_directory, ignore_errors=True)
        shutil.rmtree(place.directory, ignore_errors=True)


def _go_to_background(place: Place) -> None:
    os.setsid()
    # Ctrl-C and the end of a session concern the processes that use the server; the keeper exits after the last one.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if place.log.exists() and place.log.stat().st_size > _MAX_LOG_BYTES:
        place.log.replace(place.log.with_suffix(".old"))
    log = os.open(place.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
