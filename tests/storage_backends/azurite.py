"""Azurite, Microsoft's emulator of Azure Blob Storage: installed by npm once, into the user's cache directory."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.process.running import PATIENCE_S

PACKAGE = Path(__file__).with_name("package.json")
INSTALL_SECONDS = 120
# The account and the key of every emulator, as Microsoft documents them.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


class NoAzurite(Exception):
    """Node or the package is not available here; the message says what is missing."""


def installed() -> Path:
    """The script that starts the blob service. Raises NoAzurite."""
    if not shutil.which("node") or not shutil.which("npm"):
        raise NoAzurite("node and npm are not installed")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "portico-tests" / "azurite"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as ex:
        raise NoAzurite(str(ex)) from None
    script = folder / "node_modules/azurite/dist/src/blob/main.js"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        manifest = folder / "package.json"
        if not script.exists() or manifest.read_bytes() != PACKAGE.read_bytes():
            manifest.unlink(missing_ok=True)
            _install(folder)
            shutil.copy(PACKAGE, manifest)
    return script


def _install(folder: Path) -> None:
    trial = folder / "install"
    shutil.rmtree(trial, ignore_errors=True)
    trial.mkdir()
    shutil.copy(PACKAGE, trial / "package.json")
    command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    try:
        done = subprocess.run(command, cwd=trial, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        raise NoAzurite("npm install did not end in time") from None
    if done.returncode:
        raise NoAzurite(f"npm install failed: {done.stderr.strip().splitlines()[-1:]}")
    shutil.rmtree(folder / "node_modules", ignore_errors=True)
    (trial / "node_modules").rename(folder / "node_modules")
    shutil.rmtree(trial)


@contextmanager
def running(folder: Path) -> Iterator[int]:
    """The port of a blob service that keeps its data in ``folder``. Raises NoAzurite."""
    script = installed()
    command = ["node", script, "--blobPort", "0", "--location", folder]
    options = ["--silent", "--disableTelemetry", "--skipApiVersionCheck"]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        listening = next((line for line in process.stdout if "listens on" in line), None)
        if listening is None:
            raise NoAzurite("azurite ended at once")
        yield int(listening.rsplit(":", 1)[1])
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        if process.stdout is not None:
            process.stdout.close()


def connection_string(port: int) -> str:
    endpoint = f"http://127.0.0.1:{port}/{ACCOUNT}"
    return f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={endpoint};"
