"""Blobs in a local folder: ``file:///var/lib/portico``.

A write goes to a file in ``.unfinished`` below the root, is synced to disk, and is then renamed. For a large body,
which the server has in an unnamed temporary file, that file gets a name instead of being copied, if TMPDIR is on the
root's file system. So a blob is complete or does not exist, even if the process or the machine crashes. The root must
be on one file system.

A new blob needs fewer steps, since no one reads it before its row is committed: it is written to a file without a name,
gets its name, and is then synced, and so is its directory where that is needed. A crash of the machine may leave an
incomplete file, which no row names and the sweep deletes; a crash of the process leaves nothing.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

from app.errors import PorticoError
from app.hooks import hookimpl
from app.storage.bytes.backend import (
    BackendFull,
    BackendUnavailable,
    BackendUnusable,
    Blob,
    BlobMissing,
    ByteSource,
    KeyRefused,
    Piece,
    Readable,
    Stored,
    checked_key,
    underlying_file,
)
from app.storage.bytes.folders import make_folder, sync
from app.storage.bytes.transfer import CHUNK, Metered, Translated, write_all
from app.storage.bytes.unnamed_files import can_name_files, name_file, open_unnamed, syncs_names_with_files

UNFINISHED = ".unfinished"
# A folder without blobs is removed. A concurrent write makes it again, possibly several times.
ATTEMPTS = 100


@hookimpl
def storage_backend(url: str) -> FolderBackend | None:
    parts = urlsplit(url)
    if parts.scheme != "file":
        return None
    path = Path(unquote(parts.path))
    if parts.netloc not in ("", "localhost") or not path.is_absolute() or parts.query or parts.fragment:
        raise BackendUnusable(
            "The storage URL must name an absolute path", hint="Use three slashes, as in file:///var/lib/portico."
        )
    return FolderBackend(path)


class FolderBackend:
    """A ``Backend`` on a local file system."""

    def __init__(self, root: Path) -> None:
        # Paths are strings, because a Path for each blob would take a tenth of the time of a small download.
        self._root = str(root)
        self._unfinished = f"{self._root}/{UNFINISHED}"
        try:
            Path(self._unfinished).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as ex:
            raise BackendUnusable(f"The storage folder {root} cannot be created: {ex.strerror}") from ex
        if not os.access(self._unfinished, os.W_OK | os.X_OK):
            raise BackendUnusable(f"The service may not write to the storage folder {root}")
        self._can_name_files = can_name_files(self._unfinished)
        self._syncs_names = syncs_names_with_files(self._unfinished)

    def put(self, key: str, stream: ByteSource, *, size: int | None = None, content_type: str | None = None) -> Stored:
        path = self._path(key)
        source = Metered(stream, size)
        unfinished = self._new_unfinished()
        try:
            if not _name_file(unfinished, source):
                _write_file(unfinished, source)
            self._publish(unfinished, path)
        except BaseException:
            _forget(unfinished)
            raise
        return source.stored()

    def create(
        self, key: str, stream: ByteSource, *, size: int | None = None, content_type: str | None = None
    ) -> Stored:
        source = Metered(stream, size)
        if not self._can_name_files or underlying_file(source) is not None:
            return self.put(key, stream, size=size, content_type=content_type)
        path = self._path(key)
        with _writing:
            descriptor = open_unnamed(self._unfinished)
        try:
            _copy_source(source, descriptor)
            self._name(lambda: name_file(descriptor, path), path)
            self._sync_named(descriptor, path)
        finally:
            os.close(descriptor)
        return source.stored()

    def _sync_named(self, descriptor: int, path: str) -> None:
        """Make a new blob durable, or delete it if that fails."""
        try:
            with _writing:
                os.fsync(descriptor)
                if not self._syncs_names:
                    sync(os.path.dirname(path))
        except BaseException:
            _forget(path)
            raise

    def open_read(self, key: str, start: int = 0, end: int | None = None) -> Readable:
        path = self._path(key)
        with _reading:
            file = FileIO(path)
        try:
            size = os.fstat(file.fileno()).st_size
            if end is not None and end > size:
                raise BlobMissing
            if start:
                file.seek(start)
        except BaseException:
            file.close()
            raise
        return Readable(max(0, (size if end is None else end) - start), file=file)

    def stat(self, key: str) -> int | None:
        path = self._path(key)
        try:
            with _reading:
                status = os.stat(path)
        except BlobMissing:
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def copy(self, source: str, target: str) -> None:
        origin, path = self._path(source), self._path(target)
        unfinished = self._new_unfinished()
        try:
            with _reading:
                self._copy_file(origin, unfinished)
            self._publish(unfinished, path)
        finally:
            # Needed also after success: renaming a hard link to another hard link of the same file does nothing.
            _forget(unfinished)

    @staticmethod
    def _copy_file(origin: str, unfinished: str) -> None:
        # The file under a key is only ever replaced, never changed, so two keys can share one.
        try:
            os.link(origin, unfinished)
        except OSError as ex:
            if ex.errno not in (errno.EMLINK, errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            shutil.copyfile(origin, unfinished)
            sync(unfinished)

    def join(self, pieces: Sequence[Piece], target: str) -> None:
        if len(pieces) == 1:
            self.copy(pieces[0].key, target)
            return
        path = self._path(target)
        unfinished = self._new_unfinished()
        try:
            with _writing:
                file = FileIO(unfinished, "xb")
            with file:
                for piece in pieces:
                    with _reading, FileIO(self._path(piece.key)) as source:
                        _copy_bytes(source, file, piece.size)
                with _writing:
                    os.fsync(file.fileno())
            self._publish(unfinished, path)
        except BaseException:
            _forget(unfinished)
            raise

    def delete_many(self, keys: Iterable[str]) -> None:
        failure = None
        for key in keys:
            try:
                self._delete(self._path(key))
            except PorticoError as ex:
                # The loop continues, so that one undeletable blob does not keep all later ones from being deleted.
                failure = ex
        if failure is not None:
            raise failure

    def _delete(self, path: str) -> None:
        with _writing, suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            os.unlink(path)
        with suppress(OSError):  # not empty, or another process removed it
            while (path := os.path.dirname(path)) != self._root:
                os.rmdir(path)

    def list(self, prefix: str = "") -> Iterator[Blob]:
        folder, slash, _ = prefix.rpartition("/")
        folders = [checked_key(folder) + slash if slash else ""]
        while folders:
            folder = folders.pop()
            with (
                _writing,
                suppress(FileNotFoundError, NotADirectoryError),
                os.scandir(f"{self._root}/{folder}") as entries,
            ):
                for entry in entries:
                    key = folder + entry.name
                    if not key.startswith(prefix) or key == UNFINISHED:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(f"{key}/")
                    else:
                        with suppress(FileNotFoundError, KeyRefused):
                            yield _blob(checked_key(key), entry.stat(follow_symlinks=False))

    def discard_unfinished(self, before: datetime, *, dry_run: bool = False) -> int:
        found = 0
        with _writing, os.scandir(self._unfinished) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    if entry.stat().st_ctime < before.timestamp():
                        if not dry_run:
                            os.unlink(entry)
                        found += 1
        return found

    def close(self) -> None:
        pass

    def _path(self, key: str) -> str:
        if checked_key(key).partition("/")[0] == UNFINISHED:
            raise KeyRefused(f"keys below {UNFINISHED} are reserved for unfinished writes")
        return f"{self._root}/{key}"

    def _new_unfinished(self) -> str:
        return f"{self._unfinished}/{os.urandom(16).hex()}"

    def _publish(self, unfinished: str, path: str) -> None:
        self._name(lambda: os.replace(unfinished, path), path)
        with _writing, suppress(FileNotFoundError):  # deleted already
            sync(os.path.dirname(path))

    @staticmethod
    def _name(name: Callable[[], None], path: str) -> None:
        """Call ``name``, which gives a file the name ``path``, and make the folder if there is none."""
        with _writing:
            try:
                for _ in range(ATTEMPTS):
                    with suppress(FileNotFoundError):
                        name()
                        return
                    with suppress(FileNotFoundError):
                        make_folder(os.path.dirname(path))
                raise BackendUnavailable
            except (IsADirectoryError, NotADirectoryError, FileExistsError) as ex:
                raise KeyRefused("one key is the folder of another") from ex


def _forget(unfinished: str) -> None:
    """Remove the file of a failed write. If that fails too, as on a read-only file system, the sweep removes it."""
    with suppress(OSError):
        os.unlink(unfinished)


def _translate_reading(ex: BaseException) -> PorticoError | None:
    if isinstance(ex, FileNotFoundError | NotADirectoryError | IsADirectoryError):
        return BlobMissing()
    return _translate_writing(ex)


def _translate_writing(ex: BaseException) -> PorticoError | None:
    if not isinstance(ex, OSError):
        return None
    return BackendFull() if ex.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else BackendUnavailable()


_reading = Translated(_translate_reading)
_writing = Translated(_translate_writing)


def _name_file(path: str, source: Metered) -> bool:
    """Give the source's file a name, instead of copying it, if it is an unnamed file on this file system; then read it
    to its end and sync it to disk. Returns whether that was possible. It works only on Linux."""
    file = underlying_file(source)
    if file is None or os.fstat(descriptor := file.fileno()).st_nlink:
        return False
    try:
        name_file(descriptor, path)
    except OSError:
        return False
    while source.read():
        pass
    with _writing:
        os.fsync(descriptor)
    return True


def _write_file(path: str, source: Metered) -> None:
    """Write all of the source to a new file and sync it to disk."""
    with _writing:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        _copy_source(source, descriptor)
        with _writing:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copy_source(source: Metered, descriptor: int) -> None:
    # Errors of the source must pass through unchanged, so only other errors are translated.
    while chunk := source.read(source.at_once):
        with _writing:
            write_all(descriptor, chunk)


def _copy_bytes(source: FileIO, target: FileIO, size: int) -> None:
    """Copy ``size`` bytes between open files, in the kernel if possible. Raises BlobMissing if there are fewer."""
    left = size
    with suppress(OSError, AttributeError):  # not between these files, or not on this system
        while left and (copied := os.copy_file_range(source.fileno(), target.fileno(), left)):
            left -= copied
    while left:
        chunk = source.read(min(CHUNK, left))
        if not chunk:
            raise BlobMissing
        write_all(target.fileno(), chunk)
        left -= len(chunk)


def _blob(key: str, status: os.stat_result) -> Blob:
    # The bytes of a copy are older than the copy; st_ctime is when the file last got or lost a name.
    return Blob(key, status.st_size, datetime.fromtimestamp(status.st_ctime, UTC))
