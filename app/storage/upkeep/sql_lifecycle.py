"""The SQL of lifecycle rules. It runs as service_role.

Each statement names the rules of the bucket as they were read ($2), and locks the bucket's row: it deletes nothing if
they have been changed since, and a change waits until it is committed.
"""

from __future__ import annotations

from typing import NamedTuple

from app.database import Statement

BUCKETS = Statement(
    "SELECT b.id, b.lifecycle FROM storage.buckets b WHERE b.lifecycle IS NOT NULL", "lifecycle_buckets"
)

# Whether the clock can be believed. No row if another service looked less than $3 seconds ago.
# $1: the seconds that may pass between two looks, $2: the seconds that a clock must go on before it is believed again.
SEE_CLOCK = Statement(
    """
    WITH free AS (
        SELECT c.one FROM storage.lifecycle_clock c
        WHERE NOT clock_timestamp() BETWEEN c.seen_at AND c.seen_at + make_interval(secs => $3::float8)
        FOR UPDATE SKIP LOCKED),
    seen AS (
        UPDATE storage.lifecycle_clock c SET
            seen_at = clock_timestamp(),
            believed_at = CASE
                WHEN clock_timestamp() < c.seen_at
                     OR clock_timestamp() > c.seen_at + make_interval(secs => $1::float8)
                     OR c.believed_at > clock_timestamp() + make_interval(secs => $2::float8)
                THEN clock_timestamp() + make_interval(secs => $2::float8)
                ELSE c.believed_at END
        FROM free WHERE c.one = free.one
        RETURNING c.believed_at <= c.seen_at AS believed)
    SELECT believed FROM seen
    """,
    "lifecycle_see_clock",
)

_IN_FORCE = "EXISTS (SELECT FROM storage.buckets b WHERE b.id = $1 AND b.lifecycle = $2::jsonb FOR SHARE)"
_SIZE = "coalesce((o.metadata ->> 'size')::bigint, 0)"
# $3 and $4: the bounds of keys; $5: tags; $6, $7: sizes; $8: the time from which all are deleted, or null; $9: the age
# in seconds from which each is deleted.
_NAMED = f"""
    o.bucket_id = $1 AND o.name COLLATE "C" >= $3 AND o.name COLLATE "C" < $4
    AND ($5::jsonb IS NULL OR o.tags @> $5::jsonb)
    AND ($6::bigint IS NULL OR {_SIZE} > $6::bigint) AND ($7::bigint IS NULL OR {_SIZE} < $7::bigint)"""
_OLD = """CASE WHEN $8::timestamptz IS NULL THEN {time} <= clock_timestamp() - make_interval(secs => $9::float8)
                ELSE $8::timestamptz <= clock_timestamp() END"""
_MOST = 500
_VERSION = "name, version, metadata, version_id, is_delete_marker"


class LifecycleStatements(NamedTuple):
    """``counting``: the number of rows that are named, and their bytes. ``deletion`` deletes a batch of them, and
    returns the columns of each row that its event needs."""

    counting: Statement
    deletion: Statement


def _statements(name: str, table: str, key: str, condition: str, columns: str, size: str) -> LifecycleStatements:
    found = f"FROM storage.{table} o WHERE {condition} AND {_IN_FORCE}"
    return LifecycleStatements(
        Statement(f"SELECT count(*), coalesce(sum({size}), 0)::bigint {found}", f"lifecycle_count_{name}"),
        Statement(
            f"""
            DELETE FROM storage.{table} WHERE {key} IN (
                SELECT o.{key} {found} LIMIT {_MOST} FOR UPDATE OF o SKIP LOCKED)
            RETURNING {columns}
            """,  # noqa: S608
            f"lifecycle_{name}",
        ),
    )


EXPIRED = _statements(
    "expired", "objects", "id", f"{_NAMED} AND {_OLD.format(time='o.updated_at')}", "name, version, metadata", _SIZE
)
# $10: the number of newer versions, not counting the current one, that stay.
NONCURRENT = _statements(
    "noncurrent",
    "versions",
    "number",
    f"""{_NAMED} AND NOT o.is_delete_marker AND {_OLD.format(time="o.archived_at")}
        AND ($10::bigint = 0 OR $10::bigint <= (
            SELECT count(*) FROM storage.versions n
            WHERE n.bucket_id = o.bucket_id AND n.name COLLATE "C" = o.name AND n.number > o.number
              AND NOT n.is_delete_marker))""",  # noqa: S608
    _VERSION,
    _SIZE,
)
# Markers of keys that have no other version. $5 to $7 must be null, and $8 and $9 limit their age.
MARKERS = _statements(
    "markers",
    "versions",
    "number",
    f"""{_NAMED} AND o.is_delete_marker AND {_OLD.format(time="o.archived_at")}
        AND NOT EXISTS (
            SELECT FROM storage.versions n
            WHERE n.bucket_id = o.bucket_id AND n.name COLLATE "C" = o.name AND n.number <> o.number)
        AND NOT EXISTS (SELECT FROM storage.objects n WHERE n.bucket_id = o.bucket_id AND n.name = o.name)""",  # noqa: S608
    _VERSION,
    "0",
)
UPLOADS = _statements(
    "uploads",
    "uploads",
    "id",
    f"""o.bucket_id = $1 AND o.name COLLATE "C" >= $3 AND o.name COLLATE "C" < $4
        AND $5::jsonb IS NULL AND $6::bigint IS NULL AND $7::bigint IS NULL
        AND o.finished IS NULL AND {_OLD.format(time="o.created_at")}""",
    "name",
    "0",
)
