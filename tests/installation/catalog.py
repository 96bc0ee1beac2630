"""Describes all of Portico's objects in a database, so that two databases can be compared."""

from __future__ import annotations

import pg8000.native

_PARTS = {
    "schemas": """
        select nspname, nspacl::text, obj_description(oid, 'pg_namespace') from pg_namespace
        where nspname in ('graphql', 'auth', 'storage', 'public') order by 1
    """,
    "relations": """
        select c.oid::regclass::text, c.relkind, c.relacl::text, c.relrowsecurity, c.relforcerowsecurity,
               c.reloptions::text, obj_description(c.oid, 'pg_class'),
               case when c.relkind = 'v' then pg_get_viewdef(c.oid) end
        from pg_class c where relnamespace in ('graphql'::regnamespace, 'auth'::regnamespace, 'storage'::regnamespace)
        order by 1
    """,
    "columns": """
        select a.attrelid::regclass::text, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
               a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid), a.attcollation::regcollation::text,
               col_description(a.attrelid, a.attnum), a.attacl::text
        from pg_attribute a
        join pg_class c on c.oid = a.attrelid
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where c.relnamespace in ('graphql'::regnamespace, 'auth'::regnamespace, 'storage'::regnamespace)
          and a.attnum > 0 and c.relkind in ('r', 'v', 'i')
        order by 1, 2
    """,
    "constraints": """
        select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
        where connamespace in ('graphql'::regnamespace, 'auth'::regnamespace, 'storage'::regnamespace) order by 1, 2
    """,
    "indexes": """
        select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index
        where indrelid::regclass::text ~ '^(graphql|auth|storage)[.]' order by 1
    """,
    "functions": """
        select oid::regprocedure::text, pg_get_functiondef(oid), proacl::text, obj_description(oid, 'pg_proc')
        from pg_proc
        where pronamespace in ('graphql'::regnamespace, 'auth'::regnamespace, 'storage'::regnamespace) order by 1
    """,
    "enums": """
        select enumtypid::regtype::text, enumlabel from pg_enum
        where enumtypid::regtype::text ~ '^storage[.]' order by 1, enumsortorder
    """,
    "triggers": """
        select tgrelid::regclass::text, tgname, tgenabled, pg_get_triggerdef(oid) from pg_trigger
        where not tgisinternal order by 1, 2
    """,
    "policies": """
        select polrelid::regclass::text, polname, polcmd, polroles::regrole[]::text, pg_get_expr(polqual, polrelid)
        from pg_policy order by 1, 2
    """,
    "event triggers": """
        select evtname, evtevent, evtfoid::regprocedure::text, evtenabled, obj_description(oid, 'pg_event_trigger')
        from pg_event_trigger order by 1
    """,
    "default privileges": """
        select defaclrole::regrole::text, defaclnamespace::regnamespace::text, defaclobjtype, defaclacl::text
        from pg_default_acl order by 1, 2, 3
    """,
    "installation": "select version, default_version from graphql.installation",
    "storage installation": "select component from storage.installation order by 1",
}


def describe(session: pg8000.native.Connection) -> dict[str, list[list[object]]]:
    """The definitions of all objects, by kind. Needs the rights of a superuser."""
    session.run("set search_path = pg_catalog")
    try:
        return {part: session.run(query) for part, query in _PARTS.items()}
    finally:
        session.run("reset search_path")


def members(session: pg8000.native.Connection) -> list[str]:
    """The objects of the extension portico, without the types of its tables and views."""
    rows = session.run(
        """
        select pg_describe_object(classid, objid, 0) from pg_depend
        where refclassid = 'pg_extension'::regclass and deptype = 'e' and classid <> 'pg_type'::regclass
          and refobjid = (select oid from pg_extension where extname = 'portico')
          -- the sequence of an identity column comes along with its table, or not
          and not (classid = 'pg_class'::regclass and exists (
            select from pg_class c where c.oid = objid and c.relkind = 'S'))
        order by 1
        """
    )
    return [row[0] for row in rows]
