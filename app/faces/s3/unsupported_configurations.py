"""Configurations of buckets and objects that this service does not support.

Reading one gives the response that S3 gives without a configuration, so that clients that check for it continue.
Writing one is refused. It must never be taken for the operation without the name in the query, which would overwrite an
object with the configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.faces.s3.buckets import check_visible, owner
from app.faces.s3.errors import S3Error, not_implemented
from app.faces.s3.objects import find_object
from app.faces.s3.request import S3Request
from app.faces.s3.xml_writing import XML, Element, document
from app.http.response import Response
from app.storage.buckets import find_bucket
from app.storage.storage import Storage

_MISSING: Mapping[str, tuple[str, str]] = {
    "policy": ("NoSuchBucketPolicy", "The bucket policy does not exist"),
    "policyStatus": ("NoSuchBucketPolicy", "The bucket policy does not exist"),
    "encryption": (
        "ServerSideEncryptionConfigurationNotFoundError",
        "The server side encryption configuration was not found",
    ),
    "object-lock": (
        "ObjectLockConfigurationNotFoundError",
        "Object Lock configuration does not exist for this bucket",
    ),
    "website": ("NoSuchWebsiteConfiguration", "The specified bucket does not have a website configuration"),
    "replication": ("ReplicationConfigurationNotFoundError", "The replication configuration was not found"),
    "publicAccessBlock": (
        "NoSuchPublicAccessBlockConfiguration",
        "The public access block configuration was not found",
    ),
    "ownershipControls": ("OwnershipControlsNotFoundError", "The bucket ownership controls were not found"),
}

_GRANTEE = 'Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"'
_GROUP = _GRANTEE.replace("CanonicalUser", "Group")
_ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"


def _acl(storage: Storage, request: S3Request) -> bytes:
    """The access control list that describes whether the bucket is public."""
    grants: list[Element] = [("Grant", [(_GRANTEE, owner(request)), ("Permission", "FULL_CONTROL")])]
    bucket = find_bucket(storage, request.context, request.bucket)
    if bucket is not None and bucket.public:
        grants.insert(0, ("Grant", [(_GROUP, [("URI", _ALL_USERS)]), ("Permission", "READ")]))
    return document("AccessControlPolicy", ("Owner", owner(request)), ("AccessControlList", grants))


_EMPTY: Mapping[str, Callable[[Storage, S3Request], bytes]] = {
    "acl": _acl,
    "logging": lambda *_: document("BucketLoggingStatus"),
    "notification": lambda *_: document("NotificationConfiguration"),
    "accelerate": lambda *_: document("AccelerateConfiguration"),
    "requestPayment": lambda *_: document("RequestPaymentConfiguration", ("Payer", "BucketOwner")),
}

NAMES = frozenset({
    *_MISSING, *_EMPTY,
    "analytics", "attributes", "delete", "intelligent-tiering", "inventory", "legal-hold", "location", "metadataTable",
    "metrics", "object-lock", "ownershipControls", "partNumber", "policyStatus", "renameObject", "restore", "retention",
    "select", "session", "tagging", "torrent", "uploadId", "uploads", "versioning", "versions",
})  # fmt: skip
"""The names in a query with which S3 means a resource other than the bucket or the object itself."""


def configuration_response(storage: Storage, request: S3Request, name: str) -> Response:
    """The response to a request for a configuration. Raises S3Error."""
    if request.method not in ("GET", "HEAD"):
        if request.method == "DELETE" and name in _MISSING:
            return Response(204, content_type=XML)
        raise not_implemented(name)
    if request.key:
        find_object(storage, request)
    elif request.bucket:
        check_visible(storage, request)
    if name in _EMPTY:
        return Response(body=_EMPTY[name](storage, request), content_type=XML)
    if name in _MISSING:
        code, message = _MISSING[name]
        raise S3Error(code, 404, message)
    raise not_implemented(name)
