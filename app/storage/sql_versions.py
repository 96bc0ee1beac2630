"""The SQL of versions that are not current. All values are parameters ($1 ...).

``storage.versions`` has the columns of ``storage.objects``, so that a projection over an object ``o`` fits both.
"""

from __future__ import annotations

from functools import lru_cache

from app.database import Statement
from app.storage.sql import Projection, time_text

_COLUMNS = "o.id, coalesce(o.version, ''), extract(epoch FROM o.updated_at), coalesce(o.metadata, '{}')"
_ID_OF_CURRENT = "CASE WHEN o.is_versioned THEN o.version ELSE 'null' END"


@lru_cache(16)
def find_version(projection: Projection) -> Statement:
    """The version $3 of a key, current or not. Columns: those of an object, the projection, whether it is a delete
    marker."""
    return Statement(
        f"""
        SELECT {_COLUMNS}, {projection}, false FROM storage.objects o
        WHERE o.bucket_id = $1 AND o.name = $2 AND {_ID_OF_CURRENT} = $3
        UNION ALL
        SELECT {_COLUMNS}, {projection}, o.is_delete_marker FROM storage.versions o
        WHERE o.bucket_id = $1 AND o.name COLLATE "C" = $2 AND o.version_id = $3
        """,  # noqa: S608
        "find_version",
    )


NEWEST_MARKER = Statement(
    """
    SELECT v.version_id FROM (
        SELECT * FROM storage.versions v WHERE v.bucket_id = $1 AND v.name COLLATE "C" = $2
        ORDER BY v.number DESC LIMIT 1) v
    WHERE v.is_delete_marker
    """,
    "newest_marker",
)

# Run in the transaction of a deletion: the id of the markers that it has made, or '' without any.
MADE_MARKER = Statement("SELECT coalesce(current_setting('storage.delete_marker', true), '')", "made_marker")

# -- deleting a version for good, as the caller's role

DELETE_VERSION = Statement(
    """
    DELETE FROM storage.versions v WHERE v.bucket_id = $1 AND v.name COLLATE "C" = $2 AND v.version_id = $3
    RETURNING v.name, v.version, v.metadata, v.version_id, v.is_delete_marker
    """,
    "delete_version",
)
# The current version first becomes one with a marker after it. Then both are deleted, which makes the one before
# current.
DELETE_CURRENT = Statement(
    f"""
    DELETE FROM storage.objects o
    WHERE o.bucket_id = $1 AND o.name = $2 AND {_ID_OF_CURRENT} = $3
    RETURNING o.name, o.version, o.metadata, {_ID_OF_CURRENT}, false
    """,  # noqa: S608
    "delete_current",
)
DELETE_MADE_MARKER = Statement(
    """
    DELETE FROM storage.versions v WHERE v.bucket_id = $1 AND v.name COLLATE "C" = $2 AND v.is_delete_marker
      AND v.version_id = current_setting('storage.delete_marker', true)
    RETURNING v.name
    """,
    "delete_made_marker",
)

SET_TAGS = Statement(
    """
    WITH current AS (
        UPDATE storage.objects o SET tags = $3::jsonb
        WHERE o.bucket_id = $1 AND o.name = $2 AND CASE WHEN o.is_versioned THEN o.version ELSE 'null' END = $4
        RETURNING o.name),
    older AS (
        UPDATE storage.versions v SET tags = $3::jsonb
        WHERE v.bucket_id = $1 AND v.name COLLATE "C" = $2 AND v.version_id = $4 AND NOT v.is_delete_marker
        RETURNING v.name)
    SELECT name FROM current UNION ALL SELECT name FROM older
    """,
    "set_tags_of_version",
)

# -- listing

# Versions in the order of keys, the newest first. $1 bucket, $2 and $3 bounds of the keys, $4 the number of rows; $5
# and $6 the key and the number after which the listing begins; $7 to $9 whether it has current versions, older ones,
# and delete markers. The number of the current version is the greatest.
_GREATEST = 9223372036854775807
_AFTER = '(o.name COLLATE "C" > $5 OR (o.name COLLATE "C" = $5 AND {number} < $6::bigint))'
_LISTED = """
    SELECT o.name, {version_id} AS version_id, {number} AS number, {marker} AS is_delete_marker,
           o.updated_at, o.metadata, o.owner_id
    FROM storage.{table} o
    WHERE o.bucket_id = $1 AND o.name COLLATE "C" >= $2 AND o.name COLLATE "C" < $3
      AND o.name COLLATE "C" >= coalesce($5, '') AND ($5::text IS NULL OR {after}) AND {wanted}
    ORDER BY o.name COLLATE "C", {number} DESC LIMIT $4::bigint"""


def _listed(table: str, version_id: str, number: str, marker: str, wanted: str) -> str:
    after = _AFTER.format(number=number)
    return _LISTED.format(table=table, version_id=version_id, number=number, marker=marker, after=after, wanted=wanted)


_CURRENT = _listed("objects", _ID_OF_CURRENT, f"{_GREATEST}::bigint", "false", "$7::boolean")
_OLDER = _listed(
    "versions",
    "o.version_id",
    "o.number",
    "o.is_delete_marker",
    "CASE WHEN o.is_delete_marker THEN $9::boolean ELSE $8::boolean END",
)


LIST_VERSIONS = Statement(
    f"""
    WITH listed AS (
        SELECT * FROM (
            SELECT * FROM ({_CURRENT}) AS current
            UNION ALL
            SELECT * FROM ({_OLDER}) AS older) AS merged
        ORDER BY merged.name COLLATE "C", merged.number DESC LIMIT $4::bigint)
    SELECT l.name, l.version_id, l.number, l.is_delete_marker, {time_text("l.updated_at")},
           coalesce(l.metadata, '{{}}'),
           l.number = {_GREATEST} OR (
               NOT EXISTS (SELECT FROM storage.objects o WHERE o.bucket_id = $1 AND o.name = l.name)
               AND NOT EXISTS (
                   SELECT FROM storage.versions v
                   WHERE v.bucket_id = $1 AND v.name COLLATE "C" = l.name AND v.number > l.number)),
           l.owner_id
    FROM listed l ORDER BY l.name COLLATE "C", l.number DESC
    """,  # noqa: S608
    "list_versions",
)
NUMBER_OF_VERSION = Statement(
    f"""
    SELECT {_GREATEST}::bigint FROM storage.objects o
    WHERE o.bucket_id = $1 AND o.name = $2 AND {_ID_OF_CURRENT} = $3
    UNION ALL
    SELECT v.number FROM storage.versions v
    WHERE v.bucket_id = $1 AND v.name COLLATE "C" = $2 AND v.version_id = $3
    """,  # noqa: S608
    "number_of_version",
)

EMPTY_VERSIONS = Statement(
    """
    DELETE FROM storage.versions v USING (
        SELECT DISTINCT n.name FROM (
            SELECT v.name FROM storage.versions v WHERE v.bucket_id = $1 LIMIT 500) AS n) AS keys
    WHERE v.bucket_id = $1 AND v.name COLLATE "C" = keys.name
      AND NOT EXISTS (SELECT FROM storage.objects o WHERE o.bucket_id = $1 AND o.name = keys.name)
    RETURNING v.name, v.version, v.metadata, v.version_id, v.is_delete_marker
    """,
    "empty_versions",
)
