"""The state that the connections of one worker share."""

from __future__ import annotations

import logging
import queue
import socket
from collections.abc import Callable
from typing import Any

from app.http.admission import Admission
from app.http.cross_origin import CrossOrigin, Headers
from app.http.environ import FORWARDED, PASSED_ON
from app.server.capacity import WorkerTotals
from app.server.handing_over import HandingOver
from app.server.request.header_cache import HeaderCache
from app.server.request.request import Reception, Request
from app.server.turns.loop import Loop
from app.server.waitress_internals import PROXY_HEADERS, Adjustments, proxy_headers_middleware

WSGIApplication = Callable[..., Any]

OPERATIONS = frozenset({"/health", "/version"})
"""The paths for operators. A separate thread serves them, even while all others are busy."""


class Server:
    """The ``server`` of waitress's tasks: it has ``adj``, ``application`` and the address."""

    def __init__(
        self,
        application: WSGIApplication,
        listener: socket.socket,
        adj: Adjustments,
        loop: Loop,
        totals: WorkerTotals,
        admission: Admission,
        cross_origin: CrossOrigin,
        handing_over: HandingOver | None = None,
    ) -> None:
        self.adj = adj
        self.application = _behind_proxy(application, adj)
        self._refused: Callable[..., Headers] = getattr(application, "refused", _ignore_refused)
        self.server_name = adj.server_name
        self.effective_host, self.effective_port = _address(listener)
        self.loop = loop
        self.totals = totals
        self.cross_origin = cross_origin
        self.is_stopping = False
        # How many connections close after their next response, so that their clients connect to another worker.
        self.surplus = 0
        self.operations: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.reception = Reception(adj, admission, cross_origin, totals, HeaderCache(), handing_over)

    def clear_untrusted(self, environ: dict[str, Any]) -> None:
        """Remove the headers that only a trusted proxy may set. If there is a trusted proxy, the middleware does it."""
        if self.adj.trusted_proxy is None:
            for name in _PROXY_VARIABLES:
                if environ.pop(name, None) is not None:
                    environ[PASSED_ON] = True

    def notify_refused(self, request: Request, status: int) -> Headers:
        """Notify the application of a request that was refused without calling it. Returns the headers that it adds to
        the response."""
        # A request whose first line cannot be parsed has neither.
        method, path = getattr(request, "command", ""), getattr(request, "path", "")
        return self._refused(method.upper(), path, request.by_name, status, getattr(request.error, "error_code", ""))

    def gives_away(self) -> bool:
        """Whether a connection closes after its next response, so that its client connects to another process."""
        if self.surplus > 0:
            self.surplus -= 1
            return True
        return self.is_stopping


def _ignore_refused(*_: Any) -> Headers:
    """Used if the application has no ``refused`` callback."""
    return ()


_PROXY_VARIABLES = tuple(f"HTTP_{name}" for name in PROXY_HEADERS)


def _behind_proxy(application: WSGIApplication, adj: Adjustments) -> WSGIApplication:
    if adj.trusted_proxy is None:
        return application
    wrapped: WSGIApplication = proxy_headers_middleware(
        application,
        trusted_proxy=adj.trusted_proxy,
        trusted_proxy_count=adj.trusted_proxy_count,
        trusted_proxy_headers=adj.trusted_proxy_headers,
        clear_untrusted=adj.clear_untrusted_proxy_headers,
        log_untrusted=adj.log_untrusted_proxy_headers,
        logger=logging.getLogger("waitress"),
    )

    def behind_proxy(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        if adj.trusted_proxy in ("*", environ["REMOTE_ADDR"]):
            _keep_forwarded(environ)
        return wrapped(environ, start_response)

    return behind_proxy


def _keep_forwarded(environ: dict[str, Any]) -> None:
    """Save a trusted proxy's headers about the client's URL before waitress removes them. Of a list, the first value is
    saved."""
    forwarded = {
        name.lower(): environ[f"HTTP_X_FORWARDED_{name}"].partition(",")[0].strip()
        for name in ("HOST", "PORT", "PREFIX", "PROTO")
        if f"HTTP_X_FORWARDED_{name}" in environ
    }
    environ[FORWARDED] = forwarded
    # waitress would refuse a list or another value.
    proto = forwarded.get("proto", "").lower()
    environ.pop("HTTP_X_FORWARDED_PROTO", None)
    if proto in ("http", "https"):
        environ["HTTP_X_FORWARDED_PROTO"] = proto


def _address(listener: socket.socket) -> tuple[str, str]:
    return socket.getnameinfo(listener.getsockname(), socket.NI_NUMERICHOST | socket.NI_NUMERICSERV)
