"""Findings of ``portico doctor --security``: what must be closed before the service is open to the internet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from app.commands.finding import Finding, Mark, listed
from app.commands.literals import literal
from app.commands.unprotected_tables import UNPROTECTED, unprotected
from app.database import parse_database_url
from app.identity import ANON, AUTHENTICATED
from app.identity.issuing import is_too_short
from app.installation.public_relations import readable_private_relations
from app.installation.state import QueryValue
from app.settings import Settings

_SHORTEST_KEY = 20
_VERIFIED = ("verify-ca", "verify-full")
# These are published in examples that many projects copy.
_KNOWN_SECRETS = (
    "super-secret-jwt-token-with-at-least-32-characters-long",
    "your-super-secret-jwt-token-with-at-least-32-characters-long",
)


def review(settings: Settings, read: QueryValue, read_as_service: QueryValue | None = None) -> list[Finding]:
    """Check everything and change nothing. ``read_as_service`` reads with the login of SERVICE_DATABASE_URL. Raises
    Unavailable if the database is not available."""
    findings = [*_keys(settings), *_settings(settings), *_login(read), *_reach(read, read_as_service or read)]
    for schema in settings.api_schemas:
        findings += _private(schema, read)
        findings += _schema(schema, read)
    return findings or [Finding("ok", "nothing needs to be closed")]


def _keys(settings: Settings) -> Iterator[Finding]:
    secret = settings.jwt_secret
    if secret in _KNOWN_SECRETS:
        yield Finding("WRONG", "JWT_SECRET is taken from a published example", "run portico keys for a new one")
    elif secret and is_too_short(secret):
        yield Finding("WRONG", "JWT_SECRET is shorter than 32 bytes, so it could be guessed", "run portico keys")
    for name, key in (("ANON_KEY", settings.anon_key), ("SERVICE_ROLE_KEY", settings.service_role_key)):
        if key and len(key) < _SHORTEST_KEY:
            yield Finding("WRONG", f"{name} is shorter than {_SHORTEST_KEY} characters", "run portico keys")
    if settings.anon_key and settings.anon_key == settings.service_role_key:
        yield Finding("WRONG", "ANON_KEY and SERVICE_ROLE_KEY are the same", "run portico keys for a new pair")


def _settings(settings: Settings) -> Iterator[Finding]:
    target = parse_database_url(settings.database_url or "")
    is_here = target.socket_path is not None or target.host in ("localhost", "127.0.0.1", "::1")
    if not is_here and target.sslmode not in _VERIFIED:
        yield Finding(
            "WRONG",
            f"the database's certificate is not verified (sslmode={target.sslmode})",
            "add sslmode=verify-full and sslrootcert to DATABASE_URL",
        )
    if "*" in settings.cors_origins:
        yield Finding("note", "pages of every origin may use the APIs (CORS_ORIGINS=*)", "list your origins instead")
    if settings.tokens_in_database:
        yield Finding(
            "note", "the database sees callers' tokens", "set TOKENS_IN_DATABASE=off unless a policy reads them"
        )
    if settings.show_sql:
        yield Finding("note", "the log contains failing statements (SHOW_SQL=on)", "set SHOW_SQL=off in production")


def _login(read: QueryValue) -> Iterator[Finding]:
    login = json.loads(read(_LOGIN) or b"{}")
    yield from _rights(login)
    if login["sees_statements"]:
        yield Finding(
            "note",
            "callers' functions can list the statements prepared on a shared connection, and replace them",
            "as a superuser: revoke execute on function pg_catalog.pg_prepared_statement() from public",
        )
    if login["lists_blobs"]:
        yield Finding(
            "WRONG", "every role may execute storage.list_replaced_blob()", "run portico init, which fixes it"
        )


def _rights(login: dict[str, Any]) -> Iterator[Finding]:
    for right in login["rights"]:
        yield Finding(
            "WRONG",
            f"the login {login['name']} has {right}, which it does not need",
            "connect as a role that may only switch to the roles of the API: docs/database.md",
        )


def _reach(read: QueryValue, read_as_service: QueryValue) -> Iterator[Finding]:
    """Check whether the login of callers can become service_role, and the rights of the service's own login, if it has
    one."""
    login, of_service = (json.loads(each(_LOGIN) or b"{}") for each in (read, read_as_service))
    has_second = login["name"] != of_service["name"]
    if has_second:
        yield from _rights(of_service)
    if not login["becomes_service"]:
        return
    if has_second:
        yield Finding(
            "WRONG",
            f"the login {login['name']} of DATABASE_URL may become service_role, which has its own login",
            f"revoke service_role from {login['name']}, and from the roles that it may become",
        )
    else:
        yield Finding(
            "note",
            f"the login {login['name']} may become every role of the API: SQL that a caller injects into a function may"
            " become service_role",
            "portico init --logins=<name> makes two; set DATABASE_URL and SERVICE_DATABASE_URL: docs/security.md",
        )


def _private(schema: str, read: QueryValue) -> Iterator[Finding]:
    marks: tuple[tuple[Mark, str], ...] = (("WRONG", ANON), ("note", AUTHENTICATED))
    reported: set[str] = set()
    for mark, role in marks:
        found = readable_private_relations(read, literal(schema), literal(role))
        named = [f"{name} ({reason})" for name, reason in found if name not in reported]
        reported.update(name for name, _ in found)
        if named:
            yield Finding(
                mark,
                f"{role} may read relations in schema {schema} that look private: {listed(named)}",
                f"revoke all on <relation> from {role}; then grant select on columns that are public",
            )


def _schema(schema: str, read: QueryValue) -> Iterator[Finding]:
    found = json.loads(read(_SCHEMA.format(schema=literal(schema))) or b"{}")
    if found.get("unprotected"):
        yield unprotected("WRONG", schema, found["unprotected"])
    if found.get("bypassing"):
        yield Finding(
            "note",
            f"anon reads views in schema {schema} with the rights of their owners: {listed(found['bypassing'])}",
            "alter view <view> set (security_invoker = true), in PostgreSQL 15 or newer",
        )
    if found.get("redirectable"):
        yield Finding(
            "WRONG",
            f"anon may call functions in schema {schema} that run with their owner's rights and have no search_path"
            f" of their own: {listed(found['redirectable'])}",
            "alter function <function> set search_path = ''",
        )
    if found.get("introspection"):
        yield Finding(
            "note",
            f"anon may read the GraphQL schema made from schema {schema} (introspection)",
            f"comment on schema {schema} is '@graphql({{\"introspection\": false}})'",
        )


_LOGIN = """
select pg_catalog.json_build_object(
  'name', r.rolname,
  'rights', (select coalesce(pg_catalog.json_agg(right_name), '[]') from (values
      ('SUPERUSER', r.rolsuper), ('BYPASSRLS', r.rolbypassrls and not r.rolsuper),
      ('CREATEROLE', r.rolcreaterole and not r.rolsuper), ('CREATEDB', r.rolcreatedb and not r.rolsuper)
    ) as held (right_name, is_held) where is_held),
  'sees_statements', (select has_function_privilege(a.oid, 'pg_catalog.pg_prepared_statement()', 'execute')
                      from pg_catalog.pg_roles a where a.rolname = 'anon'),
  'becomes_service', coalesce((select pg_has_role(r.oid, s.oid, 'member')
                               from pg_catalog.pg_roles s where s.rolname = 'service_role'), false),
  'lists_blobs', exists (
    select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'storage' and p.proname = 'list_replaced_blob'
      and exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g where g.grantee = 0))
)::text
from pg_catalog.pg_roles r where r.rolname = current_user
"""
_SCHEMA = """
select pg_catalog.json_build_object(
  'unprotected', {unprotected},
  'bypassing', (
    select pg_catalog.json_agg(c.relname order by c.relname) from pg_catalog.pg_class c
    where c.relnamespace = n.oid and c.relkind = 'v' and has_table_privilege(r.oid, c.oid, 'select')
      and not exists (select from pg_catalog.unnest(c.reloptions) o where o ~* '^security_invoker=(true|on|yes|1)$')),
  'redirectable', (
    select pg_catalog.json_agg(p.oid::regprocedure::text order by p.proname) from pg_catalog.pg_proc p
    where p.pronamespace = n.oid and p.prosecdef and has_function_privilege(r.oid, p.oid, 'execute')
      and not exists (select from pg_catalog.unnest(p.proconfig) o where starts_with(o, 'search_path='))),
  'introspection', coalesce(obj_description(n.oid, 'pg_namespace'), '') !~ '"introspection"\\s*:\\s*false'
)::text
from pg_catalog.pg_namespace n cross join pg_catalog.pg_roles r
where n.nspname = {schema} and r.rolname = 'anon' and has_schema_privilege(r.oid, n.oid, 'usage')
""".replace("{unprotected}", UNPROTECTED)
