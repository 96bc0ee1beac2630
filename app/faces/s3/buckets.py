"""The operations on buckets."""

from __future__ import annotations

import json
from typing import Any

from app.faces.s3.canned_acls import ACL, grants_public_reads
from app.faces.s3.errors import S3Error, access_denied, not_implemented
from app.faces.s3.request import S3Request
from app.faces.s3.xml_writing import XML, Element, xml_response
from app.http.response import Response
from app.storage import buckets
from app.storage.buckets import BucketSettings
from app.storage.errors import BucketExists, NoSuchBucket
from app.storage.names import check_bucket_name
from app.storage.sql import time_text
from app.storage.storage import Storage

_MAX_BUCKETS = 10_000
_EXISTS = "pg_catalog.to_json(b.id)"
_EXPECTED_OWNERS = ("x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner")
_OWNERSHIP = "x-amz-object-ownership"
_LOCKS = "x-amz-bucket-object-lock-enabled"
_BUCKETS = f"""coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(b.id, {time_text("b.created_at")})), '[]')"""


def list_buckets(storage: Storage, request: S3Request) -> Response:
    """GET /: the buckets that the caller may see, by name; in pages if the request wants pages."""
    rows: list[Any] = json.loads(buckets.get_all(storage, request.context, _BUCKETS, column="id"))
    prefix, after = request.query.get("prefix", ""), request.query.get("continuation-token", "")
    allowed = request.allowed_buckets
    found = [
        (name, created)
        for name, created in sorted(rows)
        if name.startswith(prefix) and name > after and (allowed is None or name in allowed)
    ]
    most = request.number("max-buckets", _MAX_BUCKETS, least=1, most=_MAX_BUCKETS)
    given = found[:most]
    return xml_response(
        "ListAllMyBucketsResult",
        ("Owner", owner(request)),
        ("Buckets", [("Bucket", [("Name", name), ("CreationDate", created)]) for name, created in given]),
        ("ContinuationToken", given[-1][0] if len(found) > most else None),
        ("Prefix", prefix or None),
    )


def owner(request: S3Request) -> list[Element]:
    """The elements of the owner. S3 requires one for every bucket and object; here it is the caller."""
    name = str(request.context.subject or request.context.role)
    return [("ID", name), ("DisplayName", name)]


def check_expected_owners(request: S3Request) -> None:
    """Raise S3Error if the request expects a bucket to belong to an account other than its caller."""
    identifier = str(owner(request)[0][1])
    if any(request.headers.get(name, identifier) != identifier for name in _EXPECTED_OWNERS):
        raise access_denied(f"The buckets of this caller belong to {identifier}, not to the expected owner")


def create_bucket(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}; the body, which could name a region, is ignored."""
    name = check_bucket_name(request.bucket)
    if request.headers.get(_LOCKS, "").lower() == "true":
        raise not_implemented(_LOCKS)
    if request.headers.get(_OWNERSHIP, "BucketOwnerEnforced") != "BucketOwnerEnforced":
        raise not_implemented(_OWNERSHIP)
    public = grants_public_reads(request.headers.get(ACL, ""))
    try:
        buckets.create(storage, request.context, name, name, BucketSettings(public=public))
    except BucketExists:
        # Clients accept this error for a bucket of their own and continue.
        _check_own(storage, request)
        raise
    return Response(headers=(("location", f"/{name}"),), content_type=XML)


def head_bucket(storage: Storage, request: S3Request) -> Response:
    """HEAD /{bucket}"""
    check_visible(storage, request)
    return Response(headers=(("x-amz-bucket-region", request.settings.s3_protocol_region),), content_type=XML)


def delete_bucket(storage: Storage, request: S3Request) -> Response:
    """DELETE /{bucket}"""
    buckets.delete(storage, request.context, request.bucket)
    return Response(204, content_type=XML)


def get_location(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}?location; S3 has an empty name for the region us-east-1."""
    check_visible(storage, request)
    region = request.settings.s3_protocol_region
    return xml_response("LocationConstraint", text="" if region == "us-east-1" else region)


def _check_own(storage: Storage, request: S3Request) -> None:
    """Raise S3Error if the caller may not see the bucket."""
    try:
        check_visible(storage, request)
    except NoSuchBucket:
        message = "The requested bucket name is not available. Choose another one."
        raise S3Error("BucketAlreadyExists", 409, message) from None


def check_visible(storage: Storage, request: S3Request) -> None:
    """Raise NoSuchBucket unless the caller may see the bucket."""
    buckets.get(storage, request.context, request.bucket, _EXISTS)
