"""Findings of ``portico doctor`` about a database whose tables Citus spreads over several servers."""

from __future__ import annotations

import json
from collections.abc import Iterator

from app.commands.finding import Finding, listed
from app.commands.literals import array
from app.database import Database
from app.installation.state import QueryValue
from app.settings import Settings

_IS_THERE = "select (to_regclass('pg_catalog.pg_dist_partition') is not null)::text"
_ABOUT = """
select pg_catalog.json_build_object(
  'nologin', (
    select coalesce(pg_catalog.json_agg(rolname order by rolname), '[]') from pg_catalog.pg_roles
    where rolname = any ({roles}) and not rolcanlogin),
  'sets', to_regprocedure('graphql.set_local(text[],text[])') is not null,
  'silent', (
    select coalesce(pg_catalog.json_agg(p.oid::regprocedure::text order by 1), '[]')
    from pg_catalog.pg_proc p
    join pg_catalog.pg_language l on l.oid = p.prolang and l.lanname = 'sql'
    where p.pronamespace::regnamespace::text = any ({schemas})
      and p.prokind = 'f' and p.provolatile = 's' and p.proconfig is null
      and exists (
        select from pg_catalog.pg_dist_partition d join pg_catalog.pg_class c on c.oid = d.logicalrelid
        where strpos(pg_catalog.pg_get_functiondef(p.oid), c.relname) > 0))
)::text
"""


def spread(settings: Settings, database: Database) -> Iterator[Finding]:
    """Check the additional requirements of Citus, if the database has it. Raises Unavailable if the database is not
    available."""
    if database.read(_IS_THERE) == b"true":
        yield from _spread(settings, database.read)


def _spread(settings: Settings, read: QueryValue) -> Iterator[Finding]:
    about = json.loads(
        read(_ABOUT.format(roles=array(settings.api_roles), schemas=array(settings.api_schemas))) or b"{}"
    )
    yield Finding("ok", "the database has Citus")
    if settings.citus == "off":
        yield Finding(
            "WRONG",
            "CITUS is off, so changes are not atomic and policies on other servers see no claims",
            "unset CITUS",
        )
    if not about["sets"]:
        yield Finding(
            "WRONG",
            "the function graphql.set_local does not exist, so all requests fail",
            "run portico init on the coordinator",
        )
    if about["nologin"]:
        yield Finding(
            "WRONG",
            f"Citus connects to its workers as the role of a request, which may not log in: {listed(about['nologin'])}",
            "on the coordinator: alter role <role> login; without a password, and with a line in each worker's"
            " pg_hba.conf that admits only the coordinator",
        )
    if about["silent"]:
        yield Finding(
            "note",
            "Citus may answer calls of these functions without the rows of distributed tables, and without an error:"
            f" {listed(about['silent'])}",
            "make them PL/pgSQL or volatile, or: alter function <function> set search_path = <schemas>",
        )
