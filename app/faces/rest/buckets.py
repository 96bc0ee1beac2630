"""The operations on buckets."""

from __future__ import annotations

import re
from typing import Any

from app.faces.rest import projections
from app.faces.rest.errors import RestError, invalid_request
from app.faces.rest.json_bodies import Member, check_object, ignore_body, read_json_object
from app.faces.rest.request import RestRequest, json_response
from app.faces.rest.size_limits import read_size_limit
from app.faces.rest.versions import versioning_of
from app.http.response import Response
from app.storage import buckets
from app.storage.bucket_rules import check_mime_types
from app.storage.buckets import BucketSettings
from app.storage.names import check_bucket_name
from app.storage.storage import Storage

SETTINGS = (
    Member("public", "boolean"),
    Member("file_size_limit", "any", nullable=True),
    Member("allowed_mime_types", "strings", nullable=True),
    Member("versioning_status", "string", nullable=True),
)
CREATE = (
    Member("name", "string", required=True),
    Member("id", "string"),
    *SETTINGS,
    Member("type", "string", among=("STANDARD", "ANALYTICS")),
)
LIST_BUCKETS = (
    Member("limit", "integer", least=1),
    Member("offset", "integer", least=0),
    Member("sortColumn", "string", among=("id", "name", "created_at", "updated_at")),
    Member("sortOrder", "string", among=("asc", "desc")),
    Member("search", "string"),
)

# Released clients with strict models refuse members that they do not know: "type", "versioning_status".
_OLD_CLIENT = re.compile(r"supabase-py/(?:storage3 v)?(\d+)\.(\d+)\.(\d+)")


def create_bucket(storage: Storage, request: RestRequest) -> Response:
    """POST /bucket"""
    body = read_json_object(request, CREATE)
    name = check_bucket_name(body["name"])
    identifier = check_bucket_name(body.get("id") or name)
    if body.get("type", "STANDARD") != "STANDARD":
        raise RestError("FeatureNotEnabled", 400, "Buckets of the type ANALYTICS are not offered")
    buckets.create(storage, request.context, identifier, name, _settings(storage, body))
    return json_response({"name": name})


def get_bucket(storage: Storage, request: RestRequest) -> Response:
    """GET /bucket/{id}"""
    projection = projections.bucket(versioned=_shows_versioning(storage, request))
    return Response(body=buckets.get(storage, request.context, request.bucket, projection))


def list_buckets(storage: Storage, request: RestRequest) -> Response:
    """GET /bucket: the buckets visible to the caller; the database filters, orders and pages them."""
    query = check_object(request.query, LIST_BUCKETS, "querystring")
    listed = buckets.get_all(
        storage,
        request.context,
        projections.buckets(typed=not _is_old_client(request), versioned=_shows_versioning(storage, request)),
        search=query.get("search"),
        column=query.get("sortColumn"),
        direction=query.get("sortOrder", "asc"),
        limit=query.get("limit"),
        offset=query.get("offset", 0),
    )
    return Response(body=listed)


def update_bucket(storage: Storage, request: RestRequest) -> Response:
    """PUT /bucket/{id}: null clears a limit; an absent member leaves the setting unchanged."""
    body = read_json_object(request, SETTINGS)
    if not body:
        raise invalid_request("body must match a schema in anyOf")
    buckets.update(storage, request.context, request.bucket, _settings(storage, body))
    return json_response({"message": "Successfully updated"})


def delete_bucket(storage: Storage, request: RestRequest) -> Response:
    """DELETE /bucket/{id}"""
    ignore_body(request)
    buckets.delete(storage, request.context, request.bucket)
    return json_response({"message": "Successfully deleted"})


def empty_bucket(storage: Storage, request: RestRequest) -> Response:
    """POST /bucket/{id}/empty: for service_role only."""
    # Checked before the body is read, so that other roles get this error regardless of the body.
    request.context.check_service_role()
    ignore_body(request)
    buckets.empty(storage, request.context, request.bucket)
    return json_response({"message": "Empty bucket has been queued. Completion may take up to an hour."})


def _settings(storage: Storage, body: dict[str, Any]) -> BucketSettings:
    types = body.get("allowed_mime_types")
    return BucketSettings(
        public=body.get("public", False),
        file_size_limit=read_size_limit(body.get("file_size_limit"), largest=storage.settings.upload_size_limit),
        allowed_mime_types=None if types is None else check_mime_types(types),
        given=frozenset(body),
        versioning=versioning_of(body),
    )


def _shows_versioning(storage: Storage, request: RestRequest) -> bool:
    """Whether buckets in responses have their versioning status."""
    return not _is_old_client(request) and storage.features.has_versions


def _is_old_client(request: RestRequest) -> bool:
    for header, first_new in (("x-client-info", (2, 18, 0)), ("user-agent", (0, 12, 1))):
        version = _OLD_CLIENT.search(request.headers.get(header) or "")
        if version and tuple(map(int, version.groups())) < first_new:
            return True
    return False
