"""Lists one level of a bucket, version 1: pages by offset, names relative to a folder, ignoring case."""

from __future__ import annotations

from typing import cast

from app.faces.rest.json_bodies import Member, read_json_object
from app.faces.rest.projections import ENTRY
from app.faces.rest.request import RestRequest
from app.http.response import Response
from app.storage.listing import LARGEST_STEP, Level, in_lower_case
from app.storage.row_decoding import known, number
from app.storage.sql import Direction
from app.storage.sql_pages import PageByOffset
from app.storage.storage import Storage

_LARGEST_PAGE = 1500

LIST = (
    Member("prefix", "string", required=True),
    Member("limit", "integer", least=1, default=100),
    Member("offset", "integer", least=0, default=0),
    Member("search", "string", default=""),
    Member(
        "sortBy",
        "object",
        members=(
            Member("column", "string", among=("name", "updated_at", "created_at", "last_accessed_at"), default="name"),
            Member("order", "string", among=("asc", "desc"), default="asc"),
        ),
        default={},
    ),
)


def list_objects(storage: Storage, request: RestRequest) -> Response:
    """POST /object/list/{bucket}"""
    body = read_json_object(request, LIST)
    prefix = body["prefix"].replace("\0", "")
    if prefix and not prefix.endswith("/"):
        prefix += "/"
    column: str = body["sortBy"].get("column", "name")
    direction = cast(Direction, body["sortBy"].get("order", "asc"))
    page = PageByOffset(ENTRY, column, direction)
    limit, offset = min(body["limit"], _LARGEST_PAGE), body["offset"]
    pages: list[bytes] = []
    step = min(limit + offset, LARGEST_STEP)
    with storage.read(request.context) as read:
        start = in_lower_case(read, request.context, prefix + body["search"].replace("\0", ""))
        level = Level(read, request.context, request.bucket, start, direction, folded=True)
        while limit > 0 and not level.at_end:
            own = number(len(prefix)), number(offset), number(limit)
            row = level.page(page, step, *own) if column == "name" else level.page_of_all(page, *own)
            visible, count = int(known(row[0])), int(known(row[1]))
            offset = max(0, offset - visible)
            limit -= count
            if count:
                pages.append(known(row[2]))
            step = min(step * 2, LARGEST_STEP)
    return Response(body=b"[%b]" % b", ".join(pages))
