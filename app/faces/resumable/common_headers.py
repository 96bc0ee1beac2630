"""The headers that every response of this protocol has."""

from __future__ import annotations

from app.faces.resumable.headers import VERSION
from app.http.response import Headers, Response

_EXPOSED = (
    "location, upload-offset, upload-length, upload-metadata, upload-expires, upload-defer-length, tus-version, "
    "tus-resumable, tus-max-size, tus-extension, tus-complete, retry-after"
)


def completed(response: Response, *, for_page: bool) -> Response:
    """The response with the protocol's version. For a page of another origin, it also exposes the protocol's
    headers."""
    exposed: Headers = (("access-control-expose-headers", _EXPOSED),) if for_page else ()
    return response._replace(headers=(("tus-resumable", VERSION), *response.headers, *exposed))
