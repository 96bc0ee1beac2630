"""Resumable uploads: ``/upload/resumable``, at the root and below ``/storage/v1``."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import falcon

from app.errors import PorticoError
from app.faces.rest.callers import Callers
from app.faces.rest.errors import internal_error
from app.faces.resumable.checksum import ALGORITHMS
from app.faces.resumable.common_headers import completed
from app.faces.resumable.errors import refusal
from app.faces.resumable.headers import VERSION, read_headers
from app.faces.resumable.location import upload_url
from app.faces.resumable.operations import ResumableUploads
from app.faces.resumable.request import UploadRequest
from app.faces.resumable.routes import ResumableRoute, find_route, method_of
from app.faces.resumable.upload_tokens import SignedUpload
from app.faces.shared.paths import PREFIX, without_prefix
from app.faces.shared.signing import Signer
from app.faces.shared.wsgi import declared_length, headers_of, query_of, raw_path, request_id_of, send
from app.http.environ import FORWARDED
from app.http.response import Response
from app.identity.further_credentials import RequestHead
from app.identity.project import check_project
from app.settings import Settings
from app.storage.request_context import RequestContext, anonymous
from app.storage.storage import Storage

log = logging.getLogger("portico.storage.resumable")

PATHS = re.compile(r"(?:/storage/v1)?/upload/resumable(?:/|$)")

_EXTENSIONS = "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum"


class ResumableSink:
    """A Falcon sink. ``otherwise`` answers requests that are not part of the protocol."""

    def __init__(self, settings: Settings, storage: Storage, callers: Callers, otherwise: Callable[..., None]) -> None:
        self._public_url = settings.public_url
        self._storage = storage
        self._callers = callers
        self._otherwise = otherwise
        self._uploads = ResumableUploads(storage, settings.resumable_upload_s)

    def __call__(self, req: falcon.Request, resp: falcon.Response, **more: Any) -> None:
        path = without_prefix(raw_path(req.env))
        method = method_of(req.method, req.env.get("HTTP_X_HTTP_METHOD_OVERRIDE"))
        route = find_route(method, path)
        if route is None:
            self._otherwise(req, resp, **more)
            return
        # A sink has no URI template, by which metrics distinguish operations, so it is set here.
        req.uri_template = f"{PREFIX}{route.path}" + ("/{id}" if route.upload_id else "")
        try:
            response = self._respond(route, method, req, resp)
        except PorticoError as ex:
            response = refusal(ex, req.method)
        except Exception:
            log.exception("the request failed: %s %s", req.method, req.path)
            response = refusal(internal_error(), req.method)
        send(completed(response, for_page="HTTP_ORIGIN" in req.env), resp)

    def _respond(self, route: ResumableRoute, method: str, req: falcon.Request, resp: falcon.Response) -> Response:
        environ = req.env
        check_project(environ.get("HTTP_HOST"), self._storage.settings.project_ref)
        if route.action == "options":
            return self._options()
        headers = headers_of(environ)
        context, signed = self._context(route, method, environ, headers)
        resp.context.role = context.role
        request = UploadRequest(
            context=context,
            signed=signed,
            upload_id=route.upload_id,
            headers=read_headers(method, headers),
            body=environ["wsgi.input"],
            length=declared_length(environ),
            url_of=partial(self._url, route, environ),
        )
        return _OPERATIONS[route.action](self._uploads, request)

    def _options(self) -> Response:
        headers = (
            ("tus-version", VERSION),
            ("tus-extension", _EXTENSIONS),
            ("tus-max-size", str(self._storage.settings.upload_size_limit)),
            ("tus-checksum-algorithm", ALGORITHMS),
        )
        return Response(204, headers, content_type=None)

    def _context(
        self, route: ResumableRoute, method: str, environ: Mapping[str, Any], headers: Mapping[str, str]
    ) -> tuple[RequestContext, SignedUpload | None]:
        path = without_prefix(raw_path(environ))
        signed = SignedUpload.of(Signer(self._storage.signing_secret), headers) if route.is_signed else None
        caller, token = self._callers.identify(
            "ignored" if signed else "required",
            RequestHead.of(environ["REQUEST_METHOD"], path, environ),
            headers,
            query_of(environ),
        )
        context = RequestContext(
            contexts=self._storage.contexts,
            caller=caller or anonymous(),
            operation=route.operation,
            method=method,
            path=path,
            headers=headers,
            token=token,
            given_id=request_id_of(environ),
        )
        return (context if signed is None else signed.context(self._storage.identity, context)), signed

    def _url(self, route: ResumableRoute, environ: Mapping[str, Any], upload_id: str) -> str:
        prefix = PREFIX if raw_path(environ).startswith(PREFIX + "/") else ""
        host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
        forwarded, scheme = environ.get(FORWARDED, {}), environ["wsgi.url_scheme"]
        path = f"{route.path}/{upload_id}"
        return upload_url(self._public_url, path, scheme=scheme, host=host, prefix=prefix, forwarded=forwarded)


_OPERATIONS: Mapping[str, Callable[[ResumableUploads, UploadRequest], Response]] = {
    "create": ResumableUploads.create,
    "get": ResumableUploads.head,
    "part": ResumableUploads.patch,
    "delete": ResumableUploads.delete,
}
