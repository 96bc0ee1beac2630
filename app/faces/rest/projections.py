"""SQL for the JSON of buckets and objects: PostgreSQL builds it, so the service does not parse rows."""

from __future__ import annotations

from functools import cache

from app.storage.sql import Projection, plain_json, time_text
from app.storage.sql_pages import entry_time

_BUCKET_MEMBERS = """
    'id', b.id, 'name', b.name, 'owner', coalesce(b.owner::text, ''), 'public', coalesce(b.public, false)"""

_BUCKET_LIMITS = f"""
    'file_size_limit', b.file_size_limit, 'allowed_mime_types', b.allowed_mime_types,
    'created_at', {time_text("b.created_at")}, 'updated_at', {time_text("b.updated_at")}"""


@cache
def bucket(*, typed: bool = False, versioned: bool) -> Projection:
    """A bucket, with its type if ``typed``. If ``versioned``, buckets that keep or have kept versions have their status
    as a further member."""
    members = (
        f"{_BUCKET_MEMBERS}, 'type', b.type, {_BUCKET_LIMITS}" if typed else f"{_BUCKET_MEMBERS}, {_BUCKET_LIMITS}"
    )
    one = f"pg_catalog.json_build_object({members})"
    if not versioned:
        return one
    return f"""CASE b.versioning_status WHEN 'DISABLED' THEN {one}
        ELSE pg_catalog.json_build_object({members}, 'versioning_status', b.versioning_status) END"""


@cache
def buckets(*, typed: bool, versioned: bool) -> Projection:
    """A JSON array of buckets, as in ``bucket``."""
    return f"coalesce(pg_catalog.json_agg({bucket(typed=typed, versioned=versioned)}), '[]')"


RECORD: Projection = f"""pg_catalog.json_build_object(
    'name', o.name, 'bucket_id', o.bucket_id, 'owner', coalesce(o.owner::text, ''),
    'owner_id', coalesce(o.owner_id, ''), 'version', coalesce(o.version, ''), 'id', o.id,
    'updated_at', {time_text("o.updated_at")}, 'created_at', {time_text("o.created_at")},
    'last_accessed_at', {time_text("o.last_accessed_at")},
    'metadata', o.metadata, 'user_metadata', o.user_metadata)"""
"""All columns of an object."""

INFO: Projection = f"""pg_catalog.json_build_object(
    'id', o.id, 'name', o.name, 'version', coalesce(o.version, ''), 'bucket_id', o.bucket_id,
    'size', coalesce(o.metadata -> 'size', o.metadata -> 'contentLength'),
    'content_type', o.metadata ->> 'mimetype', 'content_encoding', o.metadata ->> 'contentEncoding',
    'cache_control', o.metadata ->> 'cacheControl', 'etag', o.metadata ->> 'eTag', 'metadata', o.user_metadata,
    'last_modified', {time_text("o.updated_at")}, 'created_at', {time_text("o.created_at")})"""
"""An object's description for the info routes."""

INFO_WITH_TAGS: Projection = f"""CASE WHEN o.tags IS NULL THEN {INFO}
    ELSE (left(({INFO})::text, -1) || ', "tags" : ' || o.tags || '}}')::json END"""
"""The same; objects that have tags have them as a further member."""


def _members(opening: str, **values: str) -> Projection:
    """SQL for members of a JSON object, as text after ``opening``. ``values``: SQL for the JSON text of each, never
    null."""
    names = [f'{", " if index else opening}"{name}" : ' for index, name in enumerate(values)]
    return " || ".join(f"'{name}' || {value}" for name, value in zip(names, values.values(), strict=True))


_ID_AND_TIMES = _members(
    ", ",
    id=plain_json("v.id"),
    updated_at=plain_json("v.updated"),
    created_at=entry_time("created_at"),
    last_accessed_at=entry_time("last_accessed_at"),
)


def _entry(**names: str) -> Projection:
    """An entry of a listing. If all times of an object are equal, as is usual, a shorter expression with half as many
    concatenations is used; concatenations take as long as the values."""
    return f"""{_members("{", **names)}
        || CASE WHEN v.created_at = v.updated_at AND v.last_accessed_at = v.updated_at AND v.updated IS NOT NULL
           THEN ', "id" : "' || v.id || '", "updated_at" : "' || v.updated || '", "created_at" : "' || v.updated
                || '", "last_accessed_at" : "' || v.updated || '"'
           ELSE {_ID_AND_TIMES} END
        || {_members(", ", metadata="coalesce(v.metadata::text, 'null')")} || '}}'"""


ENTRY = _entry(name="pg_catalog.to_json(substr(coalesce(left(v.folder, -1), v.name), v.start))::text")
"""An entry of a listing by offset, with its relative name."""


def _last_segment(name: str) -> str:
    """The JSON of the text after the last slash, ignoring a slash at the end. A regular expression would take much
    longer."""
    return f"pg_catalog.to_json(split_part({name}, '/', CASE right({name}, 1) WHEN '/' THEN -2 ELSE -1 END))::text"


@cache
def folder(*, delimited: bool) -> Projection:
    """A folder in a listing by cursor."""
    key = {"key": _last_segment("v.folder")} if delimited else {}
    nothing = {"id": "'null'", "updated_at": "'null'", "created_at": "'null'"}
    return f"""{_members("{", **key, name="pg_catalog.to_json(v.folder)::text", **nothing)} || '}}'"""


@cache
def entry(*, delimited: bool) -> Projection:
    """An object in a listing by cursor."""
    key = {"key": _last_segment("v.name")} if delimited else {}
    return _entry(**key, name="pg_catalog.to_json(v.name)::text")
