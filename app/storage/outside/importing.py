"""Imports objects from a place outside. Like uploads they are subject to the bucket's rules and checks, and cause
events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.database import BoundStatement, Statement
from app.storage.bytes.blobs import blob_key, is_version
from app.storage.committing import ExtraCalls
from app.storage.content_types import check_content_type
from app.storage.errors import NoSuchObject, RelatedMissing
from app.storage.outside.checked import Checked, is_md5
from app.storage.outside.parallel import Transfer, Transferred, attempted
from app.storage.outside.place import ObjectDescription, PlacedObject
from app.storage.permission_trial import Write
from app.storage.reading import Reading, find
from app.storage.records import ObjectName, StoredObject
from app.storage.row_decoding import text
from app.storage.upkeep.events import CREATED_POST, CREATED_PUT
from app.storage.writing import Content, expected_metadata, permitted, put
from app.times import as_json

UPLOAD_TYPE = "import"
"""The upload type in events of imported objects."""

_OWNED_AND_DESCRIBED = "pg_catalog.json_build_array(o.owner_id, o.user_metadata)"
# The object's creation time becomes that of its bytes, unless the row has an earlier one.
_AGED = Statement(
    """
    UPDATE storage.objects SET created_at = least(created_at, $3::timestamptz) WHERE bucket_id = $1 AND name = $2
    RETURNING id
    """,
    "import_aged",
)


@dataclass(frozen=True, slots=True)
class Known:
    """An object in the database: its row, owner and user metadata."""

    row: StoredObject
    owner: str | None
    user_metadata: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Importing(Transfer[PlacedObject]):
    """An import of objects into a bucket. ``owner``: the owner of objects that have none yet. A dry run checks
    everything that does not need the bytes."""

    owner: str | None

    def transfer(self, item: PlacedObject) -> Transferred:
        return attempted(item.key, item.size, lambda: self._transfer(item))

    def _transfer(self, found: PlacedObject) -> Transferred:
        name = ObjectName(self.bucket, self.prefix + found.key)
        known = self._known(name)
        if known is not None and self._is_there(known.row, found):
            return Transferred(found.key, found.size, "there")
        description = _filled(self.place.describe(found), known)
        self._store(name, found, description, known)
        return Transferred(found.key, found.size, "copied", verified=bool(description.md5))

    def _known(self, name: ObjectName) -> Known | None:
        try:
            row, projected = find(self.storage, self.request, name, Reading(as_service=True), _OWNED_AND_DESCRIBED)
        except NoSuchObject:
            return None
        return Known(row, *json.loads(projected or b"[null, null]"))

    def _is_there(self, row: StoredObject, found: PlacedObject) -> bool:
        """Whether the bucket has an equal object with its bytes: the row may come from a dump without them."""
        if row.size != found.size or not is_version(row.version):
            return False
        tag = row.entity_tag.strip('"')
        equal = (
            row.metadata.get("lastModified") == as_json(found.modified)
            or tag == found.tag
            or tag in self.place.tags(found)
        )
        return equal and self.storage.backend.stat(blob_key(row.version)) == found.size

    def _store(
        self, name: ObjectName, found: PlacedObject, description: ObjectDescription, known: Known | None
    ) -> None:
        user_metadata = description.user_metadata or (known.user_metadata if known else None)
        write = Write(
            name=name,
            upsert=True,
            owner=None if known and known.owner else self.owner,
            user_metadata=user_metadata,
            event=CREATED_POST,
            replacing_event=CREATED_PUT,
            upload_type=UPLOAD_TYPE,
        )
        mime_type = check_content_type(description.content_type) or "application/octet-stream"
        if self.dry_run:
            expected = expected_metadata(found.size, {"mimetype": mime_type})
            permitted(self.storage, self.request, write, expected, found.size)
            return
        source = self.place.open(found)
        try:
            content = Content(
                stream=Checked(source, found.size, description.md5, self.stop),
                size=found.size,
                declared=found.size,
                mime_type=mime_type,
                caching=description.caching or "no-cache",
                more_metadata=_metadata(found, description),
                user_metadata=user_metadata,
            )
            put(self.storage, self.request, write, content, ExtraCalls([_aged(name, found.modified)], RelatedMissing))
        finally:
            source.close()


def _filled(description: ObjectDescription, known: Known | None) -> ObjectDescription:
    """The description; if the place does not know the type or the caching, that of the row."""
    if known is None:
        return description
    return replace(
        description,
        content_type=description.content_type or known.row.mime_type,
        caching=description.caching or known.row.caching,
    )


def _metadata(found: PlacedObject, description: ObjectDescription) -> dict[str, str]:
    members = {
        "lastModified": as_json(found.modified),
        "contentEncoding": description.encoding,
        "contentDisposition": description.disposition,
        "contentLanguage": description.language,
    }
    # Clients that have cached an object uploaded in parts know it by the tag that it had in the place.
    if found.tag and not is_md5(found.tag):
        members["eTag"] = f'"{found.tag}"'
    return {name: value for name, value in members.items() if value}


def _aged(name: ObjectName, modified: datetime) -> BoundStatement:
    return _AGED, (text(name.bucket), text(name.key), text(modified.isoformat()))
