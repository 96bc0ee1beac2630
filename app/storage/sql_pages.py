"""The SQL of the second step of a listing: the visible candidates as a page, in JSON.

One pass sorts the visible candidates and numbers them, counts all of them, and makes JSON of those on the page. The
JSON is concatenated from texts: with ``json_build_object`` and ``json_agg`` it took 1.5 times as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from app.database import Statement
from app.storage.sql import Direction, Projection, opaque, plain_json, time_text


def _json_time(expression: str) -> str:
    return plain_json(time_text(expression))


# The candidates visible to the caller. They are looked up by name, since an object may have been moved since the first
# step. $1 bucket, $2 names, $3 folders, $4 the folders' alternative spellings. Objects and folders are looked up
# separately: in one join, the subquery of folders would also run for each object. OFFSET 0 keeps the bound a plain
# value: ``left`` and ``||`` are not leakproof, and inside the comparison they would rule out the index.
_VISIBLE = f"""
    SELECT e.n, NULL::text AS folder, o.id, o.name, o.created_at, o.updated_at, o.last_accessed_at, o.metadata
    FROM pg_catalog.unnest({opaque("$2::text[]")}) WITH ORDINALITY AS e (name, n)
    JOIN storage.objects o ON o.bucket_id = {opaque("$1::text")} AND o.name COLLATE "C" = e.name
    UNION ALL
    SELECT e.n, f.folder, NULL, NULL, NULL, NULL, NULL, NULL
    FROM unnest({opaque("$3::text[]")}, {opaque("$4::text[]")}) WITH ORDINALITY AS e (first, last, n)
    CROSS JOIN LATERAL (
        SELECT s.folder FROM (
            SELECT v.place, v.folder, left(v.folder, -1) || '0' AS beyond
            FROM (VALUES (1, e.first), (2, nullif(e.last, e.first))) AS v (place, folder) OFFSET 0) AS s
        WHERE EXISTS (
            SELECT FROM storage.objects f
            WHERE f.bucket_id = {opaque("$1::text")}
              AND f.name COLLATE "C" >= s.folder AND f.name COLLATE "C" < s.beyond)
        ORDER BY s.place LIMIT 1) AS f
    WHERE e.first IS NOT NULL"""  # noqa: S608

# All objects in a range of keys. $1 bucket, $2 and $3 the bounds; $4 is unused, so that the page's parameters have
# the same numbers in both statements.
_RANGE = """
    SELECT 0::bigint AS n, NULL::text AS folder,
           o.id, o.name, o.created_at, o.updated_at, o.last_accessed_at, o.metadata
    FROM storage.objects o
    WHERE o.bucket_id = $1 AND o.name COLLATE "C" >= $2 AND o.name COLLATE "C" < $3 AND $4::text IS NULL"""


_UPDATED = f"{time_text('v.updated_at')} AS updated"


def entry_time(column: str) -> str:
    """A time column of the entry ``v``, as JSON. It usually equals ``updated_at``, whose text is reused: formatting
    times was a quarter of the work for a page."""
    return f"CASE WHEN v.{column} = v.updated_at THEN {plain_json('v.updated')} ELSE {_json_time(f'v.{column}')} END"


@dataclass(frozen=True, slots=True)
class PageByOffset:
    """Entries from an offset on. ``entry`` projects each row ``v`` as JSON text. ``v.updated`` is the text of
    ``v.updated_at``; the name relative to the folder begins at ``v.start``."""

    entry: Projection
    column: str
    direction: Direction

    def page_query(self, source: str, first_parameter: int, by_name: str = "ORDER BY v.n") -> str:
        """A query that returns one row: the number of entries in ``source``, the number on the page, and the elements
        of the JSON array of the page. Its parameters, numbered from ``first_parameter``: length of the folder's name,
        offset, limit. ``by_name`` is the ORDER BY for an order by name."""
        in_order = by_name if self.column == "name" else _sorted_by(self.column, self.direction)
        length, offset, limit = (
            f"${first_parameter}::int",
            f"${first_parameter + 1}::bigint",
            f"${first_parameter + 2}::bigint",
        )
        return f"""
            SELECT count(*), count(*) FILTER (WHERE given), string_agg({self.entry}, ', ') FILTER (WHERE given)
            FROM (
                SELECT v.*, place > {offset} AND place <= {offset} + {limit} AS given FROM (
                    SELECT v.*, {_UPDATED}, {length} + 1 AS start, row_number() OVER ({in_order}) AS place
                    FROM ({source}) v {in_order}) v) v"""  # noqa: S608


def _sorted_by(column: str, direction: Direction) -> str:
    """The order: folders first, by name; then objects by a time, and by name if times are equal."""
    by_name = (
        f'lower(coalesce(v.folder, v.name)) COLLATE "C" {direction}, coalesce(v.folder, v.name) COLLATE "C" {direction}'
    )
    return f"ORDER BY v.folder IS NULL, CASE WHEN v.folder IS NULL THEN v.{column} END {direction}, {by_name}"


@dataclass(frozen=True, slots=True)
class PageByCursor:
    """Entries after a cursor. ``folder`` projects folders and ``entry`` objects, as JSON text; each is a row ``v`` as
    in a ``PageByOffset``."""

    folder: Projection
    entry: Projection
    column: str
    direction: Direction

    def page_query(self, source: str, first_parameter: int, by_name: str = "ORDER BY v.n") -> str:
        """A query that returns one row: the number of entries found (at most the limit plus one), the number on the
        page, the elements of the JSON arrays of folders and of objects, and of the last entry on the page: whether it
        is a folder, its name, its time.

        Its parameters, numbered from ``first_parameter``: the limit; for a listing by time also those of the last entry
        of the previous page: whether it was a folder (null for the first page), its time, its name.
        """
        by_time = self.column != "name"
        moment = _cursor_time(f"v.{self.column}") if by_time else "NULL::timestamptz"
        name = 'coalesce(v.folder, v.name) COLLATE "C"'
        direction, limit = self.direction, f"${first_parameter}::bigint"
        in_order = f"ORDER BY (v.folder IS NULL), {moment} {direction}, {name} {direction}" if by_time else by_name
        condition = _after_cursor(moment, name, direction, first_parameter + 1) if by_time else "true"
        return f"""
            SELECT count(*), count(*) FILTER (WHERE given),
                string_agg({self.folder}, ', ') FILTER (WHERE given AND folder IS NOT NULL),
                string_agg({self.entry}, ', ') FILTER (WHERE given AND folder IS NULL),
                coalesce(bool_or(folder IS NOT NULL) FILTER (WHERE last), false),
                max(coalesce(folder, name)) FILTER (WHERE last),
                {time_text("max(moment) FILTER (WHERE last AND folder IS NULL)")}
            FROM (
                SELECT v.*, place <= {limit} AS given, place = {limit} OR (place < {limit} AND last_found) AS last
                FROM (
                    SELECT v.*, {_UPDATED}, {moment} AS moment,
                           row_number() OVER in_order AS place,
                           pg_catalog.lead(true) OVER in_order IS NULL AS last_found
                    FROM (SELECT v.* FROM ({source}) v WHERE {condition} {in_order} LIMIT {limit} + 1) v
                    WINDOW in_order AS ({in_order}) {in_order}) v) v"""  # noqa: S608


def _cursor_time(column: str) -> str:
    """The time, rounded down to milliseconds as in a cursor. A time that a cursor cannot contain, such as infinity,
    becomes the nearest one in the years 1 to 9999. NULL becomes the earliest, since ``greatest`` ignores it."""
    within = f"least(greatest({column}, timestamptz '0001-01-01 00:00Z'), timestamptz '9999-12-31 23:59:59.999Z')"
    return f"date_trunc('milliseconds', {within})"


def _after_cursor(moment: str, name: str, direction: Direction, first_parameter: int) -> str:
    """The condition that an entry comes after the cursor in the order of ``_sorted_by``. The cursor's parameters are
    numbered from ``first_parameter``."""
    later = ">" if direction == "asc" else "<"
    was_folder, time, last = (
        f"${first_parameter}::boolean",
        f"${first_parameter + 1}::timestamptz",
        f'${first_parameter + 2} COLLATE "C"',
    )
    return f"""(
        {was_folder} IS NULL
        OR (NOT {was_folder} AND v.folder IS NULL AND ({moment}, {name}) {later} ({time}, {last}))
        OR ({was_folder} AND (v.folder IS NULL OR {name} {later} {last})))"""


ListedPage = PageByOffset | PageByCursor


@lru_cache(64)
def page_of_visible(page: ListedPage) -> Statement:
    """The page of the visible candidates. Parameters: bucket, names, folders, their alternative spellings, and
    those of the page."""
    return Statement(page.page_query(_VISIBLE, 5), "list_page")


@lru_cache(16)
def page_of_range(page: PageByCursor) -> Statement:
    """The page of all objects in a range of keys. Parameters: bucket, the bounds of the keys, null, and those of the
    page."""
    return Statement(page.page_query(_RANGE, 5), "list_range")
