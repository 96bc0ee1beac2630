"""The rules of a bucket: the size of its objects and their MIME types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.storage.content_types import is_content_type
from app.storage.errors import InvalidMimeType
from app.storage.records import Bucket

PLACEHOLDER = ".emptyFolderPlaceholder"
"""Supabase's clients put an empty object of this name into an empty folder, so that the folder stays visible."""

_LONGEST_MIME_TYPE = 1000


def check_mime_types(entries: Sequence[str]) -> list[str]:
    """A bucket's ``allowed_mime_types`` without empty entries. Raises InvalidMimeType for the first malformed one."""
    nonempty = [entry for entry in entries if entry]
    for entry in nonempty:
        if len(entry) > _LONGEST_MIME_TYPE or not (entry.endswith("*") or is_content_type(entry)):
            raise InvalidMimeType(entry[:100])
    return nonempty


def keeps_folder(key: str, size: int | None) -> bool:
    """Whether the object exists only to keep a folder visible. S3 clients make an empty one whose key ends with a
    slash.

    Such an object may have any type. A ``size`` of None means that the size is unknown.
    """
    return key.endswith(PLACEHOLDER) or (key.endswith("/") and size == 0)


def check_mime_type(mime_type: str, bucket: Bucket) -> None:
    """Raise InvalidMimeType unless the bucket allows this type. An allowed type without parameters allows any."""
    if not bucket.allowed_mime_types:
        return
    full = _normal(mime_type)
    plain = full.partition(";")[0]
    kind, _, subtype = plain.partition("/")
    for entry in bucket.allowed_mime_types:
        wanted = _normal(entry)
        if wanted in (full, plain, "*", "*/*"):
            return
        wanted_kind, _, wanted_subtype = wanted.partition("/")
        if wanted_kind == kind and subtype and wanted_subtype == "*":
            return
    raise InvalidMimeType(mime_type)


def _normal(mime_type: str) -> str:
    return re.sub(r"\s*([;=])\s*", r"\1", mime_type.strip().lower())


def size_limit(bucket: Bucket, key: str, largest: int) -> int:
    """The maximum size in bytes of an object with this key. ``largest`` is the service's own limit."""
    if key.endswith(PLACEHOLDER):
        return 0
    return largest if bucket.file_size_limit is None else min(bucket.file_size_limit, largest)
