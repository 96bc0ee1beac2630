"""The JSON of buckets and objects as SQL: PostgreSQL builds it, so rows pass through without being parsed."""

from __future__ import annotations

from functools import cache

from app.storage.sql import Projection, time_text
from app.storage.sql_pages import entry_time

_BUCKET_MEMBERS = """
    'id', b.id, 'name', b.name, 'owner', coalesce(b.owner::text, ''), 'public', coalesce(b.public, false)"""

_BUCKET_LIMITS = f"""
    'file_size_limit', b.file_size_limit, 'allowed_mime_types', b.allowed_mime_types,
    'created_at', {time_text("b.created_at")}, 'updated_at', {time_text("b.updated_at")}"""

BUCKET: Projection = f"json_build_object({_BUCKET_MEMBERS}, {_BUCKET_LIMITS})"


@cache
def buckets(*, typed: bool) -> Projection:
    """A JSON array of buckets, each with its type if ``typed``."""
    kind = "'type', b.type," if typed else ""
    return f"coalesce(json_agg(json_build_object({_BUCKET_MEMBERS}, {kind} {_BUCKET_LIMITS})), '[]')"


RECORD: Projection = f"""json_build_object(
    'name', o.name, 'bucket_id', o.bucket_id, 'owner', coalesce(o.owner::text, ''),
    'owner_id', coalesce(o.owner_id, ''), 'version', coalesce(o.version, ''), 'id', o.id,
    'updated_at', {time_text("o.updated_at")}, 'created_at', {time_text("o.created_at")},
    'last_accessed_at', {time_text("o.last_accessed_at")},
    'metadata', o.metadata, 'user_metadata', o.user_metadata)"""
"""The whole row of an object."""

INFO: Projection = f"""json_build_object(
    'id', o.id, 'name', o.name, 'version', coalesce(o.version, ''), 'bucket_id', o.bucket_id,
    'size', coalesce(o.metadata -> 'size', o.metadata -> 'contentLength'),
    'content_type', o.metadata ->> 'mimetype',
    'cache_control', o.metadata ->> 'cacheControl', 'etag', o.metadata ->> 'eTag', 'metadata', o.user_metadata,
    'last_modified', {time_text("o.updated_at")}, 'created_at', {time_text("o.created_at")})"""
"""An object's description for the info routes."""

ENTRY: Projection = f"""json_build_object(
    'name', substr(coalesce(left(v.folder, -1), v.name), $5::int + 1), 'id', v.id,
    'updated_at', v.updated, 'created_at', {entry_time("created_at")},
    'last_accessed_at', {entry_time("last_accessed_at")}, 'metadata', v.metadata)"""
"""An entry of a listing by offset: its name is relative to the prefix, whose length is $5."""

# Without the slash at the end. A regular expression takes five times as long.
_LAST_SEGMENT = """
    'key', reverse(split_part(reverse(coalesce(v.folder, v.name)), '/',
                              1 + (right(coalesce(v.folder, v.name), 1) = '/')::int)), """


@cache
def folder(*, delimited: bool) -> Projection:
    """A folder in a listing by cursor."""
    return f"""json_build_object({_LAST_SEGMENT if delimited else ""}'name', v.folder, 'id', v.id,
        'updated_at', v.updated_at, 'created_at', v.created_at)"""


@cache
def entry(*, delimited: bool) -> Projection:
    """An object in a listing by cursor."""
    return f"""json_build_object({_LAST_SEGMENT if delimited else ""}'name', v.name, 'id', v.id,
        'updated_at', v.updated, 'created_at', {entry_time("created_at")},
        'last_accessed_at', {entry_time("last_accessed_at")}, 'metadata', v.metadata)"""
