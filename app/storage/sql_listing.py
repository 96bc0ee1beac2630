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
    If there is no folder, null stands for their array.

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
            SELECT 0 AS step, $2::text COLLATE "C" AS pos, {_FIRST} AS size, 0::bigint AS total, false AS folder,
                   NULL::uuid[] AS ids, NULL::text[] AS folders, NULL::text[] AS lasts
            UNION ALL
            SELECT w.step + 1, b.pos,
                   CASE WHEN b.folder THEN {_AFTER_FOLDER} ELSE least(w.size * {_GROWTH}, {_MOST}) END,
                   w.total + cardinality(b.ids), w.folder OR b.folder, b.ids, b.folders, b.lasts
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
        SELECT l.total, {_concatenated("ids")},
               CASE WHEN l.folder THEN {_concatenated("folders")} END,
               CASE WHEN l.folder THEN {_concatenated("lasts") if folded else "NULL"} END, l.pos
        FROM (SELECT * FROM walk ORDER BY step DESC LIMIT 1) AS l
        """,  # noqa: S608
        "list_walk",
    )


def _concatenated(arrays: str) -> str:
    """The arrays of all steps of the walk as the text of one: an array's text without its braces is that of a part."""
    return f"""(
        SELECT '{{' || coalesce(string_agg(substr(a, 2, length(a) - 2), ',' ORDER BY step), '') || '}}'
        FROM (SELECT w.step, w.{arrays}::text AS a FROM walk w WHERE w.ids IS NOT NULL) w)"""  # noqa: S608


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
