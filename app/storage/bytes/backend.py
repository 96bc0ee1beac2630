"""The protocol of a backend, which stores the bytes of objects; its records and its errors.

A backend stores blobs: plain bytes under keys that the core chooses. Access rights, types and entity tags are in
PostgreSQL. Each module of plugins/storage serves one URL scheme and is found by the hook ``storage_backend``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import BufferedRandom
from typing import IO, TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable
from urllib.parse import urlsplit

from app.errors import PorticoError, RequestError, Unavailable

if TYPE_CHECKING:
    import pluggy

KEY_BYTES = 900
SEGMENT_BYTES = 255
_REFUSED = re.compile(r"[\x00-\x1f\\\x7f]")
_EMPTY_OR_DOTTED = re.compile(r"(?:\A|/)(?=/|\Z)|\.(?=/|\Z)")


class BlobMissing(PorticoError):
    """No blob has this key."""

    code = "BLOB_MISSING"

    def __init__(self) -> None:
        super().__init__("The stored content of this object is missing")


class BackendFull(PorticoError):
    """The backend has no room (or no quota) for more bytes."""

    code = "STORAGE_FULL"

    def __init__(self) -> None:
        super().__init__("The storage is full")


class BackendUnavailable(Unavailable):
    """The backend cannot be reached or refuses the credentials; ``__cause__`` is its own error."""

    code = "STORAGE_UNAVAILABLE"

    def __init__(self) -> None:
        super().__init__("The storage is not available")


class BackendUnusable(PorticoError):
    """The storage URL cannot be used. Operators see the message at startup or in the log."""

    code = "STORAGE_UNUSABLE"


class StreamCutShort(RequestError):
    """A stream had fewer or more bytes than declared; nothing was stored."""

    code = "BODY_LENGTH_MISMATCH"

    def __init__(self) -> None:
        super().__init__("The length of the body differs from the declared length")


class KeyRefused(ValueError):
    """A key breaks the rules of ``checked_key``: this is a bug in the service, never a client's mistake."""


class ByteSource(Protocol):
    """The source that ``put`` reads from: an open binary file, or a reader that may raise midway, for example at a size
    limit."""

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes; b"" at the end."""


class PassThrough:
    """A source that returns the bytes of ``source`` unchanged, up to the end, or raises."""

    __slots__ = ()
    source: ByteSource


def underlying_file(source: object) -> IO[bytes] | None:
    """The open file, at its first byte, whose content a source returns; None if the source reads something else."""
    while isinstance(source, PassThrough):
        source = source.source
    return source if isinstance(source, BufferedRandom) and not source.tell() else None


class Chunks(Protocol):
    """Bytes from a remote backend: an iterator that can be closed early.

    It deliberately has no ``read``: a WSGI server would take it for a local file and block on it in the loop that
    serves all connections.
    """

    def __iter__(self) -> Iterator[bytes]: ...
    def __next__(self) -> bytes: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Stored:
    """The result of ``put``: the number of bytes, and their MD5 as 32 hexadecimal digits."""

    size: int
    md5: str


@dataclass(frozen=True, slots=True)
class Readable:
    """An open blob, positioned at the first byte to send. The receiver closes it.

    ``file`` is a real file, suitable for ``wsgi.file_wrapper``. It may be longer than ``length``; the server sends only
    ``length`` bytes. A backend that is not a local folder sets ``chunks`` instead, which have exactly ``length`` bytes.
    """

    length: int
    file: IO[bytes] | None = None
    chunks: Chunks | None = None

    @property
    def stream(self) -> IO[bytes] | Chunks:
        stream = self.file or self.chunks
        if stream is None:
            raise ValueError("a Readable is a file or chunks")
        return stream

    def read(self) -> bytes:
        """Return all the bytes and close the blob."""
        try:
            return self.file.read(self.length) if self.file is not None else b"".join(self.chunks or ())
        finally:
            self.close()

    def close(self) -> None:
        self.stream.close()


@dataclass(frozen=True, slots=True)
class Blob:
    """An entry of a listing; ``modified`` is when the blob was written, with a time zone, by the backend's clock."""

    key: str
    size: int
    modified: datetime


class Piece(NamedTuple):
    """A blob to join with others: its key, and its size in bytes."""

    key: str
    size: int


@dataclass(frozen=True, slots=True)
class Labels:
    """Response headers for a blob that a backend serves; '' for none."""

    content_type: str
    caching: str = ""
    disposition: str = ""
    encoding: str = ""


@runtime_checkable
class Linking(Protocol):
    """A backend that can serve blobs to clients directly."""

    def link(self, key: str, labels: Labels, seconds: int) -> str | None:
        """A URL with which anyone can read this blob, and no other, for ``seconds``.

        Its response has the ``labels``, even if the blob is stored with others. None if the backend's credentials or
        its protocol do not allow such a URL. It makes no request, so it does not check whether the blob exists.
        """


@runtime_checkable
class Creating(Protocol):
    """A backend that stores a blob faster under a key that has never had one."""

    def create(
        self, key: str, stream: ByteSource, *, size: int | None = None, content_type: str | None = None
    ) -> Stored:
        """``put`` for a new key, which no one reads before this returns. Then the blob is durable.

        It may be visible before it is durable, so a crash of the machine may leave an incomplete one, which no row
        names.
        """


class Backend(Protocol):
    """Bytes under keys. Every method may be called from many threads at once.

    All raise BackendUnavailable when the backend cannot be reached, and KeyRefused for a key that ``checked_key``
    refuses. After concurrent puts of one key, the blob is complete and comes from one of them; the others succeed as if
    they had come earlier, or raise BackendUnavailable.
    """

    def put(self, key: str, stream: ByteSource, *, size: int | None = None, content_type: str | None = None) -> Stored:
        """Read ``stream`` to its end and store it, replacing any blob of that key.

        The blob is not visible before it is complete and durable. Errors of ``stream`` pass through, and then nothing
        is stored. ``size`` is the number of bytes, if known. ``content_type`` only labels the blob for people who look
        at the bucket with other tools; a folder ignores it. Raises BackendFull, and StreamCutShort when the stream's
        size differs from ``size``.
        """

    def open_read(self, key: str, start: int = 0, end: int | None = None) -> Readable:
        """The bytes from ``start`` up to, not including, ``end``; without ``end``, all bytes from ``start``.

        Raises BlobMissing at once if there is no such blob. The caller knows the size from the object's row, so an
        ``end`` beyond the last byte means that the stored bytes are gone: that raises BlobMissing too, at once or while
        ``chunks`` are read.
        """

    def stat(self, key: str) -> int | None:
        """The size in bytes; None if there is no such blob."""

    def copy(self, source: str, target: str) -> None:
        """Copy ``source`` to ``target`` without moving the bytes through this process. Raises BlobMissing."""

    def join(self, pieces: Sequence[Piece], target: str) -> None:
        """Concatenate one or more blobs, none of them empty, into ``target``, a new key. The blobs stay as they are.

        ``target`` is durable on return. The bytes move through this process only if the backend cannot join blobs
        itself. Raises BlobMissing and BackendFull; then there is no ``target``. A killed process may leave an
        incomplete one, which no row names.
        """

    def delete_many(self, keys: Iterable[str]) -> None:
        """Delete blobs; keys without a blob are ignored. After an error some may be gone; the call can be repeated."""

    def list(self, prefix: str = "") -> Iterator[Blob]:
        """All complete blobs whose key starts with ``prefix``, in no particular order, read as the iterator advances.

        Other files, whose keys ``checked_key`` refuses, are left out. Blobs may be deleted meanwhile.
        """

    def discard_unfinished(self, before: datetime, *, dry_run: bool = False) -> int:
        """Remove the remains of writes that began before ``before`` and never finished, as in a killed process.

        Returns their number; 0 for clouds that expire the remains on their own. The other methods never see them, so
        they only take up space. A write still in progress is lost too if it began before ``before``: an hour ago is
        safe, a minute ago is not.
        """

    def close(self) -> None:
        """Close the backend's connections."""


def checked_key(key: str) -> str:
    """Return the key if every backend can store it unchanged and distinct from all others. Raises KeyRefused otherwise.

    A key has 1 to 900 bytes of UTF-8, in segments of 1 to 255 bytes separated by ``/``. No segment ends with a dot
    (Azure drops it; this also excludes ``.`` and ``..``) or contains a backslash (Azure reads it as ``/``) or a control
    character. A folder cannot hold both ``a`` and ``a/b``; the core's keys never form such a pair.
    """
    try:
        encoded = key.encode()
    except UnicodeEncodeError:
        raise KeyRefused("the key cannot be encoded as UTF-8") from None
    if len(encoded) > KEY_BYTES or (
        len(encoded) > SEGMENT_BYTES and any(len(segment) > SEGMENT_BYTES for segment in encoded.split(b"/"))
    ):
        raise KeyRefused(f"the key has more than {KEY_BYTES} bytes, or a segment of it more than {SEGMENT_BYTES}")
    if _EMPTY_OR_DOTTED.search(key):
        raise KeyRefused("a segment of the key is empty or ends with a dot")
    if _REFUSED.search(key):
        raise KeyRefused("the key has a backslash or a control character")
    return key


def open_backend(plugins: pluggy.PluginManager, url: str) -> Backend:
    """The backend for a storage URL (``file:///path``, ``s3://bucket/prefix``, ...), from the plugin of its scheme.

    Raises BackendUnusable when no plugin serves the scheme, or when its plugin cannot use the URL.
    """
    backend: Backend | None = plugins.hook.storage_backend(url=url)
    if backend is None:
        raise BackendUnusable(
            f"No storage backend serves the scheme {urlsplit(url).scheme!r}",
            hint="STORAGE_URL begins with file:// (file:///srv/objects for a folder), s3://, gs:// or azure://, or a"
            " plugin's own scheme.",
        )
    return backend
