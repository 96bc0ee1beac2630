"""The account under which the server runs: never root."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.embedded.failure import EmbeddedError

_PREFERRED = ("nobody", "postgres", "daemon")


@dataclass(frozen=True, slots=True)
class Account:
    """``name`` is the user under which the server runs. ``caller`` is the user of this process, who may connect."""

    name: str
    uid: int
    gid: int
    caller: str

    @property
    def differs(self) -> bool:
        return self.uid != os.geteuid()

    def process_options(self) -> dict[str, Any]:
        """Keyword arguments for subprocess that make a child run under this account, without further groups."""
        if not self.differs:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def give(self, path: Path) -> None:
        if self.differs:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def can_enter(self, directory: Path) -> bool:
        """Whether the account can enter the directory. This is tried out, so that ACLs and mounts are covered."""
        if not self.differs:
            return os.access(directory, os.R_OK | os.X_OK)
        return self._succeeds(["/bin/sh", "-c", 'cd -- "$1"', "sh", str(directory)])

    def can_run(self, program: Path) -> bool:
        return self._succeeds([str(program), "--version"])

    def _succeeds(self, command: list[str]) -> bool:
        try:
            finished = subprocess.run(
                command, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                **self.process_options(),
            )  # fmt: skip
        except OSError:
            return False
        return finished.returncode == 0


def choose_account(data: Path | None = None) -> Account:
    """The account for the server: that of this process, or an existing unprivileged one if this process runs as root.

    ``data`` is the data directory. If it exists and this process runs as root, its owner is chosen. Raises
    EmbeddedError.
    """
    uid = os.geteuid()
    try:
        caller = pwd.getpwuid(uid)
    except KeyError:
        raise EmbeddedError(
            f"the embedded PostgreSQL cannot run here: user id {uid} has no entry in /etc/passwd, which PostgreSQL"
            " requires. Add one, run as another user, or set DATABASE_URL to use another database."
        ) from None
    if uid != 0:
        return Account(caller.pw_name, uid, caller.pw_gid, caller.pw_name)
    chosen = _unprivileged(data.stat().st_uid if data and data.exists() else None)
    account = Account(chosen.pw_name, chosen.pw_uid, chosen.pw_gid, caller.pw_name)
    if not account.can_run(Path("/bin/true")):
        raise EmbeddedError(
            "PostgreSQL refuses to run as root, and this process may not switch to the unprivileged account"
            f" {account.name}. Run as an ordinary user, or set DATABASE_URL to use another database."
        )
    return account


def _unprivileged(owner: int | None) -> pwd.struct_passwd:
    accounts = [entry for entry in pwd.getpwall() if entry.pw_uid != 0]
    if owner:
        accounts = [entry for entry in accounts if entry.pw_uid == owner]
    accounts.sort(key=lambda entry: _PREFERRED.index(entry.pw_name) if entry.pw_name in _PREFERRED else 99)
    if not accounts:
        raise EmbeddedError(
            "PostgreSQL refuses to run as root, and there is no unprivileged account in /etc/passwd to run it."
            " Run as an ordinary user, or set DATABASE_URL to use another database."
        )
    return accounts[0]
