"""Reports each request to observers: its head, its response, and what resources have stored in ``resp.context``.

Resources store ``role``, ``codes`` and ``operations`` there, which the response does not show.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import count
from time import perf_counter
from typing import Any

import falcon

from app.observation import ObservedOperation, ObservedRequest, Trace, read_request_id, read_trace
from app.services import Services

# The name of the group that matches is that of the face.
_FACE = re.compile(
    r"""(?:
        (?P<graphql>/graphql/v1)
        | (?:/storage/v1)?(?:(?P<s3>/s3)|(?P<resumable>/upload/resumable)|(?P<images>/render))
        | (?P<rest>/(?:storage/v1|bucket|object|upload|cdn|status))
    )(?:/|$)""",
    re.VERBOSE,
)
_UNKNOWN = "/unknown"
_ERRORS = 400


class Observing:
    """Falcon middleware that sees a request first and its response last. It also copies the request id and the trace
    context to the response. If there is an access log, a request without an id gets one.

    An observer that fails is reported as a fault of its plugin; the request is answered nevertheless.
    """

    def __init__(self, services: Services) -> None:
        self._plugins = services.plugins
        found = self._plugins.by_plugin("observers", services=services)
        self._observers = tuple((plugin, each) for plugin, some in found for each in some)
        self._ids = _Ids() if services.settings.access_log else None

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        environ, context = req.env, req.context
        context.started = perf_counter()
        needs_id = "HTTP_X_REQUEST_ID" in environ or self._ids is not None
        context.request_id = self._identify(environ) if needs_id else ""
        context.trace = None
        if "HTTP_TRACEPARENT" in environ:
            context.trace = read_trace(environ["HTTP_TRACEPARENT"], environ.get("HTTP_TRACESTATE"))

    def _identify(self, environ: dict[str, Any]) -> str:
        """The id of a request, which is also put into its environ; '' if it needs none."""
        given = environ.get("HTTP_X_REQUEST_ID", "")
        request_id = self._id_of(given)
        if request_id != given:
            _replace(environ, request_id)
        return request_id

    def _id_of(self, given: str) -> str:
        """The id in the header if it is valid; otherwise a new one if requests need an id, or ''."""
        request_id = read_request_id(given) if given else ""
        return self._ids.next() if self._ids is not None and not request_id else request_id

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool) -> None:
        context = req.context
        if context.request_id or context.trace is not None:
            for name, value in _passed_on(context.request_id, context.trace):
                resp.set_header(name, value)
        if self._observers:
            self._report(_observed(req, resp))

    def refused(
        self, method: str, path: str, headers: Mapping[str, str], status: int, code: str
    ) -> Sequence[tuple[str, str]]:
        """Report a request that the server refused itself; returns further headers of its response. Names of headers
        are in lower case."""
        request_id = self._id_of(headers.get("x-request-id", ""))
        trace = read_trace(headers.get("traceparent"), headers.get("tracestate"))
        observed = ObservedRequest(
            face=_face_of(path, None),
            method=method,
            operation="",
            status=status,
            role="",
            codes=(code or _name_of(status),),
            received=0,
            sent=0,
            started=perf_counter(),
            seconds=0.0,
            request_id=request_id,
            trace=trace,
        )
        self._report(observed)
        return tuple(_passed_on(request_id, trace))

    def _report(self, observed: ObservedRequest) -> None:
        for plugin, observer in self._observers:
            try:
                observer(observed)
            except Exception:
                self._plugins.blame(plugin, "observers")


def _passed_on(request_id: str, trace: Trace | None) -> Iterator[tuple[str, str]]:
    """The response headers that identify the request."""
    if request_id:
        yield "X-Request-Id", request_id
    if trace is not None:
        yield "traceparent", trace.parent
        if trace.state:
            yield "tracestate", trace.state


class _Ids:
    """Makes ids of requests: those of one process begin with the same text."""

    def __init__(self) -> None:
        self._process = os.urandom(6).hex()
        self._numbers = count(1)

    def next(self) -> str:
        return f"{self._process}-{next(self._numbers)}"


def _replace(environ: dict[str, Any], request_id: str) -> None:
    """Replace the header, so that later readers, such as the storage for its events, find a valid id or none."""
    if request_id:
        environ["HTTP_X_REQUEST_ID"] = request_id
    else:
        del environ["HTTP_X_REQUEST_ID"]


def _observed(req: falcon.Request, resp: falcon.Response) -> ObservedRequest:
    context, noted, template = req.context, vars(resp.context), req.uri_template
    status = falcon.http_status_to_code(resp.status)
    operations: tuple[ObservedOperation, ...] = noted.get("operations", ())
    codes = noted.get("codes", ())
    return ObservedRequest(
        face=_face_of(req.path, template),
        method=req.method,
        operation=template or "",
        status=status,
        role=noted.get("role", "") or (operations[0].role if operations else ""),
        codes=codes if codes or status < _ERRORS else (_name_of(status),),
        received=int(req.env.get("CONTENT_LENGTH") or 0),
        sent=0 if req.method == "HEAD" else _length(resp),
        started=context.started,
        seconds=perf_counter() - context.started,
        request_id=context.request_id,
        trace=context.trace,
        operations=operations,
    )


def _face_of(path: str, template: str | None) -> str:
    """The face that a path belongs to; for other routes, the first segment of the path."""
    found = _FACE.match(path)
    if found is not None and found.lastgroup is not None:
        return found.lastgroup
    return (template or _UNKNOWN).split("/", 2)[1] or "home"


def _name_of(status: int) -> str:
    """The code of an error that has no code of its own."""
    try:
        return HTTPStatus(status).name
    except ValueError:
        return "ERROR"


def _length(resp: falcon.Response) -> int:
    """The length of the response's body; 0 if it is not known before it is sent."""
    data = resp.data
    if data is not None:
        return len(data)
    if resp.text is not None:
        return len(resp.text.encode())
    return int(resp.content_length or 0)
