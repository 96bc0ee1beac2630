"""The parts of a multipart form (RFC 7578)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from falcon.media.multipart import BodyPart, MultipartFormHandler

from app.storage.bytes.backend import ByteSource

_LONGEST_TYPE = 1000
"""Characters of the header that names the boundary, which has 70 at most: Falcon reads it in quadratic time."""


def form_parts(body: ByteSource, content_type: str, length: int | None) -> Iterator[BodyPart]:
    """The parts, one after the other. Raises falcon.HTTPError and ValueError where the form is broken."""
    if len(content_type) > _LONGEST_TYPE:
        raise ValueError("the content type is too long")
    return iter(MultipartFormHandler().deserialize(cast(Any, body), content_type, length))
