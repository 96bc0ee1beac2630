"""What an operation takes and gives, and the rows it reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from uuid import uuid4

from app.identity import Caller

Headers = tuple[tuple[str, str], ...]

_LONGEST_REQUEST_ID = 200


@dataclass(frozen=True, slots=True)
class Call:
    """One request to an operation.

    ``operation`` is what policies may test as ``storage.operation()``. ``caller`` is who asks; ``identified`` tells
    whether that was established by a valid token. ``headers`` have names in lower case, ``query`` has the last value of
    each parameter, both as text. ``bucket`` and ``key`` come from the path, '' where it has none. ``body`` is the
    request's body and ``length`` its declared length, None when it is chunked.
    """

    operation: str
    method: str
    path: str
    bucket: str
    key: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: BinaryIO = field(repr=False)
    length: int | None
    caller: Caller
    identified: bool
    token: str = field(repr=False)

    def header(self, name: str) -> str | None:
        return self.headers.get(name)

    @property
    def media_type(self) -> str:
        """Of the body, in lower case and without parameters; '' when it is not declared."""
        return (self.header("content-type") or "").partition(";")[0].strip().lower()

    def request_id(self) -> str:
        """What a proxy calls the request in ``x-request-id``; a name of our own, a new one each time, without that."""
        return (self.header("x-request-id") or str(uuid4()))[:_LONGEST_REQUEST_ID]


@dataclass(frozen=True, slots=True)
class Answer:
    """``body`` is bytes, or a file for the server to send on its own, or an iterable of bytes."""

    status: int = 200
    headers: Headers = ()
    body: bytes | BinaryIO | Iterable[bytes] = b""
    content_type: str | None = "application/json; charset=utf-8"
    length: int | None = None


def json_answer(value: object) -> Answer:
    """The answer that says ``value`` in JSON."""
    return Answer(body=json.dumps(value, ensure_ascii=False).encode(errors="replace"))


@dataclass(frozen=True, slots=True)
class Bucket:
    id: str
    public: bool
    file_size_limit: int | None
    allowed_mime_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredObject:
    """A row of ``storage.objects``. ``version`` names its bytes; ``updated_at`` is in seconds since 1970."""

    id: str
    version: str
    updated_at: float
    metadata: Mapping[str, Any]

    @property
    def size(self) -> int | None:
        value = self.metadata.get("size", self.metadata.get("contentLength"))
        return int(value) if isinstance(value, int | float) else None

    @property
    def etag(self) -> str:
        """With its quotes, '' when there is none."""
        value = self.metadata.get("eTag")
        return value if isinstance(value, str) else ""

    @property
    def content_type(self) -> str:
        value = self.metadata.get("mimetype")
        return value if isinstance(value, str) and value else "application/octet-stream"

    @property
    def cache_control(self) -> str:
        value = self.metadata.get("cacheControl")
        return value if isinstance(value, str) and value else "no-cache"
