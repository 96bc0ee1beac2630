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
from app.http.response import Headers, Response
from app.identity import SERVICE_ROLE
from app.storage import moving, versions
from app.storage.buckets import find_bucket
from app.storage.errors import (
    IsDeleteMarker,
    NoSuchBucket,
    NoSuchObject,
    NoSuchVersion,
    PreconditionFailed,
    StorageError,
)
from app.storage.names import check_bucket_name
from app.storage.records import ObjectName
from app.storage.sql import NOTHING
from app.storage.storage import Storage
from app.storage.versions import UNVERSIONED

_MAX_OBJECTS = 1000
_OTHER_CONDITIONS = ("x-amz-if-match-last-modified-time", "x-amz-if-match-size")


def delete_object(storage: Storage, request: S3Request) -> Response:
    """DELETE /{bucket}/{key}: an object or a version that does not exist counts as deleted."""
    etags = deletion_conditions(request.headers)
    _check_conditions(request.headers.get("if-match"), (name for name in _OTHER_CONDITIONS if name in request.headers))
    version_id = request.version_id
    if version_id is not None and storage.features.has_versions:
        deleted = _delete_version(storage, request, request.name, version_id, etags)
        return Response(204, (*_marker(deleted), ("x-amz-version-id", version_id)), content_type=XML)
    if version_id not in (None, UNVERSIONED):
        raise no_such_version()
    marker = None
    try:
        marker = moving.delete(storage, request.context, request.name, etags=etags)
    except NoSuchObject:
        if etags is not None:
            raise
        _check_bucket(storage, request)
    headers = (*_marker(is_marker=True), ("x-amz-version-id", marker)) if marker is not None else ()
    return Response(204, headers, content_type=XML)


def _delete_version(
    storage: Storage, request: S3Request, name: ObjectName, version_id: str, etags: tuple[str, ...] | None
) -> bool:
    """Delete a version that has one of these entity tags; returns whether it was a delete marker. Raises
    PreconditionFailed."""
    try:
        if etags:
            # A version never has another entity tag.
            found, _ = versions.find(storage, request.context, name, version_id)
            if found.entity_tag not in etags:
                raise PreconditionFailed
        return versions.delete(storage, request.context, name, version_id).was_marker
    except IsDeleteMarker:
        raise PreconditionFailed from None
    except NoSuchVersion:
        _check_bucket(storage, request)
        return False


def _marker(is_marker: bool) -> Headers:
    return (("x-amz-delete-marker", "true"),) if is_marker else ()


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
    has_versions = storage.features.has_versions
    current = [each for each in entries if each.version is None or (each.version == UNVERSIONED and not has_versions)]
    results: dict[_Entry, S3Error | str | None] = {
        each: _delete_conditionally(storage, request, each) for each in current if each.etag
    }
    keys = [each.key for each in current if not each.etag]
    deleted = moving.delete_many(storage, request.context, request.bucket, keys, NOTHING)
    for each in current:
        if not each.etag:
            results[each] = access_denied() if each.key in deleted.kept else deleted.markers.get(each.key)
    for each in entries:
        if each not in current:
            results[each] = _delete_listed(storage, request, each) if has_versions else no_such_version()
    elements = [_result(each, results[each]) for each in entries]
    return xml_response("DeleteResult", *(each for each in elements if not quiet or each[0] == "Error"))


class _Entry(NamedTuple):
    """An object to delete. ``version``: the id of a version; None for the current one. ``etag`` is the required entity
    tag, '' for none."""

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


def _delete_conditionally(storage: Storage, request: S3Request, entry: _Entry) -> S3Error | str | None:
    """Delete the object if it has the entry's entity tag. Returns the id of the delete marker, or the error if it is
    not deleted."""
    etags = deletion_conditions({"if-match": entry.etag})
    try:
        return moving.delete(storage, request.context, ObjectName(request.bucket, entry.key), etags=etags)
    except StorageError as ex:
        return as_s3_error(ex)


def _delete_listed(storage: Storage, request: S3Request, entry: _Entry) -> S3Error | str | None:
    """Delete the version of an entry. Returns its id if it was a delete marker, or the error if it is not deleted."""
    etags = deletion_conditions({"if-match": entry.etag}) if entry.etag else None
    try:
        name, version_id = ObjectName(request.bucket, entry.key), entry.version or ""
        return version_id if _delete_version(storage, request, name, version_id, etags) else None
    except StorageError as ex:
        return as_s3_error(ex)


def _result(entry: _Entry, result: S3Error | str | None) -> Element:
    """The element for an entry. ``result``: an error, or the id of a delete marker that was made or deleted."""
    named: list[Element] = [("Key", entry.key), ("VersionId", entry.version)]
    if isinstance(result, S3Error):
        return "Error", [*named, ("Code", result.code), ("Message", result.message)]
    if result is None:
        return "Deleted", named
    return "Deleted", [*named, ("DeleteMarker", True), ("DeleteMarkerVersionId", result)]


def _check_bucket(storage: Storage, request: S3Request) -> None:
    """Raise NoSuchBucket for the service role if there is none. Other roles do not learn which buckets exist."""
    check_bucket_name(request.bucket)
    if request.context.role == SERVICE_ROLE and find_bucket(storage, request.context, request.bucket) is None:
        raise NoSuchBucket
