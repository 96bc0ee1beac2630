"""What a bucket allows: the size of its objects and their MIME types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from app.storage.errors import invalid_mime_type, invalid_parameter, too_large
from app.storage.records import Bucket

PLACEHOLDER = ".emptyFolderPlaceholder"
"""Clients keep an empty folder visible with an object of this name: it has no bytes, and any type."""

_SIZE = re.compile(r"(\d{1,12})(?:\.(\d{1,12}))?\s*(GB|MB|KB|B)", re.IGNORECASE)
_UNITS = {"GB": 10**9, "MB": 10**6, "KB": 10**3, "B": 1}
_MIME_TYPE = re.compile(r"[A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+(;\s*charset=[A-Za-z0-9-]+)?|.*\*", re.ASCII)
_LONGEST_MIME_TYPE = 1000


def read_size_limit(value: object, *, largest: int) -> int | None:
    """A bucket's ``file_size_limit``: a number of bytes, or a text such as 5MB in decimal units, or None."""
    if value is None:
        return None
    if isinstance(value, bool):
        raise invalid_parameter("file_size_limit")
    if isinstance(value, str) and not re.fullmatch(r"\s*\d{1,18}\s*", value):
        limit = _read_text(value)
    elif isinstance(value, float) and not value.is_integer():
        raise invalid_parameter("file_size_limit")
    elif isinstance(value, str | int | float):
        limit = int(value)
    else:
        raise invalid_parameter("file_size_limit")
    if limit < 0:
        raise invalid_parameter("file_size_limit")
    if limit > largest:
        raise too_large()
    return limit


def _read_text(text: str) -> int:
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise invalid_parameter("file_size_limit")
    number = Decimal(f"{found[1]}.{found[2] or 0}")
    # Three significant digits, as the service that this API comes from reads them.
    return int(Decimal(f"{number:.3g}") * _UNITS[found[3].upper()])


def check_mime_types(entries: Sequence[str]) -> list[str]:
    """A bucket's ``allowed_mime_types`` without empty entries; the error names the first that is none."""
    kept = [entry for entry in entries if entry]
    for entry in kept:
        if len(entry) > _LONGEST_MIME_TYPE or not _MIME_TYPE.fullmatch(entry):
            raise invalid_mime_type(entry[:100])
    return kept


def check_mime_type(mime_type: str, bucket: Bucket, key: str) -> None:
    """Raise InvalidMimeType unless the bucket takes this type. Parameters matter where an entry has some."""
    if not bucket.allowed_mime_types or key.endswith(PLACEHOLDER):
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
    raise invalid_mime_type(mime_type)


def _normal(mime_type: str) -> str:
    return re.sub(r"\s*([;=])\s*", r"\1", mime_type.strip().lower())


def size_limit(bucket: Bucket, key: str, largest: int) -> int:
    """The most bytes that an object of this key may have."""
    if key.endswith(PLACEHOLDER):
        return 0
    return largest if bucket.file_size_limit is None else min(bucket.file_size_limit, largest)
