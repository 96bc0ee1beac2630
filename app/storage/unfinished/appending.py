"""Appends bytes to an upload: they are stored first, then acknowledged by one statement.

Of two requests with the same offset one wins. The bytes of the other one were never acknowledged and are deleted.
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from app.database import BoundStatement
from app.storage.bucket_rules import size_limit
from app.storage.bytes.backend import ByteSource
from app.storage.bytes.blobs import discard, discarded_if_refused, new_version, store
from app.storage.errors import (
    LengthExceeded,
    NoSuchPart,
    NoSuchUpload,
    OffsetConflict,
    StorageError,
    TooLarge,
    UploadFinished,
)
from app.storage.request_context import RequestContext
from app.storage.row_decoding import number, text
from app.storage.storage import Storage
from app.storage.unfinished.finishing import finish
from app.storage.unfinished.numbered import list_parts
from app.storage.unfinished.records import Upload, UploadPart, read_upload
from app.storage.unfinished.sql import APPEND_PART, DECLARE_LENGTH
from app.storage.unfinished.uploads import find, permitted
from app.storage.writing import Limited


@dataclass(frozen=True, slots=True)
class Addition:
    """Bytes to append at ``offset``. ``size``: the number of bytes in ``stream``, if known. ``length``: the size of the
    complete upload, if this request declares it. The upload then expires after another ``lifetime_s``."""

    offset: int
    stream: ByteSource = field(repr=False)
    size: int | None
    length: int | None
    lifetime_s: float
    upload_type: str


def append(storage: Storage, request: RequestContext, upload: Upload, addition: Addition) -> Upload:
    """Append bytes with the caller's rights; returns the upload's new state. With the last bytes it becomes an object.

    A failed addition leaves no bytes, and bytes that were acknowledged before stay. Raises OffsetConflict,
    LengthExceeded, TooLarge, NoSuchUpload, the reason why the write is refused, and errors of the backend.
    """
    if upload.finished is not None:
        return _after_the_end(upload, addition)
    allowed = permitted(storage, request, upload)
    if addition.offset != upload.received:
        raise OffsetConflict
    length = upload.length if upload.length is not None else addition.length
    most = size_limit(allowed.permission.bucket, upload.name.key, storage.settings.upload_size_limit)
    if length is not None and length > most:
        raise TooLarge
    part = _stored(storage, upload, addition, _bounded(addition, length, most))
    if addition.offset + (part.size if part else 0) == length:
        return _finish(storage, request, upload, addition, part)
    return _acknowledge(storage, request, upload, addition, part)


def _after_the_end(upload: Upload, addition: Addition) -> Upload:
    if addition.offset != upload.received:
        raise OffsetConflict
    if addition.size:
        raise LengthExceeded
    return upload


def _bounded(addition: Addition, length: int | None, most: int) -> ByteSource:
    """The bytes, as a source that raises LengthExceeded beyond the declared length or the largest size."""
    limit = (most if length is None else length) - addition.offset
    if addition.size is not None and addition.size > limit:
        raise LengthExceeded
    return Limited(addition.stream, limit, exceeded=LengthExceeded)


def _stored(storage: Storage, upload: Upload, addition: Addition, source: ByteSource) -> UploadPart | None:
    """Store the bytes; returns them as a part that no row names yet, or None if there are none."""
    if addition.size == 0:
        return None
    version = new_version()
    stored = store(storage.backend, version, source, size=addition.size)
    if not stored.size:
        discard(storage.backend, version)
        return None
    return UploadPart(upload.parts + 1, version, stored.size, stored.md5, {}, time.time())


def _acknowledge(
    storage: Storage, request: RequestContext, upload: Upload, addition: Addition, part: UploadPart | None
) -> Upload:
    length, lifetime = number(addition.length), text(str(addition.lifetime_s))
    before = (text(upload.id), number(addition.offset))
    call: BoundStatement = (DECLARE_LENGTH, (*before, length, lifetime))
    if part is not None:
        call = (APPEND_PART, (*before, number(part.size), length, lifetime, text(part.version), text(part.md5)))
    with discarded_if_refused(storage.backend, part.version) if part is not None else nullcontext():
        rows = storage.database.run(request.service_context(), [call], read_only=False)[0]
        if not rows:
            raise _overtaken(storage, request, upload)
    return read_upload(rows[0])


def _finish(
    storage: Storage, request: RequestContext, upload: Upload, addition: Addition, last: UploadPart | None
) -> Upload:
    try:
        parts = list_parts(storage, request, upload)
        if sum(part.size for part in parts) != upload.received:
            # The upload expired while the last bytes were stored, or another request changed it.
            raise _overtaken(storage, request, upload)
        if last is not None:
            parts.append(last)
        finished = finish(storage, request, upload, parts, upload_type=addition.upload_type)
    except (UploadFinished, NoSuchPart):
        raise _overtaken(storage, request, upload) from None
    finally:
        if last is not None:
            # The object has a copy of its bytes, and no row names these.
            discard(storage.backend, last.version)
    return replace(upload, received=finished.size, length=finished.size, finished=finished)


def _overtaken(storage: Storage, request: RequestContext, upload: Upload) -> StorageError:
    """The error for an upload that changed after it was found."""
    try:
        find(storage, request, "appended", upload.id)
    except NoSuchUpload as ex:
        return ex
    return OffsetConflict()
