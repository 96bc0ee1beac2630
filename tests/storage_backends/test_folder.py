"""Behaviour that is specific to a local folder."""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import pytest
from waitress import create_server

from app.storage.bytes.backend import (
    BackendFull,
    BackendUnavailable,
    BlobMissing,
    KeyRefused,
    Stored,
    StreamCutShort,
)
from plugins.storage import file as module
from plugins.storage.file import FolderBackend
from tests.storage_backends.streams import MIB, Generated, content, md5


@pytest.fixture
def blobs(tmp_path: Path) -> FolderBackend:
    return FolderBackend(tmp_path / "root")


def files(folder: Path) -> set[str]:
    """All files and folders below the folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_a_blob_is_a_file_of_its_bytes(blobs: FolderBackend, tmp_path: Path) -> None:
    blobs.put("bucket/version", BytesIO(b"bytes"))
    assert (tmp_path / "root/bucket/version").read_bytes() == b"bytes"
    assert files(tmp_path / "root") == {".unfinished", "bucket", "bucket/version"}


def test_everything_is_on_the_disk_before_put_returns(
    blobs: FolderBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    really = os.fsync

    def fsync(descriptor: int) -> None:
        really(descriptor)
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        synced.append(f"{path.relative_to(tmp_path)}" if path.is_dir() else f"{path.stat().st_size} bytes")

    # Nothing but the calls shows what would survive a loss of power.
    monkeypatch.setattr(os, "fsync", fsync)
    blobs.put("a/b/blob", BytesIO(b"12345"))
    assert synced == ["5 bytes", "root", "root/a", "root/a/b"]
    synced.clear()
    blobs.put("a/b/other", BytesIO(b"1234"))
    assert synced == ["4 bytes", "root/a/b"]
    synced.clear()
    blobs.copy("a/b/other", "a/c/copy")
    assert synced == ["root/a", "root/a/c"]


def without_a_name(folder: Path, bytes_: bytes) -> IO[bytes]:
    """An open file as the server keeps a large body in it."""
    file = open(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666), "w+b")  # noqa: SIM115 - the caller closes it
    file.write(bytes_)
    file.seek(0)
    return file


def test_a_file_without_a_name_becomes_the_blob(blobs: FolderBackend, tmp_path: Path) -> None:
    with without_a_name(tmp_path, b"x" * MIB) as file:
        stored = blobs.put("bucket/blob", file, size=MIB)
        assert os.fstat(file.fileno()).st_ino == (tmp_path / "root/bucket/blob").stat().st_ino
    assert stored == Stored(MIB, hashlib.md5(b"x" * MIB).hexdigest())
    assert files(tmp_path / "root") == {".unfinished", "bucket", "bucket/blob"}
    with without_a_name(tmp_path, b"12345") as file, pytest.raises(StreamCutShort):
        blobs.put("bucket/other", file, size=4)
    assert files(tmp_path / "root") == {".unfinished", "bucket", "bucket/blob"}


def test_a_file_that_others_may_change_is_copied(blobs: FolderBackend, tmp_path: Path) -> None:
    with open(tmp_path / "named", "w+b") as named:
        named.write(b"before")
        named.seek(0)
        blobs.put("blob", named)
        named.seek(0)
        named.write(b"after.")
    assert (tmp_path / "root/blob").read_bytes() == b"before"
    with without_a_name(tmp_path, b"12345") as file:
        file.seek(2)
        blobs.put("rest", file)
    assert (tmp_path / "root/rest").read_bytes() == b"345"
    with TemporaryFile(dir=tmp_path) as file:
        file.write(b"never to be named")
        file.seek(0)
        blobs.put("temporary", file)
    assert (tmp_path / "root/temporary").read_bytes() == b"never to be named"


def test_a_full_disk_is_reported(blobs: FolderBackend, tmp_path: Path) -> None:
    # A limit of the process simulates it: the write that exceeds it fails in the kernel in the same way.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MIB, hard))
    try:
        with pytest.raises(BackendFull):
            blobs.put("bucket/blob", Generated(2 * MIB))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert files(tmp_path / "root") == {".unfinished"}


def test_a_blob_that_cannot_be_deleted_keeps_no_others(blobs: FolderBackend, tmp_path: Path) -> None:
    for key in ("a/before", "b/after"):
        blobs.put(key, Generated(10))
    # The kernel refuses to open it, like a folder of another user.
    (tmp_path / "root/loop").symlink_to("loop")
    with pytest.raises(BackendUnavailable):
        blobs.delete_many(["a/before", "loop/blob", "b/after"])
    assert list(blobs.list("a")) == list(blobs.list("b")) == []


def test_errors_of_the_source_leave_nothing(blobs: FolderBackend, tmp_path: Path) -> None:
    class Broken:
        def read(self, size: int = -1, /) -> bytes:
            raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        blobs.put("bucket/blob", Broken())
    assert files(tmp_path / "root") == {".unfinished"}


def test_a_new_blob_is_a_file_of_its_bytes(blobs: FolderBackend, tmp_path: Path) -> None:
    assert blobs.create("bucket/a/version", BytesIO(b"bytes"), size=5) == Stored(5, md5(b"bytes"))
    assert (tmp_path / "root/bucket/a/version").read_bytes() == b"bytes"
    assert files(tmp_path / "root") == {".unfinished", "bucket", "bucket/a", "bucket/a/version"}


def test_a_new_blob_is_a_file_where_files_have_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_TMPFILE")
    blobs = FolderBackend(tmp_path / "root")
    assert blobs.create("bucket/version", BytesIO(b"bytes"), size=5) == Stored(5, md5(b"bytes"))
    assert files(tmp_path / "root") == {".unfinished", "bucket", "bucket/version"}


def test_a_new_blob_that_cannot_be_stored_leaves_nothing(blobs: FolderBackend, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MIB, hard))
    try:
        with pytest.raises(BackendFull):
            blobs.create("bucket/blob", Generated(2 * MIB))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with pytest.raises(StreamCutShort):
        blobs.create("bucket/blob", BytesIO(b"12345"), size=4)
    assert files(tmp_path / "root") == {".unfinished"}


def test_a_new_blob_replaces_no_other(blobs: FolderBackend, tmp_path: Path) -> None:
    blobs.put("a/b", BytesIO(b"x"))
    for key in ("a/b", "a", "a/b/c"):
        with pytest.raises(KeyRefused):
            blobs.create(key, BytesIO(b"y"))
    assert files(tmp_path / "root") == {".unfinished", "a", "a/b"}
    assert content(blobs, "a/b") == b"x"


def test_folders_of_new_blobs_may_be_removed_at_any_time(blobs: FolderBackend) -> None:
    def create(number: int) -> None:
        for turn in range(50):
            key = f"a/b/{number}-{turn}"
            blobs.create(key, BytesIO(b"x"))
            blobs.delete_many([key])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(create, range(4)))
    assert list(blobs.list("a")) == []


def test_a_missing_root_is_reported(blobs: FolderBackend, tmp_path: Path) -> None:
    (tmp_path / "root/.unfinished").rmdir()
    (tmp_path / "root").rmdir()
    with pytest.raises(BackendUnavailable):
        blobs.put("bucket/blob", BytesIO(b"x"))
    with pytest.raises(BlobMissing):
        blobs.open_read("bucket/blob")


def test_a_key_is_not_the_folder_of_another(blobs: FolderBackend, tmp_path: Path) -> None:
    blobs.put("a/b", BytesIO(b"x"))
    for key in ("a", "a/b/c", "a/b/c/d"):
        with pytest.raises(KeyRefused):
            blobs.put(key, BytesIO(b"y"))
        with pytest.raises(KeyRefused):
            blobs.copy("a/b", key)
    assert files(tmp_path / "root") == {".unfinished", "a", "a/b"}


def test_unfinished_writes_have_no_keys(blobs: FolderBackend) -> None:
    for key in (".unfinished", ".unfinished/x"):
        with pytest.raises(KeyRefused):
            blobs.put(key, BytesIO(b"x"))
    seen: list[list[str]] = []
    blobs.put("blob", Generated(10, lambda: seen.append([blob.key for blob in blobs.list()])))
    assert seen == [[]]


def test_a_prefix_cannot_leave_the_root(blobs: FolderBackend, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    for prefix in ("../", "a/../../", "/"):
        with pytest.raises(KeyRefused):
            list(blobs.list(prefix))
    assert list(blobs.list("..")) == []


def test_empty_folders_are_removed(blobs: FolderBackend, tmp_path: Path) -> None:
    for key in ("a/b/c/one", "a/two"):
        blobs.put(key, BytesIO(b"x"))
    blobs.delete_many(["a/b/c/one"])
    assert files(tmp_path / "root") == {".unfinished", "a", "a/two"}
    blobs.delete_many(["a/two"])
    assert files(tmp_path / "root") == {".unfinished"}


def test_folders_can_be_created_and_removed_concurrently(blobs: FolderBackend) -> None:
    def work(number: int) -> None:
        for turn in range(150):
            key = f"a/b/{number}-{turn}"
            blobs.put(key, BytesIO(b"x"))
            assert content(blobs, key) == b"x"
            blobs.delete_many([key])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert list(blobs.list()) == []


def test_a_folder_removed_during_its_creation_is_created_again(
    blobs: FolderBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir, made = os.mkdir, []

    def make_after_another(path: Any, mode: int = 0o777) -> None:
        made.append(Path(path).name)
        if made == ["b", "a", "b"]:  # another made a/b just before, and removed it before anyone looked
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        mkdir(path, mode)

    # The moment between two calls of the system cannot be hit from outside.
    monkeypatch.setattr(os, "mkdir", make_after_another)
    blobs.put("a/b/key", BytesIO(b"x"))
    assert made == ["b", "a", "b", "b"]
    assert content(blobs, "a/b/key") == b"x"


def test_a_copy_shares_the_bytes(blobs: FolderBackend, tmp_path: Path) -> None:
    blobs.put("a/source", BytesIO(b"x" * 1000))
    blobs.copy("a/source", "b/copy")
    assert (tmp_path / "root/a/source").samefile(tmp_path / "root/b/copy")
    blobs.copy("a/source", "b/copy")
    assert files(tmp_path / "root/.unfinished") == set()


def test_files_are_copied_if_they_cannot_be_linked(blobs: FolderBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **named: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    # Stands for a file system without hard links, which tests cannot mount.
    monkeypatch.setattr(os, "link", refuse)
    blobs.put("a/source", BytesIO(b"x" * 1000))
    blobs.copy("a/source", "b/copy")
    assert content(blobs, "b/copy") == b"x" * 1000
    with pytest.raises(BlobMissing):
        blobs.copy("a/missing", "b/other")


def test_a_range_passes_a_wsgi_file_wrapper(blobs: FolderBackend) -> None:
    data = os.urandom(3 * MIB)
    blobs.put("blob", BytesIO(data))

    def serve(environ: dict[str, Any], start_response: Any) -> Any:
        readable = blobs.open_read("blob", 1000, 2 * MIB)
        start_response("200 OK", [("Content-Length", str(readable.length))])
        return environ["wsgi.file_wrapper"](readable.file)

    server = create_server(serve, host="127.0.0.1", port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        for _ in range(2):
            with urllib.request.urlopen(f"http://127.0.0.1:{server.effective_port}/") as answer:
                assert answer.read() == data[1000 : 2 * MIB]
    finally:
        server.close()
        thread.join(timeout=10)


def test_a_read_only_file_system_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = FolderBackend(tmp_path)
    backend.put("a", BytesIO(b"a"))

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    # Stands for a file system mounted read-only, which tests cannot make.
    monkeypatch.setattr(module, "FileIO", refuse)
    for name in ("unlink", "link", "replace"):
        monkeypatch.setattr(os, name, refuse)
    for change in (lambda: backend.put("b", BytesIO(b"b")), lambda: backend.copy("a", "b")):
        with pytest.raises(BackendUnavailable):
            change()
