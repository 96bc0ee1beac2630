"""Deletes objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from xml.etree.ElementTree import Element as Node

from app.faces.s3.errors import (
    S3Error,
    access_denied,
    as_s3_error,
    malformed_xml,
    no_such_version,
    not_implemented,
)
from app.faces.s3.request import S3Request
from app.faces.s3.xml_reading import children, read_document, text_of
from app.faces.s3.xml_writing import XML, Element, xml_response
from app.faces.shared.write_conditions import deletion_conditions
from app.http.response import Response
from app.identity import SERVICE_ROLE
from app.storage import moving
from app.storage.buckets import find_bucket
from app.storage.errors import NoSuchBucket, NoSuchObject, StorageError
from app.storage.names import check_bucket_name
from app.storage.records import ObjectName
from app.storage.sql import NOTHING
from app.storage.storage import Storage

_MAX_OBJECTS = 1000
_OTHER_CONDITIONS = ("x-amz-if-match-last-modified-time", "x-amz-if-match-size")


def delete_object(storage: Storage, request: S3Request) -> Response:
    """DELETE /{bucket}/{key}: an object that does not exist counts as deleted."""
    etags = deletion_conditions(request.headers)
    _check_conditions(request.headers.get("if-match"), (name for name in _OTHER_CONDITIONS if name in request.headers))
    try:
        moving.delete(storage, request.context, request.name, etags=etags)
    except NoSuchObject:
        if etags is not None:
            raise
        _check_bucket(storage, request)
    return Response(204, content_type=XML)


def delete_objects(storage: Storage, request: S3Request) -> Response:
    """POST /{bucket}?delete: delete several objects. The response has a result for each key; each succeeds or fails
    independently."""
    root = read_document(request.document(), "Delete")
    quiet = (text_of(root, "Quiet") or "").strip().lower() == "true"
    given = [_entry(each) for each in children(root, "Object")]
    if not 1 <= len(given) <= _MAX_OBJECTS:
        raise malformed_xml(f"Between 1 and {_MAX_OBJECTS} objects are expected")
    _check_bucket(storage, request)
    entries = list(dict.fromkeys(given))
    current = [each for each in entries if each.version in (None, "null")]
    refused = {each: _refusal(storage, request, each) for each in current if each.etag}
    keys = [each.key for each in current if not each.etag]
    kept = moving.delete_many(storage, request.context, request.bucket, keys, NOTHING).kept
    refused |= {each: access_denied() for each in current if not each.etag and each.key in kept}
    refused |= {each: no_such_version() for each in entries if each not in current}
    results = [_result(each, refused.get(each)) for each in entries]
    return xml_response("DeleteResult", *(each for each in results if not quiet or each[0] == "Error"))


class _Entry(NamedTuple):
    """An object to delete. ``version`` is "null" for the current one. ``etag`` is the required entity tag, '' for
    none."""

    key: str
    version: str | None
    etag: str


def _entry(node: Node) -> _Entry:
    key = text_of(node, "Key")
    if not key:
        raise malformed_xml("Each Object is expected to have a Key")
    etag = (text_of(node, "ETag") or "").strip()
    _check_conditions(etag, (name for name in ("LastModifiedTime", "Size") if text_of(node, name)))
    return _Entry(key, text_of(node, "VersionId") or None, etag)


def _check_conditions(etag: str | None, others: Iterable[str]) -> None:
    """Raise S3Error for unsupported conditions. Together with an entity tag they are ignored, since the tag is
    stricter."""
    other = next(iter(others), None)
    if other is not None and not etag:
        raise not_implemented(other)


def _refusal(storage: Storage, request: S3Request, entry: _Entry) -> S3Error | None:
    """Delete the object if it has the entry's entity tag. Returns the error if it is not deleted."""
    etags = deletion_conditions({"if-match": entry.etag})
    try:
        moving.delete(storage, request.context, ObjectName(request.bucket, entry.key), etags=etags)
    except StorageError as ex:
        return as_s3_error(ex)
    return None


def _result(entry: _Entry, refused: S3Error | None) -> Element:
    named: list[Element] = [("Key", entry.key), ("VersionId", entry.version)]
    if refused is None:
        return "Deleted", named
    return "Error", [*named, ("Code", refused.code), ("Message", refused.message)]


def _check_bucket(storage: Storage, request: S3Request) -> None:
    """Raise NoSuchBucket for the service role if there is none. Other roles do not learn which buckets exist."""
    check_bucket_name(request.bucket)
    if request.context.role == SERVICE_ROLE and find_bucket(storage, request.context, request.bucket) is None:
        raise NoSuchBucket
