"""The SQL of writes to objects. All values are parameters ($1 ...)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from app.database import Statement
from app.storage.sql import Projection

# -- objects: trial writes, always rolled back

# A caller without a ``sub`` does not change the object's owner: an anonymous write does not take it from its owner.
_OWNER_KEPT = (
    "owner = CASE WHEN {id}::text IS NULL THEN o.owner ELSE {owner} END, owner_id = coalesce({id}, o.owner_id)"
)
_EXCLUDED = _OWNER_KEPT.format(owner="excluded.owner", id="excluded.owner_id")


class _Tagged(NamedTuple):
    """Parts of a statement that writes the column ``tags`` too, and returns whether the row is one of several versions;
    empty for a database without them."""

    column: str = ""
    value: str = ""
    excluded: str = ""
    assigned: str = ""
    returned: str = ""


def _tagged(parameter: int, *, tagged: bool) -> _Tagged:
    value = f"${parameter}::jsonb"
    return (
        _Tagged(", tags", f", {value}", ", tags = excluded.tags", f", tags = {value}", ", o.is_versioned")
        if tagged
        else _Tagged()
    )


# The trials set no version, which only the service may set. $7 of both: the tags, if ``tagged``.
@lru_cache(2)
def try_insert(tagged: bool) -> Statement:
    tags = _tagged(7, tagged=tagged)
    return Statement(
        f"""
    INSERT INTO storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata{tags.column})
    VALUES ($1, $2, $3::uuid, $4, $5::jsonb, $6::jsonb{tags.value})
    """,  # noqa: S608
        "try_insert",
    )


@lru_cache(2)
def try_upsert(tagged: bool) -> Statement:
    tags = _tagged(7, tagged=tagged)
    return Statement(
        f"""
    INSERT INTO storage.objects AS o (bucket_id, name, owner, owner_id, metadata, user_metadata{tags.column})
    VALUES ($1, $2, $3::uuid, $4, $5::jsonb, $6::jsonb{tags.value})
    ON CONFLICT (bucket_id, name) DO UPDATE SET
        {_EXCLUDED}, metadata = excluded.metadata, user_metadata = excluded.user_metadata{tags.excluded}
    RETURNING o.id
    """,  # noqa: S608
        "try_upsert",
    )


# -- objects: the commit of a write, which makes the row name the new bytes


@lru_cache(32)
def commit_new(projection: Projection, tagged: bool) -> Statement:
    """$8: the tags, if ``tagged``."""
    tags = _tagged(8, tagged=tagged)
    return Statement(
        f"""
        INSERT INTO storage.objects AS o
            (bucket_id, name, owner, owner_id, version, metadata, user_metadata{tags.column})
        VALUES ($1, $2, $3::uuid, $4, $5, $6::jsonb, $7::jsonb{tags.value})
        ON CONFLICT (bucket_id, name) DO NOTHING
        RETURNING o.id, {projection}{tags.returned}
        """,  # noqa: S608
        "commit_new",
    )


# The bucket, if its rules certainly allow the object. $8: its size, $9: its media type. Cases that these comparisons do
# not cover need a permission check.
_ALLOWING = """
    storage.buckets b
    WHERE b.id = $1 AND coalesce($8::bigint <= b.file_size_limit, true)
      AND (b.allowed_mime_types IS NULL
           OR b.allowed_mime_types OPERATOR(pg_catalog.&&)
              ARRAY[$9::text, left($9::text, strpos($9::text, '/')) || '*'])"""


@lru_cache(2)
def commit_untried(tagged: bool) -> Statement:
    """A new object, if neither bucket nor object was looked up before. Columns: the id, and whether an object was
    replaced. $10: the tags, if ``tagged``."""
    tags = _tagged(10, tagged=tagged)
    return Statement(
        f"""
    INSERT INTO storage.objects AS o (bucket_id, name, owner, owner_id, version, metadata, user_metadata{tags.column})
    SELECT b.id, $2, $3::uuid, $4, $5, $6::jsonb, $7::jsonb{tags.value}
    FROM {_ALLOWING} AND NOT EXISTS (SELECT FROM storage.objects e WHERE e.bucket_id = $1 AND e.name = $2)
    ON CONFLICT (bucket_id, name) DO NOTHING
    RETURNING o.id, false{tags.returned}
    """,  # noqa: S608
        "commit_untried",
    )


@lru_cache(2)
def commit_untried_over(tagged: bool) -> Statement:
    """The same, or it replaces the existing object. An INSERT ... ON CONFLICT DO UPDATE would run triggers for both."""
    tags = _tagged(10, tagged=tagged)
    return Statement(
        f"""
    WITH replaced AS (
        UPDATE storage.objects o SET
            {_OWNER_KEPT.format(owner="$3::uuid", id="$4")},
            version = $5, metadata = $6::jsonb, user_metadata = $7::jsonb{tags.assigned}
        FROM {_ALLOWING} AND o.bucket_id = b.id AND o.name = $2
        RETURNING o.id, true{tags.returned}),
    created AS ({commit_untried(tagged).sql})
    SELECT * FROM replaced UNION ALL SELECT * FROM created
    """,  # noqa: S608
        "commit_untried_over",
    )


@lru_cache(32)
def commit_over(projection: Projection, tagged: bool) -> Statement:
    """The commit that replaces an object. $8, $9: the object's id and xmin. $10: the tags, if ``tagged``."""
    tags = _tagged(10, tagged=tagged)
    return Statement(
        f"""
        UPDATE storage.objects o SET
            {_OWNER_KEPT.format(owner="$3::uuid", id="$4")},
            version = $5, metadata = $6::jsonb, user_metadata = $7::jsonb{tags.assigned}
        WHERE o.bucket_id = $1 AND o.name = $2 AND o.id = $8::uuid AND o.xmin = $9::xid
        RETURNING o.id, {projection}{tags.returned}
        """,  # noqa: S608
        "commit_over",
    )


# -- objects: moving, as the caller's role

MOVE_OBJECT = Statement(
    f"""
    UPDATE storage.objects o SET bucket_id = $3, name = $4, {_OWNER_KEPT.format(owner="$5::uuid", id="$6")}
    WHERE o.bucket_id = $1 AND o.name = $2
    RETURNING o.id, o.version, o.metadata
    """,  # noqa: S608
    "move_object",
)
