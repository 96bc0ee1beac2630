"""What an operation of this API takes and gives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from app.storage.asker import Asker
from app.storage.http.upload_body import media_type
from app.storage.records import ObjectName

Headers = tuple[tuple[str, str], ...]

LONGEST_REQUEST_ID = 200


@dataclass(frozen=True, slots=True)
class Call:
    """One request to an operation.

    ``identified`` tells whether the asker was established by a valid token. ``headers`` have names in lower case,
    ``query`` has the last value of each parameter, both as text. ``bucket`` and ``key`` come from the path, '' where it
    has none. ``body`` is the request's body and ``length`` its declared length, None when it is chunked.
    """

    asker: Asker
    identified: bool
    method: str
    bucket: str
    key: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: BinaryIO = field(repr=False)
    length: int | None

    def header(self, name: str) -> str | None:
        return self.headers.get(name)

    @property
    def name(self) -> ObjectName:
        """The object that the path names."""
        return ObjectName(self.bucket, self.key)

    @property
    def upsert(self) -> bool:
        """Whether a write may replace an object."""
        return self.headers.get("x-upsert") == "true"

    @property
    def media_type(self) -> str:
        """Of the body, in lower case and without parameters; '' when it is not declared."""
        return media_type(self.headers)


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
