"""What a request must see of earlier writes: the header by which clients name them, in answers and in requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import falcon

from app.database import Bookmark, Database, Position
from app.errors import RequestError
from app.pipeline.records import READ_AFTER_HEADER

_MOST = 20


def bookmark_of(environ: Mapping[str, Any], database: Database, *, on_replicas: bool = True) -> Bookmark | None:
    """What a request must see, by the headers of earlier answers, several separated by commas; None if there are no
    replicas. ``on_replicas``: whether they may answer what the request reads. Raises RequestError."""
    if not database.replicas:
        return None
    given = environ.get("HTTP_PORTICO_READ_AFTER")
    if not given:
        return Bookmark(on_replicas=on_replicas)
    parts = given.split(",", _MOST)
    positions = [position for part in parts if (position := Position.of_text(part.strip())) is not None]
    if len(positions) < len(parts):
        raise RequestError(
            f"{READ_AFTER_HEADER} must be what earlier answers had in that header", code="BAD_USER_INPUT"
        )
    # What was written before a promotion is there after it, or it is lost.
    return Bookmark(max(positions), on_replicas=on_replicas)


def tell(bookmark: Bookmark | None, resp: falcon.Response) -> None:
    """Tell the client what it must name to see what the request wrote."""
    if bookmark is not None and bookmark.written is not None:
        resp.set_header(READ_AFTER_HEADER, str(bookmark.written))
