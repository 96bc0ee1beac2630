"""The headers of a request that describe the object to store."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping

from app.faces.s3.errors import invalid_argument, not_implemented
from app.faces.shared.errors import NoLength
from app.faces.shared.object_headers import ENCODING, EXPIRES, LANGUAGE, ROBOTS, header_text, headers_to_store
from app.storage.content_types import check_content_type
from app.storage.errors import TooLarge

_USER = "x-amz-meta-"
_MAX_USER_METADATA_BYTES = 1024 * 1024
_LONGEST_LANGUAGE = 200
_ENCODED_WORD = re.compile(r"=\?utf-8\?b\?([A-Za-z0-9+/]+=*)\?=", re.ASCII | re.IGNORECASE)
# These headers require features that the service lacks; ignoring them would mislead the client.
_REFUSED = (
    "x-amz-server-side-encryption-", "x-amz-object-lock-", "x-amz-copy-source-server-side-encryption-",
    "x-amz-write-offset-bytes", "x-amz-rename-source", "x-amz-grant-", "x-amz-website-redirect-location",
)  # fmt: skip
_STORED = ("x-robots-tag", "content-encoding", "content-disposition", "content-language", "expires")


def check_refused_headers(headers: Mapping[str, str]) -> None:
    """Raise S3Error for headers that require something that this service does not support."""
    for name, value in headers.items():
        is_encryption = name == "x-amz-server-side-encryption" and value not in ("AES256", "")
        if is_encryption or name.startswith(_REFUSED):
            raise not_implemented(name)


def mime_type_of(headers: Mapping[str, str]) -> str:
    """The type of the object. Raises InvalidContentType."""
    return check_content_type(headers.get("content-type", "").replace("\t", " ")) or "application/octet-stream"


def caching_of(headers: Mapping[str, str]) -> str:
    """The object's value of Cache-Control."""
    return header_text(headers.get("cache-control", "")) or "no-cache"


def stored_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The metadata for the other headers that responses repeat. Raises InvalidRequest and InvalidRobotsTag."""
    if headers.keys().isdisjoint(_STORED):
        return {}
    given = {name: headers.get(name, "").replace("\t", " ") for name in _STORED}
    stored = headers_to_store({**given, "content-encoding": _encoding(given["content-encoding"])})
    language, expires = (header_text(headers.get(name, "")) for name in ("content-language", "expires"))
    if len(language) > _LONGEST_LANGUAGE or not (language + expires).isprintable():
        raise invalid_argument("content-language or expires is not valid")
    return stored | ({LANGUAGE: language} if language else {}) | ({EXPIRES: expires} if expires else {})


def _encoding(value: str) -> str:
    """The codings without aws-chunked, which is a coding of the request and not of the object."""
    codings = [each.strip() for each in value.split(",")]
    return ", ".join(each for each in codings if each and each.lower() != "aws-chunked")


def user_metadata_of(headers: Mapping[str, str]) -> dict[str, str]:
    """The user's metadata. Raises TooLarge, and S3Error for a NUL character, which the database cannot store."""
    found = {name[len(_USER) :]: _text(value) for name, value in headers.items() if name.startswith(_USER)}
    if not found:
        return found
    if any("\0" in name + value for name, value in found.items()):
        raise invalid_argument("The metadata have a NUL character")
    if sum(len(name) + len(value) for name, value in found.items()) > _MAX_USER_METADATA_BYTES:
        raise TooLarge("user_metadata")
    return found


def _text(value: str) -> str:
    """The header's text. WSGI decodes headers as Latin-1, but clients send UTF-8 or the format of ``encoded_word``."""
    word = _ENCODED_WORD.fullmatch(value)
    try:
        return (value.encode("latin-1") if word is None else base64.b64decode(word[1], validate=True)).decode()
    except ValueError:
        return value


def encoded_word(text: str) -> str:
    """The text for a header: encoded by RFC 2047 unless it is ASCII, as S3 sends it."""
    return text if text.isascii() else f"=?UTF-8?B?{base64.b64encode(text.encode()).decode()}?="


DESCRIBED_BY_HEADERS = (ROBOTS, ENCODING, LANGUAGE, EXPIRES, "contentDisposition")
"""Members of an object's metadata that a copy with new headers drops."""


def check_length(length: int | None) -> int:
    """The length of a body. Raises NoLength if it was not declared."""
    if length is None:
        raise NoLength
    return length
