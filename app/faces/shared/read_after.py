"""Reading one's own writes: a response header has the position of a write, and clients send it back in requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import falcon

from app.database import Bookmark, Database, Position
from app.errors import RequestError
from app.pipeline.records import READ_AFTER_HEADER

_MAX_POSITIONS = 20


def bookmark_of(environ: Mapping[str, Any], database: Database, *, on_replicas: bool = True) -> Bookmark | None:
    """The bookmark of a request: its header has the values from earlier responses, separated by commas. None if there
    are no replicas. ``on_replicas``: whether replicas may answer the request's reads. Raises RequestError."""
    if not database.replicas:
        return None
    given = environ.get("HTTP_PORTICO_READ_AFTER")
    if not given:
        return Bookmark(on_replicas=on_replicas)
    parts = given.split(",", _MAX_POSITIONS)
    positions = [position for part in parts if (position := Position.of_text(part.strip())) is not None]
    if len(positions) < len(parts):
        raise RequestError(
            f"{READ_AFTER_HEADER} must contain values of that header in earlier responses", code="BAD_USER_INPUT"
        )
    # Only the largest position counts: a write from before a promotion is either there after it or lost.
    return Bookmark(max(positions), on_replicas=on_replicas)


def set_position(bookmark: Bookmark | None, resp: falcon.Response) -> None:
    """Set the header whose value the client must send to see what this request wrote."""
    if bookmark is not None and bookmark.written is not None:
        resp.set_header(READ_AFTER_HEADER, str(bookmark.written))
