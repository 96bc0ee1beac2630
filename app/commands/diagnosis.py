"""Findings of ``portico doctor`` about the database: its version, Portico's objects in it, roles and grants."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.commands.finding import Finding, listed
from app.commands.literals import array, literal
from app.commands.role_trials import role_trials
from app.commands.unprotected_tables import UNPROTECTED, unprotected
from app.database import Database
from app.documents.named import ANY_ROLE
from app.identity import ANON, OWN_ROLES, SERVICE_ROLE
from app.installation.install import OLDEST_SERVER
from app.installation.missing import storage_damage
from app.installation.state import InstallationState, QueryValue, immutable, outdated, read_state, unsupported
from app.settings import Settings


def examine(settings: Settings, database: Database) -> Iterator[Finding]:
    """Check everything and change nothing. Raises Unavailable if the database is not available."""
    yield from _database(settings, database)
    if database.target.ignored:
        without = listed(database.target.ignored)
        yield Finding("note", f"parameters of DATABASE_URL have no effect: {without}")


def _database(settings: Settings, database: Database) -> Iterator[Finding]:
    read = database.read
    roles = tuple(dict.fromkeys((*settings.api_roles, SERVICE_ROLE)))
    restricted = [each for each in settings.documents_only if each != ANY_ROLE]
    question = _ABOUT.format(roles=array((*roles, *restricted)))
    about = json.loads(read(question) or b"{}")
    user = about["user"]
    users = dict.fromkeys(roles, user)
    if database.separates_service:
        of_service = json.loads(database.read(question, as_service=True) or b"{}")
        if of_service["place"] != about["place"]:
            yield Finding("WRONG", "SERVICE_DATABASE_URL names another database than DATABASE_URL", "correct it")
        users[SERVICE_ROLE] = of_service["user"]
        about["roles"][SERVICE_ROLE] = of_service["roles"].get(SERVICE_ROLE)
    yield Finding("ok", f"{user} is connected to the database {about['database']}, PostgreSQL {about['server']}")
    too_old = unsupported(about["server_number"])
    if too_old:
        yield Finding("WRONG", too_old)
    elif about["server_number"] < OLDEST_SERVER:
        yield Finding("note", "PostgreSQL 13 has no storage API, as portico init needs PostgreSQL 14 or newer")
    refusing = immutable(read)
    if refusing:
        yield Finding("note", *refusing)
    if about["superuser"]:
        yield Finding("note", f"{user} is a superuser; an ordinary role that may switch to the API's roles is safer")
    state = read_state(read)
    yield from _installation(state)
    for damage in storage_damage(read):
        yield Finding("WRONG", damage, "as the owner of schema storage: run portico init, which repairs it")
    yield from _roles(users, about["roles"])
    settable = [name for name in roles if (about["roles"].get(name) or {}).get("settable")]
    yield from role_trials(database, state, settable)
    if unknown := [each for each in restricted if each not in about["roles"]]:
        yield Finding("WRONG", f"DOCUMENTS_ONLY names roles that do not exist: {listed(unknown)}")
    for schema in settings.api_schemas:
        yield from _schema(schema, roles, read)


def _installation(state: InstallationState) -> Iterator[Finding]:
    if state.version is None and state.storage_version is not None:
        yield Finding(
            "note", "schema changes are detected by polling every second, since portico uninstall", "run portico init"
        )
        return
    if state.version is None:
        yield Finding(
            "note",
            "portico init was not run here: there are no auth functions for policies and no storage, and schema changes"
            " are detected by polling every second",
            "run portico init as a role that may create schemas and roles; the GraphQL API works without it",
        )
        return
    notice = outdated(state)
    yield (
        Finding("note", notice)
        if notice
        else Finding("ok", f"version {state.version} of Portico's objects is installed")
    )
    if not state.counting:
        yield Finding(
            "note",
            "schema changes are not counted, so they are detected by polling every second",
            "as a superuser: run portico init again",
        )


def _roles(users: Mapping[str, str], known: dict[str, dict[str, bool]]) -> Iterator[Finding]:
    """``users``: for each role, the login that becomes it."""
    for name, user in users.items():
        role = known.get(name)
        if role is None:
            fix = f"create role {name} nologin"
            if name in OWN_ROLES:
                fix = f"portico init creates it, or: {fix}"
            yield Finding("note", f"the role {name} does not exist", fix)
        elif not role["settable"]:
            yield Finding("WRONG", f"{user} may not switch to the role {name}", f"grant {name} to {user}")
        else:
            yield Finding("ok", f"{user} may switch to the role {name}")
    service = known.get(SERVICE_ROLE)
    if service and not service["bypasses"]:
        yield Finding(
            "note",
            "service_role does not bypass row level security",
            "as a superuser: alter role service_role bypassrls",
        )


def _schema(schema: str, roles: Sequence[str], read: QueryValue) -> Iterator[Finding]:
    found = json.loads(read(_SCHEMA.format(schema=literal(schema), roles=array(roles))) or b"null")
    if found is None:
        yield Finding(
            "WRONG", f"there is no schema {schema}, which API_SCHEMAS names", "create it or correct API_SCHEMAS"
        )
        return
    yield from _left_out(schema, found)
    for each in found["roles"]:
        role, relations = each["role"], f"{each['relations']} relations in schema {schema}"
        if not each["usage"]:
            yield Finding(
                "note", f"{role} may not use the schema {schema}", f"grant usage on schema {schema} to {role}"
            )
        elif each["readable"] == 0:
            yield Finding("note", f"{role} may read none of the {relations}", f"grant select on <table> to {role}")
        else:
            yield Finding("ok", f"{role} may read {each['readable']} of {relations}")
        if each["creates"]:
            yield Finding(
                "note",
                f"{role} may create functions in schema {schema}; they could run with the rights of other callers",
                f"revoke create on schema {schema} from public, {role}",
            )
        if role == ANON and each["unprotected"]:
            yield unprotected("note", schema, each["unprotected"])


def _left_out(schema: str, found: dict[str, Any]) -> Iterator[Finding]:
    if found["policyless"]:
        yield Finding(
            "note",
            f"tables in schema {schema} have row level security and no policy, so only service_role sees their rows:"
            f" {listed(found['policyless'])}",
            "write policies; if the database was restored without its roles, restore it again after portico init",
        )
    if found["ungranted"]:
        yield Finding(
            "note",
            f"no role of the API may read these relations in schema {schema}: {listed(found['ungranted'])}",
            "grant select on <table> to <role>",
        )
    if found["of_extensions"]:
        yield Finding(
            "note",
            f"{found['of_extensions']} relations and functions in schema {schema} belong to extensions and are not in"
            " the API",
            "to add one: comment on function <function> is '@graphql({})'",
        )


_ABOUT = """
select pg_catalog.json_build_object(
  'user', current_user, 'database', current_database(),
  'place', concat_ws(' ', current_database(), pg_postmaster_start_time(), pg_is_in_recovery()),
  'server', current_setting('server_version'), 'server_number', current_setting('server_version_num')::int,
  'superuser', (select rolsuper from pg_catalog.pg_roles where rolname = current_user),
  'roles', (
    select coalesce(pg_catalog.json_object_agg(rolname, pg_catalog.json_build_object(
      'settable', pg_has_role(current_user, oid,
        case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end),
      'bypasses', rolbypassrls or rolsuper)), '{{}}')
    from pg_catalog.pg_roles where rolname = any({roles})
  )
)::text
"""
_OF_EXTENSION = "exists (select from pg_catalog.pg_depend d where d.deptype = 'e' and d.objid = {object}.oid)"
_SCHEMA = """
select pg_catalog.json_build_object(
'policyless', (
  select pg_catalog.json_agg(c.relname order by c.relname) from pg_catalog.pg_class c
  where c.relnamespace = n.oid and c.relkind in ('r', 'p') and c.relrowsecurity
    and not exists (select from pg_catalog.pg_policy p where p.polrelid = c.oid)),
'ungranted', (
  select pg_catalog.json_agg(c.relname order by c.relname) from pg_catalog.pg_class c
  where c.relnamespace = n.oid and c.relkind in {kinds} and not {c_of_extension}
    and not exists (select from pg_catalog.pg_roles r where r.rolname = any({roles})
                    and (has_table_privilege(r.oid, c.oid, 'select')
                         or has_any_column_privilege(r.oid, c.oid, 'select')))),
'of_extensions', (
  select count(*) from (
    select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relkind in {kinds} and {c_of_extension}
    union all
    select from pg_catalog.pg_proc p where p.pronamespace = n.oid and {p_of_extension}) as made),
'roles', (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
  'role', r.rolname,
  'usage', has_schema_privilege(r.oid, n.oid, 'usage'),
  'creates', has_schema_privilege(r.oid, n.oid, 'create'),
  'relations', (select count(*) from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relkind in {kinds}),
  'readable', (select count(*) from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relkind in {kinds}
               and (has_table_privilege(r.oid, c.oid, 'select') or has_any_column_privilege(r.oid, c.oid, 'select'))),
  'unprotected', {unprotected}
) order by r.rolname), '[]') from pg_catalog.pg_roles r
  where r.rolname = any({roles}) and r.rolname <> 'service_role'))::text
from pg_catalog.pg_namespace n where n.nspname = {schema}
""".replace("{kinds}", "('r', 'p', 'v', 'm', 'f')")
_SCHEMA = _SCHEMA.replace("{unprotected}", UNPROTECTED)
_SCHEMA = _SCHEMA.replace("{c_of_extension}", _OF_EXTENSION.format(object="c"))
_SCHEMA = _SCHEMA.replace("{p_of_extension}", _OF_EXTENSION.format(object="p"))
