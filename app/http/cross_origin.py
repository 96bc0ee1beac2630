"""CORS: which pages of other origins may read responses (https://fetch.spec.whatwg.org/#http-cors-protocol)."""

from __future__ import annotations

from collections.abc import Sequence

Headers = tuple[tuple[str, str], ...]

_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
_EXPOSED = (
    "etag, last-modified, content-length, content-range, content-disposition, accept-ranges, retry-after,"
    " portico-capped, portico-read-after, x-request-id"
)
_REMEMBERED_S = "86400"


class CrossOrigin:
    """``origins`` may contain ``*``. Browser credentials are not allowed: the service's are in headers that pages
    set."""

    def __init__(self, origins: Sequence[str]) -> None:
        self._all = "*" in origins
        self._origins = frozenset(origin.rstrip("/") for origin in origins)

    def __bool__(self) -> bool:
        return bool(self._origins)

    def allows(self, origin: str) -> bool:
        """Whether pages of this origin may call the service."""
        return self._all or origin in self._origins

    def headers(self, origin: str | None) -> Headers:
        """The headers of every response to a page of ``origin``: permission to read it, if the origin is allowed."""
        if not self:
            return ()
        if self._all:
            allowed: Headers = (("access-control-allow-origin", "*"),) if origin else ()
        elif origin in self._origins and origin is not None:
            allowed = (("vary", "Origin"), ("access-control-allow-origin", origin))
        else:
            return (("vary", "Origin"),)
        return (*allowed, ("access-control-expose-headers", _EXPOSED)) if allowed else ()

    def preflight_headers(self, origin: str | None, requested: str) -> Headers:
        """The headers of the response to a preflight: permission for all methods and the ``requested`` headers.

        Any header is safe, because a page's own server could also send it.
        """
        if not (self._all or origin in self._origins):
            return ()
        allowed = (("access-control-allow-methods", _METHODS), ("access-control-max-age", _REMEMBERED_S))
        return (*allowed, ("access-control-allow-headers", requested)) if requested else allowed
