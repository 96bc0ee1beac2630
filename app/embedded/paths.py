"""The paths of a cluster's files.

``directory`` belongs to the user who runs Portico; it contains the locks, the log and the keeper's state. The server's
own directories, ``data`` and ``run``, belong to the server's account. They are in ``directory`` too, unless that
account cannot reach it; then ``directory/data`` is a link to their location.
"""

from __future__ import annotations

import os
import pwd
import stat
import sys
import tempfile
from pathlib import Path

from app.embedded.account import Account
from app.embedded.binaries import make_system_place
from app.embedded.failure import EmbeddedError

PORT = 5432
# sockaddr_un.sun_path: 108 bytes on Linux, 104 on macOS, with the final zero.
LONGEST_SOCKET_PATH = 103 if sys.platform == "darwin" else 107


class Place:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.data = directory / "data"
        self.log = directory / "log"
        self.state = directory / "state.json"
        self.gate_lock = directory / "gate.lock"
        self.members_lock = directory / "members.lock"
        self.keeper_lock = directory / "keeper.lock"

    def make(self) -> None:
        """Create the directory, or check that it belongs to this user. Raises EmbeddedError."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            owner = self.directory.stat().st_uid
        except OSError as ex:
            raise EmbeddedError(
                f"the directory {self.directory} for the embedded PostgreSQL cannot be created: {ex.strerror}"
            ) from None
        if owner != os.geteuid():
            raise EmbeddedError(
                f"the embedded PostgreSQL in {self.directory} belongs to {_user_name(owner)}. Run as that user, or set"
                " DATA_DIR to another directory."
            )
        # If the server has another account, that account must be able to pass through, but not to list or write.
        self.directory.chmod(0o711 if owner == 0 else 0o700)

    def server_home(self, account: Account) -> Path:
        """The directory for ``data`` and ``run``: this one, or another one that the server's account can reach."""
        if self.data.is_symlink():
            home = Path(os.readlink(self.data)).parent
            home.mkdir(parents=True, exist_ok=True)
        elif self.data.exists() or not account.differs or account.can_enter(self.directory):
            return self.directory
        else:
            # Always a new directory, because only the link shows to which cluster a directory belongs.
            home = Path(tempfile.mkdtemp(prefix="cluster-", dir=make_system_place()))
            self.data.symlink_to(home / "data")
        home.chmod(0o711)
        return home

    def socket_directory(self, home: Path, account: Account) -> Path:
        """A directory with a short path for the server's socket, owned by the server's account. Raises
        EmbeddedError."""
        run = home / "run"
        if len(os.fsencode(run / socket_name())) > LONGEST_SOCKET_PATH:
            run = self._short_directory(account)
        run.mkdir(mode=0o700, exist_ok=True)
        account.give(run)
        return run

    def _short_directory(self, account: Account) -> Path:
        remembered = self.directory / "socket_directory"
        if remembered.exists():
            known = Path(remembered.read_text().strip())
            if _is_private(known, account):
                return known
        parents = [tempfile.gettempdir(), "/tmp"]  # noqa: S108 - a new private directory is made in it
        for parent in parents:
            if len(os.fsencode(parent)) + len("/portico-12345678/") + len(socket_name()) <= LONGEST_SOCKET_PATH:
                short = Path(tempfile.mkdtemp(prefix="portico-", dir=parent))
                account.give(short)
                if account.can_enter(short):
                    remembered.write_text(f"{short}\n")
                    return short
                short.rmdir()
        raise EmbeddedError(
            f"the path {self.directory} is too long for a Unix socket, and {' or '.join(parents)} cannot be used"
            " instead; set DATA_DIR to a shorter path"
        )


def socket_name() -> str:
    return f".s.PGSQL.{PORT}"


def _is_private(directory: Path, account: Account) -> bool:
    try:
        found = directory.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == account.uid and stat.S_IMODE(found.st_mode) == 0o700


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user id {uid}"
