"""Where the bytes of objects are: the protocol of a backend, its records and its errors.

A backend keeps blobs, plain bytes under keys of our own making; who may see them, their type and their entity tag are
rows in PostgreSQL. One module of plugins/storage serves one URL scheme, found by the hook ``storage_backend``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import IO, TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from app.errors import PorticoError, RequestError, Unavailable

if TYPE_CHECKING:
    import pluggy

KEY_BYTES = 900
SEGMENT_BYTES = 255


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
    """The backend cannot be reached or refuses our credentials; its own error is the cause (``__cause__``)."""

    code = "STORAGE_UNAVAILABLE"

    def __init__(self) -> None:
        super().__init__("The storage is not available")


class BackendUnusable(PorticoError):
    """The storage URL cannot be served as it stands; for the operator, at start or in the log."""

    code = "STORAGE_UNUSABLE"


class StreamCutShort(RequestError):
    """A stream gave fewer or more bytes than was declared; nothing was stored."""

    code = "BODY_LENGTH_MISMATCH"

    def __init__(self) -> None:
        super().__init__("The body has another length than was declared")


class KeyRefused(ValueError):
    """A key outside the rules of ``checked_key``: a fault of ours, never of the caller."""


class ByteSource(Protocol):
    """What ``put`` reads: an open binary file, or a reader of our own that may raise (a limit) in the middle."""

    def read(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes, b"" at the end."""


class Chunks(Protocol):
    """Bytes from a remote backend: an iterator that can be closed early.

    It has no ``read`` on purpose: a WSGI server takes what has one for a local file, and would block on it in the
    loop that serves all connections.
    """

    def __iter__(self) -> Iterator[bytes]: ...
    def __next__(self) -> bytes: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Stored:
    """What was stored: the number of bytes, and their MD5 as 32 hexadecimal digits."""

    size: int
    md5: str


@dataclass(frozen=True, slots=True)
class Readable:
    """An open blob, standing at the first byte to send; whoever gets it closes it.

    ``file`` is a real file, fit for ``wsgi.file_wrapper``, and may go on behind the last byte to send: the
    Content-Length ends it. A backend that is not a local folder gives ``chunks`` instead, exactly ``length`` bytes.
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

    def close(self) -> None:
        self.stream.close()


@dataclass(frozen=True, slots=True)
class Blob:
    """An entry of a listing; ``modified`` is when it was written, with a time zone, by the backend's clock."""

    key: str
    size: int
    modified: datetime


class Backend(Protocol):
    """Bytes under keys. Every method may be called from many threads at once.

    All raise BackendUnavailable when the backend cannot be reached, and KeyRefused for a key that ``checked_key``
    refuses. Of many puts of one key at a time one wins, whole; the others succeed before it or raise
    BackendUnavailable.
    """

    def put(self, key: str, stream: ByteSource, *, size: int | None = None, content_type: str | None = None) -> Stored:
        """Read ``stream`` to its end and store it; a blob of that key is replaced.

        Nobody sees the blob before it is whole and durable. Whatever ``stream`` raises comes through, and then
        nothing was stored. ``size`` is the number of bytes if it is known (StreamCutShort if that is not what comes).
        ``content_type`` is only a label for people who look at the backend by other means; a folder has none.
        Raises BackendFull.
        """

    def open_read(self, key: str, start: int = 0, end: int | None = None) -> Readable:
        """The bytes from ``start`` up to, not including, ``end``; without ``end``, all that there are from ``start``.

        The caller knows the size from its row, so an ``end`` behind the last byte is BlobMissing too: what was stored
        is not there. A missing blob raises at once; one that is too short may raise only while ``chunks`` are read.
        """

    def stat(self, key: str) -> int | None:
        """The size in bytes, None if there is no such blob."""

    def copy(self, source: str, target: str) -> None:
        """Make ``target`` the same bytes as ``source`` without moving them through this process; BlobMissing."""

    def delete_many(self, keys: Iterable[str]) -> None:
        """Delete; keys without a blob are no error. After an error some may be gone: it can be repeated."""

    def list(self, prefix: str = "") -> Iterator[Blob]:
        """All whole blobs whose key starts with ``prefix``, in no particular order, without holding them all.

        What others put there under keys that ``checked_key`` refuses is left out. Blobs may be deleted meanwhile.
        """

    def discard_unfinished(self, before: datetime, *, dry_run: bool = False) -> int:
        """Remove what writes left that were begun before then and never ended (a killed process); how many.

        None of it is visible to the other methods; it only takes room. Clouds that expire it themselves give 0.
        A write that is still going on is lost too if it began before then: an hour ago is safe, a minute is not.
        """

    def close(self) -> None:
        """Close its connections."""


def checked_key(key: str) -> str:
    """The key itself, if every backend can keep it exactly and apart from all others; else KeyRefused.

    1 to 900 bytes of UTF-8 in segments of 1 to 255 divided by ``/``; a segment does not end with a dot (Azure drops
    it; this also excludes ``.`` and ``..``) and has no backslash (Azure takes it for ``/``) and no control character.
    A folder moreover cannot keep both ``a`` and ``a/b``: keys that end with a segment of their own have no such pair.
    """
    try:
        encoded = key.encode()
    except UnicodeEncodeError:
        raise KeyRefused("the key is not UTF-8") from None
    if len(encoded) > KEY_BYTES or any(len(segment) > SEGMENT_BYTES for segment in encoded.split(b"/")):
        raise KeyRefused("the key or a segment of it is too long")
    if any(not segment or segment.endswith(".") for segment in key.split("/")):
        raise KeyRefused("a segment of the key is empty or ends with a dot")
    if any(character < " " or character in "\\\x7f" for character in key):
        raise KeyRefused("a character of the key cannot be kept")
    return key


def open_backend(plugins: pluggy.PluginManager, url: str) -> Backend:
    """The backend for a storage URL (``file:///path``, ``s3://bucket/prefix``, ...), from the plugin of its scheme.

    Raises BackendUnusable when no plugin serves the scheme, or when the one that does cannot use the URL.
    """
    backend: Backend | None = plugins.hook.storage_backend(url=url)
    if backend is None:
        raise BackendUnusable(
            f"No storage backend serves the scheme {urlsplit(url).scheme!r}",
            hint="The storage URL begins with file://, s3://, gs:// or azure://, or a plugin's own scheme.",
        )
    return backend
