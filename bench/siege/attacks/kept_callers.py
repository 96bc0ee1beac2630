"""Callers whose connections keep them, beside a twin service that keeps none: both answer the same."""

from __future__ import annotations

import random
import threading
import time
from contextlib import suppress
from itertools import count

from bench.siege.client import Answer, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import SCHEMA, Besieged, Grounds

_CALM = "create or replace function moody() returns text language plpgsql stable as $$ begin return 'answer'; end $$"
_ANGRY = """create or replace function moody() returns text language plpgsql stable as $$ begin
  perform set_config('app.leak', 'moody', false), set_config('work_mem', '77MB', false), pg_advisory_lock(1);
  return 'answer'; end $$"""
_SCHEMA = f"""{SCHEMA}
create function session() returns text language sql stable as $$ select concat_ws(' ', current_user,
  current_setting('request.jwt.claims', true), current_setting('work_mem'), current_setting('timezone'),
  nullif(current_setting('app.leak', true), ''), to_regclass('pg_temp.leftover'),
  (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
  (select count(*) from pg_cursors where is_holdable)) $$;
create function seen(note) returns text language sql stable as 'select session()';
create view who as select 1 as id, session() as who;
comment on view who is '@graphql({{"primary_key_columns": ["id"]}})';
create function admits() returns boolean language plpgsql stable as $$ begin
  perform set_config('app.leak', 'policy', false), pg_advisory_lock(2); return true; end $$;
create table guarded (id int primary key);
insert into guarded values (1);
alter table guarded enable row level security;
create policy admits on guarded using (admits());
create function dirties() returns text language plpgsql stable as $$ begin
  return set_config('app.leak', 'stable', false) || set_config('work_mem', '88MB', false); end $$;
create function claims_more() returns text language plpgsql stable as
  $$ begin return set_config('request.jwt.claims', '{{"sub": "admin"}}', false); end $$;
create function fails() returns int language plpgsql stable as $$ begin return 1 / (session() = '')::int; end $$;
create function leaves() returns text language plpgsql as $$ begin
  perform set_config('app.leak', 'volatile', false), set_config('work_mem', '99MB', false), pg_advisory_lock(3);
  create temp table leftover (n int);
  execute 'declare leftover cursor with hold for select 1';
  listen leftovers;
  return nextval('entry_id_seq') > 0; end $$;
create function last() returns text language plpgsql as
  $$ begin return lastval(); exception when others then return 'none'; end $$;
create function forgets() returns text language plpgsql as $$ begin execute 'deallocate all'; return 'all'; end $$;
{_CALM};
grant usage on sequence entry_id_seq to authenticated;
grant select on who, guarded to anon, authenticated;
"""
_REQUESTS = (
    *["{ session }", "{ noteCollection(first: 30) { edges { node { owner body } } } }"] * 6,
    *["{ moody }", "{ whoCollection { edges { node { who } } } }"] * 3,
    "{ noteCollection(first: 3) { edges { node { seen } } } }",
    "{ guardedCollection { edges { node { id } } } }",
    "{ dirties }",
    "{ claimsMore }",
    "{ fails }",
    "mutation { leaves }",
    "mutation { last }",
    "mutation { forgets }",
    "mutation { insertIntoentryCollection(objects: [{number: 1}]) { affectedCount } }",
)
_BACKENDS = """from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()"""
_DISTURBANCES = (
    *[f"select pg_cancel_backend(pid) {_BACKENDS} order by random() limit 2"] * 6,
    f"select pg_terminate_backend(pid) {_BACKENDS} order by random() limit 1",
    _ANGRY,
    *[f"select pg_cancel_backend(pid) {_BACKENDS} order by random() limit 2"] * 6,
    "drop policy own on note; create policy own on note using (owner = auth.jwt() ->> 'sub')",
    _CALM,
)
_DISTURBED = ("STATEMENT_TIMEOUT", "DATABASE_UNAVAILABLE", "DATABASE_TIMEOUT", "OUTCOME_UNKNOWN", "POOL_TIMEOUT")
_CALLERS, _CLIENTS = 200, 6
_CONNECTIONS_OF_A_WORKER = "2"
_PAUSE_S = 0.3


def _as_without(grounds: Grounds, seconds: float) -> Finding:
    database_url = grounds.database(_SCHEMA)
    options = {"POOL_SIZE": _CONNECTIONS_OF_A_WORKER}
    with (
        grounds.serving(database_url, **options) as keeping,
        grounds.serving(database_url, KEEP_CALLERS="off", **options) as twin,
    ):
        return _compared(keeping, twin, seconds)


def _compared(keeping: Besieged, twin: Besieged, seconds: float) -> Finding:
    tally, lock, stop = Tally(), threading.Lock(), threading.Event()
    tokens = [token("authenticated", sub=f"user {number}") for number in range(_CALLERS)]
    disturbed = 0

    def client(number: int) -> None:
        nonlocal disturbed
        chance = random.Random(number)
        while not stop.is_set():
            # Several requests of each, so that it meets its own connection, too
            caller = tokens[chance.randrange(_CALLERS if chance.random() < 0.5 else 4)]
            for _ in range(chance.randrange(1, 6)):
                query = chance.choice(_REQUESTS)
                answers = [service.graphql(query, None, caller) for service in (keeping, twin)]
                with lock:
                    if any(map(_was_disturbed, answers)):
                        disturbed += 1
                    else:
                        one, other = ((each.status, each.json) for each in answers)
                        tally.add(one == other, (query, one, other))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(_CLIENTS)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + seconds
    for each in count():
        if time.monotonic() > deadline:
            break
        with suppress(Exception):
            keeping.sql(_DISTURBANCES[each % len(_DISTURBANCES)])
        time.sleep(_PAUSE_S)
    stop.set()
    for thread in threads:
        thread.join()
    return tally.finding(f"{2 * (tally.tried + disturbed)} requests; {disturbed} pairs were disturbed")


def _was_disturbed(answer: Answer) -> bool:
    """Whether a cancel or the end of a session failed this request."""
    errors = (answer.json or {}).get("errors", [])
    return answer.status == 0 or any(each["extensions"]["code"] in _DISTURBED for each in errors)


ATTACKS = (Attack("kept callers", "a caller whom a connection keeps is answered as without that", _as_without),)
