"""Deletes, copies and moves objects."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from app.faces.rest.json_bodies import Member, read_json_object, refuse_empty_json
from app.faces.rest.projections import RECORD
from app.faces.rest.request import RestRequest, json_response
from app.faces.rest.versions import VERSION_ID, refuse_version
from app.faces.shared.errors import InvalidRequest
from app.faces.shared.object_headers import ENCODING, encoding_to_store
from app.faces.shared.upload_body import header_metadata, header_tags
from app.faces.shared.write_conditions import deletion_conditions
from app.http.response import Response
from app.storage import moving, versions
from app.storage.content_types import check_content_type
from app.storage.names import check_bucket_name, check_key
from app.storage.records import Described, ObjectName
from app.storage.row_decoding import known
from app.storage.storage import Storage

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_CHANGEABLE = "cacheControl", "mimetype", ENCODING
"""The file metadata that a copy can change."""
PREFIXES = (Member("prefixes", "strings", required=True, least=1, most=1000),)
NAMES = (
    Member("bucketId", "string", required=True),
    Member("sourceKey", "string", required=True),
    Member("destinationKey", "string", required=True),
    Member("destinationBucket", "string"),
    Member("sourceVersionId", "string"),
)
COPY = (
    *NAMES,
    Member("metadata", "object", members=tuple(Member(name, "string") for name in _CHANGEABLE)),
    Member("copyMetadata", "boolean", default=True),
)


def delete_object(storage: Storage, request: RestRequest) -> Response:
    """DELETE /object/{bucket}/{key}; with ``versionId`` a version for good, or a delete marker, which brings the object
    back."""
    refuse_empty_json(request)
    version_id = request.query.get(VERSION_ID)
    if version_id:
        versions.delete(storage, request.context, request.name, version_id)
        return json_response({"message": "Successfully deleted"})
    moving.delete(storage, request.context, request.name, etags=deletion_conditions(request.headers))
    return json_response({"message": "Successfully deleted"})


def delete_objects(storage: Storage, request: RestRequest) -> Response:
    """DELETE /object/{bucket}: the keys in ``prefixes``, except those that are missing or may not be deleted."""
    keys: list[str] = read_json_object(request, PREFIXES)["prefixes"]
    deleted = moving.delete_many(storage, request.context, request.bucket, keys, RECORD)
    return Response(body=b"[" + b",".join(map(known, deleted.projected)) + b"]")


def copy_object(storage: Storage, request: RestRequest) -> Response:
    """POST /object/copy"""
    body = read_json_object(request, COPY)
    source, target = _names(storage, body)

    def describe(found: Described, _: float) -> Described:
        if body["copyMetadata"]:
            return found
        metadata = {**found.metadata, **_changed(body.get("metadata") or {})}
        if not metadata.get(ENCODING):
            metadata.pop(ENCODING, None)
        return Described(metadata, header_metadata(request.headers) or {}, header_tags(request.headers))

    copied = moving.copy(
        storage,
        request.context,
        source,
        target,
        upsert=request.upsert,
        describe=describe,
        projection=RECORD,
        version_id=body.get("sourceVersionId") or None,
    )
    record: dict[str, Any] = json.loads(copied)
    return json_response({"Key": f"{target.bucket}/{target.key}", "Id": record["id"], **record})


def move_object(storage: Storage, request: RestRequest) -> Response:
    """POST /object/move"""
    body = read_json_object(request, NAMES)
    refuse_version(body.get("sourceVersionId"))
    source, target = _names(storage, body)
    moving.move(storage, request.context, source, target)
    return json_response({"message": "Successfully moved"})


def _changed(metadata: Mapping[str, str]) -> dict[str, str]:
    """The file metadata that replaces the source's in a copy. It becomes response headers, so it is checked.

    An empty value has an effect only for the encoding: it removes the encoding.
    """
    if _CONTROL.search(metadata.get("cacheControl", "")):
        raise InvalidRequest("body/metadata/cacheControl must not have control characters")
    check_content_type(metadata.get("mimetype", ""))
    changed = {name: value for name, value in metadata.items() if value}
    if ENCODING in metadata:
        changed[ENCODING] = encoding_to_store(metadata[ENCODING], f"body/metadata/{ENCODING}")
    return changed


def _names(storage: Storage, body: dict[str, Any]) -> tuple[ObjectName, ObjectName]:
    """The source and the target. Raises InvalidBucketName or InvalidKey."""
    bucket = check_bucket_name(body["bucketId"])
    target_bucket = check_bucket_name(body.get("destinationBucket") or bucket)
    any_script = storage.any_script
    source = ObjectName(bucket, check_key(body["sourceKey"], any_script=any_script))
    return source, ObjectName(target_bucket, check_key(body["destinationKey"], any_script=any_script))
