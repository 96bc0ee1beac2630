"""Signed uploads whose bytes go from the client to the backend, without passing the service."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.faces.rest.errors import invalid_request
from app.faces.rest.request import RestRequest, json_response
from app.faces.rest.router import Route
from app.faces.rest.signed_urls import in_url, signer_of, verified
from app.faces.shared.signing import COMPLETE, UPLOAD, Signer
from app.faces.shared.upload_body import read_upload
from app.faces.shared.write_conditions import write_conditions
from app.http.response import Response
from app.storage.errors import TooLarge
from app.storage.storage import Storage
from app.storage.unfinished.direct import begin, complete
from app.storage.unfinished.records import NewUpload

_LENGTH = "upload-length"
_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)


def begin_direct(storage: Storage, request: RestRequest) -> Response:
    """POST /upload/direct/{bucket}/{key}?token=...: begin a signed upload; returns the URL for its bytes.

    The request has the headers of an ordinary upload, the length in ``Upload-Length``, and no body.
    """
    claims, request = verified(storage, request, UPLOAD)
    context = signer_of(storage, request, claims)
    new = _new_upload(storage, request, upsert=claims.get("upsert") is True)
    upload, link, link_lifetime_s = begin(storage, context, new)
    signer = Signer(storage.signing_secret)
    claims_of_completion = {
        "url": f"{request.bucket}/{request.key}",
        "scope": COMPLETE,
        "signer": claims.get("signer"),
        "upload": signer.seal({"id": upload.id}),
    }
    token = signer.sign(claims_of_completion, lifetime_s=storage.settings.signed_upload_s)
    response: Mapping[str, Any] = {
        "url": link.url,
        "method": "PUT",
        "headers": link.headers,
        "expiresIn": link_lifetime_s,
        "completeURL": f"/upload/complete/{in_url(request.bucket)}/{in_url(request.key)}?token={token}",
    }
    return json_response(response)


def complete_direct(storage: Storage, request: RestRequest) -> Response:
    """POST /upload/complete/{bucket}/{key}?token=...: the uploaded bytes become the object."""
    claims, request = verified(storage, request, COMPLETE)
    upload = Signer(storage.signing_secret).unseal(claims.get("upload"))
    complete(storage, signer_of(storage, request, claims), upload["id"])
    return json_response({"Key": f"{request.bucket}/{request.key}"})


def _new_upload(storage: Storage, request: RestRequest, *, upsert: bool) -> NewUpload:
    if request.length:
        raise invalid_request("A direct upload begins with a request without a body")
    length = request.headers.get(_LENGTH)
    if length is None or not _WHOLE_NUMBER.fullmatch(length):
        raise invalid_request(f"headers/{_LENGTH} must be the length of the object in bytes")
    size = int(length)
    if size > storage.settings.upload_size_limit:
        raise TooLarge
    etags, must_be_new = write_conditions(request.headers)
    if etags is not None:
        raise invalid_request("headers/if-match is not supported for a direct upload")
    content = read_upload(request.headers, request.body, size)
    return NewUpload(
        kind="appended",
        name=request.name,
        upsert=upsert and not must_be_new,
        metadata={"mimetype": content.mime_type, "cacheControl": content.caching, **content.more_metadata},
        user_metadata=content.user_metadata or {},
        length=size,
        notes={},
        lifetime_s=storage.settings.signed_upload_s,
        tags=content.tags,
    )


ROUTES: tuple[Route, ...] = (
    Route("POST", "/upload/direct/{bucket}/*", begin_direct, "storage.object.upload_signed", "ignored"),
    Route("POST", "/upload/complete/{bucket}/*", complete_direct, "storage.object.upload_signed", "ignored"),
)
