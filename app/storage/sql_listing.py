"""The SQL of listings of one level of a bucket. Their time depends on the entries of that level, not on the bucket.

They take two steps, because under row level security PostgreSQL cannot use an index on ``lower(name)`` for the caller's
own query (``lower`` is not leakproof: it would run before the policies). First a walk along the index, run as
service_role, finds the candidates and jumps over each folder's content; the caller sees none of this. Then a query with
the caller's own rights selects what is visible: objects by name, and folders with at least one visible object. If there
is no folder, a scan of a range of the index replaces the walk; and for service_role, from which no row is hidden, that
scan returns the page itself.

For a caller who sees few of many objects, a walk over all of them would take too long. Their candidates come from one
query with their own rights, over ranges of names for which PostgreSQL can use an index.

Positions are texts in the byte order of collation "C". An ascending walk takes the keys at or after its position, a
descending walk those before it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from app.database import Statement
from app.storage.sql import Direction, opaque
from app.storage.sql_pages import ListedPage

MOST_SEEN = 1000
"""``seen`` is for callers who see at most this number of objects."""

LOWER_CASE = Statement("SELECT lower($1::text)", "lower_case")

# The number of rows that a step of the walk reads: few after a folder, since another folder may follow; more and more
# while it finds only objects.
_FIRST, _AFTER_FOLDER, _GROWTH, _MOST = 16, 4, 4, 1024

_BUCKET, _POSITION, _LENGTH, _WANTED = map(opaque, ("$1::text", "$2::text", "$5::int", "$6::bigint"))


class ListedLevel(NamedTuple):
    """The kind of a listing. ``folded``: keys are compared in lower case. ``delimited``: keys are grouped into
    folders."""

    folded: bool
    direction: Direction
    delimited: bool

    @property
    def key(self) -> str:
        """The expression by which names are compared."""
        return 'lower(o.name) COLLATE "C"' if self.folded else 'o.name COLLATE "C"'

    @property
    def slash(self) -> str:
        """The position of the first slash in a key ``k`` after the prefix; 0 if there is none."""
        return f"strpos(substr(k, {_LENGTH} + 1), '/')" if self.delimited else "0"

    @property
    def in_order(self) -> str:
        return f'ORDER BY k {self.direction}, name COLLATE "C" {self.direction}'

    def onwards(self, position: str) -> str:
        """The condition that a key is at or after a position, in the direction of the walk."""
        return f"{self.key} {'>=' if self.direction == 'asc' else '<'} {position}"

    def first(self, rows: str, position: str, columns: str) -> str:
        """A query of the first ``rows`` keys from a position on, and of further keys that are equal to the last one."""
        lower, upper = opaque("$3::text"), opaque("$4::text")
        return f"""
            SELECT {columns}, {self.key} AS k FROM storage.objects o
            WHERE o.bucket_id = {_BUCKET} AND {self.key} >= {lower} AND {self.key} < {upper}
              AND {self.onwards(position)}
            ORDER BY {self.key} {self.direction} FETCH FIRST ({rows}) ROWS WITH TIES"""  # noqa: S608


@lru_cache(16)
def walk(level: ListedLevel) -> Statement:
    """The next entries of a level. Columns: their number, an array of names (null for folders), an array of folders
    (null for objects), an array of the folders' alternative spellings, the new position. The last two arrays are null
    if there is no folder.

    Parameters: bucket, position, lower and upper bound of the keys, length of the prefix, number of wanted entries. If
    keys are compared in lower case, a folder has the spelling of its first object. Its alternative spelling is that of
    its last object, for callers who can see only the last one."""
    last = "max(k) || chr(1)" if level.direction == "asc" else "min(k)"
    return Statement(
        f"""
        {_walked(level)}
        SELECT count(*), coalesce(pg_catalog.array_agg(name {level.in_order}), '{{}}')::text, NULL, NULL,
               coalesce({last}, $2)
        FROM ({level.first(_WANTED, _POSITION, "o.name")}) r HAVING (SELECT flat FROM kind)
        UNION ALL SELECT * FROM walked
        """,  # noqa: S608
        "list_walk",
    )


@lru_cache(64)
def walk_with_page(level: ListedLevel, page: ListedPage) -> Statement:
    """The columns of ``page``, followed by those of ``walk``. If there is no folder, the page has all wanted entries
    and the columns of ``walk`` are null; otherwise only the columns of ``walk`` count.

    Parameters: those of ``walk``, then those of the page.
    """
    rows = f"CASE WHEN (SELECT flat FROM kind) THEN {_WANTED} ELSE 0 END"  # noqa: S608
    objects = level.first(rows, _POSITION, "NULL::text AS folder, o.*")
    return Statement(
        f"""
        {_walked(level)}
        SELECT * FROM ({page.page_query(objects, 7, level.in_order)}) AS page LEFT JOIN walked ON true
        """,  # noqa: S608
        "list_walk_page",
    )


def _walked(level: ListedLevel) -> str:
    """The common table expressions up to ``walked``, which has the only row of ``walk``. It has no row if the wanted
    entries include no folder; then ``flat`` in ``kind`` is true."""
    return f"""
        WITH RECURSIVE kind AS MATERIALIZED (
            SELECT NOT EXISTS (
                SELECT FROM ({level.first(_WANTED, _POSITION, "NULL")}) r WHERE {level.slash} > 0) AS flat),
        walk AS ({_steps(level)}),
        walked AS (
            SELECT l.total, {_concatenated("names")},
                   CASE WHEN l.folder THEN {_concatenated("folders")} END,
                   CASE WHEN l.folder THEN {_concatenated("lasts") if level.folded else "NULL"} END, l.pos
            FROM (SELECT * FROM walk ORDER BY step DESC LIMIT 1) AS l)"""  # noqa: S608


def _steps(level: ListedLevel) -> str:
    """The steps of a walk. Each ends with the first folder that it finds. There is no step if ``flat`` is true."""
    encountered = f"left(name, {_LENGTH} + slash)"
    first, last = encountered, "NULL::text"
    if level.folded:
        opposite = "desc" if level.direction == "asc" else "asc"
        other_end = f"""(
            SELECT left(o.name, {_LENGTH} + slash) FROM storage.objects o
            WHERE o.bucket_id = {_BUCKET} AND {level.key} >= left(k, {_LENGTH} + slash)
              AND {level.key} < left(k, {_LENGTH} + slash - 1) || '0'
            ORDER BY {level.key} {opposite} LIMIT 1)"""  # noqa: S608
        first, last = (encountered, other_end) if level.direction == "asc" else (other_end, encountered)
    if level.direction == "asc":
        after_object, after_folder = "k || chr(1)", f"left(k, {_LENGTH} + slash - 1) || '0'"
    else:
        after_object, after_folder = "k", f"left(k, {_LENGTH} + slash)"
    return f"""
            SELECT 0 AS step, $2::text COLLATE "C" AS pos, {_FIRST} AS size, 0::bigint AS total, false AS folder,
                   NULL::text[] AS names, NULL::text[] AS folders, NULL::text[] AS lasts
            FROM kind WHERE NOT flat
            UNION ALL
            SELECT w.step + 1, b.pos,
                   CASE WHEN b.folder THEN {_AFTER_FOLDER} ELSE least(w.size * {_GROWTH}, {_MOST}) END,
                   w.total + pg_catalog.cardinality(b.names), w.folder OR b.folder, b.names, b.folders, b.lasts
            FROM walk w CROSS JOIN LATERAL (
                SELECT pg_catalog.array_agg(CASE WHEN slash = 0 THEN name END {level.in_order}) AS names,
                       pg_catalog.array_agg(CASE WHEN slash > 0 THEN {first} END {level.in_order}) AS folders,
                       pg_catalog.array_agg(CASE WHEN slash > 0 THEN {last} END {level.in_order}) AS lasts,
                       bool_or(slash > 0) AS folder,
                       (pg_catalog.array_agg(CASE WHEN slash > 0 THEN {after_folder} ELSE {after_object} END
                                  {level.in_order}))[count(*)] COLLATE "C" AS pos
                FROM (
                    SELECT s.*, coalesce(bool_or(slash > 0) OVER (
                               {level.in_order}
                               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), false) AS behind_folder
                    FROM (
                        SELECT r.*, {level.slash} AS slash FROM ({level.first("w.size", "w.pos", "o.name")}) r
                    ) s
                ) cut
                WHERE NOT behind_folder
            ) b
            WHERE w.total < {_WANTED} AND b.names IS NOT NULL"""  # noqa: S608


def _concatenated(arrays: str) -> str:
    """The arrays of all steps of the walk as the text of one array, made by joining their texts without the braces."""
    return f"""(
        SELECT '{{' || coalesce(string_agg(substr(a, 2, length(a) - 2), ',' ORDER BY step), '') || '}}'
        FROM (SELECT w.step, w.{arrays}::text AS a FROM walk w WHERE w.names IS NOT NULL) w)"""  # noqa: S608


@lru_cache(16)
def seen(level: ListedLevel) -> Statement:
    """The objects that the caller sees from a position on: their number, and their entries as in ``walk``.

    Counting stops at ``MOST_SEEN`` + 1; then the entries are incomplete. Parameters: bucket, position, lower and upper
    bound of the keys, length of the prefix, and two arrays with the lower and upper bounds of ranges of names that
    contain all these keys.
    """
    in_order = f'ORDER BY e.place {level.direction}, e.name COLLATE "C" {level.direction}'
    return Statement(
        f"""
        WITH seen AS (
            SELECT r.*, {level.slash} AS slash FROM (
                SELECT o.* FROM unnest($6::text[], $7::text[]) AS among (lower, upper)
                CROSS JOIN LATERAL (
                    SELECT o.name, {level.key} AS k FROM storage.objects o
                    WHERE o.bucket_id = $1 AND o.name COLLATE "C" >= among.lower AND o.name COLLATE "C" < among.upper
                      AND {level.key} >= $3 AND {level.key} < $4 AND {level.onwards("$2")}
                    ORDER BY o.name COLLATE "C" LIMIT {MOST_SEEN + 1}) AS o
                LIMIT {MOST_SEEN + 1}
            ) r),
        entries AS (
            SELECT object, place, length(place) AS length,
                   (pg_catalog.array_agg(name ORDER BY k, name COLLATE "C"))[1] AS name
            FROM (
                SELECT s.*, CASE WHEN slash = 0 THEN name END AS object,
                       CASE WHEN slash = 0 THEN k ELSE left(k, $5::int + slash) END AS place
                FROM seen s
            ) s
            GROUP BY object, place
        )
        SELECT (SELECT count(*) FROM seen), coalesce(pg_catalog.array_agg(e.object {in_order}), '{{}}'),
               coalesce(
                   pg_catalog.array_agg(CASE WHEN e.object IS NULL THEN left(e.name, length) END {in_order}), '{{}}'),
               coalesce(pg_catalog.array_agg(NULL::text), '{{}}')
        FROM entries e
        """,  # noqa: S608
        "list_seen",
    )
