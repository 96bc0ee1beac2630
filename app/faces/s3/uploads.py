"""Writing objects: from a body, and as copies of others."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote_to_bytes

from app.faces.s3.call import S3Call
from app.faces.s3.canned_acls import ACL, check_object_acl
from app.faces.s3.descriptions import (
    DESCRIBED_BY_HEADERS,
    caching_of,
    kept_headers,
    mime_type_of,
    user_metadata_of,
)
from app.faces.s3.elements import XML, document
from app.faces.s3.errors import invalid_argument, invalid_request, no_such_version
from app.faces.s3.kept_checksums import as_member, headers_of
from app.faces.shared.write_conditions import write_conditions
from app.http.preconditions import evaluate
from app.http.response import Answer
from app.storage import moving, writing
from app.storage.bytes.backend import ByteSource
from app.storage.errors import NoSuchObject, PreconditionFailed
from app.storage.judging import Write
from app.storage.names import check_bucket_name
from app.storage.reading import is_visible
from app.storage.records import Described, ObjectName
from app.storage.sql import time_text
from app.storage.storage import Storage
from app.storage.upkeep.events import CREATED_POST, CREATED_PUT
from app.storage.writing import Content

UPLOAD_TYPE = "s3"
"""What events say about uploads by this protocol."""

COPIED = f"pg_catalog.json_build_array(o.metadata ->> 'eTag', {time_text('o.updated_at')})"

_SOURCE = "x-amz-copy-source"
_CONDITIONS = ("if-match", "if-none-match", "if-modified-since", "if-unmodified-since")
_VERSION = "?versionId="
_STORAGE_CLASS = "x-amz-storage-class"


def put_object(storage: Storage, call: S3Call) -> Answer:
    """PUT /{bucket}/{key}"""
    check_object_acl(storage, call, call.headers.get(ACL, ""))
    size, body = call.body.length, call.body
    etag = stored(
        storage, call, call.name, body, call.headers,
        event=CREATED_PUT, size=size, learned=lambda: as_member(body.checksums),
    )  # fmt: skip
    return Answer(headers=(("etag", etag), *headers_of(body.checksums)), content_type=XML)


def stored(
    storage: Storage,
    call: S3Call,
    name: ObjectName,
    source: ByteSource,
    headers: Mapping[str, str],
    *,
    event: str = CREATED_POST,
    size: int | None,
    learned: Callable[[], Mapping[str, Any]] = dict,
) -> str:
    """Store an object that ``headers`` describe; gives its entity tag."""
    etags, must_be_new = write_conditions(headers)
    content = Content(
        stream=source,
        size=size,
        declared=size,
        mime_type=mime_type_of(headers),
        caching=caching_of(headers),
        more_metadata=kept_headers(headers),
        user_metadata=user_metadata_of(headers) or None,
        learned=learned,
    )
    write = Write(
        name=name,
        upsert=not must_be_new,
        owner=call.asker.subject,
        user_metadata=content.user_metadata or {},
        event=event,
        etags=etags,
        must_be_new=must_be_new,
        upload_type=UPLOAD_TYPE,
    )
    try:
        return writing.put(storage, call.asker, write, content).entity_tag
    except PreconditionFailed:
        raise missing_or_failed(storage, call, name, etags) from None


def missing_or_failed(
    storage: Storage, call: S3Call, name: ObjectName, etags: tuple[str, ...] | None
) -> NoSuchObject | PreconditionFailed:
    """Why a conditional write failed: nothing can match where there is nothing."""
    if etags is not None and not is_visible(storage, call.asker, name):
        return NoSuchObject()
    return PreconditionFailed()


def copy_object(storage: Storage, call: S3Call) -> Answer:
    """PUT /{bucket}/{key} with x-amz-copy-source"""
    check_object_acl(storage, call, call.headers.get(ACL, ""))
    source = copy_source(call)
    directive = call.headers.get("x-amz-metadata-directive", "COPY").upper()
    if directive not in ("COPY", "REPLACE"):
        raise invalid_argument("Unknown metadata directive.")
    if directive == "COPY" and source == call.name and _STORAGE_CLASS not in call.headers:
        raise invalid_request("A copy of an object to itself must replace its metadata or change its storage class.")
    etags, must_be_new = write_conditions(call.headers)

    def describe(found: Described, updated_at: float) -> Described:
        check_source(call, str(found.metadata.get("eTag", "")), updated_at)
        return _described_anew(found, call.headers) if directive == "REPLACE" else found

    try:
        copied = moving.copy(
            storage,
            call.asker,
            source,
            call.name,
            upsert=not must_be_new,
            describe=describe,
            projection=COPIED,
            etags=etags,
            must_be_new=must_be_new,
        )
    except PreconditionFailed:
        raise missing_or_failed(storage, call, call.name, etags) from None
    etag, modified = json.loads(copied)
    return Answer(body=document("CopyObjectResult", ("LastModified", modified), ("ETag", etag)), content_type=XML)


def _described_anew(found: Described, headers: Mapping[str, str]) -> Described:
    kept = {name: value for name, value in found.metadata.items() if name not in DESCRIBED_BY_HEADERS}
    changed = {"mimetype": mime_type_of(headers), "cacheControl": caching_of(headers), **kept_headers(headers)}
    return Described({**kept, **changed}, user_metadata_of(headers))


def copy_source(call: S3Call) -> ObjectName:
    """The object to copy. Raises S3Error for a header that names none."""
    value = call.headers.get(_SOURCE, "")
    source, found, version = value.partition(_VERSION)
    if found and "&" not in version:
        if version != "null":
            raise no_such_version()
        value = source
    try:
        decoded = unquote_to_bytes(value.encode("latin-1")).decode()
    except ValueError:
        raise invalid_argument("Copy Source must be encoded as UTF-8") from None
    bucket, slash, key = decoded.removeprefix("/").partition("/")
    if not slash or not key:
        raise invalid_argument("Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
    call.check_bucket(bucket)
    return ObjectName(check_bucket_name(bucket), key)


def check_source(call: S3Call, etag: str, updated_at: float) -> None:
    """Raise PreconditionFailed unless the source of a copy meets the conditions of the request."""
    conditions = {
        name: call.headers[f"{_SOURCE}-{name}"] for name in _CONDITIONS if f"{_SOURCE}-{name}" in call.headers
    }
    if conditions and evaluate(conditions, etag=etag, modified=int(updated_at)) != "proceed":
        raise PreconditionFailed
