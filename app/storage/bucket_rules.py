"""What a bucket allows: the size of its objects and their MIME types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.storage.content_types import is_content_type
from app.storage.errors import InvalidMimeType
from app.storage.records import Bucket

PLACEHOLDER = ".emptyFolderPlaceholder"
"""Supabase's clients keep an empty folder visible with an object of this name inside of it. It has no bytes."""

_LONGEST_MIME_TYPE = 1000


def check_mime_types(entries: Sequence[str]) -> list[str]:
    """A bucket's ``allowed_mime_types`` without empty entries. Raises InvalidMimeType for the first malformed one."""
    kept = [entry for entry in entries if entry]
    for entry in kept:
        if len(entry) > _LONGEST_MIME_TYPE or not (entry.endswith("*") or is_content_type(entry)):
            raise InvalidMimeType(entry[:100])
    return kept


def keeps_folder(key: str, size: int | None) -> bool:
    """Whether the object only keeps a folder visible: clients of S3 make an empty one whose key is the folder's.

    Such an object may have any type. A ``size`` of None is not known.
    """
    return key.endswith(PLACEHOLDER) or (key.endswith("/") and size == 0)


def check_mime_type(mime_type: str, bucket: Bucket) -> None:
    """Raise InvalidMimeType unless the bucket allows this type. Parameters count only if an allowed type has some."""
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
    """The most bytes that an object of this key may have."""
    if key.endswith(PLACEHOLDER):
        return 0
    return largest if bucket.file_size_limit is None else min(bucket.file_size_limit, largest)
