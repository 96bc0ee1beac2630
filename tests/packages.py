"""Packages that tests run unmodified but that are not requirements of the project: from npm, PyPI, Maven and Debian.

They are installed once, in a cache directory outside of the repository; a test is skipped where that is impossible.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

NODE = Path(__file__).parent / "node"
LIMIT_S = 300


def node_packages() -> Path:
    """A directory with the ``node_modules`` of tests/node/package.json."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    wanted = (NODE / "package.json").read_bytes()

    def install(folder: Path) -> None:
        (folder / "package.json").write_bytes(wanted)
        _run(["npm", "install", "--no-fund", "--no-audit", "--loglevel", "error", "--ignore-scripts"], folder)

    return _kept("node", wanted, install)


def npm_packages(*names: str) -> Path:
    """A directory with the files of npm's packages, without what these need, each below ``<archive>/package``."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")

    def install(folder: Path) -> None:
        _run(["npm", "pack", "--silent", *names], folder)
        for archive in list(folder.glob("*.tgz")):
            (folder / archive.stem).mkdir()
            _run(["tar", "-xzf", str(archive), "-C", archive.stem], folder)

    return _kept("npm", " ".join(names).encode(), install)


def python_packages(*requirements: str) -> Path:
    """A virtual environment with packages whose requirements conflict with the project's."""

    def install(folder: Path) -> None:
        _run([sys.executable, "-m", "venv", str(folder)], folder)
        _run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *requirements], folder)

    return _kept("python", " ".join((sys.version, *requirements)).encode(), install)


def debian_packages(*names: str) -> Path:
    """A directory with the files of Debian packages, unpacked but not installed, each below its package's name."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        pytest.skip("this is not Debian")

    def install(folder: Path) -> None:
        for name in names:
            _run(["apt-get", "download", "--quiet", name], folder)
            (package,) = folder.glob(f"{name}_*.deb")
            _run(["dpkg-deb", "--extract", str(package), str(folder / name)], folder)
            package.unlink()

    return _kept("debian", " ".join(names).encode(), install)


def debian_system(suite: str) -> Path:
    """A folder with a minimal Debian, as the images of containers have it; made by root alone."""
    if shutil.which("debootstrap") is None:
        pytest.skip("debootstrap is not installed")

    def install(folder: Path) -> None:
        system = folder / "system"
        _run(["debootstrap", "--variant=minbase", suite, str(system)], folder)
        for name in ("var/cache/apt/archives", "var/lib/apt/lists"):
            shutil.rmtree(system / name)
        # Debian's own "slim" images leave these out too.
        left_out = "".join(f"path-exclude /usr/share/{each}/*\n" for each in ("doc", "info", "locale", "man"))
        (system / "etc/dpkg/dpkg.cfg.d/slim").write_text(left_out)

    return _kept("debian-system", suite.encode(), install) / "system"


def maven_archive(artifact: str) -> Path:
    """A directory with the files of an archive in a Maven repository, named as ``group:artifact:version:zip``."""
    if shutil.which("mvn") is None:
        pytest.skip("Maven is not installed")

    def install(folder: Path) -> None:
        plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
        options = ["--quiet", "--batch-mode", f"-Dartifact={artifact}", "-Dtransitive=false"]
        _run(["mvn", *options, f"{plugin}:get"], folder)
        _run(["mvn", *options, f"-DoutputDirectory={folder}", f"{plugin}:copy"], folder)
        (archive,) = folder.glob("*.zip")
        shutil.unpack_archive(archive, folder)
        archive.unlink()

    return _kept("maven", artifact.encode(), install)


def _kept(kind: str, wanted: bytes, install: Callable[[Path], None]) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "portico-tests"
    folder = cache / f"{kind}-{sha256(wanted).hexdigest()[:12]}"
    complete = folder / ".complete"
    if complete.exists():
        return folder
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as ex:
        pytest.skip(f"there is no place for packages: {ex}")
    # Several processes may do this at once, and a virtual environment cannot be moved.
    with (cache / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            install(folder)
            complete.touch()
    return folder


def _run(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        pytest.skip(f"packages were not installed within {LIMIT_S} seconds")
    if done.returncode:
        pytest.skip(f"packages cannot be installed: {done.stderr.strip()[-200:]}")


def program(name: str) -> Path:
    """A program of tests/node, in a directory where it finds its packages."""
    return Path(shutil.copy(NODE / name, node_packages()))
