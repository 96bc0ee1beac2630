"""The endpoints of the storage: ``/bucket``, ``/object`` and others, at the root and below ``/storage/v1``."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

import falcon

from app.database import Bookmark
from app.distribution import software_version
from app.errors import PorticoError
from app.faces.rest.callers import Callers
from app.faces.rest.credentials import caller_of
from app.faces.rest.errors import RestError, as_rest_error, internal_error
from app.faces.rest.openapi import openapi_document, openapi_page
from app.faces.rest.request import RestRequest
from app.faces.rest.router import Match, Route, Router
from app.faces.shared.credentials import bearer_token
from app.faces.shared.paths import PREFIX, without_prefix
from app.faces.shared.read_after import bookmark_of, set_position
from app.faces.shared.wsgi import (
    close,
    declared_length,
    headers_of,
    query_of,
    raw_path,
    request_id_of,
    send,
    unsendable_header,
)
from app.http.response import Response
from app.identity.further_credentials import RequestHead
from app.identity.project import check_project
from app.storage.names import check_bucket_name
from app.storage.request_context import RequestContext, anonymous
from app.storage.storage import Storage

log = logging.getLogger("portico.storage")

PATHS = re.compile(r"/(?:storage/v1|bucket|object|upload|render|cdn|status)(?:/|$)")

_JSON = "application/json; charset=utf-8"
_HTML = "text/html; charset=utf-8"
_DOCUMENTATION = "/documentation"
_PAGE_HEADERS = (("content-security-policy", "default-src 'none'"), ("x-content-type-options", "nosniff"))
_READING = ("GET", "HEAD")
# Listings are reads, although they use POST.
_LISTINGS = ("/object/list/", "/object/list-v2/")
_API_PATHS = ("/bucket", "/object", "/render/image", "/cdn")


class StorageSink:
    """A Falcon sink: the storage has its own router, which routes by method and needs the undecoded path."""

    def __init__(self, storage: Storage, callers: Callers, routes: Sequence[Route]) -> None:
        self._storage = storage
        self._callers = callers
        self._router = Router(routes)
        document = openapi_document(routes, software_version(), PREFIX)
        self._described = {_DOCUMENTATION: openapi_page(routes), f"{_DOCUMENTATION}/json": document}
        self._anonymous = anonymous()

    def __call__(self, req: falcon.Request, resp: falcon.Response, **_: Any) -> None:
        # A sink has no URI template, by which metrics distinguish operations, so it is set here.
        req.uri_template = f"{PREFIX}/unknown"
        try:
            response = self._respond(req, resp)
            _check_headers(response)
        except PorticoError as ex:
            _send_error(as_rest_error(ex), req, resp)
        except Exception:
            log.exception("the request failed: %s %s", req.method, req.path)
            _send_error(internal_error(), req, resp)
        else:
            send(response, resp)

    def _respond(self, req: falcon.Request, resp: falcon.Response) -> Response:
        environ = req.env
        check_project(environ.get("HTTP_HOST"), self._storage.settings.project_ref)
        path = without_prefix(raw_path(environ))
        method = req.method
        if method in _READING and path in _OPERATIONS:
            req.uri_template = PREFIX + path
            return _OPERATIONS[path](self._storage, environ)
        if method in _READING and path in self._described:
            req.uri_template = PREFIX + path
            page = path == _DOCUMENTATION
            return Response(200, _PAGE_HEADERS if page else (), self._described[path], _HTML if page else _JSON)
        match = self._router.match(method, path)
        if match is None:
            return _no_route(method, path)
        req.uri_template = PREFIX + match.route.path
        reads = method in _READING or match.route.path.startswith(_LISTINGS)
        bookmark = bookmark_of(environ, self._storage.database, on_replicas=reads)
        try:
            request = self._call(match, method, path, environ, bookmark)
            resp.context.role = request.context.role
            return match.route.run(self._storage, request)
        finally:
            set_position(bookmark, resp)

    def _call(
        self, match: Match, method: str, path: str, environ: Mapping[str, Any], bookmark: Bookmark | None
    ) -> RestRequest:
        headers, query = headers_of(environ), query_of(environ)
        head = RequestHead.of(method, path, environ)
        caller, token = self._callers.identify(match.route.credential, head, headers, query)
        if match.bucket:
            check_bucket_name(match.bucket)
        return RestRequest(
            context=RequestContext(
                contexts=self._storage.contexts,
                caller=caller or self._anonymous,
                operation=match.route.operation(method),
                method=method,
                path=path,
                headers=headers,
                token=token,
                given_id=request_id_of(environ),
                bookmark=bookmark,
            ),
            identified=caller is not None,
            method=method,
            bucket=match.bucket,
            key=match.key,
            headers=headers,
            query=query,
            query_string=environ.get("QUERY_STRING", ""),
            body=environ["wsgi.input"],
            length=declared_length(environ),
            client=environ.get("REMOTE_ADDR", ""),
        )


def _check_headers(response: Response) -> None:
    name = unsendable_header(response)
    if name is not None:
        close(response)
        raise RestError("invalid_header_char", 400, f'Invalid character in header content ["{name}"]')


def _send_error(error: RestError, req: falcon.Request, resp: falcon.Response) -> None:
    body = b"" if req.method == "HEAD" else error.body()
    send(Response(error.status, error.headers, body, _JSON, code=error.code), resp)


def _no_route(method: str, path: str) -> Response:
    message = f"Route {method}:{path} not found"
    body: dict[str, Any]
    if any(path == each or path.startswith(each + "/") for each in _API_PATHS):
        body = {"statusCode": "404", "error": "Not Found", "message": message, "code": "InvalidRequest"}
        return Response(404, body=json.dumps(body).encode(), content_type="application/json", code="InvalidRequest")
    body = {"message": message, "error": "Not Found", "statusCode": 404}
    return Response(404, body=json.dumps(body).encode(), code="NotFound")


def _status(_storage: Storage, _environ: Mapping[str, Any]) -> Response:
    """GET /status: 200 if the process answers."""
    return Response(content_type=None)


def _health(storage: Storage, environ: Mapping[str, Any]) -> Response:
    """GET /storage/v1/health: 200 if the database answers; for callers with a credential."""
    caller_of(storage.identity, bearer_token(headers_of(environ), query_of(environ)))
    storage.database.read("SELECT 1")
    return Response(body=b'{"healthy":true}')


def _version(_storage: Storage, _environ: Mapping[str, Any]) -> Response:
    """GET /storage/v1/version"""
    return Response(body=software_version().encode(), content_type="text/plain; charset=utf-8")


_OPERATIONS = {"/status": _status, "/health": _health, "/version": _version}
