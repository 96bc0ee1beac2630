"""Whether a bucket keeps versions of its objects."""

from __future__ import annotations

from app.faces.s3.errors import malformed_xml, not_implemented
from app.faces.s3.request import S3Request
from app.faces.s3.xml_reading import read_document, text_of
from app.faces.s3.xml_writing import XML, xml_response
from app.http.response import Response
from app.storage import bucket_configurations as configurations
from app.storage.storage import Storage

_MFA = "x-amz-mfa"


def get_versioning(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}?versioning: no status for a bucket whose versioning was never enabled."""
    status = configurations.versioning(storage, request.context, request.bucket)
    return xml_response("VersioningConfiguration", ("Status", None if status == "DISABLED" else status.capitalize()))


def put_versioning(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}?versioning"""
    root = read_document(request.document(), "VersioningConfiguration")
    if _MFA in request.headers or text_of(root, "MfaDelete") == "Enabled":
        raise not_implemented("MfaDelete")
    status = text_of(root, "Status")
    if status == "Enabled":
        configurations.set_versioning(storage, request.context, request.bucket, "ENABLED")
    elif status == "Suspended":
        configurations.set_versioning(storage, request.context, request.bucket, "SUSPENDED")
    else:
        raise malformed_xml("The Status is Enabled or Suspended")
    return Response(content_type=XML)
