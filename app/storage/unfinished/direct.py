"""Uploads whose bytes the client sends to the backend itself, and then says so.

Until then they are the single part of an unfinished upload, in a blob that nobody else knows and that goes when the
upload expires. The object gets a copy, so whoever still has the link changes nothing.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from app.storage.bytes.backend import BlobMissing, Stored
from app.storage.bytes.blobs import blob_key, new_version
from app.storage.bytes.upload_links import Arrived, UploadLink, UploadLinking
from app.storage.errors import (
    DirectUploadUnavailable,
    LengthMismatch,
    NoSuchUpload,
    NotArrived,
    StorageError,
)
from app.storage.request_context import RequestContext
from app.storage.storage import Storage
from app.storage.unfinished.finishing import finish_with
from app.storage.unfinished.numbered import list_parts, record_part
from app.storage.unfinished.records import Finished, NewUpload, Upload
from app.storage.unfinished.uploads import create, find, write_of

LINK_S = 300
"""Seconds in which the client must begin to send the bytes; sending them may take longer."""


class DirectUpload(NamedTuple):
    """An upload that was begun, and where its bytes go."""

    upload: Upload
    link: UploadLink
    seconds: int


def begin(storage: Storage, request: RequestContext, new: NewUpload) -> DirectUpload:
    """Begin an upload, whose length is known, with the caller's rights.

    Raises what forbids such an object, and DirectUploadUnavailable.
    """
    backend, version, size = _receiving(storage), new_version(), new.length or 0
    seconds = min(LINK_S, int(new.lifetime_s))
    link = backend.upload_link(blob_key(version), size, new.metadata["mimetype"], seconds)
    if link is None:
        raise DirectUploadUnavailable
    upload = create(storage, request, new)
    record_part(storage, request, upload, 1, version, Stored(size, md5=""), {}, most=size)
    return DirectUpload(upload, link, seconds)


def complete(storage: Storage, request: RequestContext, upload_id: str) -> Finished:
    """Make the upload an object with the caller's rights, now that its bytes are there; repeating it changes nothing.

    Raises NotArrived, LengthMismatch, NoSuchUpload, what forbids the write, and DirectUploadUnavailable.
    """
    upload = find(storage, request, "appended", upload_id)
    if upload.finished is not None:
        return upload.finished
    try:
        return _finish(storage, request, upload)
    except StorageError:
        # Perhaps because another request was faster.
        finished = find(storage, request, "appended", upload_id).finished
        if finished is None:
            raise
        return finished


def _finish(storage: Storage, request: RequestContext, upload: Upload) -> Finished:
    backend, size = _receiving(storage), upload.length or 0
    staged = next(iter(list_parts(storage, request, upload)), None)
    if staged is None:
        raise NoSuchUpload
    source = blob_key(staged.version)
    _checked(backend, source, size)

    def copied(version: str) -> str:
        target = blob_key(version)
        try:
            storage.backend.copy(source, target)
        except BlobMissing:
            raise NotArrived from None
        # The client may have replaced the bytes just before they were copied. Nobody can replace the copy.
        return _entity_tag(version, _checked(backend, target, size))

    return finish_with(storage, request, upload, write_of(upload), size, copied)


def _receiving(storage: Storage) -> UploadLinking:
    if not storage.limits.direct_uploads or not isinstance(storage.backend, UploadLinking):
        raise DirectUploadUnavailable
    return storage.backend


def _checked(backend: UploadLinking, key: str, size: int) -> Arrived:
    arrived = backend.arrived(key)
    if arrived is None:
        raise NotArrived
    if arrived.size != size:
        raise LengthMismatch
    return arrived


def _entity_tag(version: str, arrived: Arrived) -> str:
    """The MD5 as for any upload. If the backend does not know it, a tag that nobody takes for an MD5."""
    if arrived.md5 is not None:
        return f'"{arrived.md5}"'
    return f'"{hashlib.md5(version.encode(), usedforsecurity=False).hexdigest()}-1"'
