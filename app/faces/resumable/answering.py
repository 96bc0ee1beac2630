"""What every answer of this protocol has."""

from __future__ import annotations

from app.faces.resumable.headers import VERSION
from app.http.response import Answer, Headers

_EXPOSED = (
    "location, upload-offset, upload-length, upload-metadata, upload-expires, upload-defer-length, tus-version, "
    "tus-resumable, tus-max-size, tus-extension, tus-complete, retry-after"
)


def completed(answer: Answer, *, for_page: bool) -> Answer:
    """The answer with the protocol's version and, for a page of another origin, leave to read these headers."""
    exposed: Headers = (("access-control-expose-headers", _EXPOSED),) if for_page else ()
    return answer._replace(headers=(("tus-resumable", VERSION), *answer.headers, *exposed))
