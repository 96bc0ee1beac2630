"""CORS: lets pages of other origins call both APIs. The setting CORS_ORIGINS enables it.

A response with ``Cross-Origin-Resource-Policy: same-origin`` stays closed to them: a page that a plugin serves may
contain data that no other page may read.
"""

from __future__ import annotations

from collections.abc import Sequence

import falcon

from app.hooks import hookimpl
from app.http.cross_origin import CrossOrigin, Headers
from app.services import Services


@hookimpl
def middleware(services: Services) -> Sequence[object]:
    cross_origin = CrossOrigin(services.settings.cors_origins)
    return [_Middleware(cross_origin)] if cross_origin else []


class _Middleware:
    def __init__(self, cross_origin: CrossOrigin) -> None:
        self._cross_origin = cross_origin

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer a preflight request for any path, without checking that the path exists."""
        if req.method == "OPTIONS" and req.get_header("access-control-request-method"):
            requested = req.get_header("access-control-request-headers") or ""
            _add(resp, self._cross_origin.preflight_headers(req.get_header("origin"), requested))
            resp.status = falcon.HTTP_204
            resp.complete = True

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool) -> None:
        if resp.get_header("cross-origin-resource-policy") != "same-origin":
            _add(resp, self._cross_origin.headers(req.get_header("origin")))


def _add(resp: falcon.Response, headers: Headers) -> None:
    for name, value in headers:
        resp.append_header(name, value)
