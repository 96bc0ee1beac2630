"""``/metrics`` with several workers: their counts are added up, those of an ended worker are kept, and a full disk
stops no worker."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.graphql.api import ANON_KEY
from tests.graphql.serving import serving
from tests.observation.test_metrics import SCHEMA, Series, metric_value, read
from tests.postgres_server import PostgresServer
from tests.process.running import until

WORKERS = 2
REQUESTS = 12


def ask(url: str, names: list[str]) -> None:
    """Send one operation for each name, each on a new connection, so that all workers receive some."""
    for name in names:
        query = {"query": f"query {name} {{ __typename }}"}
        response = requests.post(url, json=query, headers={"apiKey": ANON_KEY}, timeout=60)
        assert response.json() == {"data": {"__typename": "Query"}}


def metrics(url: str) -> dict[Series, float]:
    response = requests.get(url.replace("/graphql/v1", "/metrics"), timeout=60)
    assert response.status_code == 200, response.text
    return read(response.text)


def requests_counted(url: str) -> float:
    return metric_value(metrics(url), "portico_request_seconds_count", face="graphql", status="200")


def workers(directory: Path) -> dict[int, Path]:
    """The workers that have metric files below ``directory``: their process ids and the folders of these files."""
    found = {}
    for each in Path("/proc").iterdir():
        try:
            maps = (each / "maps").read_text() if each.name.isdigit() else ""
        except OSError:
            continue
        mapped = re.search(rf"{directory}/portico-metrics-[^/]+(?=/counter)", maps)
        if mapped:
            found[int(each.name)] = Path(mapped[0])
    return found


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def test_counts_of_an_ended_worker_are_kept(postgres: PostgresServer, tmp_path: Path, temporary: Path) -> None:
    with serving(postgres, tmp_path, SCHEMA, WORKERS, TMPDIR=str(temporary), POOL_SIZE="3") as url:
        ask(url, ["Named"] * REQUESTS)
        until(lambda: requests_counted(url) == REQUESTS)
        known = until(lambda: found if len(found := workers(temporary)) == WORKERS else {})
        (folder,) = set(known.values())
        files = {path.name for path in folder.iterdir()}
        for pid in known:
            os.kill(pid, signal.SIGKILL)
        until(lambda: len(workers(temporary).keys() - known.keys()) == WORKERS)
        until(lambda: metric_value(metrics(url), "portico_connections_limit") == 3 * WORKERS)
        assert requests_counted(url) == REQUESTS
        ask(url, ["Named"] * REQUESTS)
        until(lambda: requests_counted(url) == 2 * REQUESTS)
        assert {path.name for path in folder.iterdir()} == files
    assert list(temporary.iterdir()) == []


def test_metric_files_are_allocated_at_the_start(postgres: PostgresServer, tmp_path: Path, temporary: Path) -> None:
    # Sends twice as many names as METRICS_OPERATIONS allows, each of the maximum length.
    with serving(postgres, tmp_path, SCHEMA, WORKERS, TMPDIR=str(temporary), METRICS_OPERATIONS="20") as url:
        lengths = {path.name: path.stat().st_size for path in temporary.rglob("*.db")}
        assert lengths
        ask(url, [f"N{number}".ljust(200, "x") for number in range(40)])
        until(lambda: requests_counted(url) == 40)
        files = list(temporary.rglob("*.db"))
        assert {path.name: path.stat().st_size for path in files} == lengths
        for path in files:
            reported = path.stat()
            assert reported.st_blocks * 512 >= reported.st_size, path


@pytest.fixture
def full_disk(temporary: Path) -> Iterator[Path]:
    """A folder on a separate file system with hardly any space."""
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    options = ["-t", "tmpfs", "-o", "size=256k,mode=0777", "none", str(temporary)]
    if not (mount and unmount) or subprocess.run([mount, *options], capture_output=True).returncode:
        pytest.skip("file systems cannot be mounted here")
    try:
        # One page stays free, because Python writes a test file to find out whether TMPDIR is writable.
        (temporary / "filler").write_bytes(bytes(252 * 1024))
        yield temporary
    finally:
        subprocess.run([unmount, str(temporary)], check=True)


def test_a_service_on_a_full_disk_starts_without_metrics(
    postgres: PostgresServer, tmp_path: Path, full_disk: Path
) -> None:
    with serving(postgres, tmp_path, SCHEMA, WORKERS, TMPDIR=str(full_disk)) as url:
        ask(url, ["Named"] * REQUESTS)
        assert requests.get(url.replace("/graphql/v1", "/metrics"), timeout=60).status_code == 404
        assert [path.name for path in full_disk.iterdir()] == ["filler"]
