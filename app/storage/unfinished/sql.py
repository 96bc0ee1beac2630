"""The SQL of uploads in pieces. All of it runs as service_role: its conditions find an upload only for its owner, and
the caller's permission to write is checked before."""

from __future__ import annotations

from app.database import Statement
from app.storage.unfinished.belonging import IS_OWN

UPLOAD_COLUMNS = """
    u.id, u.form, u.bucket_id, u.name, u.owner_id, u.upsert, u.length, u.received, u.parts, u.metadata,
    u.user_metadata, u.notes, u.finished, extract(epoch FROM u.created_at), extract(epoch FROM u.expires_at),
    u.expires_at <= clock_timestamp()"""
PART_COLUMNS = "p.number, p.version, p.size, p.md5, p.notes, extract(epoch FROM p.created_at)"

_IS_OPEN = "u.finished IS NULL AND u.expires_at > clock_timestamp()"

CREATE_UPLOAD = Statement(
    f"""
    INSERT INTO storage.uploads AS u
        (id, form, bucket_id, name, owner_id, upsert, metadata, user_metadata, length, notes, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6::boolean, $7::jsonb, $8::jsonb, $9::bigint, $10::jsonb,
            clock_timestamp() + make_interval(secs => $11::float8))
    RETURNING {UPLOAD_COLUMNS}
    """,  # noqa: S608
    "create_upload",
)
FIND_UPLOAD = Statement(
    f"SELECT {UPLOAD_COLUMNS} FROM storage.uploads u WHERE u.id = $3 AND u.form = $4 AND {IS_OWN}",  # noqa: S608
    "find_upload",
)
DELETE_UPLOAD = Statement(
    "DELETE FROM storage.uploads WHERE id = $1 AND finished IS NULL RETURNING id", "delete_upload"
)

# $2: the bytes received before, $3: the bytes in this part, $4: the complete length if this request declares it.
APPEND_PART = Statement(
    f"""
    WITH grown AS (
        UPDATE storage.uploads u
        SET received = u.received + $3::bigint, parts = u.parts + 1, length = coalesce(u.length, $4::bigint),
            expires_at = clock_timestamp() + make_interval(secs => $5::float8)
        WHERE u.id = $1 AND u.received = $2::bigint AND {_IS_OPEN}
        RETURNING u.*
    ), kept AS (
        INSERT INTO storage.upload_parts (upload_id, number, version, size, md5)
        SELECT g.id, g.parts, $6, $3::bigint, $7 FROM grown g
    )
    SELECT {UPLOAD_COLUMNS} FROM grown u
    """,  # noqa: S608
    "append_part",
)
DECLARE_LENGTH = Statement(
    f"""
    UPDATE storage.uploads u
    SET length = coalesce(u.length, $3::bigint),
        expires_at = clock_timestamp() + make_interval(secs => $4::float8)
    WHERE u.id = $1 AND u.received = $2::bigint AND {_IS_OPEN}
    RETURNING {UPLOAD_COLUMNS}
    """,  # noqa: S608
    "declare_length",
)

# $7: the maximum total size of all parts, in bytes.
PUT_PART = Statement(
    f"""
    WITH upload AS (SELECT u.id FROM storage.uploads u WHERE u.id = $1 AND {_IS_OPEN} FOR SHARE)
    INSERT INTO storage.upload_parts AS p (upload_id, number, version, size, md5, notes)
    SELECT u.id, $2::integer, $3, $4::bigint, $5, $6::jsonb FROM upload u
    WHERE $4::bigint + (SELECT coalesce(sum(o.size), 0) FROM storage.upload_parts o
                        WHERE o.upload_id = $1 AND o.number <> $2::integer) <= $7::bigint
    ON CONFLICT (upload_id, number) DO UPDATE SET
        version = excluded.version, size = excluded.size, md5 = excluded.md5, notes = excluded.notes,
        created_at = excluded.created_at
    RETURNING {PART_COLUMNS}
    """,  # noqa: S608
    "put_part",
)
LIST_PARTS = Statement(
    f"""
    SELECT {PART_COLUMNS} FROM storage.upload_parts p WHERE p.upload_id = $1 AND p.number > $2::integer
    ORDER BY p.number LIMIT $3::bigint
    """,  # noqa: S608
    "list_parts",
)

# FINISH_UPLOAD and DROP_PARTS run after the statement that writes the object's row, and do nothing if that wrote none.
# $2: the version, $3: the size, $4: the bytes received before, null for numbered parts.
FINISH_UPLOAD = Statement(
    """
    UPDATE storage.uploads u
    SET received = $3::bigint, length = $3::bigint,
        finished = pg_catalog.jsonb_build_object('id', o.id, 'version', o.version, 'eTag', o.metadata ->> 'eTag',
                                      'size', $3::bigint, 'metadata', o.metadata)
    FROM storage.objects o
    WHERE u.id = $1 AND u.finished IS NULL AND ($4::bigint IS NULL OR u.received = $4::bigint)
      AND o.bucket_id = u.bucket_id AND o.name = u.name AND o.version = $2
    RETURNING u.finished
    """,
    "finish_upload",
)
DROP_PARTS = Statement(
    """
    DELETE FROM storage.upload_parts p USING storage.uploads u
    WHERE p.upload_id = $1 AND u.id = p.upload_id AND u.finished IS NOT NULL
    """,
    "drop_parts",
)
