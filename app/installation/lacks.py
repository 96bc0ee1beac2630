"""What a database lacks for the API once Portico's objects are installed, and who can mend it how."""

from __future__ import annotations

import json
from dataclasses import dataclass

from app.installation.state import Ask

_EXISTS = """
select (count(*) > 0)::text from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'graphql' and c.relname = '{view}'
"""
_MISSING_EXISTS = _EXISTS.format(view="missing")
_DAMAGE_EXISTS = _EXISTS.format(view="storage_damage")
_DAMAGE = "select coalesce(json_agg(what), '[]')::text from graphql.storage_damage"
_MISSING = "select coalesce(json_agg(json_build_array(what, fix)), '[]')::text from graphql.missing"
_WRITABLE_BY_ALL = """
select count(*)::text from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.rolname = 'anon'
where c.relnamespace = to_regnamespace('public') and c.relkind in ('r', 'p') and not c.relrowsecurity
  and has_table_privilege(r.oid, c.oid, 'insert')
"""
_WITHOUT_ROW_SECURITY = """
select coalesce(json_agg(format('%I.%I', 'public', c.relname) order by c.relname), '[]')::text
from pg_catalog.pg_class c
where c.relnamespace = to_regnamespace('public') and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relrowsecurity
  and not exists (select from unnest(c.reloptions) o (option) where option ~* '^security_invoker=(true|on|yes|1)$')
  and pg_has_role(current_user, c.relowner, 'usage')
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_class'::regclass
                  and d.objid = c.oid and d.deptype = 'e')
  and not exists (select from pg_catalog.pg_roles r
                  where r.rolname in ('anon', 'authenticated') and has_table_privilege(r.oid, c.oid, 'select'))
"""
_PUBLIC_CLOSED = """
select string_agg(r.rolname, ', ' order by r.rolname) from pg_catalog.pg_roles r
where r.rolname in ('anon', 'authenticated', 'service_role')
  and not has_schema_privilege(r.oid, to_regnamespace('public'), 'usage')
"""


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that is missing, and who can fix it and how."""

    what: str
    fix: str


def lacks_of(ask: Ask) -> tuple[Lack, ...]:
    """What the installed objects say of the database; nothing where they are not installed."""
    if ask(_MISSING_EXISTS) != b"true":
        return ()
    return tuple(Lack(what or "", fix or "") for what, fix in json.loads(ask(_MISSING) or b"[]"))


def storage_damage(ask: Ask) -> list[str]:
    """What somebody took from the installed schema storage; nothing where the installed objects cannot tell."""
    if ask(_DAMAGE_EXISTS) != b"true":
        return []
    damage: list[str] = json.loads(ask(_DAMAGE) or b"[]")
    return damage


def lacks_of_public(ask: Ask) -> tuple[Lack, ...]:
    """What the API's roles may not do in schema public, and what they may do there without row level security."""
    lacks = []
    closed = ask(_PUBLIC_CLOSED)
    if closed:
        lacks.append(
            Lack(
                f"{closed.decode()} may not use schema public",
                f"as the owner of the schema: grant usage on schema public to {closed.decode()}",
            )
        )
    left_out = without_row_security(ask)
    if left_out:
        names = ", ".join(left_out)
        lacks.append(
            Lack(
                f"anon and authenticated have no rights on these relations without row level security: {names}",
                "enable it, write policies, then: grant select, insert, update, delete"
                f" on {names} to anon, authenticated; or open all as they are: portico init --grants-on-public=all",
            )
        )
    open_tables = int(ask(_WRITABLE_BY_ALL) or b"0")
    if open_tables:
        lacks.append(
            Lack(
                f"anon and authenticated may read and write all rows of {open_tables} table(s) in schema public"
                " that have no row level security",
                "enable row level security on them, or revoke rights: docs/database.md",
            )
        )
    return tuple(lacks)


def without_row_security(ask: Ask) -> list[str]:
    """The relations of schema public that "protected" of ``Grants`` leaves closed, as identifiers."""
    names: list[str] = json.loads(ask(_WITHOUT_ROW_SECURITY) or b"[]")
    return names
