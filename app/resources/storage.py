"""The storage door: ``/bucket``, ``/object`` and what belongs to them, at the root and below ``/storage/v1``."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any
from urllib.parse import parse_qsl, quote

import falcon

from app.errors import AccessError, PorticoError
from app.identity import Caller, Identity
from app.identity.identification import Identifications, RequestHead
from app.identity.project import check_project
from app.storage.access import anonymous, bearer_token, caller_of, missing_credential
from app.storage.errors import StorageError, access_denied, internal_error
from app.storage.names import check_bucket_name
from app.storage.records import Answer, Call
from app.storage.rest.failures import as_storage_error
from app.storage.rest.routes import PREFIX, Match, Route, Router, path_of, without_prefix
from app.storage.storage import Storage

_log = logging.getLogger("portico.storage")

PATHS = re.compile(r"/(?:storage/v1|bucket|object|upload|render|cdn|status)(?:/|$)")

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_JSON = "application/json; charset=utf-8"
_BELOW_DOORS = ("/bucket", "/object", "/render/image", "/cdn")


class StorageDoor:
    """A Falcon sink: the API's own router decides, since it is per method and wants paths undecoded."""

    def __init__(self, storage: Storage, identifications: Identifications) -> None:
        self._storage = storage
        self._identifications = identifications
        self._router = Router()
        self._anonymous = anonymous()

    def __call__(self, req: falcon.Request, resp: falcon.Response, **_: Any) -> None:
        # A sink has no template of its own; metrics tell operations apart by it.
        req.uri_template = f"{PREFIX}/unknown"
        try:
            answer = self._answer(req)
            _check_headers(answer)
        except PorticoError as error:
            _send_error(as_storage_error(error), req, resp)
        except Exception:
            _log.exception("the request failed: %s %s", req.method, req.path)
            _send_error(internal_error(), req, resp)
        else:
            _send(answer, resp)

    def _answer(self, req: falcon.Request) -> Answer:
        environ = req.env
        if self._storage.project_ref:
            check_project(environ.get("HTTP_HOST"), self._storage.project_ref)
        path = without_prefix(_raw_path(environ))
        method = req.method
        if method in ("GET", "HEAD") and path in _OPERATIONS:
            req.uri_template = PREFIX + path
            return _OPERATIONS[path](self._storage, environ)
        match = self._router.match(method, path)
        if match is None:
            return _no_route(method, path)
        req.uri_template = PREFIX + match.route.path
        call = self._call(match, method, path, environ)
        return match.route.run(self._storage, call)

    def _call(self, match: Match, method: str, path: str, environ: Mapping[str, Any]) -> Call:
        headers, query = _headers(environ), _query(environ)
        head = RequestHead.of(method, path, environ)
        caller, identified, token = self._identify(match.route, head, headers, query)
        if match.bucket:
            check_bucket_name(match.bucket)
        name = match.route.name
        if method == "HEAD" and name.startswith("storage.object.get_authenticated"):
            name = "object.head_authenticated_info"
        length = environ.get("CONTENT_LENGTH")
        return Call(
            operation=name,
            method=method,
            path=path,
            bucket=match.bucket,
            key=match.key,
            headers=headers,
            query=query,
            body=environ["wsgi.input"],
            length=int(length) if length else _length_unless_chunked(environ),
            caller=caller,
            identified=identified,
            token=token,
        )

    def _identify(
        self, route: Route, head: RequestHead, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> tuple[Caller, bool, str]:
        if route.credential == "ignored":
            return self._anonymous, False, ""
        token = bearer_token(headers, query)
        known = self._by_other_credential(route, head) if token is None else None
        if known is not None:
            return known, True, ""
        if token is None and route.credential == "required":
            raise missing_credential()
        identity: Identity = self._storage.identity
        if route.credential == "optional":
            try:
                return (caller_of(identity, token), True, token) if token else (self._anonymous, False, "")
            except StorageError:
                return self._anonymous, False, ""
        if not token:
            raise access_denied("Invalid Compact JWS")
        return caller_of(identity, token), True, token

    def _by_other_credential(self, route: Route, head: RequestHead) -> Caller | None:
        try:
            return self._identifications.caller(head)
        except AccessError as error:
            if route.credential == "optional":
                return None
            raise access_denied(error.message) from None


def _raw_path(environ: Mapping[str, Any]) -> str:
    """The path before it was decoded; encoded again where the server does not tell."""
    uri = environ.get("REQUEST_URI")
    if uri is None:
        # WSGI holds the decoded bytes as Latin-1.
        return quote(environ["PATH_INFO"].encode("latin-1"), safe="/!*'()&$@=;:+,?~")
    path = path_of(uri)
    prefix: str = environ.get("SCRIPT_NAME", "")
    return path[len(prefix) :] if prefix and path.startswith(prefix) else path


def _headers(environ: Mapping[str, Any]) -> dict[str, str]:
    found = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    for name in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if environ.get(name):
            found[name.replace("_", "-").lower()] = environ[name]
    return found


def _query(environ: Mapping[str, Any]) -> dict[str, str]:
    text = environ.get("QUERY_STRING")
    return dict(parse_qsl(text, keep_blank_values=True)) if text else {}


def _length_unless_chunked(environ: Mapping[str, Any]) -> int | None:
    return None if environ.get("HTTP_TRANSFER_ENCODING") else 0


def _check_headers(answer: Answer) -> None:
    for name, value in (*answer.headers, ("content-type", answer.content_type or "")):
        if _CONTROL.search(value):
            _close(answer)
            raise StorageError("invalid_header_char", 400, f'Invalid character in header content ["{name}"]')


def _close(answer: Answer) -> None:
    close = getattr(answer.body, "close", None)
    if close is not None:
        close()


def _send(answer: Answer, resp: falcon.Response) -> None:
    resp.status = falcon.code_to_http_status(answer.status)
    resp.content_type = answer.content_type and _as_latin(answer.content_type)
    for name, value in answer.headers:
        resp.set_header(name, _as_latin(value))
    if isinstance(answer.body, bytes):
        resp.data = answer.body
        if answer.length is not None:
            resp.content_length = answer.length
    else:
        # Falcon hands what has a read method to the server's file wrapper.
        resp.stream = answer.body
        resp.content_length = answer.length


def _as_latin(value: str) -> str:
    """WSGI's form of bytes beyond ASCII, here those of UTF-8."""
    return value if value.isascii() else value.encode(errors="replace").decode("latin-1")


def _send_error(error: StorageError, req: falcon.Request, resp: falcon.Response) -> None:
    _send(Answer(error.status, error.headers, b"" if req.method == "HEAD" else error.body(), _JSON), resp)


def _no_route(method: str, path: str) -> Answer:
    message = f"Route {method}:{path} not found"
    body: dict[str, Any]
    if any(path == door or path.startswith(door + "/") for door in _BELOW_DOORS):
        body = {"statusCode": "404", "error": "Not Found", "message": message, "code": "InvalidRequest"}
        return Answer(404, body=json.dumps(body).encode(), content_type="application/json")
    body = {"message": message, "error": "Not Found", "statusCode": 404}
    return Answer(404, body=json.dumps(body).encode())


def _status(_storage: Storage, _environ: Mapping[str, Any]) -> Answer:
    """GET /status: the process answers."""
    return Answer(content_type=None)


def _health(storage: Storage, environ: Mapping[str, Any]) -> Answer:
    """GET /storage/v1/health: the database answers; for callers with a credential."""
    token = bearer_token(_headers(environ), _query(environ))
    if not token:
        raise access_denied("Invalid Compact JWS")
    caller_of(storage.identity, token)
    storage.database.simple("SELECT 1")
    return Answer(body=b'{"healthy":true}')


def _version(_storage: Storage, _environ: Mapping[str, Any]) -> Answer:
    """GET /storage/v1/version"""
    return Answer(body=version("portico").encode(), content_type="text/plain; charset=utf-8")


_OPERATIONS = {"/status": _status, "/health": _health, "/version": _version}
