"""The list of buckets that the caller may see: filtered, ordered and cut by the database."""

from __future__ import annotations

import re
from typing import Any

from app.database import Statement
from app.storage.access import own_context
from app.storage.records import Answer, Call
from app.storage.rest.json_bodies import Member, check_object
from app.storage.rows import known, text
from app.storage.sql import BUCKET_LIMITS, BUCKET_MEMBERS
from app.storage.storage import Storage

_QUERY = (
    Member("limit", "integer", least=1),
    Member("offset", "integer", least=0),
    Member("sortColumn", "string", among=("id", "name", "created_at", "updated_at")),
    Member("sortOrder", "string", among=("asc", "desc")),
    Member("search", "string"),
)

# Released clients with strict models do not know the member "type".
_OLD_CLIENT = re.compile(r"supabase-py/(?:storage3 v)?(\d+)\.(\d+)\.(\d+)")


def list_buckets(storage: Storage, call: Call) -> Answer:
    """GET /bucket"""
    given: dict[str, Any] = check_object(call.query, _QUERY, "querystring")
    statement = _statement(given.get("sortColumn"), given.get("sortOrder", "asc"), typed=not _is_old_client(call))
    search = given.get("search") or None
    parameters = (
        text(search.lower() if search else None),
        str(given["limit"]).encode() if "limit" in given else None,
        str(given.get("offset", 0)).encode(),
    )
    rows = storage.database.run(own_context(storage.contexts, call), [(statement, parameters)], read_only=True)[0]
    return Answer(body=known(rows[0][0]))


def _statement(column: str | None, order: str, *, typed: bool) -> Statement:
    # Column and order are words of our own, checked above.
    kind = "'type', b.type," if typed else ""
    ordered = f"ORDER BY b.{column} {order}, b.id {order}" if column else ""
    return Statement(
        f"""
        SELECT coalesce(json_agg(json_build_object({BUCKET_MEMBERS}, {kind} {BUCKET_LIMITS})), '[]')
        FROM (
            SELECT b.* FROM storage.buckets b WHERE $1::text IS NULL OR position($1 IN lower(b.name)) > 0
            {ordered} LIMIT $2::bigint OFFSET $3::bigint) b
        """,  # noqa: S608
        "list_buckets",
    )


def _is_old_client(call: Call) -> bool:
    for header, first_new in (("x-client-info", (2, 18, 0)), ("user-agent", (0, 12, 1))):
        found = _OLD_CLIENT.search(call.header(header) or "")
        if found and tuple(map(int, found.groups())) < first_new:
            return True
    return False
