"""The SQL of listings: one level of a bucket, in time that depends on the entries of that level and not on the bucket.

It takes two steps, because under row level security PostgreSQL cannot use an index on ``lower(name)`` for the caller's
own query (``lower`` is not leakproof: it would run before the policies). First a walk along the index, run as
service_role, finds the candidates, jumping over each folder's content; the caller sees none of this. Then a query with
the caller's own rights keeps what is visible: objects by id, and folders with at least one visible object.

A caller who sees few of many objects would wait for a walk over all of them. Their candidates are what they see: one
query with their own rights, over ranges of names for which PostgreSQL can use an index.

Positions are texts in the byte order of collation "C". An ascending walk takes the keys at or after its position, a
descending walk those before it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from app.database import Statement
from app.storage.sql import Projection, time_text

Direction = Literal["asc", "desc"]

MOST_SEEN = 1000
"""``seen`` is for callers who see no more objects than this."""

_KEY = {True: 'lower(o.name) COLLATE "C"', False: 'o.name COLLATE "C"'}

# How many rows a step of the walk reads: few after a folder, since another folder may follow; more and more while it
# finds only objects.
_FIRST, _AFTER_FOLDER, _GROWTH, _MOST = 16, 4, 4, 1024


@lru_cache(16)
def walk(*, folded: bool, direction: Direction, delimited: bool) -> Statement:
    """The next entries of a level: their number, ids, folders (null for objects, as ids are for folders), the position.

    Parameters: bucket, position, lower and upper bound of the keys, length of the prefix, how many entries are wanted.
    ``folded``: keys are compared in lower case. A folder then has the spelling of its first object and, as a second
    one, that of its last object, for callers who may see only that.
    """
    key = _KEY[folded]
    encountered = "left(name, $5::int + slash)"
    first, last = encountered, "NULL::text"
    if folded:
        opposite = "desc" if direction == "asc" else "asc"
        other_end = f"""(
            SELECT left(o.name, $5::int + slash) FROM storage.objects o
            WHERE o.bucket_id = $1 AND {key} >= left(k, $5::int + slash) AND {key} < left(k, $5::int + slash - 1) || '0'
            ORDER BY {key} {opposite} LIMIT 1)"""  # noqa: S608
        first, last = (encountered, other_end) if direction == "asc" else (other_end, encountered)
    slash = _slash("r.k", delimited=delimited)
    if direction == "asc":
        beyond, after_object, after_folder = ">=", "k || chr(1)", "left(k, $5::int + slash - 1) || '0'"
    else:
        beyond, after_object, after_folder = "<", "k", "left(k, $5::int + slash)"
    in_order = f'ORDER BY k {direction}, name COLLATE "C" {direction}'
    return Statement(
        f"""
        WITH RECURSIVE walk AS (
            SELECT 0 AS step, $2::text COLLATE "C" AS pos, {_FIRST} AS size, 0::bigint AS total,
                   NULL::uuid[] AS ids, NULL::text[] AS folders, NULL::text[] AS lasts
            UNION ALL
            SELECT w.step + 1, b.pos,
                   CASE WHEN b.folder THEN {_AFTER_FOLDER} ELSE least(w.size * {_GROWTH}, {_MOST}) END,
                   w.total + cardinality(b.ids), b.ids, b.folders, b.lasts
            FROM walk w CROSS JOIN LATERAL (
                SELECT array_agg(CASE WHEN slash = 0 THEN id END {in_order}) AS ids,
                       array_agg(CASE WHEN slash > 0 THEN {first} END {in_order}) AS folders,
                       array_agg(CASE WHEN slash > 0 THEN {last} END {in_order}) AS lasts,
                       bool_or(slash > 0) AS folder,
                       (array_agg(CASE WHEN slash > 0 THEN {after_folder} ELSE {after_object} END
                                  {in_order}))[count(*)] COLLATE "C" AS pos
                FROM (
                    SELECT s.*, coalesce(bool_or(slash > 0) OVER (
                               {in_order}
                               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), false) AS behind_folder
                    FROM (
                        SELECT r.*, {slash} AS slash FROM (
                            SELECT o.id, o.name, {key} AS k FROM storage.objects o
                            WHERE o.bucket_id = $1 AND {key} >= $3 AND {key} < $4 AND {key} {beyond} w.pos
                            ORDER BY {key} {direction} FETCH FIRST (w.size) ROWS WITH TIES
                        ) r
                    ) s
                ) cut
                WHERE NOT behind_folder
            ) b
            WHERE w.total < $6::bigint AND b.ids IS NOT NULL
        )
        SELECT count(*), coalesce(array_agg(e.id ORDER BY w.step, e.n), '{{}}'),
               coalesce(array_agg(e.folder ORDER BY w.step, e.n), '{{}}'),
               coalesce(array_agg(e.last ORDER BY w.step, e.n), '{{}}'),
               (SELECT l.pos FROM walk l ORDER BY l.step DESC LIMIT 1)
        FROM walk w CROSS JOIN unnest(w.ids, w.folders, w.lasts) WITH ORDINALITY AS e (id, folder, last, n)
        """,  # noqa: S608
        "list_walk",
    )


@lru_cache(16)
def seen(*, folded: bool, direction: Direction, delimited: bool) -> Statement:
    """What the caller sees from a position on: how many objects, and their entries in the form of ``walk``.

    It counts no further than one more than ``MOST_SEEN``; the entries are then incomplete. Parameters: bucket,
    position, lower and upper bound of the keys, length of the prefix, and two arrays with the lower and upper bounds of
    ranges of names that contain all these keys.
    """
    key = _KEY[folded]
    in_order = f'ORDER BY e.place {direction}, e.name COLLATE "C" {direction}'
    return Statement(
        f"""
        WITH seen AS (
            SELECT r.*, {_slash("r.k", delimited=delimited)} AS slash FROM (
                SELECT o.* FROM unnest($6::text[], $7::text[]) AS among (lower, upper)
                CROSS JOIN LATERAL (
                    SELECT o.id, o.name, {key} AS k FROM storage.objects o
                    WHERE o.bucket_id = $1 AND o.name COLLATE "C" >= among.lower AND o.name COLLATE "C" < among.upper
                      AND {key} >= $3 AND {key} < $4 AND {key} {">=" if direction == "asc" else "<"} $2
                    ORDER BY o.name COLLATE "C" LIMIT {MOST_SEEN + 1}) AS o
                LIMIT {MOST_SEEN + 1}
            ) r),
        entries AS (
            SELECT object, place, length(place) AS length, (array_agg(name ORDER BY k, name COLLATE "C"))[1] AS name
            FROM (
                SELECT s.*, CASE WHEN slash = 0 THEN id END AS object,
                       CASE WHEN slash = 0 THEN k ELSE left(k, $5::int + slash) END AS place
                FROM seen s
            ) s
            GROUP BY object, place
        )
        SELECT (SELECT count(*) FROM seen), coalesce(array_agg(e.object {in_order}), '{{}}'),
               coalesce(array_agg(CASE WHEN e.object IS NULL THEN left(e.name, length) END {in_order}), '{{}}'),
               coalesce(array_agg(NULL::text), '{{}}')
        FROM entries e
        """,  # noqa: S608
        "list_seen",
    )


def _slash(key: str, *, delimited: bool) -> str:
    """The position of the first slash after the prefix; 0 if there is none."""
    return f"strpos(substr({key}, $5::int + 1), '/')" if delimited else "0"


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


@lru_cache(16)
def page_by_offset(entry: Projection, column: str, direction: Direction) -> Statement:
    """The visible candidates from an offset on: how many are visible, how many are given, and their JSON array.

    ``entry`` projects each row ``v``. Parameters: bucket, ids, folders, their other spellings, length of the prefix,
    offset, limit.
    """
    ordered = "v.n" if column == "name" else _sorted_by(column, direction)
    return Statement(
        f"""
        WITH visible AS MATERIALIZED ({_VISIBLE}),
        page AS (SELECT v.*, row_number() OVER () AS place FROM (
            SELECT * FROM visible v ORDER BY {ordered} OFFSET $6::bigint LIMIT $7::bigint) v)
        SELECT (SELECT count(*) FROM visible), count(*), coalesce(json_agg({entry} ORDER BY v.place), '[]')
        FROM page v
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
        WITH visible AS ({source}),
        page AS (
            SELECT v.*, row_number() OVER (ORDER BY {ordered}) AS place, {moment} AS moment
            FROM visible v WHERE {condition} ORDER BY {ordered} LIMIT $5::bigint + 1),
        given AS (SELECT * FROM page WHERE place <= $5::bigint)
        SELECT (SELECT count(*) FROM page), (SELECT count(*) FROM given),
            (SELECT json_agg({folder} ORDER BY v.place) FROM given v WHERE v.folder IS NOT NULL),
            (SELECT json_agg({entry} ORDER BY v.place) FROM given v WHERE v.folder IS NULL),
            l.folder IS NOT NULL, coalesce(l.folder, l.name), {time_text("l.moment")}
        FROM (SELECT 1) AS one LEFT JOIN (SELECT * FROM given ORDER BY place DESC LIMIT 1) AS l ON true
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
