"""URLs that carry their own permission: signed downloads and signed uploads."""

from __future__ import annotations

import dataclasses
import time
from typing import Any
from urllib.parse import unquote

from app.storage.access import own_context
from app.storage.bucket_rules import size_limit
from app.storage.errors import (
    already_exists,
    invalid_parameter,
    invalid_request,
    invalid_signature,
    no_such_bucket,
    no_such_object,
)
from app.storage.http.kept_headers import headers_to_keep
from app.storage.http.signing import DOWNLOAD, LATEST, UPLOAD, check_scope
from app.storage.http.upload_body import header_metadata, read_upload
from app.storage.names import check_key, in_url
from app.storage.permissions import Trial, find_bucket, try_write
from app.storage.records import Answer, Call, json_answer
from app.storage.rest.downloads import Reading, serve
from app.storage.rest.json_bodies import Member, read_json_object
from app.storage.rest.uploads import Write, check_content, object_exists, store
from app.storage.rows import json_value, known, text
from app.storage.sql import OBJECT_EXISTS, VISIBLE_KEYS
from app.storage.storage import Storage
from app.storage.upkeep.events import CREATED_POST, CREATED_PUT

_EXPIRES_IN = Member("expiresIn", "integer", required=True, least=1)
_SIGN = (_EXPIRES_IN, Member("transform", "object"))
_SIGN_MANY = (_EXPIRES_IN, Member("paths", "strings", required=True, least=1, most=1000))
_SIGN_UPLOAD = (Member("expiresIn", "integer", least=1),)
_UNSEEN = "Either the object does not exist or you do not have access to it"


def sign_object(storage: Storage, call: Call) -> Answer:
    """POST /object/sign/{bucket}/{key}: a URL with which anybody may read the object for a while."""
    lifetime = _lifetime(read_json_object(call, _SIGN))
    check_key(call.key, any_script=storage.limits.any_script)
    rows = storage.database.run(
        own_context(storage.contexts, call), [(OBJECT_EXISTS, (text(call.bucket), text(call.key)))], read_only=True
    )
    if not rows[0]:
        raise no_such_object()
    return json_answer({"signedURL": _signed_url(storage, call.bucket, call.key, lifetime)})


def sign_objects(storage: Storage, call: Call) -> Answer:
    """POST /object/sign/{bucket}: many at a time; those that the caller cannot see are told one by one."""
    given = read_json_object(call, _SIGN_MANY)
    lifetime = _lifetime(given)
    paths: list[str] = given["paths"]
    wanted = [path for path in dict.fromkeys(paths) if "\0" not in path]
    rows = storage.database.run(
        own_context(storage.contexts, call), [(VISIBLE_KEYS, (text(call.bucket), json_value(wanted)))], read_only=True
    )[0]
    seen = {known(row[0]).decode() for row in rows}
    urls = {path: _signed_url(storage, call.bucket, path, lifetime) for path in seen}
    answer = [{"error": None if path in urls else _UNSEEN, "path": path, "signedURL": urls.get(path)} for path in paths]
    return json_answer(answer)


def get_signed(storage: Storage, call: Call) -> Answer:
    """GET /object/sign/{bucket}/{key}?token=...: the token is the permission."""
    claims, call = _verified(storage, call, DOWNLOAD)
    return serve(storage, call, Reading(as_service=True, expires=int(claims["exp"])))


def sign_upload(storage: Storage, call: Call) -> Answer:
    """POST /object/upload/sign/{bucket}/{key}: a URL with which anybody may write the object for a while."""
    given = read_json_object(call, _SIGN_UPLOAD, optional=True) if call.media_type == "application/json" else {}
    check_key(call.key, any_script=storage.limits.any_script)
    upsert = call.header("x-upsert") == "true"
    trial = Trial(
        bucket=call.bucket,
        key=call.key,
        upsert=upsert,
        metadata={"mimetype": call.header("content-type"), "contentLength": call.length},
        user_metadata=header_metadata(call),
    )
    try_write(storage, call, trial)
    claims: dict[str, Any] = {"url": f"{call.bucket}/{call.key}", "upsert": upsert, "scope": UPLOAD}
    if isinstance(call.caller.claims.get("sub"), str):
        claims["owner"] = call.caller.claims["sub"]
    longest = storage.limits.signed_upload_s
    token = storage.signer.sign(claims, lifetime_s=min(given.get("expiresIn", longest), longest))
    url = f"/object/upload/sign/{in_url(call.bucket)}/{in_url(call.key)}?token={token}"
    return json_answer({"url": url, "token": token})


def put_signed(storage: Storage, call: Call) -> Answer:
    """PUT /object/upload/sign/{bucket}/{key}?token=...: the upload that was signed."""
    claims, call = _verified(storage, call, UPLOAD)
    bucket = find_bucket(storage, call, call.bucket)
    if bucket is None:
        raise no_such_bucket()
    body = read_upload(call)
    kept = headers_to_keep(call)
    check_content(storage, bucket, call.key, body)
    check_key(call.key, any_script=storage.limits.any_script)
    upsert = claims.get("upsert") is True
    if not upsert and object_exists(storage, call, call.bucket, call.key):
        # Told before the bytes are written; whether it is true is decided at the commit.
        raise already_exists("Key")
    write = Write(
        bucket=call.bucket,
        key=call.key,
        upsert=upsert,
        owner=claims.get("owner"),
        user_metadata=body.user_metadata or {},
        event=CREATED_PUT if upsert else CREATED_POST,
    )
    store(storage, call, write, body, limit=size_limit(bucket, call.key, storage.limits.upload), kept=kept)
    return json_answer({"Key": f"{call.bucket}/{call.key}"})


def _verified(storage: Storage, call: Call, scope: str) -> tuple[dict[str, Any], Call]:
    """The claims of the request's token, and the request with the key that was signed."""
    token = call.query.get("token")
    if token is None:
        raise invalid_request("querystring must have required property 'token'")
    claims = storage.signer.verify(token)
    check_scope(claims, scope)
    url = claims.get("url")
    # A client that escapes the URL it was given once more asks for %253F where %3F was meant.
    for key in (call.key, unquote(call.key)):
        if url == f"{call.bucket}/{key}":
            return claims, dataclasses.replace(call, key=key)
    raise invalid_signature()


def _lifetime(given: dict[str, Any]) -> int:
    seconds: int = given["expiresIn"]
    if time.time() + seconds > LATEST:
        raise invalid_parameter("expiresIn")
    return seconds


def _signed_url(storage: Storage, bucket: str, key: str, lifetime_s: int) -> str:
    token = storage.signer.sign({"url": f"{bucket}/{key}", "scope": DOWNLOAD}, lifetime_s=lifetime_s)
    return f"/object/sign/{in_url(bucket)}/{in_url(key)}?token={token}"
