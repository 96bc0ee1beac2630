"""Reads which of Portico's objects a database has."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from app.installation.version import VERSION, precedence

QueryValue = Callable[[str], bytes | None]
"""Runs a query without parameters and returns its single value, as ``app.database.Database.read`` does."""


OLDEST_SUPPORTED = 130000
"""The oldest PostgreSQL that the GraphQL API supports, as ``server_version_num``; Portico's objects need a newer
one."""


@dataclass(frozen=True, slots=True)
class InstallationState:
    """``version``: the installed version, None if nothing is installed. ``by_extension``: it was installed with CREATE
    EXTENSION.

    ``storage_version``: the version that created schema storage, which stays after ``portico uninstall``; None if there
    is no such schema or the role may not read it. ``offered``: the versions whose files the server has. ``superuser``:
    the role is a superuser. ``owned``: the role owns Portico's objects, so that it may change them. ``counting``:
    schema changes are counted.
    """

    version: str | None
    by_extension: bool
    storage_version: str | None
    offered: tuple[str, ...]
    superuser: bool
    owned: bool
    counting: bool


# to_regclass would fail for a role that may not use the schema.
_OUTSIDE = """
with mine as (
  select c.oid, n.nspname, c.relowner,
         has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('graphql', 'storage') and c.relname = 'installation' and c.relkind = 'r'
), extension as (
  select extversion, extowner from pg_catalog.pg_extension where extname = 'portico'
)
select json_build_object(
  'extension', (select extversion from extension),
  'offered', coalesce((select json_agg(version) from pg_catalog.pg_available_extension_versions
                       where name = 'portico'), '[]'),
  'recorded', coalesce((select readable from mine where nspname = 'graphql'), false),
  'storage', coalesce((select readable from mine where nspname = 'storage'), false),
  'owned', coalesce(
    pg_has_role(current_user, (select extowner from extension), 'usage'),
    pg_has_role(current_user, (select relowner from mine where nspname = 'graphql'), 'usage'),
    false
  ),
  'counting', (select count(*) = 2 from pg_catalog.pg_event_trigger
               where evtname in ('portico_count_ddl', 'portico_count_drop') and evtenabled in ('A', 'O')),
  'superuser', (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
)::text
"""
_RECORDED = "select version from graphql.installation"
_STORAGE = "select version from storage.installation where component = 'storage'"


def read_state(read: QueryValue) -> InstallationState:
    """Read the state of the installation, without changing anything."""
    outside = json.loads(read(_OUTSIDE) or b"")
    recorded = read(_RECORDED) if outside["recorded"] else None
    storage = read(_STORAGE) if outside["storage"] else None
    return InstallationState(
        version=outside["extension"] or (recorded.decode() if recorded is not None else None),
        by_extension=outside["extension"] is not None,
        storage_version=storage.decode() if storage is not None else None,
        offered=tuple(outside["offered"]),
        superuser=outside["superuser"],
        owned=outside["owned"],
        counting=outside["counting"],
    )


def read_server(read: QueryValue) -> int:
    """The version of PostgreSQL, as ``server_version_num``."""
    return int(read("select current_setting('server_version_num')") or 0)


def unsupported(number: int) -> str | None:
    """The message of ``serve`` and ``doctor`` about a PostgreSQL that is too old; None if it is not."""
    if number >= OLDEST_SUPPORTED:
        return None
    return f"PostgreSQL {number // 10000} is not supported; use PostgreSQL 14 or newer"


IS_STANDBY = "select pg_catalog.pg_is_in_recovery()::text"
_IS_READ_ONLY = "select (current_setting('default_transaction_read_only')::boolean)::text"


def immutable(read: QueryValue) -> tuple[str, str] | None:
    """The message of ``serve`` and ``doctor`` about a database that refuses changes, and the remedy; None if it does
    not."""
    if read(IS_STANDBY) == b"true":
        fix = "name the primary in DATABASE_URL, and standbys in DATABASE_READ_URLS"
        return "the database is a standby, which refuses all changes", fix
    if read(_IS_READ_ONLY) == b"true":
        fix = "to allow them, reset default_transaction_read_only of the database and of the service's login"
        return "the database's transactions are read-only, so all changes are refused", fix
    return None


def outdated(state: InstallationState) -> str | None:
    """The message of ``serve`` at startup if the database and this software have different versions; None if they have
    the same."""
    if state.version is None or state.version == VERSION:
        return None
    if precedence(state.version) < precedence(VERSION):
        return (
            f"the database has version {state.version} of Portico's objects, and this software comes with {VERSION};"
            " everything works, and `portico upgrade` installs the new version"
        )
    return (
        f"the database has version {state.version} of Portico's objects, which is newer than this software's {VERSION};"
        " install a newer version of this software"
    )
