"""The storage endpoints: ``/bucket``, ``/object`` and their like, at the root and below ``/storage/v1``."""

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
from app.identity import Caller
from app.identity.identification import Identifications, RequestHead
from app.identity.project import check_project
from app.storage.asker import Asker, anonymous
from app.storage.http.credentials import bearer_token
from app.storage.names import check_bucket_name
from app.storage.rest.call import LONGEST_REQUEST_ID, Answer, Call
from app.storage.rest.credentials import caller_of, presented_token
from app.storage.rest.errors import RestError, access_denied, as_rest_error, internal_error
from app.storage.rest.routes import PREFIX, Match, Route, Router, path_of, without_prefix
from app.storage.storage import Storage

log = logging.getLogger("portico.storage")

PATHS = re.compile(r"/(?:storage/v1|bucket|object|upload|render|cdn|status)(?:/|$)")

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_JSON = "application/json; charset=utf-8"
_API_PATHS = ("/bucket", "/object", "/render/image", "/cdn")


class StorageSink:
    """A Falcon sink: storage has its own router, which routes by method and needs paths before they are decoded."""

    def __init__(self, storage: Storage, identifications: Identifications) -> None:
        self._storage = storage
        self._identifications = identifications
        self._router = Router()
        self._anonymous = anonymous()

    def __call__(self, req: falcon.Request, resp: falcon.Response, **_: Any) -> None:
        # A sink has no URI template; metrics tell operations apart by it.
        req.uri_template = f"{PREFIX}/unknown"
        try:
            answer = self._answer(req)
            _check_headers(answer)
        except PorticoError as ex:
            _send_error(as_rest_error(ex), req, resp)
        except Exception:
            log.exception("the request failed: %s %s", req.method, req.path)
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
        caller, token = self._identify(match.route, head, headers, query)
        if match.bucket:
            check_bucket_name(match.bucket)
        length = environ.get("CONTENT_LENGTH")
        return Call(
            asker=Asker(
                contexts=self._storage.contexts,
                caller=caller or self._anonymous,
                operation=match.route.operation(method),
                method=method,
                path=path,
                headers=headers,
                token=token,
                given_id=headers.get("x-request-id", "")[:LONGEST_REQUEST_ID],
            ),
            identified=caller is not None,
            method=method,
            bucket=match.bucket,
            key=match.key,
            headers=headers,
            query=query,
            body=environ["wsgi.input"],
            length=int(length) if length else _length_unless_chunked(environ),
        )

    def _identify(
        self, route: Route, head: RequestHead, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> tuple[Caller | None, str]:
        """The caller and its token; None for a caller without a credential, where the route allows that."""
        if route.credential == "ignored":
            return None, ""
        if bearer_token(headers, query) is None and (known := self._by_other_credential(route, head)) is not None:
            return known, ""
        token = presented_token(route.credential, headers, query) or ""
        try:
            return caller_of(self._storage.identity, token), token
        except RestError:
            if route.credential == "optional":
                return None, ""
            raise

    def _by_other_credential(self, route: Route, head: RequestHead) -> Caller | None:
        try:
            return self._identifications.caller(head)
        except AccessError as ex:
            if route.credential == "optional":
                return None
            raise access_denied(ex.message) from None


def _raw_path(environ: Mapping[str, Any]) -> str:
    """The path before it was decoded; encoded again if the server does not provide it."""
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
            raise RestError("invalid_header_char", 400, f'Invalid character in header content ["{name}"]')


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
        if answer.content_type and answer.content_type.startswith("application/json"):
            resp.set_header("x-content-type-options", "nosniff")
        resp.data = answer.body
        if answer.length is not None:
            resp.content_length = answer.length
    else:
        # Falcon passes an object with a read method to the server's file wrapper.
        resp.stream = answer.body
        resp.content_length = answer.length


def _as_latin(value: str) -> str:
    """Non-ASCII text as WSGI transports it: its UTF-8 bytes, decoded as Latin-1."""
    return value if value.isascii() else value.encode(errors="replace").decode("latin-1")


def _send_error(error: RestError, req: falcon.Request, resp: falcon.Response) -> None:
    _send(Answer(error.status, error.headers, b"" if req.method == "HEAD" else error.body(), _JSON), resp)


def _no_route(method: str, path: str) -> Answer:
    message = f"Route {method}:{path} not found"
    body: dict[str, Any]
    if any(path == door or path.startswith(door + "/") for door in _API_PATHS):
        body = {"statusCode": "404", "error": "Not Found", "message": message, "code": "InvalidRequest"}
        return Answer(404, body=json.dumps(body).encode(), content_type="application/json")
    body = {"message": message, "error": "Not Found", "statusCode": 404}
    return Answer(404, body=json.dumps(body).encode())


def _status(_storage: Storage, _environ: Mapping[str, Any]) -> Answer:
    """GET /status: the process answers."""
    return Answer(content_type=None)


def _health(storage: Storage, environ: Mapping[str, Any]) -> Answer:
    """GET /storage/v1/health: the database answers; for callers with a credential."""
    caller_of(storage.identity, bearer_token(_headers(environ), _query(environ)))
    storage.database.read("SELECT 1")
    return Answer(body=b'{"healthy":true}')


def _version(_storage: Storage, _environ: Mapping[str, Any]) -> Answer:
    """GET /storage/v1/version"""
    return Answer(body=version("portico").encode(), content_type="text/plain; charset=utf-8")


_OPERATIONS = {"/status": _status, "/health": _health, "/version": _version}
