"""Multipart uploads: objects whose parts are sent in any order, and joined at the end."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import quote

from app.faces.s3.call import S3Call
from app.faces.s3.canned_acls import ACL, check_object_acl
from app.faces.s3.descriptions import (
    caching_of,
    check_length,
    kept_headers,
    mime_type_of,
    user_metadata_of,
)
from app.faces.s3.elements import XML, Element, document
from app.faces.s3.errors import S3Error, invalid_argument, invalid_request, not_implemented
from app.faces.s3.joined import Bounded, JoinedChunks
from app.faces.s3.kept_checksums import (
    as_member,
    elements_of,
    headers_of,
    joined_checksums,
    kept_in,
    wanted_headers,
    wanted_of,
)
from app.faces.s3.kept_parts import as_parts_member
from app.faces.s3.listed_parts import MOST_PARTS, ListedPart, chosen, listed_parts
from app.faces.s3.object_parts import part_number
from app.faces.s3.uploads import UPLOAD_TYPE, check_source, copy_source, missing_or_failed
from app.faces.shared.write_conditions import WRITE_CONDITIONS, write_conditions
from app.http.response import Answer
from app.storage.bytes.backend import BlobMissing, ByteSource, Readable
from app.storage.bytes.blobs import blob_key
from app.storage.errors import NoSuchUpload, PreconditionFailed, StorageError
from app.storage.reading import Reading, find_with_bytes, size_of
from app.storage.records import StoredObject
from app.storage.storage import Storage
from app.storage.unfinished import uploads
from app.storage.unfinished.finishing import finish
from app.storage.unfinished.numbered import list_parts, put_part
from app.storage.unfinished.records import Finished, NewUpload, Upload

_LARGEST_PART = 5 * 1024**3
_LARGEST_PAGE = 1000
_CONDITIONS = "conditions"
_INITIATED, _SIZE = "x-amz-if-match-initiated-time", "x-amz-mp-object-size"
_RANGE = re.compile(r"bytes=(\d{1,18})-(\d{1,18})", re.ASCII)


def create_upload(storage: Storage, call: S3Call) -> Answer:
    """POST /{bucket}/{key}?uploads"""
    headers = call.headers
    check_object_acl(storage, call, headers.get(ACL, ""))
    write_conditions(headers)
    metadata = {"mimetype": mime_type_of(headers), "cacheControl": caching_of(headers), **kept_headers(headers)}
    wanted = wanted_of(headers)
    new = NewUpload(
        form="numbered",
        name=call.name,
        upsert=True,
        metadata=metadata,
        user_metadata=user_metadata_of(headers) or None,
        length=None,
        notes={**wanted, _CONDITIONS: {name: headers[name] for name in WRITE_CONDITIONS if name in headers}},
        lifetime_s=call.settings.upload_lifetime_s,
    )
    upload = uploads.create(storage, call.asker, new)
    body = document(
        "InitiateMultipartUploadResult", ("Bucket", call.bucket), ("Key", call.key), ("UploadId", upload.id)
    )
    return Answer(headers=wanted_headers(wanted), body=body, content_type=XML)


def upload_part(storage: Storage, call: S3Call) -> Answer:
    """PUT /{bucket}/{key}?partNumber&uploadId"""
    upload, number = _open(storage, call), part_number(call)
    size = check_length(call.body.length)
    if size > _LARGEST_PART:
        raise S3Error("EntityTooLarge", 413, "A part is larger than 5 GiB")
    body = call.body
    part = put_part(storage, call.asker, upload, number, body, size=size, notes=lambda: as_member(body.checksums))
    return Answer(headers=(("etag", f'"{part.md5}"'), *headers_of(body.checksums, kind=False)), content_type=XML)


def copy_part(storage: Storage, call: S3Call) -> Answer:
    """PUT /{bucket}/{key}?partNumber&uploadId with x-amz-copy-source"""
    upload, number = _open(storage, call), part_number(call)
    readable = find_with_bytes(
        storage, call.asker, copy_source(call), Reading(), lambda found, _: _opened(storage, call, found)
    )
    source: ByteSource = readable.file if readable.file is not None else JoinedChunks(readable.stream)
    size = readable.length
    try:
        part = put_part(storage, call.asker, upload, number, Bounded(source, size), size=size)
    finally:
        readable.close()
    body = document("CopyPartResult", ("LastModified", moment(part.created_at)), ("ETag", f'"{part.md5}"'))
    return Answer(body=body, content_type=XML)


def _opened(storage: Storage, call: S3Call, found: StoredObject) -> Readable | None:
    """The bytes to copy, None when they are gone."""
    check_source(call, found.entity_tag, found.updated_at)
    start, end = _source_range(call, size_of(storage, found))
    try:
        return storage.backend.open_read(blob_key(found.version), start, end)
    except BlobMissing:
        return None


def complete_upload(storage: Storage, call: S3Call) -> Answer:
    """POST /{bucket}/{key}?uploadId; one that succeeded before has the same answer again."""
    wanted = listed_parts(call.document())
    upload = _found(storage, call)
    # Before anything is said of its parts.
    uploads.permitted(storage, call.asker, upload)
    if upload.finished is None:
        try:
            return _completed(call, _complete(storage, call, upload, wanted))
        except (S3Error, StorageError):
            # Perhaps because another request with the same upload was faster: then its parts are gone, and what it made
            # does not meet the conditions.
            upload = _found(storage, call)
            if upload.finished is None:
                raise
    return _completed(call, upload.finished)


def _complete(storage: Storage, call: S3Call, upload: Upload, wanted: list[ListedPart]) -> Finished:
    # minio-go sends the conditions with the request that begins the upload.
    etags, must_be_new = write_conditions({**upload.notes.get(_CONDITIONS, {}), **call.headers})
    parts = chosen(list_parts(storage, call.asker, upload), wanted, call.settings.smallest_part)
    size = sum(part.size for part in parts)
    if call.headers.get(_SIZE, str(size)).strip() != str(size):
        raise invalid_request(f"The listed parts have {size} bytes, which is not the {_SIZE} given")
    learned = {**as_member(joined_checksums(upload, parts, call.headers)), **as_parts_member(parts)}
    try:
        return finish(
            storage, call.asker, upload, parts,
            etags=etags, must_be_new=must_be_new, upload_type=UPLOAD_TYPE, learned=learned,
        )  # fmt: skip
    except PreconditionFailed:
        raise missing_or_failed(storage, call, call.name, etags) from None


def abort_upload(storage: Storage, call: S3Call) -> Answer:
    """DELETE /{bucket}/{key}?uploadId"""
    if _INITIATED in call.headers:
        raise not_implemented(_INITIATED)
    upload = _open(storage, call)
    uploads.permitted(storage, call.asker, upload)
    uploads.abort(storage, call.asker, upload)
    return Answer(204, content_type=XML)


def list_upload_parts(storage: Storage, call: S3Call) -> Answer:
    """GET /{bucket}/{key}?uploadId"""
    upload = _open(storage, call)
    most = call.number("max-parts", _LARGEST_PAGE, most=_LARGEST_PAGE)
    marker = call.number("part-number-marker", 0, most=MOST_PARTS)
    found = list_parts(storage, call.asker, upload, after=marker, limit=most + 1)
    given = found[:most]
    elements: list[Element] = [
        (
            "Part",
            [
                ("PartNumber", part.number),
                ("LastModified", moment(part.created_at)),
                ("ETag", f'"{part.md5}"'),
                ("Size", part.size),
                *elements_of(kept_in(part.notes), kind=False),
            ],
        )
        for part in given
    ]
    body = document(
        "ListPartsResult",
        ("Bucket", call.bucket),
        ("Key", call.key),
        ("UploadId", upload.id),
        ("PartNumberMarker", marker),
        ("NextPartNumberMarker", given[-1].number if given else 0),
        ("MaxParts", most),
        ("IsTruncated", len(found) > most),
        *elements,
    )
    return Answer(body=body, content_type=XML)


def moment(seconds: float) -> str:
    """A time as listings write it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _found(storage: Storage, call: S3Call) -> Upload:
    """The upload of the request. Raises NoSuchUpload, also for one of another key or another caller."""
    upload = uploads.find(storage, call.asker, "numbered", call.query.get("uploadId", ""))
    if upload.name != call.name:
        raise NoSuchUpload
    return upload


def _open(storage: Storage, call: S3Call) -> Upload:
    upload = _found(storage, call)
    if upload.finished is not None:
        raise NoSuchUpload
    return upload


def _source_range(call: S3Call, size: int) -> tuple[int, int]:
    """The first byte to copy and the one after the last. Raises S3Error for a range outside the source."""
    value = call.headers.get("x-amz-copy-source-range")
    if value is None:
        return 0, size
    found = _RANGE.fullmatch(value.strip())
    if not found or int(found[1]) > int(found[2]):
        raise invalid_argument("The x-amz-copy-source-range value must be of the form bytes=first-last")
    if int(found[2]) >= size:
        raise S3Error("InvalidRange", 400, "invalid range provided")
    return int(found[1]), int(found[2]) + 1


def _completed(call: S3Call, finished: Finished) -> Answer:
    body = document(
        "CompleteMultipartUploadResult",
        ("Location", f"{call.base}/{quote(call.bucket)}/{quote(call.key)}"),
        ("Bucket", call.bucket),
        ("Key", call.key),
        ("ETag", finished.entity_tag),
        *elements_of(kept_in(finished.metadata)),
    )
    return Answer(body=body, content_type=XML)
