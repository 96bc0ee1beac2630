"""Imports from and exports to a folder: ``file:///path``, or a plain path.

The keys are paths below the folder. Types are derived from the names' endings; times are those of the files. Symbolic
links are not followed.
"""

from __future__ import annotations

import fcntl
import hashlib
import mimetypes
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, NoReturn
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from app.hooks import hookimpl
from app.storage.bytes.backend import ByteSource
from app.storage.bytes.transfer import CHUNK, write_all
from app.storage.outside.place import ObjectDescription, PlacedObject, PlaceOptions, PlaceRefused, PlaceUnusable

UNFINISHED = ".portico-unfinished"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@hookimpl
def storage_place(url: str, options: PlaceOptions) -> FolderPlace | None:
    parts = urlsplit(url)
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost") or parts.query or parts.fragment:
            raise PlaceUnusable("The URL must name a path, with three slashes, as in file:///srv/files")
        return FolderPlace(Path(unquote(parts.path)), may_be_new=options.may_be_new)
    return None if "://" in url else FolderPlace(Path(url), may_be_new=options.may_be_new)


class FolderPlace:
    """An ``OutsidePlace`` in a file system."""

    def __init__(self, root: Path, *, may_be_new: bool) -> None:
        if "\0" in str(root):
            raise PlaceUnusable("The URL has a null character, which a path cannot contain")
        self._root = root
        self._may_be_new = may_be_new

    def list(self) -> Iterator[PlacedObject]:
        try:
            is_new = self._may_be_new and not self._root.exists()
        except OSError as ex:
            _unreadable(ex)
        if is_new:
            return
        for folder, folders, names in os.walk(self._root, onerror=_unreadable):
            if Path(folder) == self._root and UNFINISHED in folders:
                folders.remove(UNFINISHED)
            for name in names:
                path = Path(folder, name)
                with suppress(FileNotFoundError):
                    status = path.lstat()
                    if stat.S_ISREG(status.st_mode):
                        key = path.relative_to(self._root).as_posix()
                        yield PlacedObject(
                            key, status.st_size, _EPOCH + timedelta(microseconds=status.st_mtime_ns // 1000)
                        )

    def describe(self, found: PlacedObject) -> ObjectDescription:
        content_type, encoding = mimetypes.guess_type(found.key)
        if encoding:
            # Clients get the compressed file, so its type is not that of the uncompressed content.
            content_type = "application/gzip" if encoding == "gzip" else None
        return ObjectDescription(content_type=content_type or "")

    def open(self, found: PlacedObject) -> IO[bytes]:
        with _refused():
            return (self._root / found.key).open("rb")

    def tags(self, found: PlacedObject) -> frozenset[str]:
        md5 = hashlib.md5(usedforsecurity=False)
        with _refused(), (self._root / found.key).open("rb") as file:
            while chunk := file.read(CHUNK):
                md5.update(chunk)
        return frozenset({md5.hexdigest()})

    def put(self, key: str, source: ByteSource, size: int, description: ObjectDescription, modified: datetime) -> None:
        # An empty object whose key ends with a slash keeps a folder visible. Here it becomes a folder.
        folder = key.endswith("/") and size == 0
        path = self._path(key[:-1] if folder else key)
        with _refused():
            self._root.mkdir(parents=True, exist_ok=True)
            if folder:
                path.mkdir(parents=True, exist_ok=True)
                return
        with _locked(self._root, fcntl.LOCK_SH):
            self._write(path, source, modified)

    def _write(self, path: Path, source: ByteSource, modified: datetime) -> None:
        unfinished = self._root / UNFINISHED / uuid4().hex
        with _refused():
            unfinished.parent.mkdir(exist_ok=True)
        try:
            with _refused():
                file = unfinished.open("xb", buffering=0)
            with file:
                while chunk := source.read(CHUNK):
                    with _refused():
                        write_all(file.fileno(), chunk)
                with _refused():
                    os.fsync(file.fileno())
            with _refused():
                written = (modified - _EPOCH) // timedelta(microseconds=1) * 1000
                os.utime(unfinished, ns=(written, written))
                path.parent.mkdir(parents=True, exist_ok=True)
                unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

    def close(self) -> None:
        folder = self._root / UNFINISHED
        with suppress(OSError), _locked(self._root, fcntl.LOCK_EX | fcntl.LOCK_NB) as is_locked:
            if self._may_be_new and is_locked:
                # No process is writing now, so these files are the remains of a killed process.
                for path in folder.iterdir():
                    path.unlink()
                folder.rmdir()

    def _path(self, key: str) -> Path:
        segments = key.split("/")
        if {"", ".", ".."}.intersection(segments) or segments[0] == UNFINISHED:
            raise PlaceRefused("a folder cannot have a file of this name")
        return self._root.joinpath(*segments)


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[bool]:
    """Lock the folder until the block, or the process, ends. Gives whether that worked: another process may have locked
    it, or its file system may not support flock(2)."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, how)
            is_locked = True
        except OSError:
            is_locked = False
        yield is_locked
    finally:
        os.close(descriptor)


@contextmanager
def _refused() -> Iterator[None]:
    try:
        yield
    except OSError as ex:
        raise PlaceRefused(f"the file cannot be used: {ex.strerror}") from ex


def _unreadable(ex: OSError) -> NoReturn:
    raise PlaceUnusable(f"The folder {ex.filename} cannot be read: {ex.strerror}") from ex
