"""The response of a face to a request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

Headers = tuple[tuple[str, str], ...]


class Response(NamedTuple):
    """``body`` is bytes, a file that the server sends without a thread, or an iterable. ``length``: the body's length
    in bytes, if it must be declared. ``code`` is the error's code for observers, '' if the response is not an error."""

    status: int = 200
    headers: Headers = ()
    body: bytes | BinaryIO | Iterable[bytes] = b""
    content_type: str | None = "application/json; charset=utf-8"
    length: int | None = None
    code: str = ""
