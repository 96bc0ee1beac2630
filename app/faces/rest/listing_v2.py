"""Lists a bucket, version 2: pages by cursor, with full keys, ordered by their bytes or by a time."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from app.faces.rest.json_bodies import Member, read_json_object
from app.faces.rest.projections import entry, folder
from app.faces.rest.request import RestRequest
from app.faces.rest.versions import VERSIONS, list_versions, lists_versions
from app.http.response import Response
from app.storage.errors import InvalidValue
from app.storage.listing import FilledPage, Level, after, page_of_keys
from app.storage.long_reads import Read
from app.storage.row_decoding import RawValue, boolean, number, text
from app.storage.sql import Direction
from app.storage.sql_pages import PageByCursor
from app.storage.storage import Storage
from app.times import as_json

_LARGEST_PAGE = 1000
_COLUMNS = ("name", "created_at", "updated_at")
_DIRECTIONS = ("asc", "desc")
_CURSOR = "continuation token"

LIST_V2 = (
    Member("prefix", "string", default=""),
    Member("limit", "integer", least=1, default=_LARGEST_PAGE),
    Member("cursor", "string"),
    Member("with_delimiter", "boolean", default=False),
    Member("exactMatch", "boolean", default=False),
    Member("noncurrentVersions", "string", among=VERSIONS, default="exclude"),
    Member("deleteMarkers", "string", among=VERSIONS, default="exclude"),
    Member(
        "sortBy",
        "object",
        members=(
            Member("column", "string", among=_COLUMNS, default="name"),
            Member("order", "string", among=_DIRECTIONS, default="asc"),
        ),
        default={},
    ),
)


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last entry of a page: its full name, whether it is a folder, its time; and the listing's order."""

    last: str
    is_folder: bool
    direction: Direction
    column: str
    time: str = ""

    def encode(self) -> str:
        """The text that clients send back for the next page."""
        lines = [
            f"l:{self.last}",
            f"o:{self.direction}",
            f"c:{self.column}",
            f"t:{'folder' if self.is_folder else 'object'}",
        ]
        if self.time:
            lines.append(f"a:{self.time}")
        return base64.b64encode("\n".join(lines).encode()).decode()

    @classmethod
    def decode(cls, encoded: str, *, prefix: str, delimited: bool) -> Cursor:
        """The cursor from the result of ``encode``, here or in Supabase's storage. Raises InvalidValue."""
        try:
            lines = base64.b64decode(encoded, validate=True).decode().split("\n")
        except (binascii.Error, ValueError):
            raise InvalidValue(_CURSOR) from None
        found = {line[:1]: line[2:] for line in lines if line[1:2] == ":"}
        last, direction, column = found.get("l"), found.get("o", "asc"), found.get("c", "name")
        if not last or "\0" in last or direction not in _DIRECTIONS or column not in _COLUMNS:
            raise InvalidValue(_CURSOR)
        # Cursors of Supabase's storage do not say whether the last entry was a folder.
        kind = found.get("t") or ("folder" if delimited and last.endswith("/") and last != prefix else "object")
        is_folder = kind == "folder"
        # Folders have no time.
        time = "" if column == "name" or is_folder else _read_time(found.get("a", ""))
        return cls(last, is_folder, cast(Direction, direction), column, time)


@dataclass(frozen=True, slots=True)
class WantedPage:
    """The page that a request wants. With a ``cursor`` it begins after that entry, in the order of the previous page.
    ``exact``: only the object whose key equals ``prefix``."""

    prefix: str
    exact: bool
    column: str
    direction: Direction
    delimited: bool
    cursor: Cursor | None
    limit: int

    @property
    def page(self) -> PageByCursor:
        return page_v2(self.column, self.direction, delimited=self.delimited)


def list_objects_v2(storage: Storage, request: RestRequest) -> Response:
    """POST /object/list-v2/{bucket}"""
    body = read_json_object(request, LIST_V2)
    if lists_versions(body):
        return list_versions(storage, request, body)
    wanted = _wanted(body)
    with storage.read(request.context) as read:
        found = (_by_name if wanted.column == "name" else _by_time)(read, request, wanted)
    return _respond(found, wanted)


def _wanted(body: Mapping[str, Any]) -> WantedPage:
    prefix: str = body["prefix"].replace("\0", "")
    delimited: bool = body["with_delimiter"]
    cursor = Cursor.decode(body["cursor"], prefix=prefix, delimited=delimited) if body.get("cursor") else None
    column: str = cursor.column if cursor else body["sortBy"].get("column", "name")
    direction: Direction = cursor.direction if cursor else body["sortBy"].get("order", "asc")
    exact: bool = body["exactMatch"]
    return WantedPage(prefix, exact, column, direction, delimited, cursor, min(body["limit"], _LARGEST_PAGE))


def _respond(found: FilledPage, wanted: WantedPage) -> Response:
    members = [b'"hasNext":' + (b"true" if found.has_next else b"false")]
    if found.has_next and found.last is not None:
        last = found.last
        cursor = Cursor(last.name, last.is_folder, wanted.direction, wanted.column, last.time).encode()
        members.append(b'"nextCursor":' + json.dumps(cursor).encode())
        members.append(b'"nextCursorKey":' + json.dumps(last.name).encode())
    entries = b", ".join(found.folders), b", ".join(found.objects)
    return Response(body=b'{%b,"folders":[%b],"objects":[%b]}' % (b",".join(members), *entries))


def _by_name(read: Read, request: RestRequest, wanted: WantedPage) -> FilledPage:
    cursor = wanted.cursor
    position = after(cursor.last, cursor.direction, is_folder=cursor.is_folder) if cursor else None
    level = Level(
        read, request.context, request.bucket, wanted.prefix, wanted.direction,
        folded=False, delimited=wanted.delimited, exact=wanted.exact, position=position,
    )  # fmt: skip
    found = FilledPage(wanted.limit)
    found.fill(level, wanted.page)
    return found


def page_v2(column: str, direction: Direction, *, delimited: bool) -> PageByCursor:
    """A page of this version."""
    return PageByCursor(folder(delimited=delimited), entry(delimited=delimited), column, direction)


def _by_time(read: Read, request: RestRequest, wanted: WantedPage) -> FilledPage:
    cursor = wanted.cursor
    beyond: tuple[RawValue, ...] = (None, None, None)
    if cursor is not None:
        beyond = (boolean(cursor.is_folder), text(cursor.time) if cursor.time else None, text(cursor.last))
    found = FilledPage(wanted.limit)
    own = (number(found.left), *beyond)
    if wanted.delimited:
        level = Level(read, request.context, request.bucket, wanted.prefix, "asc", folded=False, exact=wanted.exact)
        found.take(level.page_of_all(wanted.page, *own))
    else:
        found.take(
            page_of_keys(read, request.context, request.bucket, wanted.prefix, wanted.page, *own, exact=wanted.exact)
        )
    return found


def _read_time(value: str) -> str:
    """The time in a format that PostgreSQL reads. Raises InvalidValue."""
    try:
        moment = datetime.fromisoformat(value)
        return as_json(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        raise InvalidValue(_CURSOR) from None
