"""The values that operations take and return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class ObjectName(NamedTuple):
    bucket: str
    key: str


@dataclass(frozen=True, slots=True)
class Bucket:
    id: str
    public: bool
    file_size_limit: int | None
    allowed_mime_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Revision:
    """The state of an object when it was read. ``number`` changes with each change of its row.

    ``entity_tag`` includes its quotes; it is '' when there is none.
    """

    id: bytes
    number: bytes
    entity_tag: str


class NewBytes(NamedTuple):
    """Bytes that are stored under ``version`` and that no row names yet. ``metadata`` will be that of the row."""

    version: str
    metadata: Mapping[str, Any]


class Described(NamedTuple):
    """The description of an object: the metadata of its bytes, the user's metadata, or None without any, and tags."""

    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any] | None
    tags: Mapping[str, str] | None = None


class StoredObject(NamedTuple):
    """A row of ``storage.objects``. ``version`` names its bytes. ``updated_at`` is in seconds since 1970."""

    id: str
    version: str
    updated_at: float
    metadata: Mapping[str, Any]

    @property
    def size(self) -> int | None:
        value = self.metadata.get("size", self.metadata.get("contentLength"))
        return int(value) if isinstance(value, int | float) else None

    @property
    def entity_tag(self) -> str:
        """The entity tag with its quotes; '' when there is none."""
        value = self.metadata.get("eTag")
        return value if isinstance(value, str) else ""

    @property
    def mime_type(self) -> str:
        value = self.metadata.get("mimetype")
        return value if isinstance(value, str) and value else "application/octet-stream"

    @property
    def caching(self) -> str:
        """The value of ``Cache-Control`` for the bytes (directives of RFC 9111)."""
        value = self.metadata.get("cacheControl")
        return value if isinstance(value, str) and value else "no-cache"
