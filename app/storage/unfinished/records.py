"""The records of uploads in pieces and of their parts, and how they are read from rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.storage.records import ObjectName
from app.storage.row_decoding import RawValue, known, read_metadata

UploadKind = Literal["appended", "numbered"]
"""How parts are identified: each is appended where the one before ends, or the client numbers them."""


@dataclass(frozen=True, slots=True)
class NewUpload:
    """The upload to begin. ``metadata`` is that of the future object's bytes, with at least ``mimetype`` and
    ``cacheControl``. ``length`` is its declared size; None if the client does not know it yet. ``notes`` are stored for
    the face and are not read here. The upload expires ``lifetime_s`` seconds after it was created."""

    kind: UploadKind
    name: ObjectName
    upsert: bool
    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any] | None
    length: int | None
    notes: Mapping[str, Any]
    lifetime_s: float
    tags: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The object that an upload became: its id, the version of its bytes, its entity tag with quotes, its size in
    bytes, and its metadata. ``version_id``: that of a bucket with versions; None if the upload was finished before."""

    id: str
    version: str
    entity_tag: str
    size: int
    metadata: Mapping[str, Any]
    version_id: str | None = None


@dataclass(frozen=True, slots=True)
class Upload:
    """An upload. ``owner``: the claim ``sub`` of the caller who began it. ``received``: the number of bytes of an
    appended upload; ``parts``: the number of its parts. ``finished`` is None while the upload is unfinished. Times are
    in seconds since 1970."""

    id: str
    kind: UploadKind
    name: ObjectName
    owner: str | None
    upsert: bool
    length: int | None
    received: int
    parts: int
    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any] | None
    notes: Mapping[str, Any]
    finished: Finished | None
    created_at: float
    expires_at: float
    is_expired: bool


@dataclass(frozen=True, slots=True)
class UploadPart:
    """A part whose bytes are stored under ``version``. ``md5`` has 32 hexadecimal digits; ``notes`` as in NewUpload."""

    number: int
    version: str
    size: int
    md5: str
    notes: Mapping[str, Any]
    created_at: float


def read_upload(row: Sequence[RawValue]) -> Upload:
    """The upload in a row of UPLOAD_COLUMNS."""
    return Upload(
        id=_text(row[0]),
        kind="appended" if row[1] == b"appended" else "numbered",
        name=ObjectName(_text(row[2]), _text(row[3])),
        owner=None if row[4] is None else row[4].decode(),
        upsert=row[5] == b"t",
        length=None if row[6] is None else int(row[6]),
        received=int(known(row[7])),
        parts=int(known(row[8])),
        metadata=read_metadata(row[9]),
        user_metadata=None if row[10] is None else read_metadata(row[10]),
        notes=read_metadata(row[11]),
        finished=None if row[12] is None else _finished(read_metadata(row[12])),
        created_at=float(known(row[13])),
        expires_at=float(known(row[14])),
        is_expired=row[15] == b"t",
    )


def read_part(row: Sequence[RawValue]) -> UploadPart:
    """The part in a row of PART_COLUMNS."""
    number, version, size, md5, notes, created_at = row[:6]
    return UploadPart(
        int(known(number)),
        _text(version),
        int(known(size)),
        _text(md5),
        read_metadata(notes),
        float(known(created_at)),
    )


def _finished(members: Mapping[str, Any]) -> Finished:
    return Finished(members["id"], members["version"], members["eTag"], members["size"], members.get("metadata") or {})


def _text(value: RawValue) -> str:
    return known(value).decode()
