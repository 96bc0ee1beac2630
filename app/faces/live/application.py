"""The ASGI application of ``portico live``."""

from __future__ import annotations

from typing import Any

import falcon.asgi

from app.faces.live import PATH
from app.faces.live.hub import Hub
from app.faces.live.metrics import LiveMetrics
from app.faces.live.queries import Queries
from app.faces.live.sockets import Sockets
from app.faces.live.stream import StreamResource
from app.http.cross_origin import CrossOrigin
from app.settings import Settings


class _OtherOrigins:
    """Sets the CORS headers, and answers preflight requests, for pages of other origins."""

    def __init__(self, cross_origin: CrossOrigin) -> None:
        self._cross_origin = cross_origin

    async def process_request(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        if req.method == "OPTIONS" and req.get_header("access-control-request-method"):
            requested = req.get_header("access-control-request-headers") or ""
            _set(resp, self._cross_origin.preflight_headers(req.get_header("origin"), requested))
            resp.complete = True

    async def process_response(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, resource: Any, req_succeeded: bool
    ) -> None:
        _set(resp, self._cross_origin.headers(req.get_header("origin")))


def _set(resp: falcon.asgi.Response, headers: Any) -> None:
    for name, value in headers:
        resp.append_header(name, value) if name == "vary" else resp.set_header(name, value)


class _LiveResource:
    """Live queries over both protocols."""

    def __init__(self, hub: Hub, queries: Queries, settings: Settings) -> None:
        streams, sockets = StreamResource(hub, queries, settings), Sockets(hub, queries, settings)
        self.on_get, self.on_post, self.on_websocket = streams.on_get, streams.on_post, sockets.on_websocket


class _HealthResource:
    """``GET /health``: the number of streams, and whether changes are heard."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        resp.media = {
            "process": "ok",
            "streams": self._hub.viewers,
            "changes": "heard" if self._hub.hears else "not heard",
        }


class _Closing:
    """Closes each connection after its response: the client's next request may be for a worker of ``portico serve``."""

    async def process_response(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, resource: Any, req_succeeded: bool
    ) -> None:
        resp.set_header("connection", "close")


def make_live_app(
    hub: Hub, queries: Queries, metrics: LiveMetrics, settings: Settings, *, closes: bool
) -> falcon.asgi.App[Any, Any]:
    """The ASGI application. ``closes``: each connection gets one response."""
    cross_origin = CrossOrigin(settings.cors_origins)
    middleware: list[Any] = [_OtherOrigins(cross_origin)] if cross_origin else []
    app = falcon.asgi.App(middleware=[*middleware, _Closing()] if closes else middleware)
    app.add_route(PATH, _LiveResource(hub, queries, settings))
    app.add_route("/health", _HealthResource(hub))
    app.add_route("/metrics", metrics)
    return app
