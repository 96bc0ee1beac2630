"""Installs and removes the triggers that report changed tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from app.database.identifiers import as_constant, quoted
from app.database.url.url import parse_database_url
from app.database.wire.connect import connect
from app.database.wire.failure import ConnectionLost
from app.database.wire.tls import tls_context
from app.database.wire.wire import DatabaseConnection
from app.errors import RequestError

CHANNEL = "portico_live"
_LOCK_S = 10
TRIGGERED = """
select coalesce(pg_catalog.json_agg(tgrelid::bigint), '[]')::text from pg_catalog.pg_trigger
where tgname = 'portico_live' and tgenabled in ('O', 'A')
"""
"""The query for the oids of the tables that have the trigger."""

# The function is in the table's schema, where the table's owner usually may create functions. It reports only the
# table's oid, since every role of the database may listen.
_MAKE_FUNCTION = """
create function {function}() returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_catalog.pg_notify('portico_live', tg_relid::bigint::text);
  return null;
end $$
"""
_MAKE_TRIGGER = """
create trigger portico_live after insert or update or delete or truncate on {table}
for each statement execute function {function}()
"""
_FIND = """
select pg_catalog.json_build_object(
  'schema', n.nspname, 'name', c.relname, 'kind', c.relkind,
  'function', p.oid is not null,
  'is_other', p.prosrc not like '%pg_notify(''portico_live''%',
  'stranger', case when not o.rolsuper and o.oid not in (c.relowner, n.nspowner) and o.rolname <> current_user
                   then o.rolname end,
  'enabled', t.oid is not null,
  'is_off', t.tgenabled not in ('O', 'A'),
  'uses', (select count(*) from pg_catalog.pg_trigger used where used.tgfoid = p.oid)
)::text
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
left join pg_catalog.pg_proc p on p.pronamespace = n.oid and p.proname = 'portico_live' and p.pronargs = 0
left join pg_catalog.pg_roles o on o.oid = p.proowner
left join pg_catalog.pg_trigger t on t.tgrelid = c.oid and t.tgname = 'portico_live'
where c.oid = to_regclass({name})
"""


_OTHER = "the function {schema}.portico_live is not Portico's; rename it first"
_STRANGER = (
    "{stranger} owns the function {schema}.portico_live, which would run with the rights of all writers; drop it"
)


def enable(database_url: str, names: Sequence[str]) -> None:
    """Create the trigger on all of the named tables, or on none. ``names`` are SQL names. Raises RequestError for a
    name that is not a table, and StatementError if the database refuses."""
    with _transaction(database_url) as session:
        for found in (_found(session, name) for name in names):
            if found["stranger"]:
                raise RequestError(_STRANGER.format_map(found))
            if not found["function"]:
                session.simple(_MAKE_FUNCTION.format(function=_function(found)))
            if not found["enabled"]:
                session.simple(_MAKE_TRIGGER.format(function=_function(found), table=_table(found)))
            if found["is_off"]:
                session.simple(f"alter table {_table(found)} enable trigger portico_live")


def disable(database_url: str, names: Sequence[str]) -> None:
    """Remove the trigger from the named tables. Raises as ``enable`` does."""
    with _transaction(database_url) as session:
        for found in (_found(session, name) for name in names):
            session.simple(f"drop trigger if exists portico_live on {_table(found)}")
            if found["uses"] == found["enabled"] and found["function"]:
                session.simple(f"drop function {_function(found)}()")


@contextmanager
def _transaction(database_url: str) -> Iterator[DatabaseConnection]:
    target = parse_database_url(database_url)
    with closing(connect(target, tls_context(target), prepared_limit=0)) as session:
        try:
            session.simple("begin")
            # While a statement waits for a table's lock, all later statements on the table wait behind it.
            session.simple(f"set local lock_timeout = '{_LOCK_S}s'")
            # One after the other, so that a concurrent call finds the function that the first one has created.
            session.simple("select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('portico live', 0))")
            yield session
            session.simple("commit")
        except ConnectionLost as ex:
            raise ex.explained() from ex


def _found(session: DatabaseConnection, name: str) -> dict[str, Any]:
    rows = session.simple(_FIND.format(name=as_constant(name)))[0]
    found: dict[str, Any] = json.loads(rows[0][0] or b"{}") if rows else {}
    if found.get("kind") not in ("r", "p"):
        what = "is not a table; its queries are repeated at intervals" if found else "does not exist"
        raise RequestError(f"{name} {what}")
    if found["is_other"]:
        raise RequestError(_OTHER.format_map(found))
    return found


def _table(found: Mapping[str, Any]) -> str:
    return f"{quoted(found['schema'])}.{quoted(found['name'])}"


def _function(found: Mapping[str, Any]) -> str:
    return f"{quoted(found['schema'])}.portico_live"
