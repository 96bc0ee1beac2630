"""Finds what a database with Portico's objects still lacks for the API, with the remedy for each problem."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.installation.public_relations import ClosedRelation, closed_relations_of
from app.installation.state import QueryValue

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
class Problem:
    """Something that is missing or open. ``fix`` says what to do, and as which role."""

    what: str
    fix: str


def problems_of(read: QueryValue) -> tuple[Problem, ...]:
    """The problems that the installed view ``graphql.missing`` lists; none if it is not installed."""
    if read(_MISSING_EXISTS) != b"true":
        return ()
    return tuple(Problem(what or "", fix or "") for what, fix in json.loads(read(_MISSING) or b"[]"))


def storage_damage(read: QueryValue) -> list[str]:
    """The parts of schema storage that were removed after its installation; none if the view
    ``graphql.storage_damage`` is not installed."""
    if read(_DAMAGE_EXISTS) != b"true":
        return []
    damage: list[str] = json.loads(read(_DAMAGE) or b"[]")
    return damage


def problems_in_public(read: QueryValue) -> tuple[Problem, ...]:
    """The rights that the API's roles lack in schema public, and those that they have without row level security."""
    problems = []
    closed = read(_PUBLIC_CLOSED)
    if closed:
        problems.append(
            Problem(
                f"{closed.decode()} may not use schema public",
                f"as the owner of the schema: grant usage on schema public to {closed.decode()}",
            )
        )
    left_out = closed_relations_of(read)
    if left_out:
        problems += _closed(left_out)
        if read(_LATER_ONES_OPEN) != b"true":
            problems.append(
                Problem(
                    "relations that you create in schema public later are closed to anon and authenticated too",
                    "grant rights with each table; docs/database.md",
                )
            )
    open_tables = int(read(_WRITABLE_BY_ALL) or b"0")
    if open_tables:
        problems.append(
            Problem(
                f"anon and authenticated may read and write all rows of {open_tables} table(s) in schema public"
                " that have no row level security",
                "enable row level security on them, or revoke rights: docs/database.md",
            )
        )
    return tuple(problems)


def _closed(left_out: Sequence[ClosedRelation]) -> Iterator[Problem]:
    ordinary = [each.name for each in left_out if each.reason is None]
    private = [f"{each.name} ({each.reason})" for each in left_out if each.reason is not None]
    if ordinary:
        grants = [f"grant select on {name} to anon, authenticated;" for name in ordinary]
        yield Problem(
            f"anon and authenticated have no rights on {len(ordinary)} relation(s) without row level security",
            "\n".join(["enable it and write policies; or, if all callers may read all rows:", *grants]),
        )
    if private:
        yield Problem(
            f"these relations look private and stay closed: {', '.join(private)}",
            "if some columns are public: grant select (<column>) on <relation> to anon, authenticated",
        )
