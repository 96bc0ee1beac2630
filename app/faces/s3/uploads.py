"""Writes objects: from a body, and as copies of other objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from app.faces.s3.canned_acls import ACL, check_object_acl
from app.faces.s3.errors import invalid_argument, invalid_request, no_such_version
from app.faces.s3.object_headers import (
    DESCRIBED_BY_HEADERS,
    caching_of,
    mime_type_of,
    stored_headers,
    user_metadata_of,
)
from app.faces.s3.request import S3Request
from app.faces.s3.stored_checksums import as_member, headers_of
from app.faces.s3.tagging import tags_of
from app.faces.s3.xml_writing import XML, xml_response
from app.faces.shared.write_conditions import write_conditions
from app.http.preconditions import evaluate
from app.http.response import Headers, Response
from app.storage import moving, writing
from app.storage.bytes.backend import ByteSource
from app.storage.errors import NoSuchObject, PreconditionFailed
from app.storage.names import check_bucket_name
from app.storage.permission_trial import Write
from app.storage.reading import is_visible
from app.storage.records import Described, ObjectName
from app.storage.sql import time_text
from app.storage.storage import Storage
from app.storage.upkeep.events import CREATED_POST, CREATED_PUT
from app.storage.versions import UNVERSIONED
from app.storage.writing import Content, Written

UPLOAD_TYPE = "s3"
"""The upload type in events of uploads over this protocol."""


def _copied(version_id: str) -> str:
    return f"pg_catalog.json_build_array(o.metadata ->> 'eTag', {time_text('o.updated_at')}, {version_id})"


_COPIED, _COPIED_VERSION = _copied("NULL"), _copied("CASE WHEN o.is_versioned THEN o.version END")
_SOURCE = "x-amz-copy-source"
_TAGGING_DIRECTIVE = "x-amz-tagging-directive"
_DIRECTIVES = ("COPY", "REPLACE")
_CONDITIONS = ("if-match", "if-none-match", "if-modified-since", "if-unmodified-since")
_VERSION = "?versionId="
_STORAGE_CLASS = "x-amz-storage-class"


def put_object(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}/{key}"""
    check_object_acl(storage, request, request.headers.get(ACL, ""))
    size, body = request.body.length, request.body
    written = stored(
        storage, request, request.name, body, request.headers,
        event=CREATED_PUT, size=size, learned=lambda: as_member(body.checksums),
    )  # fmt: skip
    return Response(
        headers=(("etag", written.entity_tag), *version_header(written.version_id), *headers_of(body.checksums)),
        content_type=XML,
    )


def stored(
    storage: Storage,
    request: S3Request,
    name: ObjectName,
    source: ByteSource,
    headers: Mapping[str, str],
    *,
    event: str = CREATED_POST,
    size: int | None,
    learned: Callable[[], Mapping[str, Any]] = dict,
    tags: Mapping[str, str] | None = None,
) -> Written:
    """Store an object that ``headers`` describe. ``tags``: by default those in the headers."""
    etags, must_be_new = write_conditions(headers)
    content = Content(
        stream=source,
        size=size,
        declared=size,
        mime_type=mime_type_of(headers),
        caching=caching_of(headers),
        more_metadata=stored_headers(headers),
        user_metadata=user_metadata_of(headers) or None,
        learned=learned,
    )
    tags = tags_of(headers) if tags is None else tags
    write = Write(
        name=name,
        upsert=not must_be_new,
        owner=request.context.subject,
        user_metadata=content.user_metadata or {},
        event=event,
        etags=etags,
        must_be_new=must_be_new,
        upload_type=UPLOAD_TYPE,
        tags=tags,
    )
    try:
        return writing.put(storage, request.context, write, content)
    except PreconditionFailed:
        raise missing_or_failed(storage, request, name, etags) from None


def missing_or_failed(
    storage: Storage, request: S3Request, name: ObjectName, etags: tuple[str, ...] | None
) -> NoSuchObject | PreconditionFailed:
    """The error for a failed conditional write: NoSuchObject if If-Match was sent and no object is visible."""
    if etags is not None and not is_visible(storage, request.context, name):
        return NoSuchObject()
    return PreconditionFailed()


def copy_object(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}/{key} with x-amz-copy-source"""
    check_object_acl(storage, request, request.headers.get(ACL, ""))
    source, version_id = copy_source(storage, request)
    directive = request.headers.get("x-amz-metadata-directive", "COPY").upper()
    if directive not in _DIRECTIVES:
        raise invalid_argument("Unknown metadata directive.")
    tagging = request.headers.get(_TAGGING_DIRECTIVE, "COPY").upper()
    if tagging not in _DIRECTIVES:
        raise invalid_argument("Unknown tagging directive.")
    tags = tags_of(request.headers) if tagging == "REPLACE" else None
    is_same = source == request.name and version_id is None
    if directive == "COPY" and is_same and _STORAGE_CLASS not in request.headers:
        raise invalid_request("A copy of an object to itself must replace its metadata or change its storage class.")
    etags, must_be_new = write_conditions(request.headers)

    def describe(found: Described, updated_at: float) -> Described:
        check_source(request, str(found.metadata.get("eTag", "")), updated_at)
        copied = _with_new_description(found, request.headers) if directive == "REPLACE" else found
        return copied._replace(tags=tags) if tagging == "REPLACE" else copied

    try:
        copied = moving.copy(
            storage,
            request.context,
            source,
            request.name,
            upsert=not must_be_new,
            describe=describe,
            projection=_COPIED_VERSION if storage.features.has_versions else _COPIED,
            etags=etags,
            must_be_new=must_be_new,
            version_id=version_id,
        )
    except PreconditionFailed:
        raise missing_or_failed(storage, request, request.name, etags) from None
    etag, modified, new_version = json.loads(copied)
    source_version = (("x-amz-copy-source-version-id", version_id),) if version_id is not None else ()
    headers = (*version_header(new_version), *source_version)
    return xml_response("CopyObjectResult", ("LastModified", modified), ("ETag", etag), headers=headers)


def version_header(version_id: str | None) -> Headers:
    """The header with the id of a new version; none in a bucket without versions."""
    return (("x-amz-version-id", version_id),) if version_id is not None else ()


def _with_new_description(found: Described, headers: Mapping[str, str]) -> Described:
    copied = {name: value for name, value in found.metadata.items() if name not in DESCRIBED_BY_HEADERS}
    changed = {"mimetype": mime_type_of(headers), "cacheControl": caching_of(headers), **stored_headers(headers)}
    return Described({**copied, **changed}, user_metadata_of(headers), found.tags)


def copy_source(storage: Storage, request: S3Request) -> tuple[ObjectName, str | None]:
    """The object to copy, and its version; None for the current one. Raises S3Error for a header that does not name an
    object."""
    value = request.headers.get(_SOURCE, "")
    source, found, version = value.partition(_VERSION)
    version_id = None
    if found and "&" not in version:
        if storage.features.has_versions:
            version_id = unquote(version)
        elif version != UNVERSIONED:
            raise no_such_version()
        value = source
    try:
        decoded = unquote_to_bytes(value.encode("latin-1")).decode()
    except ValueError:
        raise invalid_argument("Copy Source must be encoded as UTF-8") from None
    bucket, slash, key = decoded.removeprefix("/").partition("/")
    if not slash or not key:
        raise invalid_argument("Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
    request.check_bucket(bucket)
    return ObjectName(check_bucket_name(bucket), key), version_id


def check_source(request: S3Request, etag: str, updated_at: float) -> None:
    """Raise PreconditionFailed unless the source of a copy meets the conditions of the request."""
    conditions = {
        name: request.headers[f"{_SOURCE}-{name}"] for name in _CONDITIONS if f"{_SOURCE}-{name}" in request.headers
    }
    if conditions and evaluate(conditions, etag=etag, modified=int(updated_at)) != "proceed":
        raise PreconditionFailed
