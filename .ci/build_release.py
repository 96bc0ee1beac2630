"""Builds the distributions of the repository: ``python .ci/build_release.py DIRECTORY``.

Each folder with a ``pyproject.toml`` on the first level of the repository is one. The build takes the files of the
current commit, not of the work tree. It makes the source distribution first and the wheel from that, so that the source
distribution is complete. The same commit gives the same bytes: times are that of the commit (SOURCE_DATE_EPOCH), and
release-constraints.txt pins the build tool. Needs the extra ``release``; Studio's page also needs npm's registry.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Set
from pathlib import Path

from build import ProjectBuilder
from build.env import DefaultIsolatedEnv
from pyproject_hooks import quiet_subprocess_runner

REPOSITORY = Path(__file__).resolve().parents[1]
CONSTRAINTS = REPOSITORY / ".ci" / "release-constraints.txt"
_REQUIRED: set[str] = set()
"""The requirements that are installed for the build."""
GENERATED = ("portico_studio/page/",)
"""Folders of wheels whose files are built and not in the repository."""


def build(target: Path) -> list[Path]:
    """Build all distributions into ``target`` and check them; their files. Raises SystemExit if one is not complete."""
    # setuptools puts the modes of the files that it copies into wheels.
    os.umask(0o022)
    target.mkdir(parents=True, exist_ok=True)
    epoch = int(_git("log", "-1", "--format=%ct"))
    os.environ.update(SOURCE_DATE_EPOCH=str(epoch), PIP_CONSTRAINT=str(CONSTRAINTS))
    built: list[Path] = []
    with tempfile.TemporaryDirectory(prefix="portico-release-") as temporary, DefaultIsolatedEnv() as environment:
        source = _exported(Path(temporary) / "source")
        for folder in distributions():
            place = source / folder
            if not (place / "LICENSE").exists():
                shutil.copy(source / "LICENSE", place)
            sdist = _sdist(environment, place, target, epoch)
            wheel = _wheel(environment, sdist, target)
            _check(wheel, folder)
            built += [sdist, wheel]
    twine = [sys.executable, "-m", "twine", "check", "--strict", *map(str, built)]
    checked = subprocess.run(twine, capture_output=True, text=True)
    if checked.returncode:
        raise SystemExit(checked.stdout + checked.stderr)
    return built


def distributions() -> list[str]:
    """The folders of the distributions, the service first."""
    tracked = _git("ls-files", "pyproject.toml", "*/pyproject.toml").splitlines()
    return sorted(str(Path(each).parent) for each in tracked if each.count("/") <= 1)


def _exported(place: Path) -> Path:
    """The files of the commit, with its time and modes that do not depend on the umask."""
    place.mkdir()
    archive = subprocess.run(
        ["git", "-c", "tar.umask=0022", "archive", "HEAD"], cwd=REPOSITORY, check=True, capture_output=True
    ).stdout
    subprocess.run(["tar", "-x", "--preserve-permissions"], cwd=place, input=archive, check=True)
    return place


def _sdist(environment: DefaultIsolatedEnv, place: Path, target: Path, epoch: int) -> Path:
    with tempfile.TemporaryDirectory() as made:
        sdist = _built(environment, place, "sdist", made)
        return _normalized(sdist, target / sdist.name, epoch)


def _wheel(environment: DefaultIsolatedEnv, sdist: Path, target: Path) -> Path:
    with tempfile.TemporaryDirectory() as unpacked:
        with tarfile.open(sdist) as archive:
            archive.extractall(unpacked, filter="data")
        (place,) = Path(unpacked).iterdir()
        return _built(environment, place, "wheel", str(target))


def _built(environment: DefaultIsolatedEnv, place: Path, kind: str, target: str) -> Path:
    """The archive that the build backend of ``place`` makes, in an environment with what it requires."""
    builder = ProjectBuilder.from_isolated_env(environment, place, runner=quiet_subprocess_runner)
    _require(environment, builder.build_system_requires)
    _require(environment, builder.get_requires_for_build(kind))
    return Path(builder.build(kind, target))


def _require(environment: DefaultIsolatedEnv, requirements: Set[str]) -> None:
    """Install the requirements that the environment does not have yet."""
    environment.install(requirements - _REQUIRED)
    _REQUIRED.update(requirements)


def _normalized(sdist: Path, target: Path, epoch: int) -> Path:
    """The same archive with sorted names, one time, one owner and two modes: setuptools keeps those of the files."""
    with (
        tarfile.open(sdist) as archive,
        target.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=epoch) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as written,
    ):
        for member in sorted(archive.getmembers(), key=lambda each: each.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            written.addfile(member, archive.extractfile(member) if member.isfile() else None)
    return target


def _check(wheel: Path, folder: str) -> None:
    """The packages of a wheel must have the files of the commit, and no others but generated ones."""
    names = [each for each in zipfile.ZipFile(wheel).namelist() if not each.endswith("/")]
    content = {each for each in names if ".dist-info/" not in each}
    packages = {each.partition("/")[0] for each in content}
    prefix = "" if folder == "." else f"{folder}/"
    tracked = {each.removeprefix(prefix) for each in _git("ls-files", folder).splitlines()}
    expected = {each for each in tracked if each.partition("/")[0] in packages}
    generated = {each for each in content if each.startswith(GENERATED)}
    if expected ^ (content - generated):
        raise SystemExit(f"{wheel.name} does not have the files of the commit: {expected ^ (content - generated)}")
    if "portico_studio" in packages and "portico_studio/page/index.html" not in content:
        raise SystemExit(f"{wheel.name} lacks its page; is npm installed, and its registry reachable?")
    if not any(each.endswith(".dist-info/licenses/LICENSE") for each in names):
        raise SystemExit(f"{wheel.name} lacks the licence")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for made in build(Path(sys.argv[1])):
        print(made)
