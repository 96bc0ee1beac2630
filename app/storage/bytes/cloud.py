"""The common part of the cloud backends; each subclass in plugins/storage serves one cloud.

Bytes go through the readers and writers of smart-open's modules ``s3``, ``gcs`` and ``azure``, which take a bucket and
a name. smart-open's ``open(url)`` would decompress names that end with ``.gz`` and read ``?versionId=`` as a version.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from importlib import import_module
from io import BytesIO
from itertools import chain
from types import ModuleType
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from app.distribution import how_to_install
from app.errors import PorticoError
from app.storage.bytes.backend import (
    BackendUnavailable,
    BackendUnusable,
    Blob,
    BlobMissing,
    ByteSource,
    KeyRefused,
    Labels,
    Piece,
    Readable,
    Stored,
    checked_key,
)
from app.storage.bytes.transfer import FetchedChunks, Metered, Translated
from app.storage.bytes.upload_links import Arrived, UploadLink


class CloudBackend(ABC):
    """Blobs of a bucket below a prefix. ``part`` is the number of bytes that the subclass's writer buffers in
    memory."""

    def __init__(self, prefix: str, translated: Translated, part: int) -> None:
        self._prefix = prefix
        self._translated = translated
        self._part = part

    def put(self, key: str, stream: ByteSource, *, size: int | None = None, content_type: str | None = None) -> Stored:
        name = self._name(key)
        label = content_type or "application/octet-stream"
        source = Metered(stream, size)
        # Half a part for a stream of unknown length, because the writer's buffer begins with a copy of these bytes.
        limit = self._part if size is not None else self._part // 2
        try:
            first = b""
            if size is None or size < limit:
                first = source.read_part(limit)
                if len(first) < limit:
                    with self._translated:
                        self._put_small(name, first, label)
                    return source.stored()
            with self._translated:
                writer = self._writer(name, label)
            write_chunks(writer, chain([first] if first else (), iter(source.read, b"")), self._translated)
        except BlobMissing as ex:
            # In a write, the only thing that can be missing is the bucket.
            raise BackendUnavailable from ex
        return source.stored()

    def open_read(self, key: str, start: int = 0, end: int | None = None) -> Readable:
        if end is None or end <= start:
            size = self.stat(key)
            if size is None or (end is not None and end > size):
                raise BlobMissing
            end = size if end is None else end
        length = max(0, end - start)
        reader: IO[bytes] = BytesIO()
        if length:
            with self._translated:
                reader = self._reader(self._name(key), start, length)
        return Readable(length, chunks=FetchedChunks(reader, length, self._translated))

    def stat(self, key: str) -> int | None:
        found = self.arrived(key)
        return None if found is None else found.size

    def copy(self, source: str, target: str) -> None:
        if source == target:
            # Some servers refuse to copy a blob to itself.
            self.open_read(source, 0, 0).close()
            return
        with self._translated:
            self._copy(self._name(source), self._name(target))

    def join(self, pieces: Sequence[Piece], target: str) -> None:
        if len(pieces) == 1:
            self.copy(pieces[0].key, target)
            return
        try:
            with self._translated:
                self._join([Piece(self._name(piece.key), piece.size) for piece in pieces], self._name(target))
        except BaseException:
            with suppress(PorticoError):
                self.delete_many([target])
            raise

    def list(self, prefix: str = "") -> Iterator[Blob]:
        with self._translated:
            for blob in self._listed(self._prefix + prefix):
                key = blob.key.removeprefix(self._prefix)
                with suppress(KeyRefused):
                    yield Blob(checked_key(key), blob.size, blob.modified)

    def link(self, key: str, labels: Labels, seconds: int) -> str | None:
        with self._translated:
            return self._link(self._name(key), labels, seconds)

    def upload_link(self, key: str, size: int, content_type: str, seconds: int) -> UploadLink | None:
        with self._translated:
            return self._upload_link(self._name(key), size, content_type, seconds)

    def arrived(self, key: str) -> Arrived | None:
        name = self._name(key)
        try:
            with self._translated:
                return self._arrived(name)
        except BlobMissing:
            return None

    def discard_unfinished(self, before: datetime, *, dry_run: bool = False) -> int:
        return 0

    def _name(self, key: str) -> str:
        return self._prefix + checked_key(key)

    @abstractmethod
    def delete_many(self, keys: Iterable[str]) -> None:
        """See ``Backend``."""

    @abstractmethod
    def _put_small(self, name: str, content: bytes, content_type: str) -> None:
        """Store ``content``, which is smaller than a part, in one request."""

    @abstractmethod
    def _writer(self, name: str, content_type: str) -> IO[bytes]:
        """A smart-open writer that uploads in parts."""

    @abstractmethod
    def _reader(self, name: str, start: int, length: int) -> IO[bytes]:
        """A smart-open reader positioned at ``start``, from which ``length`` bytes will be read."""

    @abstractmethod
    def _copy(self, source: str, target: str) -> None:
        """Copy a blob on the server's side."""

    @abstractmethod
    def _join(self, pieces: Sequence[Piece], target: str) -> None:
        """Concatenate two or more blobs into ``target``. The keys of ``pieces`` include the prefix."""

    @abstractmethod
    def _link(self, name: str, labels: Labels, seconds: int) -> str | None:
        """See ``Linking.link``."""

    @abstractmethod
    def _upload_link(self, name: str, size: int, content_type: str, seconds: int) -> UploadLink | None:
        """See ``UploadLinking.upload_link``."""

    @abstractmethod
    def _arrived(self, name: str) -> Arrived:
        """See ``UploadLinking.arrived``. Raises an error that ``_translated`` turns into BlobMissing if there is no
        blob."""

    @abstractmethod
    def _listed(self, prefix: str) -> Iterator[Blob]:
        """All blobs whose name starts with ``prefix``; their keys include the backend's prefix."""


def write_chunks(writer: Any, chunks: Iterable[bytes], translated: Translated) -> None:
    """Write the chunks and close the writer. After any error, nothing that it wrote becomes visible."""
    try:
        for chunk in chunks:
            with translated:
                writer.write(chunk)
        with translated:
            writer.close()
    except BaseException:
        abandon(writer)
        raise


def abandon(writer: Any) -> None:
    """Stop a writer so that nothing it wrote becomes visible.

    A writer closes itself when it is garbage-collected, and closing completes the upload: if the request to cancel
    failed, a truncated blob would be published. So ``close`` is disabled first.
    """
    writer.close = _do_nothing
    with suppress(Exception):
        writer.terminate()


def _do_nothing() -> None:
    pass


def bucket_and_prefix(url: str) -> tuple[str, str]:
    """The parts of ``scheme://bucket/prefix``; the prefix is "" or ends with a slash. Raises BackendUnusable."""
    parts = urlsplit(url)
    if not parts.netloc or "@" in parts.netloc or parts.query or parts.fragment:
        raise BackendUnusable(
            f"The storage URL does not have the form {parts.scheme}://bucket/prefix",
            hint="Credentials and endpoints come from the environment variables of the cloud's own tools.",
        )
    prefix = unquote(parts.path).strip("/")
    return parts.netloc, f"{prefix}/" if prefix else ""


def cloud_module(name: str, extra: str) -> ModuleType:
    """A module of a cloud's SDK, imported on first use: importing all SDKs takes 0.4 s and 60 MB.

    Raises BackendUnusable naming the extra that installs it.
    """
    try:
        return import_module(name)
    except ImportError as ex:
        raise BackendUnusable(
            f"This storage URL needs the extra {extra!r}, which is not installed",
            hint=how_to_install(extra),
        ) from ex
