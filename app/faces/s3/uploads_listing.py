"""Lists the unfinished multipart uploads of a bucket."""

from __future__ import annotations

from app.faces.s3.buckets import check_visible, owner
from app.faces.s3.grouped_keys import GroupedPage, common_prefix
from app.faces.s3.listed_keys import wanted_by
from app.faces.s3.multipart import moment
from app.faces.s3.request import S3Request
from app.faces.s3.xml_writing import Element, xml_response
from app.http.response import Response
from app.storage.storage import Storage
from app.storage.unfinished.listing import list_uploads
from app.storage.unfinished.records import Upload

_MAX_UPLOADS = 1000


def list_multipart_uploads(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}?uploads: the uploads that the caller began; all uploads for service_role."""
    check_visible(storage, request)
    marker, upload_marker = request.query.get("key-marker", ""), request.query.get("upload-id-marker", "")
    wanted = wanted_by(request, marker)
    page: GroupedPage[Upload] = GroupedPage(request.number("max-uploads", _MAX_UPLOADS, most=_MAX_UPLOADS))
    _fill_page(storage, request, page, (wanted.prefix, wanted.delimiter), (marker, upload_marker))
    elements: list[Element] = [
        (
            "Upload",
            [
                ("Key", wanted.encode(upload.name.key)),
                ("UploadId", upload.id),
                ("Initiator", owner(request)),
                ("Owner", owner(request)),
                ("StorageClass", "STANDARD"),
                ("Initiated", moment(upload.created_at)),
            ],
        )
        for upload in page.items
    ]
    key, identifier = _markers(page.last)
    return xml_response(
        "ListMultipartUploadsResult",
        ("Bucket", request.bucket),
        ("KeyMarker", wanted.encode(marker)),
        ("UploadIdMarker", upload_marker),
        ("NextKeyMarker", wanted.encode(key) if page.is_truncated else None),
        ("NextUploadIdMarker", identifier if page.is_truncated and identifier else None),
        ("Prefix", wanted.encode(wanted.prefix)),
        ("Delimiter", wanted.encoded_delimiter),
        ("EncodingType", request.query.get("encoding-type")),
        ("MaxUploads", page.limit),
        ("IsTruncated", page.is_truncated),
        *elements,
        *(("CommonPrefixes", [("Prefix", wanted.encode(each))]) for each in page.prefixes),
    )


def _markers(last: Upload | str | None) -> tuple[str, str]:
    """The key, or the common prefix, and the id of the upload after which the next page begins."""
    return (last.name.key, last.id) if isinstance(last, Upload) else (last or "", "")


def _fill_page(
    storage: Storage, request: S3Request, page: GroupedPage[Upload], grouping: tuple[str, str], after: tuple[str, str]
) -> None:
    """Add uploads and common prefixes to ``page`` until it is full. ``grouping``: prefix and delimiter; ``after``: the
    markers of the request."""
    prefix, delimiter = grouping
    key, identifier = after
    while True:
        uploads = list_uploads(
            storage, request.context, request.bucket, prefix=prefix, after=key, after_id=identifier, limit=_MAX_UPLOADS
        )
        for upload in uploads:
            common = common_prefix(upload.name.key, prefix, delimiter)
            if common is not None and common <= after[0]:
                continue
            if not page.take(upload, common):
                return
        if len(uploads) < _MAX_UPLOADS:
            return
        key, identifier = uploads[-1].name.key, uploads[-1].id
