"""Findings of ``portico doctor`` about a database whose tables Citus spreads over several servers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from app.commands.finding import Finding, listed
from app.commands.literals import array, literal
from app.database import Database, RoleRefused, StatementError
from app.errors import Unavailable
from app.pipeline.engine import Engine
from app.query.plan.claims import with_claim
from app.settings import Settings
from schema_cache.fingerprint import BETWEEN_STATEMENTS

_IS_THERE = "select (to_regclass('pg_catalog.pg_dist_partition') is not null)::text"
_ABOUT = """
select pg_catalog.json_build_object(
  'nologin', (
    select coalesce(pg_catalog.json_agg(rolname order by rolname), '[]') from pg_catalog.pg_roles
    where rolname = any ({roles}) and not rolcanlogin),
  'sets', to_regprocedure('graphql.set_local(text[],text[])') is not null,
  'health', to_regprocedure('pg_catalog.citus_check_cluster_node_health()') is not null,
  'readable', (
    select coalesce(pg_catalog.json_object_agg(r.rolname, (
      select p.logicalrelid::text
      from pg_catalog.pg_dist_partition p join pg_catalog.pg_class c on c.oid = p.logicalrelid
      where p.colocationid > 0 and has_table_privilege(r.oid, c.oid, 'select')
        and has_schema_privilege(r.oid, c.relnamespace, 'usage')
      order by p.partmethod = 'h' desc, 1 limit 1)), '{{}}')
    from pg_catalog.pg_roles r where r.rolname = any ({roles}) and r.rolcanlogin),
  'mixed', (
    select coalesce(pg_catalog.json_agg(distinct pg_catalog.format('%I on %s', y.polname, y.polrelid::regclass)), '[]')
    from pg_catalog.pg_policy y
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = y.oid
      and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> y.polrelid
    join pg_catalog.pg_dist_partition p on p.logicalrelid = d.refobjid and p.colocationid > 0 and p.repmodel <> 't'
    where y.polrelid not in (select logicalrelid from pg_catalog.pg_dist_partition)),
  'silent', (
    select coalesce(pg_catalog.json_agg(p.oid::regprocedure::text order by 1), '[]')
    from pg_catalog.pg_proc p
    join pg_catalog.pg_language l on l.oid = p.prolang and l.lanname = 'sql'
    where p.pronamespace::regnamespace::text = any ({schemas})
      and p.prokind = 'f' and p.provolatile = 's' and p.proretset and p.proconfig is null
      and exists (
        select from pg_catalog.pg_dist_partition d join pg_catalog.pg_class c on c.oid = d.logicalrelid
        where d.colocationid > 0 and pg_catalog.pg_get_functiondef(p.oid) ~ ('\\m' || c.relname || '\\M')))
)::text
"""
_UNREACHABLE = """
select coalesce(pg_catalog.json_agg(distinct to_nodename || ':' || to_nodeport), '[]')::text
from pg_catalog.citus_check_cluster_node_health() where not result
"""


def spread(settings: Settings, database: Database) -> Iterator[Finding]:
    """Check the additional requirements of Citus, if the database has it. Raises Unavailable if the database is not
    available."""
    if database.read(_IS_THERE) != b"true":
        return
    query = _ABOUT.format(roles=array(settings.api_roles), schemas=array(settings.api_schemas))
    about = json.loads(database.read(query) or b"{}")
    yield Finding("ok", "the database has Citus")
    yield from _of_settings(settings, about)
    yield from _of_servers(database, about)
    yield from _of_objects(about)


def _of_settings(settings: Settings, about: Mapping[str, Any]) -> Iterator[Finding]:
    if settings.citus == "off":
        yield Finding(
            "WRONG",
            "CITUS is off, so changes are not atomic and policies on other servers see no claims",
            "unset CITUS",
        )


def claims(settings: Settings, engine: Engine) -> Iterator[Finding]:
    """Check for which tables CITUS_CLAIM counts."""
    if settings.citus_claim is None:
        return
    relations = engine.schema_cache.current().relations
    spread = [each for each in relations if each.distribution is not None]
    cluster = with_claim(relations, settings.citus_claim, settings.citus_claim_column)
    others = [f"{each.schema}.{each.name}" for each in spread if each.oid not in cluster.claimed]
    if len(others) == len(spread) > 0:
        yield Finding(
            "WRONG",
            f"the claim {settings.citus_claim} counts for no table, since none is distributed by a column of its name",
            "set CITUS_CLAIM_COLUMN to the distribution column that has the claim's value",
        )
    elif others:
        yield Finding(
            "note",
            f"CITUS_CLAIM does not narrow tables that are distributed by another column: {listed(others)}",
            "name their tenant in requests",
        )


def _of_servers(database: Database, about: Mapping[str, Any]) -> Iterator[Finding]:
    """Findings about connections between the servers."""
    if about["nologin"]:
        yield Finding(
            "WRONG",
            f"Citus connects to its workers as the role of a request, which may not log in: {listed(about['nologin'])}",
            "on the coordinator: alter role <role> login; without a password, and with a line in each worker's"
            " pg_hba.conf that admits only the coordinator",
        )
    unreachable = json.loads(database.read(_UNREACHABLE) or b"[]") if about["health"] else []
    if unreachable:
        yield Finding("WRONG", f"servers of Citus are down, or others cannot reach them: {listed(unreachable)}")
        return
    refused = [role for role, table in about["readable"].items() if table and not _reads(database, role, table)]
    if refused:
        yield Finding(
            "WRONG",
            f"the other servers of Citus refuse these roles: {listed(refused)}",
            "add a line to each worker's pg_hba.conf that admits them from the coordinator",
        )


def _reads(database: Database, role: str, table: str) -> bool:
    """Whether the coordinator can reach the other servers as a role."""
    become = f"select pg_catalog.set_config('role', {literal(role)}, true)"
    try:
        database.read(f"{become}{BETWEEN_STATEMENTS}select count(*)::text from (select 1 from {table} limit 1) t")  # noqa: S608
    except Unavailable:
        return False
    except (RoleRefused, StatementError):
        # That the service may not become the role, or that a policy fails without claims, is not the servers' fault.
        pass
    return True


def _of_objects(about: Mapping[str, Any]) -> Iterator[Finding]:
    if not about["sets"]:
        yield Finding(
            "WRONG",
            "the function graphql.set_local does not exist, so all requests fail",
            "run portico init on the coordinator",
        )
    if about["mixed"]:
        yield Finding(
            "WRONG",
            f"Citus cannot run policies of local tables that read distributed ones: {listed(about['mixed'])}",
            'read them in a PL/pgSQL function: docs/sharding.md, "What to avoid"',
        )
    if about["silent"]:
        yield Finding(
            "note",
            "Citus finds no rows of distributed tables, and reports no error, where a view or another function calls"
            f" these functions: {listed(about['silent'])}",
            "make them PL/pgSQL or volatile, or: alter function <function> set search_path = <schemas>",
        )
