"""Begins, finds and aborts uploads in pieces."""

from __future__ import annotations

import secrets

from app.storage.errors import NoSuchUpload, UploadExpired, UploadFinished
from app.storage.permission_trial import PermittedWrite, Write, check_write
from app.storage.request_context import RequestContext
from app.storage.row_decoding import boolean, json_value, number, text
from app.storage.storage import Storage
from app.storage.unfinished.belonging import BEGUN_BY, begun_by, ownership_parameters
from app.storage.unfinished.records import NewUpload, Upload, UploadKind, read_upload
from app.storage.unfinished.sql import CREATE_UPLOAD, DELETE_UPLOAD, FIND_UPLOAD
from app.storage.upkeep.events import CREATED_POST, CREATED_PUT
from app.storage.writing import expected_metadata
from app.storage.writing import permitted as permitted_write

_ID_BYTES = 24
# The member of an upload's notes with the tags of the future object.
_TAGS = "tags"


def create(storage: Storage, request: RequestContext, new: NewUpload) -> Upload:
    """Begin an upload with the caller's rights. Raises the reason if an object of this name, type or length is
    refused."""
    write = Write(new.name, new.upsert, request.subject, new.user_metadata, CREATED_POST, tags=new.tags)
    permitted_write(storage, request, write, expected_metadata(new.length, new.metadata), new.length)
    owner = request.subject
    values = (
        text(secrets.token_urlsafe(_ID_BYTES)),
        text(new.kind),
        text(new.name.bucket),
        text(new.name.key),
        text(owner if isinstance(owner, str) and owner else None),
        boolean(new.upsert),
        json_value(new.metadata),
        json_value(new.user_metadata),
        number(new.length),
        json_value({**new.notes, BEGUN_BY: begun_by(request), **({_TAGS: new.tags} if new.tags else {})}),
        text(str(new.lifetime_s)),
    )
    rows = storage.database.run(request.service_context(), [(CREATE_UPLOAD, values)], read_only=False)
    return read_upload(rows[0][0])


def find(storage: Storage, request: RequestContext, kind: UploadKind, upload_id: str) -> Upload:
    """The caller's own upload, or any upload for service_role. A finished one is found until it expires.

    Raises NoSuchUpload, also for uploads of other callers, or UploadExpired.
    """
    wanted = (*ownership_parameters(request), text(upload_id), text(kind))
    rows = storage.database.run(request.service_context(), [(FIND_UPLOAD, wanted)], read_only=True)[0]
    if not rows:
        raise NoSuchUpload
    upload = read_upload(rows[0])
    if upload.is_expired:
        raise UploadExpired
    return upload


def permitted(
    storage: Storage, request: RequestContext, upload: Upload, write: Write | None = None, *, size: int | None = None
) -> PermittedWrite:
    """The permission to write the upload's object now, by default without conditions. Raises why it is refused."""
    size = upload.length if size is None else size
    return check_write(storage, request, write or write_of(upload), expected_metadata(size, upload.metadata))


def write_of(
    upload: Upload,
    *,
    etags: tuple[str, ...] | None = None,
    must_be_new: bool = False,
    upload_type: str = "standard",
) -> Write:
    """The write that turns the upload into an object."""
    return Write(
        name=upload.name,
        upsert=upload.upsert and not must_be_new,
        owner=upload.owner,
        user_metadata=upload.user_metadata,
        event=CREATED_POST,
        etags=etags,
        must_be_new=must_be_new,
        replacing_event=CREATED_PUT,
        upload_type=upload_type,
        tags=upload.notes.get(_TAGS),
    )


def abort(storage: Storage, request: RequestContext, upload: Upload) -> None:
    """Abort the upload; the work list deletes its bytes. The caller's permission must have been checked before.

    Raises NoSuchUpload when it is gone, and UploadFinished.
    """
    rows = storage.database.run(request.service_context(), [(DELETE_UPLOAD, (text(upload.id),))], read_only=False)
    if not rows[0]:
        find(storage, request, upload.kind, upload.id)
        raise UploadFinished
    storage.note_freed()
