"""Buckets."""

from __future__ import annotations

import json
from typing import Any

from app.faces.s3.call import S3Call
from app.faces.s3.canned_acls import ACL, grants_public_reads
from app.faces.s3.elements import XML, Element, document, text_document
from app.faces.s3.errors import S3Error, access_denied, not_implemented
from app.http.response import Answer
from app.storage import buckets
from app.storage.buckets import BucketSettings
from app.storage.errors import BucketExists, NoSuchBucket
from app.storage.names import check_bucket_name
from app.storage.sql import time_text
from app.storage.storage import Storage

_MOST = 10_000
_EXISTS = "pg_catalog.to_json(b.id)"
_EXPECTED_OWNERS = ("x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner")
_OWNERSHIP = "x-amz-object-ownership"
_LOCKS = "x-amz-bucket-object-lock-enabled"
_BUCKETS = f"""coalesce(pg_catalog.json_agg(pg_catalog.json_build_array(b.id, {time_text("b.created_at")})), '[]')"""


def list_buckets(storage: Storage, call: S3Call) -> Answer:
    """GET /: the buckets that the caller may see, by name; in pages where it asks for pages."""
    rows: list[Any] = json.loads(buckets.get_all(storage, call.asker, _BUCKETS, column="id"))
    prefix, after = call.query.get("prefix", ""), call.query.get("continuation-token", "")
    allowed = call.allowed_buckets
    found = [
        (name, created)
        for name, created in sorted(rows)
        if name.startswith(prefix) and name > after and (allowed is None or name in allowed)
    ]
    most = call.number("max-buckets", _MOST, least=1, most=_MOST)
    given = found[:most]
    body = document(
        "ListAllMyBucketsResult",
        ("Owner", owner(call)),
        ("Buckets", [("Bucket", [("Name", name), ("CreationDate", created)]) for name, created in given]),
        ("ContinuationToken", given[-1][0] if len(found) > most else None),
        ("Prefix", prefix or None),
    )
    return Answer(body=body, content_type=XML)


def owner(call: S3Call) -> list[Element]:
    """The caller, whom this protocol calls the owner of everything."""
    name = str(call.asker.subject or call.asker.role)
    return [("ID", name), ("DisplayName", name)]


def check_expected_owners(call: S3Call) -> None:
    """Raise S3Error where the request expects a bucket to belong to somebody else than its caller."""
    identifier = str(owner(call)[0][1])
    if any(call.headers.get(name, identifier) != identifier for name in _EXPECTED_OWNERS):
        raise access_denied(f"The buckets of this caller belong to {identifier}, not to the expected owner")


def create_bucket(storage: Storage, call: S3Call) -> Answer:
    """PUT /{bucket}; the body, which could name a region, is ignored."""
    name = check_bucket_name(call.bucket)
    if call.headers.get(_LOCKS, "").lower() == "true":
        raise not_implemented(_LOCKS)
    if call.headers.get(_OWNERSHIP, "BucketOwnerEnforced") != "BucketOwnerEnforced":
        raise not_implemented(_OWNERSHIP)
    public = grants_public_reads(call.headers.get(ACL, ""))
    try:
        buckets.create(storage, call.asker, name, name, BucketSettings(public=public))
    except BucketExists:
        # Clients go on with a bucket of their own.
        _check_own(storage, call)
        raise
    return Answer(headers=(("location", f"/{name}"),), content_type=XML)


def head_bucket(storage: Storage, call: S3Call) -> Answer:
    """HEAD /{bucket}"""
    check_visible(storage, call)
    return Answer(headers=(("x-amz-bucket-region", call.settings.region),), content_type=XML)


def delete_bucket(storage: Storage, call: S3Call) -> Answer:
    """DELETE /{bucket}"""
    buckets.delete(storage, call.asker, call.bucket)
    return Answer(204, content_type=XML)


def get_location(storage: Storage, call: S3Call) -> Answer:
    """GET /{bucket}?location; S3 calls the region us-east-1 nothing."""
    check_visible(storage, call)
    region = call.settings.region
    body = text_document("LocationConstraint", "" if region == "us-east-1" else region)
    return Answer(body=body, content_type=XML)


def get_versioning(storage: Storage, call: S3Call) -> Answer:
    """GET /{bucket}?versioning: it was never enabled, which has no status."""
    check_visible(storage, call)
    return Answer(body=document("VersioningConfiguration"), content_type=XML)


def _check_own(storage: Storage, call: S3Call) -> None:
    """Raise S3Error if the bucket is one that the caller may not see."""
    try:
        check_visible(storage, call)
    except NoSuchBucket:
        message = "The requested bucket name is not available. Choose another one."
        raise S3Error("BucketAlreadyExists", 409, message) from None


def check_visible(storage: Storage, call: S3Call) -> None:
    """Raise NoSuchBucket unless the caller may see the bucket."""
    buckets.get(storage, call.asker, call.bucket, _EXISTS)
