"""Converts rows to records, and Python values to the text format that the database takes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.database import Row
from app.storage.records import Bucket, StoredObject

_encoder = json.JSONEncoder(ensure_ascii=False)
_decoder = json.JSONDecoder()

RawValue = bytes | None
"""A value in PostgreSQL's text format; None for null."""

# After an odd number of backslashes, u0000 is plain text, which is allowed.
_ESCAPED_NUL = re.compile(r"((?<!\\)(?:\\\\)*)\\u0000")
_UUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


def text(value: str | None) -> RawValue:
    # PostgreSQL's text cannot contain NUL. Names with NUL were refused earlier, but claims can contain anything.
    return None if value is None else value.replace("\0", "").encode(errors="replace")


def json_value(value: object) -> RawValue:
    """The value as JSON, without characters that PostgreSQL's JSON cannot contain: NUL and unpaired surrogates."""
    if value is None:
        return None
    if value == {}:
        return b"{}"
    encoded = _encoder.encode(value)
    if "\\u0000" in encoded:
        encoded = _ESCAPED_NUL.sub(r"\1", encoded)
    return encoded.encode(errors="replace")


def number(value: int | None) -> RawValue:
    return None if value is None else str(value).encode()


def texts(values: Sequence[str]) -> RawValue:
    """The texts as an array."""
    escaped = (value.replace("\\", "\\\\").replace('"', '\\"') for value in values)
    return text("{" + ",".join(f'"{value}"' for value in escaped) + "}")


def boolean(value: bool) -> RawValue:
    return b"true" if value else b"false"


def owner_columns(sub: object) -> tuple[RawValue, RawValue]:
    """The values of ``owner`` and ``owner_id`` for a claim ``sub``; ``owner`` is null unless the claim is a UUID."""
    if not isinstance(sub, str) or not sub:
        return None, None
    return (text(sub) if _UUID.fullmatch(sub) else None), text(sub)


def tag_values(tags: Mapping[str, str] | None, *, tagged: bool) -> tuple[RawValue, ...]:
    """The parameters for the column ``tags``; none if the statement does not write it."""
    return (json_value(tags or None),) if tagged else ()


def read_bucket(row: Row) -> Bucket | None:
    """The bucket in a row of BUCKET or TARGET_THEN_ROLE; None if there is none."""
    _, identifier, public, limit, types = row
    if identifier is None:
        return None
    return Bucket(
        id=identifier.decode(),
        public=public == b"t",
        file_size_limit=None if limit is None else int(limit),
        allowed_mime_types=() if types is None else tuple(each for each in json.loads(types) if each),
    )


def read_object(row: Sequence[RawValue]) -> StoredObject:
    """The object in the first columns of a row of ``find_object``."""
    identifier, version, updated_at, metadata = row[:4]
    return StoredObject(
        id=(identifier or b"").decode(),
        version=(version or b"").decode(),
        updated_at=float(updated_at or 0),
        metadata=read_metadata(metadata),
    )


def read_metadata(value: RawValue) -> Mapping[str, Any]:
    """The members of a JSON object; empty for null and for any other JSON value."""
    # For an ordinary object, the checks of json.loads take as long as the decoding.
    found = _decoder.decode(value.decode()) if value else {}
    return found if isinstance(found, dict) else {}


def known(value: RawValue) -> bytes:
    """The value of a column that is never null. Raises TypeError if it is."""
    if value is None:
        raise TypeError("the database returned null for a column that is never null")
    return value
