"""Upload-Metadata: pairs of a key and a value in base64, some of which describe the future object."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.faces.resumable.errors import TusError, invalid_headers
from app.faces.shared.upload_body import MAX_USER_METADATA_BYTES, as_object, caching_of, header_tags
from app.storage.content_types import check_content_type
from app.storage.errors import InvalidContentType, InvalidMimeType
from app.storage.records import ObjectName

_PAIR = re.compile(r"[!-+\--~]+(?: (?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)?")
_BLANKS = " \t"
_READ = frozenset({"bucketName", "objectName", "contentType", "cacheControl", "metadata", "x-tags"})


@dataclass(frozen=True, slots=True)
class Intended:
    """The future object: its name, the metadata of its bytes, the user's metadata or None, and its tags or None."""

    name: ObjectName
    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any] | None
    tags: Mapping[str, str] | None


def is_metadata(header: str) -> bool:
    """Whether a header has the required format."""
    return not header or all(map(_PAIR.fullmatch, _pairs(header)))


def _pairs(header: str) -> list[str]:
    # Clients, and proxies that join two lines of a header, put blanks around commas (RFC 9110 section 5.6.1).
    return [pair.strip(_BLANKS) for pair in header.split(",")]


def read_metadata(header: str | None) -> Intended:
    """The future object according to a header of the required format. Raises TusError, InvalidMimeType and InvalidTags.
    It does not check names."""
    if not header:
        raise TusError(400, "Metadata header is required")
    given: dict[str, str] = {}
    for pair in _pairs(header):
        key, _, value = pair.partition(" ")
        if key in given:
            raise invalid_headers("upload-metadata")
        given[key] = value
    try:
        # Values of other keys are not read: they need not be texts.
        values = {key: b64decode(value).decode() for key, value in given.items() if key in _READ}
    except UnicodeDecodeError:
        raise invalid_headers("upload-metadata") from None
    return Intended(
        ObjectName(values.get("bucketName", ""), values.get("objectName", "")),
        {"mimetype": _mime_type(values.get("contentType", "")), "cacheControl": caching_of(values.get("cacheControl"))},
        _user_metadata(values.get("metadata", "")),
        header_tags(values),
    )


def _mime_type(given: str) -> str:
    try:
        return check_content_type(given.replace("\t", " ")) or "application/octet-stream"
    except InvalidContentType:
        raise InvalidMimeType(given) from None


def _user_metadata(text: str) -> Mapping[str, Any] | None:
    if len(text.encode()) > MAX_USER_METADATA_BYTES:
        raise TusError(413, "The user_metadata exceeded the maximum allowed size")
    return as_object(text.encode()) if text else None
