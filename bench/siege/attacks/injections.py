"""Code that callers run in the database does not become service_role, if that has its own login."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager

from app.installation.install import make_logins
from bench.siege.client import ANON, SERVICE, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import SCHEMA, Besieged, Grounds

_FLAWED = """
create function flawed(command text) returns text language plpgsql as $$
begin
  execute command;
  return current_user;
end $$;
create function becomes_service() returns boolean language plpgsql as $$
begin
  execute 'set role service_role';
  return true;
exception when others then
  return false;
end $$;
create policy "any role that becomes service_role" on storage.objects
  using (becomes_service()) with check (becomes_service());
grant execute on function flawed, becomes_service to anon, authenticated;
"""
_COMMANDS = (
    "set local role service_role",
    "set role service_role",
    "set session role service_role",
    "select set_config('role', 'service_role', true)",
    "select set_config('role', 'service_role', false)",
    "update pg_settings set setting = 'service_role' where name = 'role'",
    "reset role; set role service_role",
    "reset session authorization; set role service_role",
    "set session authorization default; set role service_role",
    "set session authorization service_role",
    "set local session authorization service_role; set role service_role",
    "do $do$ begin set role service_role; end $do$",
    "grant service_role to anon, authenticated; set role service_role",
    "alter role anon bypassrls",
    "prepare becoming as select set_config('role', 'service_role', true); execute becoming",
    "create function pg_temp.become() returns void language sql set role = service_role as 'select';"
    " select pg_temp.become()",
    "create function pg_temp.more() returns void language plpgsql as $f$ begin set role service_role; end $f$;"
    " select pg_temp.more()",
)
_CALL = "mutation ($command: String!) { flawed(command: $command) }"
_NOTES = "{ noteCollection(first: 500) { edges { node { id } } } }"


def _no_injection_becomes_service_role(grounds: Grounds, seconds: float) -> Finding:
    """Commands in a flawed function and in a policy, and prepared statements that a function replaces."""
    tally = Tally()
    with _with_two_logins(grounds) as service:
        bucket = service.bucket()
        everything = service.graphql(_NOTES, None, SERVICE).json
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline or tally.tried < 100:
            for command in _COMMANDS:
                for credential in (None, token("authenticated", sub="user 1")):
                    answer = service.graphql(_CALL, {"command": command}, credential)
                    became = ((answer.json or {}).get("data") or {}).get("flawed")
                    tally.add(became != "service_role", (command, answer.body))
                    notes = service.graphql(_NOTES)
                    tally.add(_count(notes.json) == 0, ("left behind", command, notes.body))
            service.graphql("mutation { replacePrepared }")
            mine = service.graphql(_NOTES, None, SERVICE)
            tally.add(mine.json == everything, ("a statement of service_role was replaced", mine.body))
            for credential in (ANON, token("authenticated", sub="user 1")):
                stored = service.ask("POST", f"/object/{bucket}/{secrets.token_hex(4)}", b"bytes", credential)
                tally.add(stored.status != 200, ("a policy became service_role", stored.status, stored.body))
        owners = service.sql("select distinct usename::text from pg_stat_activity where usename like 'siege%_service'")
        tally.add(len(owners) == 1, ("service_role has no connections of its own", owners))
    return tally.finding(f"{len(_COMMANDS)} commands, each as two roles")


def _count(answer: object) -> int:
    found = answer.get("data") if isinstance(answer, dict) else None
    return len(found["noteCollection"]["edges"]) if found else 0


@contextmanager
def _with_two_logins(grounds: Grounds) -> Iterator[Besieged]:
    database_url = grounds.database(SCHEMA + _FLAWED)
    name = f"siege_{secrets.token_hex(4)}"
    made = make_logins(database_url, name, ("anon", "authenticated", "service_role"))
    try:
        with grounds.serving(
            database_url, made.database_url, SERVICE_DATABASE_URL=made.service_database_url
        ) as service:
            yield service
    finally:
        both = f"{name}_api, {name}_service"
        grounds.server.execute(f"drop owned by {both}; drop role {both}", database_url)


ATTACKS = (
    Attack(
        "injections and service_role",
        "code that a caller has run in the database does not become service_role where that has its own login",
        _no_injection_becomes_service_role,
    ),
)
