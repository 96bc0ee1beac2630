"""Describes to an operator why one object was not transferred."""

from __future__ import annotations

from app.errors import PorticoError
from app.storage.errors import (
    BytesMissing,
    ContentMismatch,
    InvalidContentType,
    InvalidKey,
    InvalidMimeType,
    NoSuchObject,
    TooLarge,
)


def reason(ex: PorticoError) -> str:
    """The error as a phrase for the operator, with its hint."""
    return _described(ex) + (f"; {ex.hint}" if ex.hint else "")


def _described(ex: PorticoError) -> str:
    match ex:
        case TooLarge():
            return "it is larger than UPLOAD_SIZE_LIMIT or the bucket's file_size_limit"
        case InvalidMimeType():
            return f"the bucket does not allow the type {ex.mime_type}"
        case InvalidContentType():
            return f"its type {ex.given!r} is not a MIME type; change it at the source"
        case InvalidKey():
            return "no object can have this key"
        case ContentMismatch():
            return f"its first bytes do not match the type {ex.mime_type}"
        case BytesMissing():
            return "its bytes are missing"
        case NoSuchObject():
            return "it was deleted meanwhile"
    return ex.message.rstrip(".")
