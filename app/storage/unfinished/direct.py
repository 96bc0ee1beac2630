"""Direct uploads: the client sends the bytes to the backend, and then completes the upload with a request.

Until then the bytes are the only part of an unfinished upload, in a blob that no one else can find and that is deleted
when the upload expires. The object gets a copy, so a client that still has the link cannot change the object.
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
"""Seconds within which the client must begin to send the bytes; sending them may take longer."""


class DirectUpload(NamedTuple):
    """An upload that was begun, and the link for its bytes."""

    upload: Upload
    link: UploadLink
    seconds: int


def begin(storage: Storage, request: RequestContext, new: NewUpload) -> DirectUpload:
    """Begin an upload, whose length is known, with the caller's rights.

    Raises the reason why such an object is refused, and DirectUploadUnavailable.
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

    Raises NotArrived, LengthMismatch, NoSuchUpload, the reason why the write is refused, and DirectUploadUnavailable.
    """
    upload = find(storage, request, "appended", upload_id)
    if upload.finished is not None:
        return upload.finished
    try:
        return _finish(storage, request, upload)
    except StorageError:
        # Another request may have completed the upload first.
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
        # The client may have replaced the bytes just before they were copied, so the copy, which cannot be replaced, is
        # checked.
        return _entity_tag(version, _checked(backend, target, size))

    return finish_with(storage, request, upload, write_of(upload), size, copied)


def _receiving(storage: Storage) -> UploadLinking:
    if storage.settings.remote_uploads != "direct" or not isinstance(storage.backend, UploadLinking):
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
    """The MD5, as for any upload. If the backend does not know it, a tag that cannot be mistaken for an MD5."""
    if arrived.md5 is not None:
        return f'"{arrived.md5}"'
    return f'"{hashlib.md5(version.encode(), usedforsecurity=False).hexdigest()}-1"'
