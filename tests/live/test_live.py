"""``portico live``: a stream has the answer of now, and another one whenever it has changed."""

from __future__ import annotations

import json
import re
import socket
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from fcntl import ioctl
from hashlib import sha256
from pathlib import Path
from termios import FIONREAD
from typing import Any
from urllib.parse import urlsplit

import jwt
import pytest
import requests

from app.database.url.url import parse_database_url
from app.faces.live import triggers
from tests.graphql.api import ANON_KEY, JWT_SECRET, SERVICE_KEY
from tests.graphql.conftest import ROLES
from tests.installation.test_rights import as_user
from tests.live.streams import Live, Stream, serving_live
from tests.postgres_server import PostgresServer, connect
from tests.process.conftest import Portico
from tests.process.conftest import portico as portico
from tests.process.running import PATIENCE_S, until

SCHEMA = """
create table note (id int primary key, owner text, body text);
create table other (id int primary key);
create table revoked (id int primary key);
create table dropped (id int primary key);
create view long_note as select id, body from note where length(body) > 5;
alter table note enable row level security;
create policy public_ones on note for select to anon using (owner is null);
create policy own on note for select to authenticated
  using (owner = current_setting('request.jwt.claims', true)::json ->> 'sub');
create function notes() returns int language sql stable as 'select count(*)::int from note';
comment on view long_note is '@graphql({"primary_key_columns": ["id"]})';
create table weight (note_id int primary key, weight int);
grant select on weight to anon;
create function weight_of(note) returns int language sql stable as 'select weight from weight where note_id = $1.id';
comment on function weight_of is '@graphql({"filter": true, "orderBy": true})';
create view slow as select clock_timestamp()::text as n from (select pg_sleep(0.4) offset 0) as slept;
comment on view slow is '@graphql({"primary_key_columns": ["n"]})';
grant select on slow to anon;
create view very_slow as select 1 as n from (select pg_sleep(4) offset 0) as slept;
comment on view very_slow is '@graphql({"primary_key_columns": ["n"]})';
grant select on very_slow to anon;
grant select on note, other, revoked, dropped, long_note to anon, authenticated;
grant select, delete on note to service_role;
create sequence runs;
grant usage on sequence runs to anon;
create table counted (id int primary key);
insert into counted values (1);
grant select on counted to anon;
alter table counted enable row level security;
create policy readable on counted using (true);
create view writing as select nextval('runs')::int as id;
comment on view writing is '@graphql({"primary_key_columns": ["id"]})';
grant select on writing to anon;
insert into note values (1, null, 'one');
"""
NOTES = "{ noteCollection { edges { node { id body } } } }"
QUIET_S = 2.5
"""Longer than the notification of a change takes, and longer than a fast query pauses between runs."""


def notes(*rows: tuple[int, str]) -> dict[str, object]:
    return {"noteCollection": {"edges": [{"node": {"id": number, "body": body}} for number, body in rows]}}


def token(user: str, valid_s: float) -> str:
    return jwt.encode({"sub": user, "role": "authenticated", "exp": time.time() + valid_s}, JWT_SECRET, "HS256")


def queries(live: Live) -> int:
    return metric(live, "portico_live_queries")


def runs(live: Live) -> int:
    return metric(live, "portico_live_run_seconds_count")


def settle(live: Live, seconds: float = QUIET_S) -> None:
    """Wait until no query has run for so long that no run is left to do for an earlier change."""
    seen: list[tuple[int, float]] = []

    def has_settled() -> bool:
        now, count = time.monotonic(), runs(live)
        if not seen or count != seen[-1][0]:
            seen.append((count, now))
        return now - seen[-1][1] > seconds

    until(has_settled)


def metric(live: Live, name: str) -> int:
    reported = requests.get(live.url.replace("/graphql/v1/stream", "/metrics"), timeout=PATIENCE_S)
    return int(float(re.findall(f"{name} ([0-9.]+)", reported.text)[0]))


def health(live: Live) -> Any:
    return requests.get(live.url.replace("/graphql/v1/stream", "/health"), timeout=PATIENCE_S).json()


@pytest.fixture(scope="module")
def live_database_url(postgres: PostgresServer) -> Iterator[str]:
    url = postgres.create_database(sql=ROLES + SCHEMA)
    triggers.enable(url, ["note", "public.other", "counted"])
    yield url
    postgres.drop_database(url)


@pytest.fixture
def change(live_database_url: str, postgres: PostgresServer) -> Iterator[Callable[[str], None]]:
    """Runs SQL; the rows are put back."""
    yield lambda sql: (postgres.execute(sql, live_database_url), None)[1]
    postgres.execute("truncate note, other; insert into note values (1, null, 'one')", live_database_url)


def test_a_change_is_sent_at_once(live: Live, change: Callable[[str], None]) -> None:
    stream = live.stream(NOTES)
    stream.until(notes((1, "one")))
    change("insert into note values (2, null, 'two')")
    assert stream.data() == notes((1, "one"), (2, "two"))
    change("truncate note")
    assert stream.data() == notes()


def test_a_subscription_is_a_query(live: Live, change: Callable[[str], None]) -> None:
    document = """
      # subscription
      subscription Mine($id: Int!) { ...Some }
      fragment Some on Query { noteCollection(filter: {id: {eq: $id}}) { edges { node { id body } } } }"""
    stream = live.stream(document, {"id": 1})
    stream.until(notes((1, "one")))
    change("update note set body = 'eins'")
    assert stream.data() == notes((1, "eins"))


def test_a_late_viewer_gets_no_outdated_result(live: Live, change: Callable[[str], None]) -> None:
    others = live.stream("{ otherCollection { edges { node { id } } } }")
    others.until({"otherCollection": {"edges": []}})
    stream = live.stream(NOTES)
    stream.until(notes((1, "one")))
    change("insert into note values (2, null, 'two')")
    stream.until(notes((1, "one"), (2, "two")))
    # The query has just run, so it rests, although it has heard of this, as the other one has.
    change("delete from note where id = 1; insert into other values (1)")
    others.until({"otherCollection": {"edges": [{"node": {"id": 1}}]}})
    assert live.stream(NOTES).data() == notes((2, "two"))


def test_changes_without_effect_send_nothing(live: Live, change: Callable[[str], None]) -> None:
    stream = live.stream(NOTES)
    stream.until(notes((1, "one")))
    change("insert into note values (3, 'somebody', 'secret'); insert into other values (1); update note set id = id")
    assert stream.quiet(QUIET_S)


def test_policies_decide_for_each_viewer(live: Live, change: Callable[[str], None]) -> None:
    streams = {name: live.stream(NOTES, authorization=f"Bearer {token(name, 600)}") for name in ("ada", "ben")}
    assert [each.data() for each in streams.values()] == [notes(), notes()]
    change("insert into note values (4, 'ada', 'for Ada')")
    assert streams["ada"].data() == notes((4, "for Ada"))
    assert streams["ben"].quiet(QUIET_S)


@pytest.mark.timing
def test_many_changes_become_few_answers(live: Live, change: Callable[[str], None]) -> None:
    stream = live.stream("{ noteCollection(first: 1, orderBy: [{id: DescNullsLast}]) { edges { node { id } } } }")
    stream.data()
    began = time.monotonic()
    for number in range(10, 210):
        change(f"insert into note values ({number}, null, 'n')")
    answers, last = 0, 0
    while last != 209:
        last = stream.data()["noteCollection"]["edges"][0]["node"]["id"]
        answers += 1
    assert answers <= 3 + (time.monotonic() - began)


def test_equal_queries_run_once(live: Live, change: Callable[[str], None]) -> None:
    query = "{ countedCollection { edges { node { id } } } }"
    streams = [live.stream(query) for _ in range(20)]
    first = {"countedCollection": {"edges": [{"node": {"id": 1}}]}}
    assert [each.data() for each in streams] == [first] * 20
    before = runs(live)
    change("insert into counted values (2)")
    for each in streams:
        assert len(each.data()["countedCollection"]["edges"]) == 2
    # Some are of queries that other tests have left.
    assert runs(live) - before <= 10


def test_an_introspection_sends_one_result(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path, LIVE_POLL_S="0.2") as live:
        stream = live.stream('{ __type(name: "Query") { name } }')
        assert stream.data() == {"__type": {"name": "Query"}}
        assert stream.quiet(QUIET_S)


def test_queries_of_views_are_repeated(live_database_url: str, tmp_path: Path, postgres: PostgresServer) -> None:
    with serving_live(live_database_url, tmp_path, LIVE_POLL_S="0.2") as live:
        stream = live.stream("{ long_noteCollection { edges { node { id } } } }")
        assert stream.data() == {"long_noteCollection": {"edges": []}}
        postgres.execute("insert into note values (9, null, 'long enough')", live_database_url)
        assert stream.data() == {"long_noteCollection": {"edges": [{"node": {"id": 9}}]}}
        postgres.execute("delete from note where id = 9", live_database_url)


@pytest.mark.parametrize("by", ["filter: {weight_of: {gt: 0}}", "orderBy: [{weight_of: AscNullsFirst}], first: 1"])
def test_filters_and_orders_by_functions_are_repeated(
    live_database_url: str, tmp_path: Path, postgres: PostgresServer, change: Callable[[str], None], by: str
) -> None:
    postgres.execute("insert into note values (2, null, 'two'); insert into weight values (1, 1)", live_database_url)
    with serving_live(live_database_url, tmp_path, LIVE_POLL_S="0.2") as live:
        stream = live.stream(f"{{ noteCollection({by}) {{ edges {{ node {{ id body }} }} }} }}")
        before = stream.data()
        until(lambda: health(live)["changes"] == "heard")
        # A run because changes are heard from now on is over, too, so only a repeated one finds the change.
        count = runs(live)
        until(lambda: runs(live) >= count + 2)
        postgres.execute("truncate weight; insert into weight values (2, 1)", live_database_url)
        after = stream.next(20)[1]["data"]
    change("truncate weight")
    assert sorted([str(before), str(after)]) == sorted([str(notes((1, "one"))), str(notes((2, "two")))])


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ("{ note", "GRAPHQL_PARSE_FAILED"),
        ("mutation { deleteFromnoteCollection { affectedCount } }", "GRAPHQL_VALIDATION_FAILED"),
        ("subscription { nothing }", "GRAPHQL_VALIDATION_FAILED"),
    ],
)
def test_a_refused_operation_ends_the_stream(live: Live, query: str, code: str) -> None:
    stream = live.stream(query)
    kind, answer = stream.next()
    assert kind == "next"
    assert answer["errors"][0]["extensions"]["code"] == code
    assert stream.next() == ("complete", None)


def test_a_mutation_is_not_run(live: Live, live_database_url: str, postgres: PostgresServer) -> None:
    stream = live.stream("mutation { deleteFromnoteCollection(atMost: 9) { affectedCount } }", key=SERVICE_KEY)
    assert "Only a query or a subscription can be live" in stream.next()[1]["errors"][0]["message"]
    assert postgres.execute("select count(*) from note", live_database_url) == [[1]]


@pytest.mark.parametrize("kind", ["query", "subscription"])
def test_a_query_that_would_write_fails_each_time(
    live_database_url: str, tmp_path: Path, postgres: PostgresServer, kind: str
) -> None:
    with serving_live(live_database_url, tmp_path, LIVE_POLL_S="0.2") as live:
        stream = live.stream(f"{kind} {{ writingCollection {{ edges {{ node {{ id }} }} }} }}")
        assert stream.next()[1]["errors"][0]["extensions"]["code"] == "READ_ONLY_SQL_TRANSACTION"
        until(lambda: runs(live) > 2)
        assert postgres.execute("select last_value, is_called from runs", live_database_url) == [[1, False]]


def test_unknown_callers_and_malformed_requests_are_refused(live: Live) -> None:
    assert live.ask(NOTES, key="nothing").status_code == 401
    assert requests.post(live.url, json={"query": NOTES}, timeout=PATIENCE_S).status_code == 401
    assert (
        requests.post(live.url, data="{", timeout=PATIENCE_S).json()["errors"][0]["message"] == "The body must be JSON"
    )
    long = requests.post(live.url, data='{"variables": {"x": %s}}' % ("9" * 4301), timeout=PATIENCE_S).json()
    assert long["errors"][0]["message"] == "The body has a whole number of more than 4300 digits"
    assert requests.post(live.url, data="[1]", timeout=PATIENCE_S).status_code == 400
    assert requests.post(live.url, json={}, timeout=PATIENCE_S).status_code == 400
    assert requests.put(live.url, timeout=PATIENCE_S).status_code == 405


def test_a_stream_can_be_opened_by_get(live: Live) -> None:
    parameters = {
        "query": "query ($id: Int) { noteCollection(filter: {id: {eq: $id}}) { edges { node { id body } } } }"
    }
    answer = requests.get(
        live.url,
        {**parameters, "variables": '{"id": 1}'},
        headers={"apiKey": ANON_KEY},
        stream=True,
        timeout=PATIENCE_S,
    )
    lines = answer.iter_lines()
    assert next(lines) == b"event: next"
    assert b'"one"' in next(lines)
    answer.close()


def test_a_stream_ends_with_its_token(live: Live) -> None:
    stream = live.stream(NOTES, authorization=f"Bearer {token('ada', 3)}")
    assert stream.data() == notes()
    # Not "complete": clients open it again, with the token of then.
    assert stream.next(20) == ("end", None)


def test_the_number_of_streams_is_limited(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path, LIVE_LIMIT="2") as live:
        streams = [live.stream(NOTES) for _ in range(2)]
        for each in streams:
            each.data()
        refused = live.ask(NOTES)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert refused.json()["errors"][0]["extensions"]["code"] == "OVERLOADED"


def test_a_closed_stream_frees_its_place_at_once(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path, LIVE_LIMIT="1") as live:
        for _ in range(5):
            response = live.ask(NOTES)
            assert response.status_code == 200
            next(response.iter_lines())
            response.close()
            # Nothing is sent in this time.
            until(lambda: health(live)["streams"] == 0, 3.0)


def test_a_returning_viewer_waits_for_the_same_run(
    live_database_url: str, tmp_path: Path, postgres: PostgresServer
) -> None:
    query = "{ very_slowCollection { edges { node { n } } } }"
    running = """select pid, query_start::text from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query ~ 'very_slow'"""
    seen = []
    with serving_live(live_database_url, tmp_path, POOL_SIZE="2") as live:
        for _ in range(4):
            response = live.ask(query)
            # The run takes seconds.
            seen += until(lambda: postgres.execute(running, live_database_url))
            response.close()
        until(lambda: health(live)["streams"] == 0, 3.0)
        assert live.stream(NOTES).data() == notes((1, "one"))
        stream = live.stream(query)
        seen += postgres.execute(running, live_database_url)
        assert stream.data() == {"very_slowCollection": {"edges": [{"node": {"n": 1}}]}}
        assert seen == [seen[0]] * 5


def test_a_query_without_viewers_ends_with_its_run(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path) as live:
        response = live.ask("{ very_slowCollection { edges { node { n } } } }")
        until(lambda: queries(live) == 1)
        response.close()
        until(lambda: health(live)["streams"] == 0, 3.0)
        assert queries(live) == 1
        until(lambda: queries(live) == 0, 8.0)


def test_a_result_that_is_too_large_is_reported(
    live_database_url: str, tmp_path: Path, change: Callable[[str], None]
) -> None:
    with serving_live(live_database_url, tmp_path, LIVE_ANSWER_LIMIT="100K") as live:
        stream = live.stream(NOTES)
        assert stream.data() == notes((1, "one"))
        change("update note set body = repeat('x', 3000000)")
        message = stream.next()[1]["errors"][0]["message"]
        assert message == "The answer is larger than 102400 bytes (LIVE_ANSWER_LIMIT)"
        change("update note set body = 'less'")
        assert stream.data() == notes((1, "less"))


def test_a_slow_query_pauses_between_runs(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path, LIVE_POLL_S="0.1") as live:
        stream = live.stream("{ slowCollection { edges { node { n } } } }")
        began = time.monotonic()
        first, second = (stream.data()["slowCollection"]["edges"][0]["node"]["n"] for _ in range(2))
        assert first != second
        # A lower bound, which a slow machine keeps too.
        assert time.monotonic() - began >= 0.4 * 5


def test_a_request_that_does_not_arrive_is_not_waited_for(live: Live) -> None:
    place = urlsplit(live.url)
    head = f"POST {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: 100\r\n"
    answered = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    stream = live.stream(NOTES)
    with ExitStack() as opened:

        def connect(text: str) -> socket.socket:
            live_database_url = opened.enter_context(
                socket.create_connection((place.hostname, place.port), timeout=PATIENCE_S)
            )
            live_database_url.sendall(text.encode())
            return live_database_url

        silent, half_a_head, half_a_body = connect(""), connect(head), connect(f"{head}\r\n{{")
        second = connect(answered)
        health = b""
        while not health.endswith(b"}"):
            health += second.recv(1000)
        assert health.startswith(b"HTTP/1.1 200 ")
        second.sendall(head.encode())
        assert half_a_body.recv(100).startswith(b"HTTP/1.1 408 ")
        assert [each.recv(100) for each in (silent, half_a_head, second)] == [b""] * 3
    # Those that have begun stay.
    stream.data()
    assert stream.quiet(0.1)


@pytest.mark.parametrize("end", ["\0", "\f"])
@pytest.mark.timing
def test_a_header_of_many_spaces_takes_no_time(live: Live, end: str) -> None:
    place, began = urlsplit(live.url), time.monotonic()
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE_S) as connection:
        connection.sendall(f"GET /health HTTP/1.1\r\nHost: x\r\nX:{' ' * 50_000}{end}\r\n\r\n".encode())
        with connection.makefile("rb") as answer:
            assert answer.readline().startswith(b"HTTP/1.1 400 ")
    assert time.monotonic() - began < 5


def test_health_reports_streams_and_notifications(live: Live) -> None:
    reported = health(live)
    assert (reported["process"], reported["changes"]) == ("ok", "heard")


def test_metrics_count_streams_and_queries(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path) as live:
        stream = live.stream(NOTES)
        stream.data()
        live.stream("{ nothing }").next()
        reported = requests.get(live.url.replace("/graphql/v1/stream", "/metrics"), timeout=PATIENCE_S).text
    assert "portico_live_streams 1.0" in reported
    assert "portico_live_queries 1.0" in reported
    assert "portico_live_changes_heard 1.0" in reported
    assert "portico_live_run_seconds_count 2.0" in reported
    assert 'portico_live_errors_total{code="GRAPHQL_VALIDATION_FAILED"} 1.0' in reported


def test_the_access_log_has_a_line_for_each_stream(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path, ACCESS_LOG="on", LOG_FORMAT="json", LIVE_LIMIT="1") as live:
        query = "query Notes { noteCollection { edges { node { id } } } }"
        stream = live.stream(query, operation="Notes", **{"x-request-id": "first"})
        stream.data()
        assert live.ask(NOTES, **{"x-request-id": "second"}).status_code == 503
        live.process.terminate()
        live.process.wait(PATIENCE_S)
        lines = [json.loads(line) for line in live.process.stdout.read().splitlines()]
    refused, ended = (line for line in lines if line["logger"] == "portico.access")
    assert (refused["face"], refused["status"], refused["codes"]) == ("live", 503, "OVERLOADED")
    assert (refused["request_id"], ended["request_id"]) == ("second", "first")
    assert (ended["operation"], ended["role"], ended["answers"]) == ("Notes", "anon", 1)
    assert ended["sent"] > 0


def test_pages_of_allowed_origins_can_read(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path, CORS_ORIGINS="https://app.example.com") as live:
        page = {"origin": "https://app.example.com"}
        asked = {**page, "access-control-request-method": "POST", "access-control-request-headers": "apikey"}
        preflight = requests.options(live.url, headers=asked, timeout=PATIENCE_S)
        assert (preflight.status_code, preflight.headers["access-control-allow-headers"]) == (200, "apikey")
        assert live.ask(NOTES, **page).headers["access-control-allow-origin"] == "https://app.example.com"
        assert "access-control-allow-origin" not in live.ask(NOTES, origin="https://else.example.com").headers


def test_a_lost_connection_loses_nothing(live: Live, change: Callable[[str], None], live_database_url: str) -> None:
    stream = live.stream(NOTES)
    stream.until(notes((1, "one")))
    change(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where pid <> pg_backend_pid() and datname = current_database()"
    )
    change("update note set body = 'meanwhile'")
    stream.until(notes((1, "meanwhile")))


@pytest.mark.parametrize("payload", ["9" * 5000, "-1", "1e3", "\u0664\u0662", "", "{}", "x" * 7999])
def test_foreign_notifications_do_no_harm(live: Live, change: Callable[[str], None], payload: str) -> None:
    """Every role of a database may send a notification to every channel."""
    stream = live.stream(NOTES)
    stream.until(notes((1, "one")))
    change(f"select pg_notify('portico_live', '{payload}')")
    change("update note set body = 'heard'")
    stream.until(notes((1, "heard")))


@pytest.mark.parametrize(
    ("table", "away", "back"),
    [
        ("revoked", "revoke select on revoked from anon", "grant select on revoked to anon"),
        ("dropped", "drop table dropped", "create table dropped (id int primary key); grant select on dropped to anon"),
    ],
)
def test_revoked_and_granted_rights_are_noticed(
    live: Live, change: Callable[[str], None], table: str, away: str, back: str
) -> None:
    """No trigger reports a change of the schema or of rights."""
    stream = live.stream(f"{{ {table}Collection {{ edges {{ node {{ id }} }} }} }}")
    assert stream.data() == {f"{table}Collection": {"edges": []}}
    change(away)
    assert f"{table}Collection" in stream.next()[1]["errors"][0]["message"]
    change(back)
    assert stream.data() == {f"{table}Collection": {"edges": []}}


def test_a_flood_of_notifications_loses_nothing(live: Live, change: Callable[[str], None]) -> None:
    stream = live.stream(NOTES)
    stream.until(notes((1, "one")))
    change(
        "select pg_notify('portico_live', n::text) from generate_series(1, 20000) n;"
        "select pg_notify('portico_live', n || repeat('x', 7000)) from generate_series(1, 2000) n;"
        "update note set body = 'heard'"
    )
    stream.until(notes((1, "heard")))


def test_a_stream_continues_after_an_outage(tmp_path: Path, postgres: PostgresServer, database_url: str) -> None:
    """Also if the process has not seen the database yet."""
    postgres.execute(ROLES + SCHEMA, database_url)
    name = parse_database_url(database_url).database
    postgres.execute(f'alter database "{name}" allow_connections false')
    with serving_live(database_url, tmp_path, LIVE_POLL_S="1") as live:
        stream = live.stream(NOTES)
        assert stream.next()[1]["errors"][0]["extensions"]["code"] == "DATABASE_UNAVAILABLE"
        postgres.execute(f'alter database "{name}" allow_connections true')
        stream.until(notes((1, "one")))


def test_queries_are_repeated_while_notifications_are_lost(
    tmp_path: Path, postgres: PostgresServer, database_url: str
) -> None:
    """As while the database allows no further connection: those that are open still answer."""
    postgres.execute(ROLES + SCHEMA, database_url)
    triggers.enable(database_url, ["note"])
    name = parse_database_url(database_url).database
    with serving_live(database_url, tmp_path, LIVE_POLL_S="1") as live, closing(connect(database_url)) as own:
        stream = live.stream(NOTES)
        assert stream.data() == notes((1, "one"))
        until(lambda: health(live)["changes"] == "heard")
        own.execute_simple("update note set body = 'uno'")
        stream.until(notes((1, "uno")))
        settle(live)
        postgres.execute(f'alter database "{name}" allow_connections false')
        own.execute_simple(
            "select pg_terminate_backend(l.pid) from pg_stat_activity l where datname = current_database()"
            " and pid <> pg_backend_pid() and query ilike '%tgname = ''portico_live''%'"
        )
        until(lambda: health(live)["changes"] == "not heard")
        own.execute_simple("update note set body = 'eins'")
        assert stream.next(20) == ("next", {"data": notes((1, "eins"))})
        postgres.execute(f'alter database "{name}" allow_connections true')


def test_a_subscription_may_have_a_description(live: Live) -> None:
    stream = live.stream('"A subscription" subscription { __typename }')
    assert stream.data() == {"__typename": "Query"}


def test_a_comment_may_follow_the_description(live: Live) -> None:
    stream = live.stream('"A description" # and a subscription\nsubscription { __typename }')
    assert stream.data() == {"__typename": "Query"}


def asked(live: Live, **body: Any) -> Any:
    """The first answer to a request with this body."""
    headers = {"apiKey": ANON_KEY}
    kind, answer = Stream(requests.post(live.url, json=body, headers=headers, stream=True, timeout=PATIENCE_S)).next()
    assert kind == "next"
    return answer


def test_a_subscription_is_run_by_its_name(live_database_url: str, tmp_path: Path) -> None:
    text, other = f"subscription Notes {NOTES}", f"query Notes {NOTES}"
    (tmp_path / "Notes.graphql").write_text(text)
    hashed = f"sha256:{sha256(text.encode()).hexdigest()}"
    with serving_live(live_database_url, tmp_path, DOCUMENTS=str(tmp_path), DOCUMENTS_ONLY="anon") as live:
        for body in ({"documentId": "Notes"}, {"documentId": hashed}, {"documentId": "Notes", "query": text}):
            assert asked(live, **body)["data"] == notes((1, "one"))
        assert asked(live, query=text)["data"] == notes((1, "one"))
        (error,) = asked(live, query=other)["errors"]
    assert error["extensions"]["code"] == "DOCUMENT_NOT_ALLOWED"


def test_a_subscription_is_an_automatic_document(live_database_url: str, tmp_path: Path) -> None:
    text = f"subscription {NOTES}"
    persisted = {"persistedQuery": {"version": 1, "sha256Hash": sha256(text.encode()).hexdigest()}}
    with serving_live(live_database_url, tmp_path, AUTOMATIC_DOCUMENTS="10") as live:
        (error,) = asked(live, extensions=persisted)["errors"]
        assert error["message"] == "PersistedQueryNotFound"
        assert asked(live, extensions=persisted, query=text)["data"] == notes((1, "one"))
        assert asked(live, extensions=persisted)["data"] == notes((1, "one"))


def test_without_its_trigger_a_query_is_repeated(
    live_database_url: str, tmp_path: Path, postgres: PostgresServer
) -> None:
    with serving_live(live_database_url, tmp_path, LIVE_POLL_S="0.5") as live:
        stream = live.stream("{ otherCollection { edges { node { id } } } }")
        stream.data()
        # From then on only a repeated run finds the change.
        settle(live)
        postgres.execute(
            "alter table other disable trigger portico_live; insert into other values (7)", live_database_url
        )
        answer = stream.next(20)[1]
        assert answer["data"] == {"otherCollection": {"edges": [{"node": {"id": 7}}]}}
    triggers.enable(live_database_url, ["other"])
    count = "select count(*) from pg_trigger where tgname = 'portico_live' and tgenabled <> 'O'"
    assert postgres.execute(count, live_database_url) == [[0]]
    postgres.execute("truncate other", live_database_url)


def test_a_key_belongs_to_its_own_stream(live: Live) -> None:
    """Two streams may have the same token but keys that expire at different times."""
    bearer = f"Bearer {token('ada', 600)}"
    own = jwt.encode({"role": "anon", "exp": time.time() + 600}, JWT_SECRET, "HS256")
    before = queries(live)
    streams = [live.stream(NOTES, key=each, authorization=bearer) for each in (ANON_KEY, ANON_KEY, own)]
    for each in streams:
        each.data()
    assert queries(live) == before + 2


def test_a_stop_ends_all_streams(live_database_url: str, tmp_path: Path) -> None:
    with serving_live(live_database_url, tmp_path) as live:
        stream = live.stream(NOTES)
        stream.until(notes((1, "one")))
        live.process.terminate()
        # Not "complete": clients open it again, at another process.
        assert stream.next() == ("end", None)
        assert live.process.wait(PATIENCE_S) == 0


def test_commands_enable_and_disable_tables(portico: Portico, database_url: str, postgres: PostgresServer) -> None:
    postgres.execute('create schema "Odd"; create table "Odd"."a""b" (id int); create view v as select 1', database_url)
    name = '"Odd"."a""b"'
    count = "select count(*) from pg_trigger where tgname = 'portico_live'"
    for _ in range(2):
        assert portico("live", "enable", name, DATABASE_URL=database_url).stdout == f"Changes of {name} are reported.\n"
    assert postgres.execute(count, database_url) == [[1]]
    view = portico("live", "enable", "v", DATABASE_URL=database_url)
    assert (view.returncode, view.stderr) == (1, "portico: v is not a table; its queries are repeated at intervals\n")
    absent = portico("live", "enable", name, "absent", DATABASE_URL=database_url)
    assert absent.stderr == "portico: absent does not exist\n"
    for _ in range(2):
        ended = portico("live", "disable", name, DATABASE_URL=database_url)
        assert ended.stdout == f"Changes of {name} are no longer reported.\n", ended.stderr
    assert postgres.execute(count, database_url) == [[0]]
    assert postgres.execute("select count(*) from pg_proc where proname = 'portico_live'", database_url) == [[0]]


def fill(client: socket.socket) -> None:
    """Wait until the process has sent what the client's buffer takes, and waits for the client to read."""
    arrived = [0]

    def is_full() -> bool:
        arrived.append(int.from_bytes(ioctl(client, FIONREAD, bytes(4)), sys.byteorder))
        return len(arrived) > 100 and arrived[-100] == arrived[-1] > 0

    until(is_full)


def test_a_stop_does_not_wait_for_a_client_that_does_not_read(
    live_database_url: str, tmp_path: Path, change: Callable[[str], None]
) -> None:
    change("update note set body = repeat('x', 20000000)")
    with serving_live(live_database_url, tmp_path, LIVE_ANSWER_LIMIT="30M") as live:
        place = urlsplit(live.url)
        body = json.dumps({"query": NOTES})
        head = f"POST {place.path} HTTP/1.1\r\nHost: x\r\napiKey: {ANON_KEY}\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection((place.hostname, place.port), timeout=PATIENCE_S) as idle:
            idle.sendall((head + body).encode())
            assert idle.recv(12) == b"HTTP/1.1 200"
            fill(idle)
            live.process.terminate()
            # The client stays, and reads nothing.
            assert live.process.wait(PATIENCE_S) == 0
        assert "Traceback" not in live.process.stdout.read()


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system cannot tell")
def test_a_client_that_does_not_read_is_disconnected_and_others_are_served(
    live_database_url: str, tmp_path: Path, change: Callable[[str], None]
) -> None:
    change("update note set body = repeat('x', 20000000)")
    with serving_live(live_database_url, tmp_path, LIVE_ANSWER_LIMIT="30M") as live:
        place = urlsplit(live.url)
        body = json.dumps({"query": NOTES})
        head = f"POST {place.path} HTTP/1.1\r\nHost: x\r\napiKey: {ANON_KEY}\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection((place.hostname, place.port), timeout=PATIENCE_S) as idle:
            idle.sendall((head + body).encode())
            assert idle.recv(12) == b"HTTP/1.1 200"
            stream = live.stream("{ noteCollection { edges { node { id } } } }")
            stream.data()
            change("insert into note values (2, null, 'two')")
            assert len(stream.data()["noteCollection"]["edges"]) == 2
            until(lambda: health(live)["streams"] == 1)


def test_several_tables_can_be_enabled_at_once(postgres: PostgresServer, database_url: str) -> None:
    tables = [f"t{number}" for number in range(8)]
    postgres.execute("; ".join(f"create table {each} (id int)" for each in tables), database_url)
    with ThreadPoolExecutor(len(tables)) as threads:
        list(threads.map(lambda each: triggers.enable(database_url, [each]), tables))
    assert postgres.execute("select count(*) from pg_trigger where tgname = 'portico_live'", database_url) == [[8]]


def test_a_function_of_another_role_is_not_trusted(
    portico: Portico, postgres: PostgresServer, database_url: str
) -> None:
    """It would run with the rights of every role that writes to the table."""
    own = "create table t (id int); create role live_mallory"
    body = "begin perform pg_notify(''portico_live'', current_user); return null; end"
    function = f"create function portico_live() returns trigger language plpgsql as '{body}'"
    postgres.execute(f"{own}; {function}; alter function portico_live() owner to live_mallory", database_url)
    refused = portico("live", "enable", "t", DATABASE_URL=database_url)
    postgres.execute("drop function portico_live(); drop role live_mallory", database_url)
    assert refused.returncode == 1
    assert "live_mallory owns the function public.portico_live" in refused.stderr


def test_a_lost_connection_is_logged_in_one_line(portico: Portico, postgres: PostgresServer, database_url: str) -> None:
    postgres.execute("create table t (id integer)", database_url)
    ends = "create function ends() returns event_trigger language plpgsql as $$ begin {} end $$"
    ends = ends.format("perform pg_terminate_backend(pg_backend_pid());")
    postgres.execute(f"{ends}; create event trigger ends on ddl_command_end execute function ends()", database_url)
    refused = portico("live", "enable", "t", DATABASE_URL=database_url)
    assert refused.returncode == 1
    assert refused.stderr.startswith("portico: The database is shutting down or ended the connection")
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("asked", ["enable", "disable"])
def test_a_function_of_the_same_name_stays(
    portico: Portico, postgres: PostgresServer, database_url: str, asked: str
) -> None:
    function = "create function portico_live() returns trigger language plpgsql as 'begin return null; end'"
    postgres.execute(f"create table t (id int); {function}", database_url)
    refused = portico("live", asked, "t", DATABASE_URL=database_url)
    assert (refused.returncode, refused.stderr) == (
        1,
        "portico: the function public.portico_live is not Portico's; rename it first\n",
    )
    assert postgres.execute("select count(*) from pg_proc where proname = 'portico_live'", database_url) == [[1]]


def test_a_missing_right_to_change_a_table_is_reported(
    portico: Portico, database_url: str, postgres: PostgresServer
) -> None:
    postgres.execute("create table t (id int); create role live_stranger login", database_url)
    refused = portico("live", "enable", "t", DATABASE_URL=as_user(database_url, "live_stranger"))
    postgres.execute("drop role live_stranger", database_url)
    assert refused.returncode == 1
    assert "permission denied" in refused.stderr


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc reports memory")
def test_the_variables_of_streams_take_little_memory(live: Live) -> None:
    def memory() -> int:
        return int(Path(f"/proc/{live.process.pid}/statm").read_text().split()[1]) * 4096

    query = "query ($names: [String!]) { noteCollection(filter: {body: {in: $names}}) { edges { node { id } } } }"
    asked = [live.ask(query, {"names": ["ab"] * 100_000 + [str(number)]}) for number in range(3)]
    before = memory()
    asked += [live.ask(query, {"names": ["ab"] * 100_000 + [f"{number}"]}) for number in range(10, 30)]
    used = memory() - before
    for each in asked:
        assert each.status_code == 200
        each.close()
    # The JSON of each has 0.6 MB.
    assert used < 20 * 2_500_000


def test_a_change_before_the_trigger_is_sent_once_it_exists(
    live_database_url: str, tmp_path: Path, postgres: PostgresServer
) -> None:
    postgres.execute("create table late (id int primary key); grant select on late to anon", live_database_url)
    with serving_live(live_database_url, tmp_path, LIVE_POLL_S="3") as live:
        until(lambda: health(live)["changes"] == "heard")
        stream = live.stream("{ lateCollection { edges { node { id } } } }")
        assert stream.data() == {"lateCollection": {"edges": []}}
        # Longer than a query pauses after its run: the change comes between two runs.
        settle(live, 1.2)
        postgres.execute("insert into late values (1)", live_database_url)
        triggers.enable(live_database_url, ["late"])
        assert stream.next(10.0)[1]["data"] == {"lateCollection": {"edges": [{"node": {"id": 1}}]}}
