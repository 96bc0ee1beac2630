"""The SQL of the second step of a listing: the visible candidates as a page, in JSON.

One pass sorts the visible candidates and numbers them; it counts all and makes JSON of those on the page.
"""

from __future__ import annotations

from functools import lru_cache

from app.database import Statement
from app.storage.sql import Projection, time_text
from app.storage.sql_listing import Direction

# The candidates visible to the caller. $1 bucket, $2 ids, $3 folders, $4 their other spellings. Objects and folders are
# looked up apart: in one join, the subquery of folders would also run for each object. OFFSET 0 keeps the bound a plain
# value: ``left`` and ``||`` are not leakproof, and inside the comparison they would rule out the index.
_VISIBLE = """
    SELECT e.n, NULL::text AS folder, o.id, o.name, o.created_at, o.updated_at, o.last_accessed_at, o.metadata
    FROM unnest($2::uuid[]) WITH ORDINALITY AS e (id, n) JOIN storage.objects o ON o.id = e.id
    UNION ALL
    SELECT e.n, f.folder, NULL, NULL, NULL, NULL, NULL, NULL
    FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS e (first, last, n)
    CROSS JOIN LATERAL (
        SELECT s.folder FROM (
            SELECT v.place, v.folder, left(v.folder, -1) || '0' AS beyond
            FROM (VALUES (1, e.first), (2, nullif(e.last, e.first))) AS v (place, folder) OFFSET 0) AS s
        WHERE EXISTS (
            SELECT FROM storage.objects f
            WHERE f.bucket_id = $1 AND f.name COLLATE "C" >= s.folder AND f.name COLLATE "C" < s.beyond)
        ORDER BY s.place LIMIT 1) AS f
    WHERE e.first IS NOT NULL"""

# All objects in a range of keys. $1 bucket, $2 and $3 the bounds; $4 is unused, so that both statements take the same.
_RANGE = """
    SELECT 0::bigint AS n, NULL::text AS folder,
           o.id, o.name, o.created_at, o.updated_at, o.last_accessed_at, o.metadata
    FROM storage.objects o
    WHERE o.bucket_id = $1 AND o.name COLLATE "C" >= $2 AND o.name COLLATE "C" < $3 AND $4::text IS NULL"""


_UPDATED = f"{time_text('v.updated_at')} AS updated"


def entry_time(column: str) -> str:
    """The text of a time of an entry ``v`` of a page. It is mostly that of ``updated_at``, which is made only once: the
    texts of times were a quarter of the work for a page."""
    return f"CASE WHEN v.{column} = v.updated_at THEN v.updated ELSE {time_text(f'v.{column}')} END"


@lru_cache(16)
def page_by_offset(entry: Projection, column: str, direction: Direction) -> Statement:
    """The visible candidates from an offset on: how many are visible, how many are given, and their JSON array.

    ``entry`` projects each row ``v``, in which ``updated`` is the text of ``updated_at``. Parameters: bucket, ids,
    folders, their other spellings, length of the prefix, offset, limit.
    """
    ordered = "v.n" if column == "name" else _sorted_by(column, direction)
    return Statement(
        f"""
        SELECT count(*), count(*) FILTER (WHERE given),
               coalesce(json_agg({entry} ORDER BY place) FILTER (WHERE given), '[]')
        FROM (
            SELECT v.*, place > $6::bigint AND place <= $6::bigint + $7::bigint AS given FROM (
                SELECT v.*, {_UPDATED}, row_number() OVER (ORDER BY {ordered}) AS place FROM ({_VISIBLE}) v) v) v
        """,  # noqa: S608
        "list_page",
    )


def _sorted_by(column: str, direction: Direction) -> str:
    """Folders first, by name; then objects by a time, and by name where times are equal."""
    by_name = (
        f'lower(coalesce(v.folder, v.name)) COLLATE "C" {direction}, coalesce(v.folder, v.name) COLLATE "C" {direction}'
    )
    return f"v.folder IS NULL, CASE WHEN v.folder IS NULL THEN v.{column} END {direction}, {by_name}"


@lru_cache(32)
def page_by_cursor(
    folder: Projection, entry: Projection, column: str, direction: Direction, *, delimited: bool
) -> Statement:
    """The visible candidates: how many were found (at most one more than the limit), how many are given, the JSON
    arrays of folders and of objects, and the last entry given: whether it is a folder, its name, its time.

    ``folder`` projects each row ``v`` that is a folder, ``entry`` each that is an object. Parameters: bucket; the three
    arrays of candidates, or the bounds of the keys and null when the listing is by time and not delimited; limit; and
    for a listing by time the last entry of the previous page: whether it was a folder (null for the first page), its
    time, its name.
    """
    by_time = column != "name"
    source = _RANGE if by_time and not delimited else _VISIBLE
    moment = f"date_trunc('milliseconds', v.{column})" if by_time else "NULL::timestamptz"
    name = 'coalesce(v.folder, v.name) COLLATE "C"'
    ordered = f"(v.folder IS NULL), {moment} {direction}, {name} {direction}" if by_time else "v.n"
    condition = _after_cursor(moment, name, direction) if by_time else "true"
    return Statement(
        f"""
        SELECT count(*), count(*) FILTER (WHERE given),
            json_agg({folder} ORDER BY place) FILTER (WHERE given AND folder IS NOT NULL),
            json_agg({entry} ORDER BY place) FILTER (WHERE given AND folder IS NULL),
            coalesce(bool_or(folder IS NOT NULL) FILTER (WHERE last), false),
            max(coalesce(folder, name)) FILTER (WHERE last), {time_text("max(moment) FILTER (WHERE last)")}
        FROM (
            SELECT v.*, place <= $5::bigint AS given, place = $5::bigint OR (place < $5::bigint AND last_found) AS last
            FROM (
                SELECT v.*, {_UPDATED}, {moment} AS moment,
                       row_number() OVER in_order AS place, lead(true) OVER in_order IS NULL AS last_found
                FROM (SELECT v.* FROM ({source}) v WHERE {condition} ORDER BY {ordered} LIMIT $5::bigint + 1) v
                WINDOW in_order AS (ORDER BY {ordered})) v) v
        """,  # noqa: S608
        "list_page_v2",
    )


def _after_cursor(moment: str, name: str, direction: Direction) -> str:
    """What comes after the cursor in the order (object or folder, time, name)."""
    later = ">" if direction == "asc" else "<"
    return f"""(
        $6::boolean IS NULL
        OR (NOT $6::boolean AND v.folder IS NULL AND ({moment}, {name}) {later} ($7::timestamptz, $8 COLLATE "C"))
        OR ($6::boolean AND (v.folder IS NULL OR {name} {later} $8)))"""
