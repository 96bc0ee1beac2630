"""What a face answers to a request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

Headers = tuple[tuple[str, str], ...]


class Response(NamedTuple):
    """An answer. ``body`` is bytes, a file that the server sends without a thread, or an iterable.
    ``code`` is that of its error, '' without one; observers are told of it."""

    status: int = 200
    headers: Headers = ()
    body: bytes | BinaryIO | Iterable[bytes] = b""
    content_type: str | None = "application/json; charset=utf-8"
    length: int | None = None
    code: str = ""
