"""Uploads with the caller's own rights."""

from __future__ import annotations

from app.faces.rest.request import RestRequest, json_response
from app.faces.shared.upload_body import check_declared, read_upload
from app.faces.shared.write_conditions import write_conditions
from app.http.response import Response
from app.storage import writing
from app.storage.errors import PreconditionFailed
from app.storage.permission_trial import Write
from app.storage.request_context import RequestContext
from app.storage.storage import Storage
from app.storage.upkeep.events import CREATED_POST, CREATED_PUT


def create_object(storage: Storage, request: RestRequest) -> Response:
    """POST /object/{bucket}/{key}: create an object; with ``x-upsert: true`` it may replace an existing one."""
    return upload(storage, request, request.context, upsert=request.upsert, event=CREATED_POST)


def put_object(storage: Storage, request: RestRequest) -> Response:
    """PUT /object/{bucket}/{key}: create or replace an object."""
    return upload(storage, request, request.context, upsert=True, event=CREATED_PUT)


def upload(
    storage: Storage,
    request: RestRequest,
    context: RequestContext,
    *,
    upsert: bool,
    event: str,
    takes_entity_tags: bool = True,
) -> Response:
    """Store the body as the caller of ``context``. Raises PreconditionFailed for entity tags that are not taken."""
    check_declared(request.headers)
    content = read_upload(request.headers, request.body, request.length)
    etags, must_be_new = write_conditions(request.headers)
    if etags is not None and not takes_entity_tags:
        raise PreconditionFailed
    write = Write(
        name=request.name,
        upsert=upsert and not must_be_new,
        owner=context.subject,
        user_metadata=content.user_metadata or {},
        event=event,
        etags=etags,
        must_be_new=must_be_new,
        tags=content.tags,
    )
    identifier = writing.put(storage, context, write, content).id
    return json_response({"Key": f"{request.bucket}/{request.key}", "Id": identifier})
