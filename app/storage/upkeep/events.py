"""The hooks for plugins: a check of an upload before its commit, and an event after each change of an object.

Events are recorded in the transaction of the change, so that none is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from app.database import Row
from app.storage.bytes.backend import Readable
from app.storage.records import ObjectName
from app.storage.row_decoding import known, read_metadata
from app.times import now_as_json

CREATED_POST, CREATED_PUT = "ObjectCreated:Post", "ObjectCreated:Put"
CREATED_COPY, CREATED_MOVE = "ObjectCreated:Copy", "ObjectCreated:Move"
REMOVED_BY_MOVE = "ObjectRemoved:Move"

RemovalCause = Literal["ObjectRemoved", "LifecycleExpiration"]
"""The first part of the type of a removal: a request, or a lifecycle rule. The second is ``Delete``, or
``DeleteMarkerCreated`` if the object stays as an older version."""


@dataclass(frozen=True, slots=True)
class UploadedObject:
    """An upload or a copy whose bytes are stored and whose row is not written yet.

    ``metadata`` is the future row's (size, mimetype, eTag, ...). ``open_read`` opens the bytes; the check closes them.
    """

    bucket: str
    key: str
    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any]
    open_read: Callable[[], Readable] = field(repr=False)


ObjectCheck = Callable[[UploadedObject], None]
"""A check that runs after the last byte and before the commit. Any exception refuses the write; the client sees the
message of UploadRefused."""


@dataclass(frozen=True, slots=True)
class ObjectEvent:
    """A change of an object. ``metadata`` is that of its bytes. ``old`` is the former name of a moved object (bucketId,
    name, version). ``version_id``: the version or the delete marker that was deleted for good, or the marker that a
    deletion made; None for an object without versions. ``is_delete_marker``: a marker was deleted, so the version
    before it may be current again.

    ``request_id`` and ``applied_at`` (UTC, with Z) are set when the event is recorded.
    """

    type: str
    bucket_id: str
    name: str
    version: str | None
    metadata: Mapping[str, Any]
    old: Mapping[str, Any] | None = None
    request_id: str = ""
    applied_at: str = ""
    upload_type: str = "standard"
    version_id: str | None = None
    is_delete_marker: bool = False

    def as_json(self) -> dict[str, Any]:
        """The event as it is recorded in the work list."""
        members: dict[str, Any] = {
            "type": self.type,
            "bucketId": self.bucket_id,
            "name": self.name,
            "version": self.version,
            "metadata": self.metadata,
            "reqId": self.request_id,
            "applyTime": self.applied_at,
            "uploadType": self.upload_type,
        }
        if self.old is not None:
            members["oldObject"] = self.old
        return members | self.version_members()

    def version_members(self) -> dict[str, Any]:
        """The members about versions in the JSON of the event; none for an object without versions."""
        if self.version_id is None:
            return {}
        return {"versionId": self.version_id, "isDeleteMarker": self.is_delete_marker}

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> ObjectEvent:
        """The event from the result of ``as_json``."""
        return cls(
            type=members["type"],
            bucket_id=members["bucketId"],
            name=members["name"],
            version=members.get("version"),
            metadata=members.get("metadata") or {},
            old=members.get("oldObject"),
            request_id=members.get("reqId") or "",
            applied_at=members.get("applyTime") or "",
            upload_type=members.get("uploadType") or "standard",
            version_id=members.get("versionId"),
            is_delete_marker=members.get("isDeleteMarker", False),
        )


@dataclass(frozen=True, slots=True)
class EventReceiver:
    """``receive`` is called with each event at least once, after its commit, not necessarily in the order of commits.

    If it raises, it is called again after increasing pauses. ``name`` must stay the same across restarts: recorded
    events wait for a receiver of that name.
    """

    name: str
    receive: Callable[[ObjectEvent], None]


def removed(bucket: str, row: Row, marker: str | None = None, *, cause: RemovalCause = "ObjectRemoved") -> ObjectEvent:
    """The event for a deleted object; ``row`` has its name, version and metadata. ``marker``: the id of the delete
    marker that now hides it."""
    kind = "Delete" if marker is None else "DeleteMarkerCreated"
    name, version, metadata = row[:3]
    return ObjectEvent(
        f"{cause}:{kind}", bucket, known(name).decode(), _text(version), read_metadata(metadata), version_id=marker
    )


def version_removed(bucket: str, row: Row, *, cause: RemovalCause = "ObjectRemoved") -> ObjectEvent:
    """The event for a version or a delete marker that is deleted for good; ``row`` has its name, version, metadata, id,
    and whether it is a marker."""
    return replace(
        removed(bucket, row, cause=cause), version_id=known(row[3]).decode(), is_delete_marker=row[4] == b"t"
    )


def moved(source: ObjectName, target: ObjectName, row: Row) -> tuple[ObjectEvent, ObjectEvent]:
    """The two events for a moved object; ``row`` has its id, version and metadata."""
    version, metadata = _text(row[1]), read_metadata(row[2])
    old = {"bucketId": source.bucket, "name": source.key, "version": version}
    return (
        ObjectEvent(REMOVED_BY_MOVE, *source, version, metadata),
        ObjectEvent(CREATED_MOVE, *target, version, metadata, old),
    )


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()


def encode_events(events: Sequence[ObjectEvent], request_id: str) -> bytes:
    """The events of one request as JSON, with its id and the current time."""
    now = now_as_json()
    stamped = (replace(event, request_id=request_id, applied_at=now) for event in events)
    return json.dumps([event.as_json() for event in stamped]).encode()
