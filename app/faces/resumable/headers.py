"""Checks and reads the headers of a request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.faces.resumable.errors import TusError, invalid_headers
from app.faces.resumable.metadata import is_metadata

VERSION = "1.0.0"
BYTES = "application/offset+octet-stream"

_NO_CONCATENATION = "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n"

# At most as many digits as fit into a bigint of the database.
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_FORMATS: Mapping[str, Callable[[str], object]] = {
    "upload-length": _NUMBER.fullmatch,
    "upload-offset": _NUMBER.fullmatch,
    "upload-defer-length": re.compile("1").fullmatch,
    "upload-metadata": is_metadata,
}


@dataclass(frozen=True, slots=True)
class UploadHeaders:
    """``length`` and ``offset`` are None if the header is absent. ``has_bytes``: the body is part of the upload."""

    length: int | None
    is_deferred: bool
    offset: int | None
    metadata: str | None
    has_bytes: bool
    upsert: bool
    checksum: str | None


def read_headers(method: str, headers: Mapping[str, str]) -> UploadHeaders:
    """The values of the headers. Raises TusError for a missing or unsupported version, and for a malformed header."""
    version = headers.get("tus-resumable")
    if version is None:
        raise TusError(412, "Tus-Resumable Required\n")
    if version != VERSION:
        raise TusError(412, "Invalid tus-resumable\n", (("tus-version", VERSION),))
    wrong = [name for name, matches in _FORMATS.items() if name in headers and not matches(headers[name])]
    content_type = headers.get("content-type")
    if method == "PATCH" and content_type not in (None, BYTES):
        wrong.append("content-type")
    if wrong:
        raise invalid_headers(*wrong)
    if method == "POST" and "upload-concat" in headers:
        raise TusError(501, _NO_CONCATENATION)
    return UploadHeaders(
        length=_number(headers.get("upload-length")),
        is_deferred="upload-defer-length" in headers,
        offset=_number(headers.get("upload-offset")),
        metadata=headers.get("upload-metadata") or None,
        has_bytes=content_type == BYTES,
        upsert=headers.get("x-upsert") == "true",
        checksum=headers.get("upload-checksum"),
    )


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)
