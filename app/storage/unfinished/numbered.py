"""Parts that the client numbers. They may come in any order and concurrently; each may be replaced until the upload
ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.storage.bucket_rules import size_limit
from app.storage.bytes.backend import ByteSource, Stored
from app.storage.bytes.blobs import discarded_if_refused, new_version, store
from app.storage.errors import NoSuchUpload, TooLarge
from app.storage.request_context import RequestContext
from app.storage.row_decoding import json_value, number, text
from app.storage.storage import Storage
from app.storage.unfinished.records import Upload, UploadPart, read_part
from app.storage.unfinished.sql import LIST_PARTS, PUT_PART
from app.storage.unfinished.uploads import find, permitted
from app.storage.writing import Limited


def put_part(
    storage: Storage,
    request: RequestContext,
    upload: Upload,
    part_number: int,
    stream: ByteSource,
    *,
    size: int | None,
    notes: Callable[[], Mapping[str, Any]] = dict,
) -> UploadPart:
    """Store part ``part_number`` with the caller's rights. It replaces an earlier part of that number.

    ``notes`` is called after the bytes are read and returns the part's notes. Raises the reason why the write is
    refused, TooLarge when the parts together exceed the limit, NoSuchUpload when the upload is no longer open, and
    errors of ``stream``; then nothing has changed.
    """
    allowed = permitted(storage, request, upload)
    most = size_limit(allowed.permission.bucket, upload.name.key, storage.settings.upload_size_limit)
    if size is not None and size > most:
        raise TooLarge
    version = new_version()
    with discarded_if_refused(storage.backend, version):
        stored = store(storage.backend, version, Limited(stream, most), size=size)
        return record_part(storage, request, upload, part_number, version, stored, notes(), most=most)


def record_part(
    storage: Storage,
    request: RequestContext,
    upload: Upload,
    part_number: int,
    version: str,
    stored: Stored,
    notes: Mapping[str, Any],
    *,
    most: int,
) -> UploadPart:
    """Record a part whose bytes are, or will be, under ``version``. ``stored``: their size and MD5.

    Raises TooLarge when the parts together have more than ``most`` bytes, and NoSuchUpload when the upload is not open.
    """
    values = (
        text(upload.id),
        number(part_number),
        text(version),
        number(stored.size),
        text(stored.md5),
        json_value(notes),
        number(most),
    )
    rows = storage.database.run(request.service_context(), [(PUT_PART, values)], read_only=False)[0]
    if not rows:
        if find(storage, request, upload.kind, upload.id).finished is not None:
            raise NoSuchUpload
        raise TooLarge
    storage.note_freed()
    return read_part(rows[0])


def list_parts(
    storage: Storage, request: RequestContext, upload: Upload, *, after: int = 0, limit: int | None = None
) -> list[UploadPart]:
    """The parts of an unfinished upload whose numbers are greater than ``after``, in the order of the numbers."""
    wanted = (text(upload.id), number(after), number(limit))
    rows = storage.database.run(request.service_context(), [(LIST_PARTS, wanted)], read_only=True)[0]
    return [read_part(row) for row in rows]
