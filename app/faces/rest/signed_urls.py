"""Signed URLs, which carry a permission to download or upload an object."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from app.faces.rest.credentials import required_signed_token
from app.faces.rest.downloads import serve
from app.faces.rest.json_bodies import Member, read_json_object
from app.faces.rest.request import RestRequest, json_response
from app.faces.rest.uploads import upload
from app.faces.rest.versions import refuse_version
from app.faces.shared.signing import DOWNLOAD, LATEST, UPLOAD, Signer, check_scope, signed_key
from app.faces.shared.upload_body import header_metadata
from app.http.response import Response
from app.identity import ANON, Caller
from app.storage.errors import InvalidValue, NoSuchObject
from app.storage.names import check_key
from app.storage.permissions import TriedWrite, try_write
from app.storage.reading import Reading, is_visible, visible_keys
from app.storage.records import ObjectName
from app.storage.request_context import RequestContext
from app.storage.storage import Storage
from app.storage.upkeep.events import CREATED_POST, CREATED_PUT

SIGN_UPLOAD = "storage.object.sign_upload_url"
"""The operation that policies see when an upload is signed."""

EXPIRES_IN = Member("expiresIn", "integer", required=True, least=1)
VERSION = Member("versionId", "string")
SIGN = (EXPIRES_IN, Member("transform", "object"), VERSION)
SIGN_MANY = (EXPIRES_IN, Member("paths", "strings", required=True, least=1, most=1000))
SIGN_UPLOAD_BODY = (Member("expiresIn", "integer", least=1),)
_ESCAPES = str.maketrans({character: quote(character, safe="") for character in "?#%"})
_NOT_VISIBLE = "Either the object does not exist or you do not have access to it"


def sign_object(storage: Storage, request: RestRequest) -> Response:
    """POST /object/sign/{bucket}/{key}: a URL with which anyone can read the object until it expires."""
    body = read_json_object(request, SIGN)
    refuse_version(body.get("versionId"))
    return signed_download(storage, request, lifetime_of(body))


def signed_download(
    storage: Storage,
    request: RestRequest,
    lifetime_s: int,
    path: str = "/object/sign",
    more_claims: Mapping[str, Any] = MappingProxyType({}),
) -> Response:
    """The response with a URL below ``path``, if the object is visible to the caller. Raises NoSuchObject."""
    check_key(request.key, any_script=storage.any_script)
    if not is_visible(storage, request.context, request.name):
        raise NoSuchObject
    return json_response({"signedURL": _signed_url(storage, request.name, lifetime_s, path, more_claims)})


def sign_objects(storage: Storage, request: RestRequest) -> Response:
    """POST /object/sign/{bucket}: URLs for several objects; those not visible to the caller get an error instead."""
    body = read_json_object(request, SIGN_MANY)
    lifetime = lifetime_of(body)
    paths: list[str] = body["paths"]
    visible = visible_keys(storage, request.context, request.bucket, paths)
    urls = {path: _signed_url(storage, ObjectName(request.bucket, path), lifetime) for path in visible}
    response = [
        {"error": None if path in urls else _NOT_VISIBLE, "path": path, "signedURL": urls.get(path)} for path in paths
    ]
    return json_response(response)


def get_signed(storage: Storage, request: RestRequest) -> Response:
    """GET /object/sign/{bucket}/{key}?token=...: the token alone permits the download."""
    claims, request = verified(storage, request, DOWNLOAD)
    return serve(storage, request, Reading(as_service=True), expires=int(claims["exp"]))


def sign_upload(storage: Storage, request: RestRequest) -> Response:
    """POST /object/upload/sign/{bucket}/{key}: a URL with which anyone can upload the object until it expires."""
    body = (
        read_json_object(request, SIGN_UPLOAD_BODY, optional=True) if request.media_type == "application/json" else {}
    )
    check_key(request.key, any_script=storage.any_script)
    tried = TriedWrite(
        name=request.name,
        upsert=request.upsert,
        owner=request.context.subject,
        metadata={"mimetype": request.headers.get("content-type"), "contentLength": request.length},
        user_metadata=header_metadata(request.headers) or {},
    )
    try_write(storage, request.context, tried)
    claims: dict[str, Any] = {"url": f"{request.bucket}/{request.key}", "upsert": request.upsert, "scope": UPLOAD}
    if isinstance(request.context.subject, str):
        claims["owner"] = request.context.subject
    signer = Signer(storage.signing_secret)
    claims["signer"] = signer.seal(request.context.caller.claims)
    max_lifetime_s = storage.settings.signed_upload_s
    token = signer.sign(claims, lifetime_s=min(body.get("expiresIn", max_lifetime_s), max_lifetime_s))
    url = f"/object/upload/sign/{in_url(request.bucket)}/{in_url(request.key)}?token={token}"
    return json_response({"url": url, "token": token})


def put_signed(storage: Storage, request: RestRequest) -> Response:
    """PUT /object/upload/sign/{bucket}/{key}?token=...: a signed upload, if its signer still has the permission."""
    claims, request = verified(storage, request, UPLOAD)
    context = signer_of(storage, request, claims)
    upsert = claims.get("upsert") is True
    event = CREATED_PUT if upsert else CREATED_POST
    # A token without upsert does not permit the upload to replace an object.
    return upload(storage, request, context, upsert=upsert, event=event, takes_entity_tags=upsert)


def signer_of(storage: Storage, request: RestRequest, claims: dict[str, Any]) -> RequestContext:
    """The request context with the signer of the upload as its caller. Policies see the operation ``SIGN_UPLOAD``."""
    signed = Signer(storage.signing_secret).unseal(claims.get("signer"))
    caller = Caller.of(signed, default_role=ANON)
    storage.identity.check_role(caller.role)
    return request.context.as_signer(caller, operation=SIGN_UPLOAD)


def verified(
    storage: Storage, request: RestRequest, scope: str, *, transformed: bool = False
) -> tuple[dict[str, Any], RestRequest]:
    """The claims of the request's token, and the request with the signed key. Raises InvalidToken, InvalidSignature."""
    claims = Signer(storage.signing_secret).verify(required_signed_token(request.query))
    check_scope(claims, scope, transformed=transformed)
    return claims, request._replace(key=signed_key(claims, request.bucket, request.key))


def lifetime_of(body: Mapping[str, Any]) -> int:
    """The lifetime of the URL in seconds, from a body with EXPIRES_IN. Raises InvalidValue."""
    seconds: int = body["expiresIn"]
    if time.time() + seconds > LATEST:
        raise InvalidValue("expiresIn")
    return seconds


def _signed_url(
    storage: Storage,
    name: ObjectName,
    lifetime_s: int,
    path: str = "/object/sign",
    more_claims: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    claims = {"url": f"{name.bucket}/{name.key}", "scope": DOWNLOAD, **more_claims}
    token = Signer(storage.signing_secret).sign(claims, lifetime_s=lifetime_s)
    return f"{path}/{in_url(name.bucket)}/{in_url(name.key)}?token={token}"


def in_url(text: str) -> str:
    """Escapes ``?``, ``#`` and ``%`` in a part of a URL. Clients pass the URL to JavaScript's encodeURI, which escapes
    all other characters correctly but not these."""
    return text.translate(_ESCAPES)
