"""Multipart uploads: the parts of an object are sent in any order and joined at the end."""

from __future__ import annotations

import re
from contextlib import closing
from datetime import UTC, datetime
from urllib.parse import quote

from app.faces.s3.canned_acls import ACL, check_object_acl
from app.faces.s3.errors import S3Error, invalid_argument, invalid_request, not_implemented
from app.faces.s3.joined_reader import Bounded
from app.faces.s3.listed_parts import MOST_PARTS, ListedPart, chosen, listed_parts
from app.faces.s3.object_headers import (
    caching_of,
    check_length,
    mime_type_of,
    stored_headers,
    user_metadata_of,
)
from app.faces.s3.object_parts import part_number
from app.faces.s3.request import S3Request
from app.faces.s3.stored_checksums import (
    as_member,
    checksums_in,
    elements_of,
    headers_of,
    joined_checksums,
    requested_checksum,
    requested_checksum_headers,
)
from app.faces.s3.stored_parts import as_parts_member
from app.faces.s3.tagging import tags_of
from app.faces.s3.uploads import UPLOAD_TYPE, check_source, copy_source, missing_or_failed, version_header
from app.faces.s3.xml_writing import XML, Element, xml_response
from app.faces.shared.write_conditions import WRITE_CONDITIONS, write_conditions
from app.http.response import Response
from app.storage import versions
from app.storage.bytes.backend import BlobMissing, Readable
from app.storage.bytes.blobs import blob_key
from app.storage.bytes.joined_chunks import as_source
from app.storage.errors import NoSuchUpload, PreconditionFailed, StorageError
from app.storage.reading import Reading, find_with_bytes, size_of
from app.storage.records import StoredObject
from app.storage.row_decoding import RawValue
from app.storage.storage import Storage
from app.storage.unfinished import uploads
from app.storage.unfinished.finishing import finish
from app.storage.unfinished.numbered import list_parts, put_part
from app.storage.unfinished.records import Finished, NewUpload, Upload
from app.times import as_json

_MAX_PART_BYTES = 5 * 1024**3
_LARGEST_PAGE = 1000
_CONDITIONS = "conditions"
_INITIATED, _SIZE = "x-amz-if-match-initiated-time", "x-amz-mp-object-size"
_RANGE = re.compile(r"bytes=(\d{1,18})-(\d{1,18})", re.ASCII)


def create_upload(storage: Storage, request: S3Request) -> Response:
    """POST /{bucket}/{key}?uploads"""
    headers = request.headers
    check_object_acl(storage, request, headers.get(ACL, ""))
    write_conditions(headers)
    metadata = {"mimetype": mime_type_of(headers), "cacheControl": caching_of(headers), **stored_headers(headers)}
    wanted = requested_checksum(headers)
    new = NewUpload(
        kind="numbered",
        name=request.name,
        upsert=True,
        metadata=metadata,
        user_metadata=user_metadata_of(headers) or None,
        length=None,
        notes={**wanted, _CONDITIONS: {name: headers[name] for name in WRITE_CONDITIONS if name in headers}},
        lifetime_s=request.settings.s3_upload_lifetime_s,
        tags=tags_of(headers),
    )
    upload = uploads.create(storage, request.context, new)
    return xml_response(
        "InitiateMultipartUploadResult",
        *(("Bucket", request.bucket), ("Key", request.key), ("UploadId", upload.id)),
        headers=requested_checksum_headers(wanted),
    )


def upload_part(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}/{key}?partNumber&uploadId"""
    upload, number = _open(storage, request), part_number(request)
    size = check_length(request.body.length)
    if size > _MAX_PART_BYTES:
        raise S3Error("EntityTooLarge", 413, "A part is larger than 5 GiB")
    body = request.body
    part = put_part(storage, request.context, upload, number, body, size=size, notes=lambda: as_member(body.checksums))
    return Response(headers=(("etag", f'"{part.md5}"'), *headers_of(body.checksums, kind=False)), content_type=XML)


def copy_part(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}/{key}?partNumber&uploadId with x-amz-copy-source"""
    upload, number = _open(storage, request), part_number(request)
    source, version_id = copy_source(storage, request)

    def use(found: StoredObject, _: RawValue) -> Readable | None:
        return _opened(storage, request, found)

    if version_id is None:
        readable = find_with_bytes(storage, request.context, source, Reading(), use)
    else:
        readable = versions.find_with_bytes(storage, request.context, source, version_id, use)
    size = readable.length
    with closing(readable):
        content = Bounded(as_source(readable), size)
        part = put_part(storage, request.context, upload, number, content, size=size)
    return xml_response("CopyPartResult", ("LastModified", moment(part.created_at)), ("ETag", f'"{part.md5}"'))


def _opened(storage: Storage, request: S3Request, found: StoredObject) -> Readable | None:
    """The bytes to copy; None if they are missing."""
    check_source(request, found.entity_tag, found.updated_at)
    start, end = _source_range(request, size_of(storage, found))
    try:
        return storage.backend.open_read(blob_key(found.version), start, end)
    except BlobMissing:
        return None


def complete_upload(storage: Storage, request: S3Request) -> Response:
    """POST /{bucket}/{key}?uploadId: complete the upload. Repeating it after a success gives the same response."""
    wanted = listed_parts(request.document())
    upload = _found(storage, request)
    # The permission is checked before any error about the parts.
    uploads.permitted(storage, request.context, upload)
    if upload.finished is None:
        try:
            return _completed(request, _complete(storage, request, upload, wanted))
        except (S3Error, StorageError):
            # Another request may have completed the upload first. Then the parts are gone, and the new object does not
            # meet the conditions.
            upload = _found(storage, request)
            if upload.finished is None:
                raise
    return _completed(request, upload.finished)


def _complete(storage: Storage, request: S3Request, upload: Upload, wanted: list[ListedPart]) -> Finished:
    # minio-go sends conditions with the request that begins the upload, so they are in the upload's notes.
    etags, must_be_new = write_conditions({**upload.notes.get(_CONDITIONS, {}), **request.headers})
    parts = chosen(list_parts(storage, request.context, upload), wanted, request.settings.s3_smallest_part)
    size = sum(part.size for part in parts)
    if request.headers.get(_SIZE, str(size)).strip() != str(size):
        raise invalid_request(f"The listed parts have {size} bytes, which is not the {_SIZE} given")
    learned = {**as_member(joined_checksums(upload, parts, request.headers)), **as_parts_member(parts)}
    try:
        return finish(
            storage, request.context, upload, parts,
            etags=etags, must_be_new=must_be_new, upload_type=UPLOAD_TYPE, learned=learned,
        )  # fmt: skip
    except PreconditionFailed:
        raise missing_or_failed(storage, request, request.name, etags) from None


def abort_upload(storage: Storage, request: S3Request) -> Response:
    """DELETE /{bucket}/{key}?uploadId"""
    if _INITIATED in request.headers:
        raise not_implemented(_INITIATED)
    upload = _open(storage, request)
    uploads.permitted(storage, request.context, upload)
    uploads.abort(storage, request.context, upload)
    return Response(204, content_type=XML)


def list_upload_parts(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}/{key}?uploadId"""
    upload = _open(storage, request)
    most = request.number("max-parts", _LARGEST_PAGE, most=_LARGEST_PAGE)
    marker = request.number("part-number-marker", 0, most=MOST_PARTS)
    found = list_parts(storage, request.context, upload, after=marker, limit=most + 1)
    given = found[:most]
    elements: list[Element] = [
        (
            "Part",
            [
                ("PartNumber", part.number),
                ("LastModified", moment(part.created_at)),
                ("ETag", f'"{part.md5}"'),
                ("Size", part.size),
                *elements_of(checksums_in(part.notes), kind=False),
            ],
        )
        for part in given
    ]
    return xml_response(
        "ListPartsResult",
        ("Bucket", request.bucket),
        ("Key", request.key),
        ("UploadId", upload.id),
        ("PartNumberMarker", marker),
        ("NextPartNumberMarker", given[-1].number if given else 0),
        ("MaxParts", most),
        ("IsTruncated", len(found) > most),
        *elements,
    )


def moment(seconds: float) -> str:
    """A time in the format of listings."""
    return as_json(datetime.fromtimestamp(seconds, UTC))


def _found(storage: Storage, request: S3Request) -> Upload:
    """The upload of the request. Raises NoSuchUpload, also for one of another key or another caller."""
    upload = uploads.find(storage, request.context, "numbered", request.query.get("uploadId", ""))
    if upload.name != request.name:
        raise NoSuchUpload
    return upload


def _open(storage: Storage, request: S3Request) -> Upload:
    upload = _found(storage, request)
    if upload.finished is not None:
        raise NoSuchUpload
    return upload


def _source_range(request: S3Request, size: int) -> tuple[int, int]:
    """The first byte to copy and the one after the last. Raises S3Error for a range outside the source."""
    value = request.headers.get("x-amz-copy-source-range")
    if value is None:
        return 0, size
    found = _RANGE.fullmatch(value.strip())
    if not found or int(found[1]) > int(found[2]):
        raise invalid_argument("The x-amz-copy-source-range value must be of the form bytes=first-last")
    if int(found[2]) >= size:
        raise S3Error("InvalidRange", 400, "invalid range provided")
    return int(found[1]), int(found[2]) + 1


def _completed(request: S3Request, finished: Finished) -> Response:
    return xml_response(
        "CompleteMultipartUploadResult",
        ("Location", f"{request.base}/{quote(request.bucket)}/{quote(request.key)}"),
        ("Bucket", request.bucket),
        ("Key", request.key),
        ("ETag", finished.entity_tag),
        *elements_of(checksums_in(finished.metadata)),
        headers=version_header(finished.version_id),
    )
