"""Cross-origin requests to the storage API, for the origins that a setting names (https://fetch.spec.whatwg.org/)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import falcon

_METHODS = "GET, HEAD, POST, PUT, DELETE"
_HEADERS = (
    "authorization, apikey, content-type, cache-control, x-client-info, x-upsert, x-metadata, x-robots-tag, range, "
    "if-match, if-none-match, if-modified-since, if-unmodified-since, if-range"
)
_EXPOSED = "etag, last-modified, content-length, content-range, content-disposition, accept-ranges"
_REMEMBERED_S = "86400"


class CrossOrigin:
    """``origins`` may have ``*``. Credentials of the browser are not allowed: this API's own are in a header."""

    def __init__(self, origins: Sequence[str]) -> None:
        self._all = "*" in origins
        self._origins = frozenset(origin.rstrip("/") for origin in origins)

    def __bool__(self) -> bool:
        return bool(self._origins)

    def is_preflight(self, environ: Mapping[str, Any]) -> bool:
        return environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ

    def answer_preflight(self, environ: Mapping[str, Any], resp: falcon.Response) -> None:
        resp.status = falcon.HTTP_204
        resp.content_type = None
        self.allow(environ, resp)
        if resp.get_header("access-control-allow-origin"):
            resp.set_header("access-control-allow-methods", _METHODS)
            resp.set_header("access-control-allow-headers", _HEADERS)
            resp.set_header("access-control-max-age", _REMEMBERED_S)

    def allow(self, environ: Mapping[str, Any], resp: falcon.Response) -> None:
        """Let pages of an allowed origin read the response."""
        if not self._all:
            resp.append_header("vary", "Origin")
        origin = environ.get("HTTP_ORIGIN")
        if origin and (self._all or origin in self._origins):
            resp.set_header("access-control-allow-origin", "*" if self._all else origin)
            resp.set_header("access-control-expose-headers", _EXPOSED)
