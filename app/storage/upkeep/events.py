"""What happened to objects: written down with the change itself, told to receivers after the commit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.storage.times import now_as_json

CREATED_POST, CREATED_PUT = "ObjectCreated:Post", "ObjectCreated:Put"
CREATED_COPY, CREATED_MOVE = "ObjectCreated:Copy", "ObjectCreated:Move"
REMOVED, REMOVED_BY_MOVE = "ObjectRemoved:Delete", "ObjectRemoved:Move"


@dataclass(frozen=True, slots=True)
class ObjectEvent:
    """``metadata`` is the object's file metadata; ``old`` names where a moved object was (bucketId, name, version).

    ``request_id`` and ``applied_at`` (UTC, with Z) are known once the event is written down.
    """

    type: str
    bucket_id: str
    name: str
    version: str | None
    metadata: Mapping[str, Any]
    old: Mapping[str, Any] | None = None
    request_id: str = ""
    applied_at: str = ""

    def as_json(self) -> dict[str, Any]:
        members: dict[str, Any] = {
            "type": self.type,
            "bucketId": self.bucket_id,
            "name": self.name,
            "version": self.version,
            "metadata": self.metadata,
            "reqId": self.request_id,
            "applyTime": self.applied_at,
        }
        if self.old is not None:
            members["oldObject"] = self.old
        return members

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> ObjectEvent:
        return cls(
            type=members["type"],
            bucket_id=members["bucketId"],
            name=members["name"],
            version=members.get("version"),
            metadata=members.get("metadata") or {},
            old=members.get("oldObject"),
            request_id=members.get("reqId") or "",
            applied_at=members.get("applyTime") or "",
        )


@dataclass(frozen=True, slots=True)
class EventReceiver:
    """``receive`` is called with each event at least once, after its commit, in the order of commits only by chance.

    When it raises, it is called again later, with growing pauses. ``name`` stays the same over restarts: events that
    were written down for it wait for a receiver of that name.
    """

    name: str
    receive: Callable[[ObjectEvent], None]


def encode_events(events: Sequence[ObjectEvent], request_id: str) -> bytes:
    """What one request has caused just now."""
    now = now_as_json()
    stamped = (replace(event, request_id=request_id, applied_at=now) for event in events)
    return json.dumps([event.as_json() for event in stamped]).encode()
