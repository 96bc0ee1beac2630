"""What a database lacks for the API once Portico's objects are installed, and who can mend it how."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.installation.public_relations import ClosedRelation, closed_relations_of
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
_LATER_ONES_OPEN = """
select (count(*) > 0)::text from pg_catalog.pg_default_acl d cross join aclexplode(d.defaclacl) a
join pg_catalog.pg_roles r on r.oid = a.grantee and r.rolname = 'anon'
where d.defaclobjtype = 'r' and d.defaclnamespace in (0, to_regnamespace('public'))
  and pg_has_role(current_user, d.defaclrole, 'usage')
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
    left_out = closed_relations_of(ask)
    if left_out:
        lacks += _closed(left_out)
        if ask(_LATER_ONES_OPEN) != b"true":
            lacks.append(
                Lack(
                    "what you create in schema public from now on is closed to anon and authenticated too",
                    "grant rights with each table; docs/database.md",
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


def _closed(left_out: Sequence[ClosedRelation]) -> Iterator[Lack]:
    ordinary = [each.name for each in left_out if each.reason is None]
    private = [f"{each.name} ({each.reason})" for each in left_out if each.reason is not None]
    if ordinary:
        grants = [f"grant select on {name} to anon, authenticated;" for name in ordinary]
        yield Lack(
            f"anon and authenticated have no rights on {len(ordinary)} relation(s) without row level security",
            "\n".join(["enable it and write policies; or, where everybody may read every row:", *grants]),
        )
    if private:
        yield Lack(
            f"these relations are not for the public, and stay closed: {', '.join(private)}",
            "if some columns are public: grant select (<column>) on <relation> to anon, authenticated",
        )
