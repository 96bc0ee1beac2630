"""Properties that only a separate process shows: memory, kills, imports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.storage.bytes.backend import Backend
from tests.storage_backends.places import Place
from tests.storage_backends.streams import MIB

ROOT = Path(__file__).parents[2]


def probe(place: Place, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.storage_backends.probe", place.url, *arguments]
    environment = {**os.environ, **place.environment}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is measured as Linux tells it")
def test_memory_does_not_grow_with_the_blob(place: Place, folder: str) -> None:
    done = probe(place, "memory", f"{folder}blob", "64")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 16 * MIB


def test_a_killed_process_leaves_no_visible_blob(place: Place, backend: Backend, folder: str) -> None:
    now = datetime.now(UTC)
    backend.discard_unfinished(now + timedelta(minutes=1))
    assert probe(place, "die", f"{folder}blob").returncode == -signal.SIGKILL
    assert backend.stat(f"{folder}blob") is None
    assert list(backend.list(folder)) == []
    left = 1 if place.kind in ("file", "s3") else 0
    if place.kind != "s3":  # moto reports that every upload began in 2010
        assert backend.discard_unfinished(now - timedelta(minutes=1)) == 0
    later = datetime.now(UTC) + timedelta(minutes=1)
    assert backend.discard_unfinished(later, dry_run=True) == left
    assert backend.discard_unfinished(later) == left
    assert backend.discard_unfinished(later) == 0


def test_a_folder_needs_no_cloud_sdk(tmp_path: Path) -> None:
    done = probe(Place("file", f"file://{tmp_path}"), "modules")
    assert done.returncode == 0, done.stderr
    imported = {name.partition(".")[0] for name in done.stdout.split()}
    assert "app" in imported
    assert not imported & {"smart_open", "boto3", "botocore", "google", "azure", "requests"}
