"""Reads objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.faces.s3.errors import deleted, invalid_argument, invalid_request, no_such_version
from app.faces.s3.object_headers import encoded_word
from app.faces.s3.object_parts import part_number, parts_element, requested_part
from app.faces.s3.request import S3Request
from app.faces.s3.stored_checksums import checksums_in, elements_of, headers_of
from app.faces.s3.verification import missing_signature
from app.faces.s3.xml_writing import ElementContent, xml_response
from app.faces.shared.object_headers import DISPOSITION, ENCODING, EXPIRES, LANGUAGE, stored_header
from app.faces.shared.ranges import WHOLE, ResponsePart, applicable_range, is_byte_range, part_of
from app.http.preconditions import evaluate
from app.http.response import Headers, Response
from app.storage import versions
from app.storage.bytes.backend import BlobMissing
from app.storage.errors import NoSuchBucket, NoSuchObject, PreconditionFailed
from app.storage.reading import Reading, find, find_with_bytes, open_bytes, size_of
from app.storage.records import StoredObject
from app.storage.row_decoding import RawValue, read_metadata
from app.storage.sql import NOTHING, Projection
from app.storage.storage import Storage
from app.storage.versions import UNVERSIONED
from app.times import http_date, read_http_date

_USER_METADATA = "o.user_metadata"
# With the tags and the id of the version in one value, in lines: the JSON of the database has no line break.
_DESCRIBED = """coalesce(o.user_metadata::text, '') || CASE WHEN o.tags IS NULL AND NOT o.is_versioned THEN ''
    ELSE E'\\n' || coalesce(o.tags::text, '')
         || CASE WHEN o.is_versioned THEN E'\\n' || coalesce(o.version, '') ELSE '' END END"""
_VERSION_ID = "CASE WHEN o.is_versioned THEN o.version END"
_CHECKSUM_MODE = "x-amz-checksum-mode"
_OVERRIDES = ("content-type", "content-disposition", "content-language", "content-encoding", "cache-control", "expires")


def get_object(storage: Storage, request: S3Request) -> Response:
    """GET and HEAD /{bucket}/{key}"""
    _check_parameters(request)
    try:
        return _served(storage, request)
    except NoSuchBucket:
        if request.is_signed:
            raise
        # The bucket may exist without being public, so the response asks for a signature.
        raise missing_signature() from None
    except NoSuchObject:
        marker = versions.newest_marker(storage, request.context, request.name) if request.is_signed else None
        if marker is None:
            raise
        raise deleted(marker) from None


def version_of(storage: Storage, request: S3Request) -> str | None:
    """The version that a reading request names; None for the current one, which is the only one in a database without
    versions, and also the version null of a public bucket. Raises S3Error."""
    wanted = request.version_id
    if wanted == UNVERSIONED and not (request.is_signed and storage.features.has_versions):
        return None
    if wanted is not None and not storage.features.has_versions:
        raise no_such_version()
    return wanted


def find_object(
    storage: Storage, request: S3Request, projection: Projection = NOTHING
) -> tuple[StoredObject, RawValue]:
    """The object or the version that a request names, and its ``projection``."""
    wanted = version_of(storage, request)
    if wanted is not None:
        return versions.find(storage, request.context, request.name, wanted, projection)
    return find(storage, request.context, request.name, reading_of(request), projection)


def get_attributes(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}/{key}?attributes: the attributes that the caller names."""
    found, version_id = find_object(storage, request, _VERSION_ID if storage.features.has_versions else NOTHING)
    values: dict[str, ElementContent] = {
        "ETag": found.entity_tag.strip('"') or None,
        "Checksum": elements_of(checksums_in(found.metadata)) or None,
        "ObjectParts": parts_element(request, found.metadata),
        "StorageClass": "STANDARD",
        "ObjectSize": size_of(storage, found),
    }
    wanted = {each.strip() for each in request.headers.get("x-amz-object-attributes", "").split(",")}
    if not wanted <= values.keys():
        raise invalid_argument(f"x-amz-object-attributes takes {', '.join(values)}")
    return xml_response(
        "GetObjectAttributesResponse",
        *((name, values[name]) for name in values if name in wanted),
        headers=(
            ("last-modified", http_date(found.updated_at)),
            *((("x-amz-version-id", version_id.decode()),) if version_id else ()),
        ),
    )


def reading_of(request: S3Request) -> Reading:
    """How a request reads: unsigned requests read only public buckets."""
    return Reading() if request.is_signed else Reading(as_service=True, public_only=True)


def _check_parameters(request: S3Request) -> None:
    if "partNumber" in request.query and "range" in request.headers:
        raise invalid_request("Cannot specify both Range header and partNumber query parameter")
    if not request.is_signed and any(f"response-{name}" in request.query for name in _OVERRIDES):
        raise invalid_request("Request specific response headers cannot be used for anonymous GET requests.")


def _served(storage: Storage, request: S3Request) -> Response:
    wanted = version_of(storage, request)

    def use(found: StoredObject, described: RawValue) -> Response | None:
        user_metadata, _, more = (described or b"").partition(b"\n")
        tags, _, version_id = more.partition(b"\n")
        headers: Headers = (("x-amz-tagging-count", str(len(read_metadata(tags)))),) if tags else ()
        if version_id or wanted is not None:
            headers = (*headers, ("x-amz-version-id", version_id.decode() or UNVERSIONED))
        return _respond(storage, request, found, read_metadata(user_metadata), headers)

    if wanted is not None:
        return versions.find_with_bytes(storage, request.context, request.name, wanted, use, _DESCRIBED)
    projection = _DESCRIBED if storage.features.has_tags else _USER_METADATA
    return find_with_bytes(storage, request.context, request.name, reading_of(request), use, projection)


def _respond(
    storage: Storage, request: S3Request, found: StoredObject, user_metadata: Mapping[str, Any], more: Headers
) -> Response | None:
    """The response, with ``more`` headers, or None if the bytes are missing."""
    second = int(found.updated_at)
    outcome = evaluate(request.headers, etag=found.entity_tag, modified=second)
    if outcome == "failed":
        raise PreconditionFailed
    if outcome == "not modified":
        return Response(304, (("etag", found.entity_tag), ("last-modified", http_date(second))), content_type=None)
    content_type, headers = _described(request, found, user_metadata)
    size = size_of(storage, found)
    part, checksums = _requested_bytes(request, found, second, size)
    headers = (*headers, *part.headers, *more)
    if request.headers.get(_CHECKSUM_MODE, "").upper() == "ENABLED":
        headers = (*headers, *checksums)
    if request.is_head:
        length = (size if part.end is None else part.end) - part.start
        return Response(part.status, headers, content_type=content_type, length=length)
    try:
        body, length = open_bytes(storage, found, part.start, part.end)
    except BlobMissing:
        return None
    return Response(part.status, headers, body, content_type, length)


def _described(request: S3Request, found: StoredObject, user_metadata: Mapping[str, Any]) -> tuple[str | None, Headers]:
    """The type of an object, and the headers that describe it, which do not depend on the requested part."""
    given = {
        "content-type": found.mime_type,
        "cache-control": found.caching,
        "content-encoding": stored_header(found.metadata, ENCODING),
        "content-disposition": stored_header(found.metadata, DISPOSITION),
        "content-language": stored_header(found.metadata, LANGUAGE),
        "expires": stored_header(found.metadata, EXPIRES),
        **_overrides(request),
    }
    content_type = given.pop("content-type")
    return content_type, (
        ("accept-ranges", "bytes"),
        *((("etag", found.entity_tag),) if found.entity_tag else ()),
        ("last-modified", http_date(int(found.updated_at))),
        ("content-security-policy", "sandbox"),
        ("x-content-type-options", "nosniff"),
        *((name, value) for name, value in given.items() if value),
        *_user_headers(user_metadata),
    )


def _requested_bytes(request: S3Request, found: StoredObject, second: int, size: int) -> tuple[ResponsePart, Headers]:
    """The requested bytes, and the headers of their checksums; no headers if the checksums are unknown."""
    if "partNumber" in request.query:
        return requested_part(part_number(request), found.metadata, size)
    wanted = _wanted_range(request, found, second)
    return (WHOLE, headers_of(checksums_in(found.metadata))) if wanted is None else (part_of(wanted, size), ())


def _wanted_range(request: S3Request, found: StoredObject, second: int) -> str | None:
    """The range; None without an applicable one. S3 ignores several ranges, and invalid ones."""
    value = applicable_range(request.headers, etag=found.entity_tag, modified=second)
    return value if value is not None and is_byte_range(value) else None


def _overrides(request: S3Request) -> dict[str, str]:
    """Response headers that the request sets. Values that cannot be sent are ignored."""
    given = {name: request.query.get(f"response-{name}", "") for name in _OVERRIDES}
    expires = given["expires"]
    if expires and read_http_date(expires) is None:
        raise invalid_request("response-expires is expected as an HTTP date")
    return {name: value for name, value in given.items() if value and value.isprintable()}


def _user_headers(user_metadata: Mapping[str, Any]) -> Headers:
    """The user's metadata as headers, and a header with the number of members that cannot be headers."""
    fit = {
        name.lower(): encoded_word(value)
        for name, value in user_metadata.items()
        if _is_header_text(name) and " " not in name and ":" not in name and isinstance(value, str)
        and value.isprintable()
    }  # fmt: skip
    missing = len(user_metadata) - len(fit)
    headers = tuple((f"x-amz-meta-{name}", value) for name, value in fit.items())
    return (*headers, ("x-amz-missing-meta", str(missing))) if missing else headers


def _is_header_text(text: str) -> bool:
    return text != "" and text.isascii() and text.isprintable()
