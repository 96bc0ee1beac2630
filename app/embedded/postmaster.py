"""A PostgreSQL server: creates its data directory, starts it, finds it again if it runs, and stops it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from app.embedded.account import Account
from app.embedded.binaries import MAJOR_VERSION
from app.embedded.failure import EmbeddedError, StillInUse
from app.embedded.paths import PORT, Place, socket_name
from app.embedded.processes import is_server_of, is_unrelated_process, listens

SUPERUSER = "postgres"
_POLL_S = 0.01
# Crash recovery of a large cluster can be slow. A server that is not ready after this time is stuck.
_START_LIMIT_S = 300.0
_STOP_LIMIT_S = 60.0
_SILENCE_LIMIT_S = 5.0
_EXTENSION = Path(__file__).parents[1] / "installation" / "sql"
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(slots=True)
class Postmaster:
    place: Place
    account: Account
    programs: Path
    home: Path
    socket_directory: Path
    durable: bool = True
    _child: subprocess.Popen[bytes] | None = field(default=None, init=False)
    pid: int = field(default=0, init=False)
    _log_start: int = field(default=0, init=False)

    def ensure_running(self) -> None:
        """Find the running server of this data directory or start it. The directory is created if it does not exist.

        Raises EmbeddedError.
        """
        if not (self.home / "data" / "PG_VERSION").exists():
            self._initialize()
        self._check_version()
        found = self._find()
        if found:
            self.pid, self._child = found, None
        else:
            self._start()
        self._wait_until_ready()

    def is_alive(self) -> bool:
        if self._child is not None:
            return self._child.poll() is None
        return self.pid > 0 and is_server_of(self.pid, self.home / "data")

    def stop(self, *, keep: bool = True) -> None:
        """Stop the server with a fast shutdown: it disconnects clients and writes all data to disk.

        With ``keep=False`` it stops without writing, for a cluster that is removed anyway.
        """
        fast = ((signal.SIGINT, _STOP_LIMIT_S),) if keep else ()
        for number, limit in (*fast, (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0)):
            if not self.is_alive():
                break
            os.kill(self.pid, number)
            until = time.monotonic() + limit
            while self.is_alive() and time.monotonic() < until:
                time.sleep(_POLL_S)
        self.pid, self._child = 0, None

    def _initialize(self) -> None:
        unfinished = self.home / "data.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        self.account.give(unfinished)
        # The builtin provider sorts in the same order on every system, regardless of the installed locales.
        self._run(
            "initdb", "--pgdata", str(unfinished), "--username", SUPERUSER, "--encoding", "UTF8", "--locale", "C",
            "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--auth", "peer", "--no-instructions",
            "--no-sync",
        )  # fmt: skip
        (unfinished / "pg_hba.conf").write_text("local all all peer map=portico\n")
        if self.durable:
            self._run("initdb", "--pgdata", str(unfinished), "--sync-only")
        # Only a complete data directory gets the final name.
        unfinished.rename(self.home / "data")

    def _run(self, program: str, *arguments: str) -> None:
        finished = subprocess.run(
            [str(self.programs / program), *arguments],
            cwd="/", env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            **self.account.process_options(),
        )  # fmt: skip
        if finished.returncode != 0:
            output = (finished.stderr or finished.stdout).strip().splitlines()
            raise EmbeddedError(f"{program} failed: {' '.join(output[-3:])}")

    def _check_version(self) -> None:
        found = (self.home / "data" / "PG_VERSION").read_text().strip()
        if found != MAJOR_VERSION:
            raise EmbeddedError(
                f"the data in {self.home / 'data'} was created by PostgreSQL {found}, but this is PostgreSQL"
                f" {MAJOR_VERSION}. Upgrade it with pg_upgrade, or move it away to start with an empty database."
            )

    def _find(self) -> int:
        """The process id of the running server of this data directory, or 0."""
        lines = self._pid_file()
        pid = int(lines[0]) if lines and lines[0].lstrip("-").isdigit() else 0
        socket_directory = Path(lines[4]) if len(lines) > 4 else self.socket_directory
        until = time.monotonic() + _SILENCE_LIMIT_S
        while pid > 0 and is_server_of(pid, self.home / "data"):
            # The process of a server that was just killed may still exist.
            if listens(socket_directory / socket_name()):
                return pid
            if time.monotonic() > until:
                # Its socket is gone, so no client can connect to it.
                self.pid = pid
                self.stop()
            time.sleep(_POLL_S)
        if pid > 0 and is_unrelated_process(pid, self.home / "data"):
            # An unrelated process has the server's old process id. PostgreSQL would take it for a running server.
            (self.home / "data" / "postmaster.pid").unlink(missing_ok=True)
        for stale in (socket_name(), f"{socket_name()}.lock"):
            (self.socket_directory / stale).unlink(missing_ok=True)
        return 0

    def _start(self) -> None:
        settings = {
            "unix_socket_directories": '"' + str(self.socket_directory).replace('"', '""') + '"',
            "unix_socket_permissions": "0700",
            "listen_addresses": "",
            "port": str(PORT),
            "max_connections": "200",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "extension_control_path": self._offer_extension(),
            **({} if self.durable else _NOT_DURABLE),
        }
        command = [str(self.programs / "postgres"), "-D", str(self.home / "data")]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        # The user who runs Portico may connect as any role; no other user of the system may connect.
        (self.home / "data" / "pg_ident.conf").write_text(f'portico "{self.account.caller}" all\n')
        with open(self.place.log, "ab") as log:
            self._log_start = log.tell()
            self._child = subprocess.Popen(
                command,
                cwd="/", env=_environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                **self.account.process_options(),
            )  # fmt: skip
        self.pid = self._child.pid

    def _offer_extension(self) -> str:
        """Copy the extension's files into a directory that the server may read. Returns the value of
        extension_control_path."""
        share = self.home / "share"
        if ":" in str(share):
            return "$system"
        shutil.rmtree(share, ignore_errors=True)
        shutil.copytree(_EXTENSION, share / "extension")
        for path in (share, *share.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        return f"$system:{share}"

    def _wait_until_ready(self) -> None:
        until = time.monotonic() + _START_LIMIT_S
        while time.monotonic() < until:
            lines = self._pid_file()
            # Layout of postmaster.pid: PostgreSQL, src/include/utils/pidfile.h
            if len(lines) >= 8 and lines[0] == str(self.pid) and lines[7].strip() == "ready":
                self.socket_directory = Path(lines[4])
                return
            if not self.is_alive():
                raise self._failure_to_start()
            time.sleep(_POLL_S)
        raise EmbeddedError(f"the embedded PostgreSQL is not ready after {_START_LIMIT_S:.0f} s; see {self.place.log}")

    def _pid_file(self) -> list[str]:
        try:
            return (self.home / "data" / "postmaster.pid").read_text(errors="replace").split("\n")
        except FileNotFoundError:
            return []

    def _failure_to_start(self) -> EmbeddedError:
        with open(self.place.log, "rb") as log:
            log.seek(self._log_start)
            output = log.read(100_000).decode(errors="replace")
        reasons = [line.partition("] ")[2] or line for line in output.splitlines() if _is_reason(line)][-3:]
        kind = StillInUse if "shared memory block" in output else EmbeddedError
        return kind(f"the embedded PostgreSQL cannot be started: {' '.join(reasons) or f'see {self.place.log}'}")


def _is_reason(line: str) -> bool:
    return not any(mark in line for mark in ("LOG:  starting", "LOG:  listening", "LOG:  database system"))


def _environment() -> dict[str, str]:
    """A minimal environment: inherited PG* variables and locales would change the server's behaviour."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
