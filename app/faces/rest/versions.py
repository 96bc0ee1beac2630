"""Versions of objects in this API: the id of a version in requests, the status of a bucket, and listings."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any, cast

from app.faces.rest.errors import RestError, invalid_request
from app.faces.rest.request import RestRequest, json_response
from app.http.response import Response
from app.storage import versions
from app.storage.bucket_configurations import VersioningStatus
from app.storage.errors import InvalidValue
from app.storage.names import BEYOND, successor
from app.storage.storage import Storage
from app.storage.versions import ListedKinds, ListedVersion

VERSIONS = ("exclude", "include", "only")
"""The ways in which a request for a listing can treat versions that are not current."""

VERSION_ID = "versionId"
"""The parameter, or the member of a body, with the id of a version."""

_STATUSES = ("DISABLED", "ENABLED", "SUSPENDED")
_LARGEST_PAGE = 1000
_CURSOR = "continuation token"


def refuse_version(version: str | None) -> None:
    """Raise RestError if the request has the id of a version: this route has only the current one."""
    if version:
        raise RestError("FeatureNotEnabled", 400, "This route serves the current version of an object only")


def versioning_of(body: Mapping[str, Any]) -> VersioningStatus | None:
    """The versioning status in a body; None without one. Raises RestError."""
    status = body.get("versioning_status")
    if not status:
        return None
    if status not in _STATUSES:
        raise invalid_request(f"body/versioning_status must be equal to one of the allowed values: {_STATUSES}")
    return cast(VersioningStatus, status)


def lists_versions(body: Mapping[str, Any]) -> bool:
    """Whether a listing wants versions that are not current, or delete markers."""
    return (body["noncurrentVersions"], body["deleteMarkers"]) != ("exclude", "exclude")


def list_versions(storage: Storage, request: RestRequest, body: Mapping[str, Any]) -> Response:
    """A listing of versions by key, the newest first, in pages by cursor."""
    if body["with_delimiter"] or body["sortBy"].get("column", "name") != "name":
        raise invalid_request("versions are listed by name, without a delimiter")
    limit = min(body["limit"], _LARGEST_PAGE)
    prefix: str = body["prefix"].replace("\0", "")
    # No key contains NUL, so the key itself is the only one before this bound.
    upper = prefix + "\x01" if body["exactMatch"] else successor(prefix) or BEYOND
    after = _decode(body["cursor"]) if body.get("cursor") else None
    found = versions.list_versions(
        storage, request.context, request.bucket, prefix, upper, limit + 1, after, _kinds(body)
    )
    page = found[:limit]
    answer: dict[str, Any] = {"hasNext": len(found) > limit, "folders": [], "objects": [_entry(each) for each in page]}
    if len(found) > limit:
        answer["nextCursor"] = _encode(page[-1])
    return json_response(answer)


def _kinds(body: Mapping[str, Any]) -> ListedKinds:
    noncurrent, markers = body["noncurrentVersions"], body["deleteMarkers"]
    takes_current = "only" not in (noncurrent, markers)
    return ListedKinds(takes_current, noncurrent != "exclude", markers != "exclude")


def _entry(version: ListedVersion) -> dict[str, Any]:
    return {
        "name": version.key,
        "versionId": version.version_id,
        "isLatest": version.is_latest,
        "isDeleteMarker": version.is_delete_marker,
        "updated_at": version.modified,
        "owner_id": version.owner_id,
        "metadata": None if version.is_delete_marker else version.metadata,
    }


def _encode(last: ListedVersion) -> str:
    return base64.b64encode(json.dumps([last.key, last.number]).encode()).decode()


def _decode(cursor: str) -> tuple[str, int]:
    """The key and the number in a cursor that ``_encode`` made. Raises InvalidValue."""
    try:
        key, number = json.loads(base64.b64decode(cursor, validate=True))
    except (binascii.Error, ValueError, TypeError):
        raise InvalidValue(_CURSOR) from None
    if not isinstance(key, str) or not isinstance(number, int) or not 0 <= number < 2**63:
        raise InvalidValue(_CURSOR)
    return key, number
