"""Makes an upload an object: its parts are joined under a new version, and one transaction does the rest.

The transaction writes the object's row as any write does, marks the upload as finished, and drops its parts. If
anything fails before the commit, the upload and its parts stay as they were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

from app.storage.bytes.backend import BlobMissing, Piece
from app.storage.bytes.blobs import blob_key, new_version, store
from app.storage.committing import ExtraCalls, commit
from app.storage.errors import NoSuchPart, UploadFinished
from app.storage.permission_trial import Write
from app.storage.records import NewBytes
from app.storage.request_context import RequestContext
from app.storage.row_decoding import known, number, text
from app.storage.storage import Storage
from app.storage.unfinished.records import Finished, Upload, UploadPart
from app.storage.unfinished.sql import DROP_PARTS, FINISH_UPLOAD
from app.storage.unfinished.uploads import permitted, write_of
from app.storage.writing import check_rules, discarded_on_failure, file_metadata, run_checks, version_id


def finish(
    storage: Storage,
    request: RequestContext,
    upload: Upload,
    parts: Sequence[UploadPart],
    *,
    etags: tuple[str, ...] | None = None,
    must_be_new: bool = False,
    upload_type: str = "standard",
    learned: Mapping[str, Any] | None = None,
) -> Finished:
    """Make the upload an object of these parts, in this order, with the caller's rights. Its owner is the upload's
    owner.

    For the conditions see ``Write``; ``learned`` adds members to the object's metadata. Raises the reason why the write
    is refused, TooLarge and InvalidMimeType according to the bucket's current rules, NoSuchPart when a part was
    replaced meanwhile, and UploadFinished when another request was faster.
    """
    write = write_of(upload, etags=etags, must_be_new=must_be_new, upload_type=upload_type)

    def joined(version: str) -> str:
        _join(storage, parts, version)
        return entity_tag(upload, parts)

    return finish_with(storage, request, upload, write, sum(part.size for part in parts), joined, learned)


def finish_with(
    storage: Storage,
    request: RequestContext,
    upload: Upload,
    write: Write,
    size: int,
    store: Callable[[str], str],
    learned: Mapping[str, Any] | None = None,
) -> Finished:
    """The same, but ``store`` writes the bytes: it takes the new version and returns their entity tag."""
    allowed = permitted(storage, request, upload, write, size=size)
    check_rules(storage, allowed.permission.bucket, upload.name.key, upload.metadata["mimetype"], size)
    version = new_version()
    with discarded_on_failure(storage, version):
        metadata = file_metadata(store(version), size, {**upload.metadata, **(learned or {})})
        new = NewBytes(version, metadata)
        run_checks(storage, write, new)
    received = number(upload.received) if upload.kind == "appended" else None
    ending = (FINISH_UPLOAD, (text(upload.id), text(version), number(size), received))
    extra = ExtraCalls([ending, (DROP_PARTS, (text(upload.id),))], UploadFinished)
    row = commit(storage, request, write, allowed, new, extra=extra)
    return Finished(known(row[0]).decode(), version, metadata["eTag"], size, metadata, version_id(row, new))


def entity_tag(upload: Upload, parts: Sequence[UploadPart]) -> str:
    """The tag in quotes: the MD5 of the parts' MD5s, and the number of parts; for an upload appended in one part, its
    MD5."""
    if upload.kind == "appended" and len(parts) == 1:
        return f'"{parts[0].md5}"'
    joined = hashlib.md5(b"".join(bytes.fromhex(part.md5) for part in parts), usedforsecurity=False)
    return f'"{joined.hexdigest()}-{len(parts)}"' if parts else f'"{joined.hexdigest()}"'


def _join(storage: Storage, parts: Sequence[UploadPart], version: str) -> None:
    target = blob_key(version)
    pieces = [Piece(blob_key(part.version), part.size) for part in parts if part.size]
    try:
        if pieces:
            storage.backend.join(pieces, target)
        else:
            store(storage.backend, version, BytesIO(), size=0)
    except BlobMissing:
        raise NoSuchPart from None
