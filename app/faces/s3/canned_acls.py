"""Canned access control lists, with which clients create buckets and objects.

The database's policies decide the callers' rights, and a setting of the bucket decides whether it is public. A list
that agrees with them is accepted. A list that grants more is refused, because it would have no effect.
"""

from __future__ import annotations

from app.faces.s3.errors import invalid_argument, not_implemented
from app.faces.s3.objects import find_object
from app.faces.s3.request import S3Request
from app.faces.s3.xml_writing import XML
from app.http.response import Response
from app.storage import buckets
from app.storage.errors import NoSuchBucket
from app.storage.storage import Storage

ACL = "x-amz-acl"
"""The header with the name of a list."""

_PUBLIC = "public-read"
_PRIVATE = frozenset({"", "private", "bucket-owner-full-control", "bucket-owner-read"})
_IS_PUBLIC = "pg_catalog.to_json(coalesce(b.public, false))"
_UNSUPPORTED = frozenset({"public-read-write", "authenticated-read", "aws-exec-read", "log-delivery-write"})


def grants_public_reads(given: str) -> bool:
    """Whether the list lets everyone read, and nothing else. Raises S3Error for a list that grants anything else."""
    if given in _UNSUPPORTED:
        raise not_implemented(f"{ACL}: {given}")
    if given not in _PRIVATE and given != _PUBLIC:
        raise invalid_argument(f"{ACL} has no such value: {given[:100]}")
    return given == _PUBLIC


def check_object_acl(storage: Storage, request: S3Request, given: str) -> None:
    """Raise S3Error for a list that grants public reads in a bucket that is not public or not visible to the caller."""
    if grants_public_reads(given) and not _is_public(storage, request):
        raise not_implemented(f"{ACL}: {_PUBLIC} in a bucket that is not public")


def _is_public(storage: Storage, request: S3Request) -> bool:
    try:
        return buckets.get(storage, request.context, request.bucket, _IS_PUBLIC) == b"true"
    except NoSuchBucket:
        return False


def put_bucket_acl(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}?acl: changes nothing, and accepts a list that describes the bucket as it is."""
    given = _list_of(request)
    is_public = buckets.get(storage, request.context, request.bucket, _IS_PUBLIC) == b"true"
    if grants_public_reads(given) != is_public:
        raise not_implemented(f"{ACL}: {given}; the bucket's setting public decides")
    return Response(content_type=XML)


def put_object_acl(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}/{key}?acl: the same for an object."""
    given = _list_of(request)
    find_object(storage, request)
    check_object_acl(storage, request, given)
    return Response(content_type=XML)


def _list_of(request: S3Request) -> str:
    """The name of the list. Raises S3Error for a list that is written out in the body."""
    given = request.headers.get(ACL, "")
    if not given:
        raise not_implemented("an AccessControlPolicy; policies of the database decide who may do what")
    return given
