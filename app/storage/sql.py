"""The SQL of buckets and objects, except writes and listings of objects. All values are parameters ($1 ...)."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from app.database import Statement

Direction = Literal["asc", "desc"]

Projection = str
"""An SQL expression over the row ``o`` of an object, or ``b`` of a bucket, in the format of a face's response. It is a
constant of the face and never contains a value from a request."""

NOTHING: Projection = "NULL"


def plain_json(text: str) -> str:
    """The JSON of a text that needs no escapes; ``null`` for NULL."""
    return f"coalesce('\"' || {text} || '\"', 'null')"


def opaque(parameter: str) -> str:
    """The parameter as a subquery, so that the planner does not see its value. If it does, PostgreSQL may prefer a plan
    for this value to a generic one, and plan the statement on each call, which takes longer than running it."""
    return f"(SELECT {parameter})"


def time_text(expression: str) -> str:
    """The time in UTC with milliseconds and Z, the format that clients compare."""
    # PostgreSQL would look up the name of a zone for each value.
    return f"to_char({expression} AT TIME ZONE interval '0', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"


_OBJECT_COLUMNS = """
    o.id, coalesce(o.version, ''), extract(epoch FROM o.updated_at), coalesce(o.metadata, '{}')"""

TAGS_OF_OBJECT: Projection = "pg_catalog.to_jsonb(o) -> 'tags'"
"""The tags of an object; null in a database without the column."""

# -- the caller's role

# One row, also without such a bucket, so that the role always changes: whether the bucket is public, null if there is
# none. Anyone may read the objects of a public bucket, so the role becomes service_role for it, and the caller's role
# otherwise. The next statement is planned after this one has run, so under the new role.
BUCKET_THEN_ROLE = Statement(
    """
    SELECT pg_catalog.num_nulls(set_config('role', CASE WHEN b.public THEN 'service_role' ELSE $2 END, true)),
           CASE WHEN b.id IS NOT NULL THEN coalesce(b.public, false) END
    FROM (SELECT $1::text AS id) AS wanted LEFT JOIN storage.buckets b ON b.id = wanted.id
    """,
    "bucket_then_role",
)
# For a write: the bucket and the existing object. Each change of a row changes its xmin.
TARGET_THEN_ROLE = Statement(
    """
    SELECT pg_catalog.num_nulls(set_config('role', $3, true)),
           b.id, b.public, b.file_size_limit, pg_catalog.to_json(b.allowed_mime_types),
           o.id, o.xmin, o.metadata ->> 'eTag'
    FROM (SELECT $1::text AS bucket_id, $2::text AS name) AS wanted
    LEFT JOIN storage.buckets b ON b.id = wanted.bucket_id
    LEFT JOIN storage.objects o ON o.bucket_id = wanted.bucket_id AND o.name = wanted.name
    """,
    "target_then_role",
)
BUCKET = Statement(
    "SELECT 0, b.id, b.public, b.file_size_limit, pg_catalog.to_json(b.allowed_mime_types)"
    " FROM storage.buckets b WHERE b.id = $1",
    "bucket",
)
BECOME = Statement("SELECT pg_catalog.num_nulls(set_config('role', $1, true))", "become")

# -- buckets


def _create_bucket(column: str, value: str) -> Statement:
    return Statement(
        f"""
    INSERT INTO storage.buckets (id, name, public, file_size_limit, allowed_mime_types, owner, owner_id{column})
    VALUES ($1, $2, $3::boolean, $4::bigint,
            CASE WHEN $5::json IS NULL THEN NULL ELSE array(SELECT json_array_elements_text($5::json)) END,
            $6::uuid, $7{value})
    """,  # noqa: S608
        "create_bucket",
    )


CREATE_BUCKET, CREATE_VERSIONED_BUCKET = _create_bucket("", ""), _create_bucket(", versioning_status", ", $8")


@lru_cache(16)
def get_bucket(projection: Projection) -> Statement:
    return Statement(f"SELECT {projection} FROM storage.buckets b WHERE b.id = $1", "get_bucket")  # noqa: S608


@lru_cache(64)
def list_buckets(projection: Projection, column: str | None, direction: str) -> Statement:
    """Parameters: a text that the names contain, limit, offset. The projection is an aggregate."""
    # The face has checked column and direction against its own lists.
    ordered = f"ORDER BY b.{column} {direction}, b.id {direction}" if column else ""
    return Statement(
        f"""
        SELECT {projection}
        FROM (
            SELECT b.* FROM storage.buckets b WHERE $1::text IS NULL OR position(lower($1) IN lower(b.name)) > 0
            {ordered} LIMIT $2::bigint OFFSET $3::bigint) b
        """,  # noqa: S608
        "list_buckets",
    )


# $2 to $4: whether public, file_size_limit and allowed_mime_types are given.
UPDATE_BUCKET = Statement(
    """
    UPDATE storage.buckets b SET
        public = CASE WHEN $2::boolean THEN $5::boolean ELSE b.public END,
        file_size_limit = CASE WHEN $3::boolean THEN $6::bigint ELSE b.file_size_limit END,
        allowed_mime_types = CASE
            WHEN NOT $4::boolean THEN b.allowed_mime_types
            WHEN $7::json IS NULL THEN NULL
            ELSE array(SELECT json_array_elements_text($7::json)) END
    WHERE b.id = $1
    RETURNING b.id
    """,
    "update_bucket",
)
DELETE_BUCKET = Statement("DELETE FROM storage.buckets WHERE id = $1 RETURNING id", "delete_bucket")
COUNT_OBJECTS = Statement(
    """
    SELECT b.id,
           (SELECT count(*) FROM (SELECT FROM storage.objects o WHERE o.bucket_id = b.id LIMIT $2::bigint) AS found),
           clock_timestamp()
    FROM storage.buckets b WHERE b.id = $1
    """,
    "count_objects",
)
# updated_at says when an object came into the bucket: a move, a replacement and an import each set it. created_at does
# not change when an object is moved or replaced, and an import sets it to the time of the bytes.
EMPTY_BUCKET = Statement(
    """
    DELETE FROM storage.objects o WHERE o.id IN (
        SELECT o.id FROM storage.objects o
        WHERE o.bucket_id = $1 AND coalesce(o.updated_at, o.created_at, '-infinity') <= $2::timestamptz
        LIMIT 500 FOR UPDATE)
    RETURNING o.name, o.version, o.metadata
    """,
    "empty_bucket",
)

# -- objects: reading


@lru_cache(16)
def find_object(projection: Projection) -> Statement:
    return Statement(
        f"SELECT {_OBJECT_COLUMNS}, {projection} FROM storage.objects o WHERE o.bucket_id = $1 AND o.name = $2",  # noqa: S608
        "find_object",
    )


@lru_cache(16)
def find_with_bucket(projection: Projection) -> Statement:
    """For service_role, which sees every bucket and object. One row: whether the bucket is public, null without such a
    bucket; and the object, null without such an object."""
    return Statement(
        f"""
        SELECT (SELECT coalesce(b.public, false) FROM storage.buckets b WHERE b.id = wanted.bucket_id),
               {_OBJECT_COLUMNS}, {projection}
        FROM (SELECT $1::text AS bucket_id, $2::text AS name) AS wanted
        LEFT JOIN storage.objects o ON o.bucket_id = wanted.bucket_id AND o.name = wanted.name
        """,  # noqa: S608
        "find_with_bucket",
    )


FIND_SOURCE = Statement(
    f"""
    SELECT {_OBJECT_COLUMNS}, o.user_metadata, {TAGS_OF_OBJECT}
    FROM storage.objects o WHERE o.bucket_id = $1 AND o.name = $2
    """,  # noqa: S608
    "find_source",
)
# $2: keys as a JSON array. The rows are those visible to the caller.
VISIBLE_KEYS = Statement(
    """
    SELECT o.name, o.id, o.version, o.updated_at FROM storage.objects o
    WHERE o.bucket_id = $1 AND o.name = ANY (array(SELECT json_array_elements_text($2::json)))
    """,
    "visible_keys",
)
OBJECT_EXISTS = Statement("SELECT 1 FROM storage.objects o WHERE o.bucket_id = $1 AND o.name = $2", "object_exists")
VERSION_NAMED = Statement("SELECT 1 FROM storage.objects o WHERE o.version = $1", "version_named")

# -- objects: deleting, as the caller's role

DELETE_OBJECT = Statement(
    """
    DELETE FROM storage.objects o WHERE o.bucket_id = $1 AND o.name = $2
      AND ($3::json IS NULL OR o.metadata ->> 'eTag' IN (SELECT json_array_elements_text($3::json)))
    RETURNING o.name, o.version, o.metadata
    """,
    "delete_object",
)


@lru_cache(16)
def delete_objects(projection: Projection) -> Statement:
    return Statement(
        f"""
        DELETE FROM storage.objects o
        WHERE o.bucket_id = $1 AND o.name = ANY (array(SELECT json_array_elements_text($2::json)))
        RETURNING o.name, o.version, o.metadata, {projection}
        """,  # noqa: S608
        "delete_objects",
    )


# -- events

RECORD_EVENTS = Statement(
    """
    INSERT INTO storage.work (kind, bucket_id, name, version, event)
    SELECT 'post_event', e ->> 'bucketId', e ->> 'name', e ->> 'version',
           e || pg_catalog.jsonb_build_object('receiver', r)
    FROM jsonb_array_elements($1::jsonb) AS e, jsonb_array_elements_text($2::jsonb) AS r
    """,
    "record_events",
)
# $3: the seconds until the events are due, unless they are confirmed or forgotten before. Returns their ids.
ANNOUNCE_EVENTS = Statement(
    """
    INSERT INTO storage.work (kind, bucket_id, name, version, event, due_at)
    SELECT 'post_event', e ->> 'bucketId', e ->> 'name', e ->> 'version',
           e || pg_catalog.jsonb_build_object('receiver', r),
           clock_timestamp() + pg_catalog.make_interval(secs => $3::float8)
    FROM jsonb_array_elements($1::jsonb) AS e, jsonb_array_elements_text($2::jsonb) AS r
    RETURNING id
    """,
    "announce_events",
)
CONFIRM_EVENTS = Statement(
    "UPDATE storage.work SET due_at = clock_timestamp() WHERE id = ANY ($1::bigint[])", "confirm_events"
)
FORGET_EVENTS = Statement("DELETE FROM storage.work WHERE id = ANY ($1::bigint[])", "forget_events")
