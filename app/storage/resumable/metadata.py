"""Upload-Metadata: pairs of a key and a value in base64, of which some say what the object will be."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.storage.content_types import check_content_type
from app.storage.errors import InvalidContentType, InvalidMimeType
from app.storage.http.upload_body import LARGEST_USER_METADATA, as_object, caching_of
from app.storage.records import ObjectName
from app.storage.resumable.errors import TusError, invalid_headers

_PAIR = r"[!-+\--~]+(?: (?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)?"
METADATA = re.compile(rf"(?:{_PAIR}(?:,{_PAIR})*)?")


@dataclass(frozen=True, slots=True)
class Intended:
    """The object that the client wants: its name, the metadata of its bytes, and the user's or None."""

    name: ObjectName
    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any] | None


def read_metadata(header: str | None) -> Intended:
    """What a header of the right form asks for. Raises TusError and InvalidMimeType; names are not checked."""
    if not header:
        raise TusError(400, "Metadata header is required")
    values: dict[str, str] = {}
    for pair in header.split(","):
        key, _, value = pair.partition(" ")
        if key in values:
            raise invalid_headers("upload-metadata")
        values[key] = b64decode(value).decode(errors="replace")
    return Intended(
        ObjectName(values.get("bucketName", ""), values.get("objectName", "")),
        {"mimetype": _mime_type(values.get("contentType", "")), "cacheControl": caching_of(values.get("cacheControl"))},
        _user_metadata(values.get("metadata", "")),
    )


def _mime_type(given: str) -> str:
    try:
        return check_content_type(given.replace("\t", " ")) or "application/octet-stream"
    except InvalidContentType:
        raise InvalidMimeType(given) from None


def _user_metadata(text: str) -> Mapping[str, Any] | None:
    if len(text.encode()) > LARGEST_USER_METADATA:
        raise TusError(413, "The user_metadata exceeded the maximum allowed size")
    return as_object(text.encode()) if text else None
