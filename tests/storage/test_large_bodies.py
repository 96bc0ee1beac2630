"""A large body is written once: the file in which it arrives becomes the blob, where both are on one file system."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import psutil
import pytest

from tests.storage.service import SERVICE, Service, error, token
from tests.storage.upload_faces import STORED, Send, Sent, rest_put, resumable, s3_put, signed_upload

MIB = 1024 * 1024
# Both halves of a resumable upload are too large for memory.
SIZE = 12 * MIB


def written(process: psutil.Process) -> int:
    """The number of bytes that a process has written to files."""
    return int(process.io_counters().write_chars)


@pytest.fixture(autouse=True)
def beside_the_blobs(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where a body can be moved to the objects without a copy.
    monkeypatch.setattr(tempfile, "tempdir", str(service.folder.parent))


# Two pieces of a resumable upload are joined in the end.
@pytest.mark.parametrize(("send", "times"), [(rest_put, 1), (signed_upload, 1), (s3_put, 1), (resumable, 2)])
def test_a_large_body_is_written_once(service: Service, send: Send, times: int) -> None:
    bucket, content, process = service.bucket(), os.urandom(SIZE), psutil.Process()
    before = written(process)
    assert send(service, token("service_role"), Sent(bucket, "large", content)) == STORED
    assert times <= (written(process) - before) / SIZE < times + 0.25
    assert service.get(f"/object/authenticated/{bucket}/large").content == content


def test_a_body_on_another_file_system_is_copied(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [
        each for each in map(Path, ("/dev/shm", "/tmp", "/var/tmp")) if each.is_dir() and os.access(each, os.W_OK)
    ]
    device = service.folder.stat().st_dev
    folder = next((each for each in others if each.stat().st_dev != device), None)
    if folder is None:
        pytest.skip("all temporary folders are on one file system")
    # Python chose its temporary folder before, so TMPDIR would come too late.
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    bucket, content, process = service.bucket(), os.urandom(SIZE), psutil.Process()
    before = written(process)
    assert rest_put(service, SERVICE, Sent(bucket, "large", content)) == STORED
    assert written(process) - before >= 2 * SIZE
    assert service.get(f"/object/authenticated/{bucket}/large").content == content


def test_a_refused_body_leaves_nothing(service: Service) -> None:
    bucket = service.bucket()
    service.put(f"/bucket/{bucket}", json={"public": False, "file_size_limit": SIZE - 1}).raise_for_status()
    blobs = {path for path in service.folder.rglob("*") if path.is_file()}
    answer = service.post(
        f"/object/{bucket}/large",
        data=(b"x" * MIB for _ in range(SIZE // MIB)),  # in chunks, so that the length is known only at the end
        headers={"content-type": "text/plain"},
    )
    assert error(answer)[2] == "EntityTooLarge"
    assert {path for path in service.folder.rglob("*") if path.is_file()} == blobs
