"""A connection keeps the caller of its last request if that cannot have changed the session: what flights send."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import pytest

from app.installation.install import install
from bench.pooler import missing_pooler, pooler
from bench.streaming import missing, streaming
from tests.database.recorder import Flight, Recorder
from tests.graphql.api import ANON_KEY, Api, token
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer, connect
from tests.process.running import PATIENCE_S, until

LOGIN = "kept_login"
SCHEMA = """
create table item (id int primary key, name text);
insert into item values (1, 'one');
create table note (id int primary key, owner text);
insert into note values (1, 'ann'), (2, 'bob');
alter table note enable row level security;
create policy own on note using (owner = current_setting('request.jwt.claim.sub', true));
create function state() returns text language sql stable as $$ select concat_ws(' ', current_user,
  current_setting('request.jwt.claim.sub', true), current_setting('work_mem'),
  nullif(current_setting('app.leak', true), ''),
  (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
  (select count(*) from pg_cursors where is_holdable)) $$;
create function reads() returns int language sql stable as 'select count(*)::int from item';
create table gate ();
create function later() returns text language plpgsql stable as $$ begin return 'kept'; end $$;
create function waits() returns text language plpgsql stable as $$ begin
  perform count(*) from gate; return later(); end $$;
create function dirties() returns int language plpgsql stable as $$ begin
  perform set_config('app.leak', 'leaked', false), set_config('work_mem', '77MB', false), pg_advisory_lock(7);
  return 1; end $$;
grant select, insert on item to anon, authenticated; grant select on note, gate to anon, authenticated;
"""
ITEMS, STATE = "{ itemCollection { edges { node { name } } } }", "{ state }"
INSERT = "mutation { insertIntoitemCollection(objects: [{id: 2}]) { affectedCount } }"

CLEANED = ["clean", "enter", "data"]
KEPT = ["check", "data"]
LOCAL = ["clean", "local", "data"]
"""The steps of a read: in a session of another caller, in one of the same caller, and with KEEP_CALLERS=off."""

Start = Callable[..., tuple[Api, Recorder]]


def does(flight: Flight) -> list[str]:
    """The purposes of a flight's statements."""
    found: list[str] = []
    for text in flight:
        if text == "SET SESSION AUTHORIZATION DEFAULT":
            found.append("clean")
        elif text.startswith("SET ROLE "):
            found.append("enter")
        elif text.startswith(("SET LOCAL ROLE ", "SELECT pg_catalog.set_config('role', ")):
            found.append("local")
        elif "pg_has_role" in text:
            found.append("check")
        elif text == "BEGIN":
            found.append("begin")
        elif text.startswith(("WITH", "SELECT", "INSERT")) and "pg_catalog.set_config(" not in text:
            found.append("data")
    return found


@pytest.fixture(scope="module")
def database(postgres: PostgresServer) -> Iterator[str]:
    """The URL of the database for the service's login, which is not a superuser."""
    url = postgres.create_database(sql=ROLES + SCHEMA)
    install(url)
    yield url
    postgres.drop_database(url)


@pytest.fixture
def execute(postgres: PostgresServer, database: str) -> Callable[[str], list[list[object]]]:
    return lambda sql: postgres.execute(sql, database)


@pytest.fixture
def login(postgres: PostgresServer) -> Iterator[str]:
    """A login without superuser rights, like that of a service."""
    postgres.execute(f"drop role if exists {LOGIN}; create role {LOGIN} login noinherit password 'secret'")
    postgres.execute(f"grant anon, authenticated, service_role to {LOGIN}")
    yield LOGIN
    postgres.execute(f"drop role {LOGIN}")


@contextmanager
def recorded(url: str, proxy: type[Recorder] = Recorder, **settings: Any) -> Iterator[tuple[Api, Recorder]]:
    """A service, by default with one connection to the database, whose flights are recorded."""
    settings = {"pool_size": 1, **settings}
    with closing(proxy(url)) as recorder, closing(Api(recorder.url(), **settings)) as api:
        # Background queries would be recorded too.
        api.application.services.poller.close(PATIENCE_S)
        api.application.services.storage.background.close()
        ask(api, STATE, "first", STATE)
        recorder.sent.clear()
        yield api, recorder


@pytest.fixture
def start(database: str) -> Iterator[Start]:
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(recorded(database, **settings))


def ask(api: Api, query: str, sub: str, *more: str) -> Any:
    """The data of the last of the queries of an authenticated caller."""
    return [api.ask(each, claims={"sub": sub}).data for each in (query, *more)][-1]


def flights(recorder: Recorder) -> list[list[str]]:
    """The purposes of the statements since the last call, by flight."""
    done = [does(each) for each in recorder.sent]
    recorder.sent.clear()
    return done


def test_the_second_read_of_a_caller_sends_a_check_and_its_statement_in_one_round_trip(start: Start) -> None:
    api, recorder = start()
    assert ask(api, STATE, "ann")["state"].startswith("authenticated ann 4MB")
    assert flights(recorder) == [CLEANED]
    before = recorder.flights
    assert ask(api, STATE, "ann")["state"].startswith("authenticated ann 4MB")
    assert ask(api, "{ noteCollection { edges { node { id owner } } } }", "ann") == {
        "noteCollection": {"edges": [{"node": {"id": 1, "owner": "ann"}}]}
    }
    assert recorder.flights - before == 2
    assert flights(recorder) == [KEPT, KEPT]


def test_another_caller_cleans_the_session_and_enters_it(start: Start) -> None:
    api, recorder = start()
    for sub in ("ann", "bob", "ann", "ann"):
        assert ask(api, "{ noteCollection { edges { node { owner } } } }", sub) == {
            "noteCollection": {"edges": [{"node": {"owner": sub}}]}
        }
    assert api.ask(STATE).data["state"].startswith("anon")
    assert flights(recorder) == [CLEANED, CLEANED, CLEANED, KEPT, CLEANED]


def test_a_mutation_uses_a_context_of_its_own(start: Start, execute: Callable[[str], object]) -> None:
    api, recorder = start()
    ask(api, ITEMS, "ann", INSERT, ITEMS, ITEMS)
    execute("delete from item where id = 2")
    assert flights(recorder) == [CLEANED, LOCAL, CLEANED, KEPT]


def test_a_query_with_effects_uses_a_context_of_its_own_and_leaves_nothing(start: Start) -> None:
    api, recorder = start()
    clean = ask(api, STATE, "ann")
    ask(api, "{ dirties }", "ann")
    assert ask(api, STATE, "ann") == clean
    assert ask(api, STATE, "ann") == clean
    first, dirties, *others = flights(recorder)
    assert (first, others) == (CLEANED, [CLEANED, KEPT])
    assert dirties[:3] == ["clean", "begin", "local"]


def test_other_flights_of_the_caller_clean_the_session(start: Start) -> None:
    """GET has another request.method; storage sets the headers of each request."""
    api, recorder = start(dry_run=True)
    ask(api, ITEMS, "ann", ITEMS)
    headers = {"apiKey": ANON_KEY, "Authorization": f"Bearer {token({'role': 'authenticated', 'sub': 'ann'})}"}
    assert api.client.simulate_get("/graphql/v1", params={"query": STATE}, headers=headers).status_code == 200
    ask(api, ITEMS, "ann")
    assert api.client.simulate_get("/storage/v1/bucket", headers=headers).status_code == 200
    ask(api, ITEMS, "ann")
    dry_run = json.dumps({"query": INSERT, "extensions": {"dryRun": True}})
    assert "errors" not in api.post(dry_run, claims={"sub": "ann"}).body
    ask(api, ITEMS, "ann")
    reads = [each for each in flights(recorder) if "enter" in each or "check" in each]
    assert reads == [CLEANED, KEPT, CLEANED, CLEANED, CLEANED, CLEANED]


def test_the_operations_of_a_batch_share_the_kept_caller(start: Start) -> None:
    api, recorder = start(batch_limit=3)
    answers = api.post(json.dumps([{"query": STATE}] * 3), claims={"sub": "ann"}).body
    assert [each["data"]["state"] for each in answers] == ["authenticated ann 4MB 0 0"] * 3
    assert sorted(flights(recorder)) == sorted([CLEANED, KEPT, KEPT])


def test_a_failed_read_is_followed_by_a_clean_session(start: Start) -> None:
    api, recorder = start()
    ask(api, ITEMS, "ann")
    answer = api.ask(
        '{ itemCollection(filter: {name: {regex: "("}}) { edges { node { id } } } }', claims={"sub": "ann"}
    )
    assert answer.errors
    ask(api, ITEMS, "ann")
    assert [each for each in flights(recorder) if each] == [CLEANED, KEPT, CLEANED]


def test_a_changed_schema_is_seen_by_the_next_request(start: Start, execute: Callable[[str], object]) -> None:
    api, recorder = start()
    ask(api, "{ reads }", "ann", "{ reads }")
    assert flights(recorder) == [CLEANED, KEPT]
    execute("create or replace function reads() returns int language sql stable as 'select -1'")
    assert ask(api, "{ reads }", "ann") == {"reads": -1}
    first, second, *_, last = flights(recorder)
    assert (first, second, last) == (KEPT, CLEANED, CLEANED)
    execute("create or replace function reads() returns int language sql stable as 'select count(*)::int from item'")


def test_a_function_that_begins_to_change_the_session_during_a_request_leaves_nothing(
    start: Start, execute: Callable[[str], list[list[object]]], database: str
) -> None:
    """The request has passed the check and waits when the change is committed. Then it calls the new function."""
    api, _ = start()
    clean = ask(api, STATE, "ann")
    waits = "select exists (select from pg_locks where not granted and relation = 'gate'::regclass)"
    with closing(connect(database)) as other, ThreadPoolExecutor(1) as threads:
        other.execute_simple("begin; lock table gate")
        waiting = threads.submit(ask, api, "{ waits }", "ann")
        until(lambda: bool(execute(waits)[0][0]))
        other.execute_simple(
            "create or replace function later() returns text language plpgsql stable as"
            " $$ begin return set_config('app.leak', 'leaked', false); end $$; commit"
        )
        assert waiting.result(PATIENCE_S) == {"waits": "leaked"}
    assert ask(api, STATE, "ann") == clean


def test_a_version_that_is_lost_is_seen_by_the_next_request(start: Start, execute: Callable[[str], object]) -> None:
    """No event trigger counts TRUNCATE."""
    api, recorder = start()
    ask(api, ITEMS, "ann", ITEMS)
    execute("create table saved as table graphql.schema_change")
    ask(api, ITEMS, "ann", ITEMS)
    flights(recorder)
    execute("truncate graphql.schema_change")
    try:
        api.ask(ITEMS, claims={"sub": "ann"})
        assert flights(recorder)[:2] == [KEPT, CLEANED]
    finally:
        execute("insert into graphql.schema_change overriding system value table saved; drop table saved")


def test_nothing_is_kept_if_it_is_turned_off(start: Start) -> None:
    api, recorder = start(keep_callers=False)
    ask(api, ITEMS, "ann", ITEMS, ITEMS)
    assert flights(recorder) == [LOCAL] * 3


def test_nothing_is_kept_with_citus(start: Start) -> None:
    api, recorder = start(citus="on")
    ask(api, ITEMS, "ann", ITEMS)
    assert [each[:3] for each in flights(recorder)] == [["clean", "begin", "local"]] * 2


def test_nothing_is_kept_if_changes_of_the_schema_are_not_counted(postgres: PostgresServer) -> None:
    url = postgres.create_database(sql=ROLES + SCHEMA)
    with recorded(url) as (api, recorder):
        ask(api, ITEMS, "ann", ITEMS)
        assert flights(recorder) == [LOCAL] * 2
    postgres.drop_database(url)


def test_nothing_is_kept_if_flights_must_set_the_search_path(postgres: PostgresServer) -> None:
    """A path that names pg_catalog late would let operators of users replace PostgreSQL's."""
    url = postgres.create_database(sql=ROLES + SCHEMA)
    install(url)
    postgres.execute(
        "create function public.differs(int, int) returns bool language sql immutable as 'select false';"
        " create operator public.= (leftarg = int, rightarg = int, function = public.differs)",
        url,
    )
    name = postgres.execute("select current_database()", url)[0][0]
    postgres.execute(f'alter database "{name}" set search_path = public, pg_catalog')
    with recorded(url) as (api, recorder):
        one = "{ itemCollection(filter: {id: {eq: 1}}) { edges { node { name } } } }"
        for _ in range(2):
            assert ask(api, one, "ann") == {"itemCollection": {"edges": [{"node": {"name": "one"}}]}}
        assert flights(recorder) == [LOCAL] * 2
    postgres.drop_database(url)


def test_nothing_is_kept_if_requests_have_their_ids_in_the_database(start: Start) -> None:
    api, recorder = start(request_ids_in_database=True)
    for number in range(2):
        api.ask(ITEMS, claims={"sub": "ann"}, headers={"X-Request-Id": f"request-{number}"})
    assert flights(recorder) == [LOCAL] * 2


class OtherKeys(Recorder):
    """A proxy that, like a pooler, sends clients keys of its own for canceling statements."""

    def _pump(self, source: Any, sink: socket.socket, state: dict[str, bool], from_client: bool) -> None:
        super()._pump(source if from_client else _OtherKey(source), sink, state, from_client)


class _OtherKey:
    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def recv(self, size: int) -> bytes:
        # BackendKeyData: its length and the process id
        return re.sub(rb"K\0\0\0\x0c\0...", b"K\0\0\0\x0c\0key", self._sock.recv(size), flags=re.DOTALL)

    def shutdown(self, how: int) -> None:
        self._sock.shutdown(how)


def test_nothing_is_kept_if_the_key_of_the_connection_is_not_that_of_the_session(database: str) -> None:
    with recorded(database, OtherKeys) as (api, recorder):
        ask(api, ITEMS, "ann", ITEMS)
        assert flights(recorder) == [LOCAL] * 2


@pytest.mark.skipif(bool(missing() or missing_pooler()), reason=f"needs programs: {missing() or missing_pooler()}")
def test_nothing_is_kept_behind_a_pooler() -> None:
    with streaming() as cluster:
        server = cluster.primary()
        server.execute(ROLES + SCHEMA)
        install(server.url())
        with pooler(cluster, server, connections=2, clients=10) as url, recorded(url) as (api, recorder):
            ask(api, ITEMS, "ann", ITEMS)
            assert flights(recorder) == [LOCAL] * 2
        # The same server without the pooler
        with recorded(server.url()) as (api, recorder):
            ask(api, ITEMS, "ann", ITEMS)
            assert flights(recorder) == [CLEANED, KEPT]


@pytest.mark.parametrize("revoke", ["revoke authenticated from {}", "grant authenticated to {} with set false"])
def test_a_login_that_lost_the_role_is_refused(
    postgres: PostgresServer, database: str, login: str, revoke: str
) -> None:
    if "set false" in revoke and int(str(postgres.execute("show server_version_num")[0][0])) < 160000:
        pytest.skip("memberships without SET exist from PostgreSQL 16 on")
    with recorded(f"postgresql://{login}:secret@{database.partition('://')[2].rpartition('@')[2]}") as (api, recorder):
        ask(api, ITEMS, "ann", ITEMS)
        assert flights(recorder) == [CLEANED, KEPT]
        postgres.execute(revoke.format(login))
        assert api.ask(ITEMS, claims={"sub": "ann"}).code == "ROLE_NOT_ALLOWED"


@pytest.mark.parametrize("change", ["drop role kept_group", "alter role kept_group rename to kept_renamed"])
def test_a_role_that_is_gone_is_refused(postgres: PostgresServer, database: str, change: str) -> None:
    postgres.execute("drop role if exists kept_group; drop role if exists kept_renamed; create role kept_group")
    postgres.execute("grant kept_group to current_user")
    try:
        with recorded(database, api_roles=("anon", "authenticated", "kept_group")) as (api, recorder):
            for _ in range(2):
                assert api.ask(STATE, role="kept_group").data["state"].startswith("kept_group")
            assert flights(recorder) == [CLEANED, KEPT]
            postgres.execute(change)
            assert api.ask(STATE, role="kept_group").code == "ROLE_NOT_ALLOWED"
            # Another role with the same name
            postgres.execute("create role kept_group")
            assert api.ask(STATE, role="kept_group").data["state"].startswith("kept_group")
    finally:
        postgres.execute("drop role if exists kept_group; drop role if exists kept_renamed")


def test_two_callers_keep_two_connections(database: str) -> None:
    """The pool gives each its own, whichever of them was returned last."""
    with recorded(database, pool_size=2) as (api, recorder):
        open_both(api, database)
        flights(recorder)
        for sub in ("ann", "ann", "bob", "bob", "ann", "bob", "bob", "ann"):
            assert ask(api, STATE, sub)["state"].startswith(f"authenticated {sub}")
        assert flights(recorder) == [CLEANED, KEPT, CLEANED, *[KEPT] * 5]


def test_a_connection_whose_caller_comes_back_is_spared(database: str) -> None:
    with recorded(database, pool_size=2) as (api, recorder):
        open_both(api, database)
        ask(api, ITEMS, "ann", ITEMS)
        flights(recorder)
        for number in range(3):
            ask(api, ITEMS, f"once {number}")
        ask(api, ITEMS, "ann")
        assert flights(recorder) == [CLEANED, CLEANED, CLEANED, KEPT]


def open_both(api: Api, database: str) -> None:
    """Open two connections, by two requests at a time."""
    with closing(connect(database)) as other, ThreadPoolExecutor(2) as threads:
        other.execute_simple("begin; lock table gate")
        waiting = [threads.submit(ask, api, "{ waits }", sub) for sub in ("first", "second")]
        count = "select count(*) from pg_locks where not granted and relation = 'gate'::regclass"
        with closing(connect(database)) as looking:
            until(lambda: looking.execute_simple(count).rows == [[2]])
        other.execute_simple("commit")
        for each in waiting:
            each.result(PATIENCE_S)
