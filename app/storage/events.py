"""What happened to objects: written down with the change itself, told to receivers after the commit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CREATED_POST, CREATED_PUT = "ObjectCreated:Post", "ObjectCreated:Put"
CREATED_COPY, CREATED_MOVE = "ObjectCreated:Copy", "ObjectCreated:Move"
REMOVED, REMOVED_BY_MOVE = "ObjectRemoved:Delete", "ObjectRemoved:Move"
UPDATED = "ObjectUpdated:Metadata"


@dataclass(frozen=True, slots=True)
class ObjectEvent:
    """``metadata`` is the object's file metadata; ``old`` names where a moved object was (bucketId, name, version)."""

    type: str
    bucket_id: str
    name: str
    version: str | None
    metadata: Mapping[str, Any]
    old: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        members: dict[str, Any] = {
            "type": self.type,
            "bucketId": self.bucket_id,
            "name": self.name,
            "version": self.version,
            "metadata": self.metadata,
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
        )


@dataclass(frozen=True, slots=True)
class EventReceiver:
    """``receive`` is called with each event at least once, after its commit, in the order of commits only by chance.

    When it raises, it is called again later, with growing pauses. ``name`` stays the same over restarts: events that
    were written down for it wait for a receiver of that name.
    """

    name: str
    receive: Callable[[ObjectEvent], None]


def encode_events(events: Sequence[ObjectEvent]) -> bytes:
    return json.dumps([event.as_json() for event in events]).encode()
