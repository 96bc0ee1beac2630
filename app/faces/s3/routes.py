"""Finds the operation of a request, by its method, by the names in its query, and by whether it has a bucket and a
key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from app.faces.s3 import (
    bucket_cors,
    buckets,
    canned_acls,
    deleting,
    lifecycle,
    listing,
    multipart,
    objects,
    tagging,
    uploads,
    versioning,
    versions_listing,
)
from app.faces.s3 import form_uploads as forms
from app.faces.s3 import unsupported_configurations as unsupported
from app.faces.s3.errors import method_not_allowed, preflight_refused
from app.faces.s3.request import S3Request
from app.faces.s3.uploads_listing import list_multipart_uploads
from app.faces.shared.upload_body import media_type
from app.http.response import Response
from app.storage.storage import Storage

ResourceKind = Literal["service", "bucket", "object"]
RunOperation = Callable[[Storage, S3Request], Response]


@dataclass(frozen=True, slots=True)
class S3Operation:
    """An operation. ``names``: the required names in the query. ``copies``: whether the request names an object to
    copy. ``name``: the result of ``storage.operation()`` in policies. ``takes_object``: whether the body is an object
    to store. ``is_public``: whether the request may be unsigned. ``is_form``: whether the signature is in the body.
    ``joins_parts``: whether a checksum in the headers is that of the new object, and not of the body.
    ``takes_version``: whether the request may name a version of the object."""

    method: str
    kind: ResourceKind
    run: RunOperation
    name: str
    names: frozenset[str] = frozenset()
    copies: bool = False
    takes_object: bool = False
    is_public: bool = False
    is_form: bool = False
    joins_parts: bool = False
    takes_version: bool = False


def _operation(method: str, kind: ResourceKind, names: str, run: RunOperation, name: str, **more: bool) -> S3Operation:
    return S3Operation(method, kind, run, f"storage.s3.{name}", frozenset(names.split()), **more)


OPERATIONS: tuple[S3Operation, ...] = (
    _operation("GET", "service", "", buckets.list_buckets, "bucket.list"),
    _operation("PUT", "bucket", "", buckets.create_bucket, "bucket.create"),
    _operation("HEAD", "bucket", "", buckets.head_bucket, "bucket.get"),
    _operation("DELETE", "bucket", "", buckets.delete_bucket, "bucket.delete"),
    _operation("GET", "bucket", "location", buckets.get_location, "bucket.get_location"),
    _operation("GET", "bucket", "versioning", versioning.get_versioning, "bucket.get_versioning"),
    _operation("PUT", "bucket", "versioning", versioning.put_versioning, "bucket.put_versioning"),
    _operation("GET", "bucket", "cors", bucket_cors.get_cors, "bucket.get_cors"),
    _operation("PUT", "bucket", "cors", bucket_cors.put_cors, "bucket.put_cors"),
    _operation("DELETE", "bucket", "cors", bucket_cors.delete_cors, "bucket.delete_cors"),
    _operation("GET", "bucket", "lifecycle", lifecycle.get_lifecycle, "bucket.get_lifecycle"),
    _operation("PUT", "bucket", "lifecycle", lifecycle.put_lifecycle, "bucket.put_lifecycle"),
    _operation("DELETE", "bucket", "lifecycle", lifecycle.delete_lifecycle, "bucket.delete_lifecycle"),
    _operation("PUT", "bucket", "acl", canned_acls.put_bucket_acl, "bucket.put_acl"),
    _operation("PUT", "object", "acl", canned_acls.put_object_acl, "object.put_acl", takes_version=True),
    _operation("GET", "bucket", "versions", versions_listing.list_versions, "object.list_versions"),
    _operation("GET", "bucket", "list-type", listing.list_objects_v2, "object.list"),
    _operation("GET", "bucket", "", listing.list_objects, "object.list"),
    _operation("POST", "bucket", "delete", deleting.delete_objects, "object.delete_many"),
    _operation("GET", "object", "tagging", tagging.get_object_tagging, "object.get_tagging", takes_version=True),
    _operation("PUT", "object", "tagging", tagging.put_object_tagging, "object.put_tagging", takes_version=True),
    _operation(
        "DELETE", "object", "tagging", tagging.delete_object_tagging, "object.delete_tagging", takes_version=True
    ),
    _operation("GET", "bucket", "tagging", tagging.get_bucket_tagging, "bucket.get_tagging"),
    _operation("PUT", "bucket", "tagging", tagging.put_bucket_tagging, "bucket.put_tagging"),
    _operation("DELETE", "bucket", "tagging", tagging.delete_bucket_tagging, "bucket.delete_tagging"),
    _operation("GET", "object", "attributes", objects.get_attributes, "object.info", takes_version=True),
    _operation("GET", "object", "", objects.get_object, "object.get", is_public=True, takes_version=True),
    _operation("GET", "object", "partNumber", objects.get_object, "object.get", is_public=True, takes_version=True),
    _operation("HEAD", "object", "", objects.get_object, "object.info", is_public=True, takes_version=True),
    _operation("HEAD", "object", "partNumber", objects.get_object, "object.info", is_public=True, takes_version=True),
    _operation("PUT", "object", "", uploads.put_object, "upload", takes_object=True),
    _operation("PUT", "object", "", uploads.copy_object, "object.copy", copies=True),
    _operation("POST", "object", "uploads", multipart.create_upload, "upload.create_multipart"),
    _operation("PUT", "object", "partNumber uploadId", multipart.upload_part, "upload.part", takes_object=True),
    _operation("PUT", "object", "partNumber uploadId", multipart.copy_part, "upload.part_copy", copies=True),
    _operation("POST", "object", "uploadId", multipart.complete_upload, "upload.complete_multipart", joins_parts=True),
    _operation("DELETE", "object", "uploadId", multipart.abort_upload, "upload.abort_multipart"),
    _operation("GET", "object", "uploadId", multipart.list_upload_parts, "upload.list_parts"),
    _operation("GET", "bucket", "uploads", list_multipart_uploads, "upload.list_multipart"),
    _operation("DELETE", "object", "", deleting.delete_object, "object.delete", takes_version=True),
)

_POST_OBJECT = _operation("POST", "bucket", "", forms.post_object, "upload", takes_object=True, is_form=True)
_NAMES = unsupported.NAMES | {name for each in OPERATIONS for name in each.names}


def route(method: str, bucket: str, key: str, query: Mapping[str, str], headers: Mapping[str, str]) -> S3Operation:
    """The operation of a request. Raises S3Error if there is none."""
    if method == "OPTIONS":
        raise preflight_refused(headers)
    kind: ResourceKind = "object" if key else "bucket" if bucket else "service"
    names = frozenset(query) & _NAMES
    if (method, kind) == ("POST", "bucket") and not names and media_type(headers) == "multipart/form-data":
        return _POST_OBJECT
    copies = "x-amz-copy-source" in headers
    for each in OPERATIONS:
        if (each.method, each.kind, each.names) == (method, kind, names) and each.copies == (
            copies and method == "PUT"
        ):
            return each
    others = sorted(names - {"partNumber", "uploadId", "list-type"}) or sorted(names)
    if others:
        return S3Operation(
            method,
            kind,
            lambda storage, request: unsupported.configuration_response(storage, request, others[0]),
            "",
            takes_version=others == ["acl"],
        )
    raise method_not_allowed(method)
