"""Exports objects of a bucket to a place outside."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from app.database import Statement
from app.storage.bytes.backend import BlobMissing
from app.storage.bytes.blobs import blob_key
from app.storage.bytes.joined_chunks import as_source
from app.storage.names import successor
from app.storage.outside.checked import Checked, is_md5
from app.storage.outside.parallel import Transfer, Transferred, attempted
from app.storage.outside.place import ObjectDescription, PlacedObject
from app.storage.reading import Reading, find_with_bytes, modified
from app.storage.records import ObjectName, StoredObject
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, known, read_metadata, text
from app.storage.storage import Storage
from app.times import as_json

_AT_A_TIME = b"1000"
_KEYS = Statement(
    """
    SELECT o.name, coalesce(o.metadata ->> 'size', o.metadata ->> 'contentLength', '0') FROM storage.objects o
    WHERE o.bucket_id = $1 AND o.name COLLATE "C" >= $2 AND ($3::text IS NULL OR o.name COLLATE "C" < $3)
      AND ($4::text IS NULL OR o.name COLLATE "C" > $4)
    ORDER BY o.name COLLATE "C" LIMIT $5::bigint
    """,
    "export_keys",
)


class ToExport(NamedTuple):
    """An object to export: its key, and its size when it was listed."""

    key: str
    size: int


def objects_of(storage: Storage, request: RequestContext, bucket: str, prefix: str) -> Iterator[ToExport]:
    """The objects of a bucket whose keys begin with ``prefix``."""
    last: RawValue = None
    while True:
        bounds = (text(bucket), text(prefix), text(successor(prefix)), last, _AT_A_TIME)
        rows = storage.database.run(request.service_context(), [(_KEYS, bounds)], read_only=True)[0]
        yield from (ToExport(known(row[0]).decode(), int(known(row[1]))) for row in rows)
        if not rows:
            return
        last = rows[-1][0]


@dataclass(frozen=True, slots=True)
class Exporting(Transfer[ToExport]):
    """An export of objects to a place. ``there``: the objects that the place already has, by key."""

    there: Mapping[str, PlacedObject]

    def transfer(self, item: ToExport) -> Transferred:
        return attempted(item.key, item.size, lambda: self._transfer(item.key))

    def _transfer(self, key: str) -> Transferred:
        """Export one object. Its row is read again, since its bytes may have been replaced after the listing."""

        def use(found: StoredObject, user_metadata: RawValue) -> Transferred | None:
            try:
                return self._copied(key, found, user_metadata)
            except BlobMissing:
                return None

        name = ObjectName(self.bucket, key)
        return find_with_bytes(self.storage, self.request, name, Reading(as_service=True), use, "o.user_metadata")

    def _copied(self, key: str, found: StoredObject, user_metadata: RawValue) -> Transferred:
        target = key.removeprefix(self.prefix)
        description = _description(found, read_metadata(user_metadata))
        when = datetime.fromtimestamp(modified(found), UTC)
        readable = self.storage.backend.open_read(blob_key(found.version))
        try:
            size = readable.length
            there = self.there.get(target)
            if there is not None and self._is_equal(there, size, description, _exact(found, when)):
                return Transferred(key, size, "there")
            if not self.dry_run:
                source = Checked(as_source(readable), size, description.md5, self.stop)
                self.place.put(target, source, size, description, _exact(found, when))
            return Transferred(key, size, "copied", verified=bool(description.md5))
        finally:
            readable.close()

    def _is_equal(self, there: PlacedObject, size: int, description: ObjectDescription, when: datetime) -> bool:
        if there.size != size:
            return False
        return (
            as_json(there.modified) == as_json(when)
            or there.tag == description.tag
            or description.tag in self.place.tags(there)
        )


def _exact(found: StoredObject, when: datetime) -> datetime:
    """When the bytes were written, in milliseconds if the row is that precise; ``when`` otherwise."""
    try:
        exact = datetime.fromisoformat(str(found.metadata.get("lastModified")))
    except ValueError:
        return when
    return exact if exact.tzinfo else when


def _description(found: StoredObject, user_metadata: Mapping[str, Any]) -> ObjectDescription:
    tag = found.entity_tag.strip('"')
    return ObjectDescription(
        content_type=found.mime_type,
        caching=found.caching,
        encoding=str(found.metadata.get("contentEncoding", "")),
        disposition=str(found.metadata.get("contentDisposition", "")),
        language=str(found.metadata.get("contentLanguage", "")),
        # Places store only ASCII text.
        user_metadata={name: _plain(value) for name, value in user_metadata.items() if name.isascii()},
        md5=tag if is_md5(tag) else "",
        tag=tag,
    )


def _plain(value: object) -> str:
    return value if isinstance(value, str) and value.isascii() and value.isprintable() else json.dumps(value)
