"""Studio's endpoint for SQL: who may use it, and what its statements may do to the service."""

from __future__ import annotations

import hmac
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.siege.client import SECRET, SERVICE, Answer, raw
from bench.siege.elsewhere import ELSEWHERE, LOCAL_NAMES, OLD_LINES, own_address
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import STATEMENT_TIMEOUT_S, Besieged, Grounds, with_plugins
from tests.process.running import REPOSITORY

_START = hmac.new(SECRET.encode(), b"start of Portico Studio", "sha256").hexdigest()[:32]
"""The secret in the address that the service prints: the attackers have read it over the developer's shoulder."""
_CHANGE = {"sql": "insert into entry (number) values (1) returning 'it ran'", "role": "anon"}
_ENDPOINTS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "sql", _CHANGE), ("GET", "sql", None), ("POST", "tokens", {"role": "service_role"}),
)  # fmt: skip
_FOREIGN = {"Origin": "https://example.com", "Referer": "https://example.com/"}
_STATEMENTS = (
    "select pg_sleep(60)", "select repeat('x', 1000000000)", "select generate_series(1, 100000000)",
    "select string_agg(repeat('x', 1000000), '') from generate_series(1, 2000)", "copy item from stdin",
    "copy item to stdout", "copy (select 1) to program 'true'", "begin; lock table item", "rollback; vacuum",
    "set session authorization postgres", "set role postgres", "reset role; select current_user", "listen everything",
    "select pg_terminate_backend(pg_backend_pid())", "select pg_advisory_lock(1)", "set statement_timeout = 0",
    "set statement_timeout = 0; select pg_sleep(60)", "do $$ begin loop null; end loop; end $$", "';", "/*", "\\q", "",
    "set client_encoding = 'LATIN1'; select 'é'", "prepare s as select 1; select 1", "declare c cursor for select 1",
    "set standard_conforming_strings = off; select '\\'", "select 1;" * 20_000, "select " + "(" * 50_000,
)  # fmt: skip
_BODIES = (
    b"", b"{", b"null", b"[]", b"\xff", b"[" * 100_000, b'{"sql":1}', b'{"sql":"\\u0000"}', b'{"sql":"\\ud800"}',
    b'{"sql":"select 1","role":1}', b'{"sql":"select 1","role":""}', b'{"sql":"select 1","role":"\\u0000"}',
    b'{"sql":"select 1","role":"no; drop table item"}', b'{"sql":"select 1","claims":"x"}',
    b'{"sql":"select 1","claims":{"a":"\\u0000"}}', b'{"sql":"select 1","claims":{"a":"\\ud800"}}',
    b'{"sql":"select 1","role":"anon","claims":{"sub":1e400}}', b'{"sql":"' + b"x" * 2_000_000 + b'"}',
)  # fmt: skip


@contextmanager
def _serving(grounds: Grounds, **settings: str) -> Iterator[tuple[Besieged, str]]:
    """A service with Studio, and the token of its page."""
    with grounds.serving(**with_plugins(_install(grounds)), **settings) as service:
        page = service.ask("GET", "/studio", None, None, Host="localhost")
        yield service, re.findall(rb"page (\S+)", page.body)[0].decode()


def _install(grounds: Grounds) -> Path:
    """Put Studio with its entry point into a folder; of its page, the token is all that matters here."""
    site = grounds.place / "studio"
    if not site.exists():
        page, metadata = site / "portico_studio" / "page", site / "portico_studio-1.dist-info"
        shutil.copytree(REPOSITORY / "studio" / "portico_studio", page.parent, ignore=shutil.ignore_patterns("page"))
        page.mkdir()
        (page / "index.html").write_text("page %PAGE_TOKEN%")
        metadata.mkdir()
        (metadata / "METADATA").write_text("Name: portico-studio\nVersion: 1\n")
        (metadata / "entry_points.txt").write_text("[portico]\nstudio = portico_studio.plugin:Studio\n")
    return site


def _call(
    service: Besieged, method: str, endpoint: str, body: Any, page: str | None, start: str | None = _START, **more: str
) -> Answer:
    headers = {"X-Studio-Page": page, "X-Studio-Start": start, "X-Studio-Key": SERVICE, "Host": "localhost", **more}
    given = {name: value for name, value in headers.items() if value is not None}
    return service.ask(method, f"/studio/api/{endpoint}", body, None, **given)


def _run(service: Besieged, page: str, sql: str, role: str | None) -> Answer:
    return _call(service, "POST", "sql", {"sql": sql, "role": role}, page)


def _altered(secret: str) -> tuple[str | None, ...]:
    return (None, "", "x", secret[:-1], secret + "x", secret.upper(), "é")


def _outside(grounds: Grounds, _: float) -> Finding:
    """With all secrets, from another machine and through proxies; without one of them; and outside development."""
    tally, own = Tally(), own_address()
    with _serving(grounds, DEVELOPMENT="on") as (service, page):
        assert b"it ran" in _call(service, "POST", "sql", _CHANGE, page).body
        for headers in ELSEWHERE:
            _knock(tally, service, page, headers)
        for wrong in _altered(page):
            _knock(tally, service, wrong, {})
        for wrong in _altered(_START):
            _knock(tally, service, page, {}, wrong)
        for line in OLD_LINES:
            head = f"X-Studio-Page: {page}\r\nX-Studio-Start: {_START}\r\nHost: localhost\r\n\r\n"
            answer = raw(service.address, f"GET /studio/api/sql {line}\r\n{head}".encode())
            tally.add(b"DEVELOPMENT_ONLY" in answer, (line, answer))
        tally.add(service.sql("select count(*) from entry")[0][0] == 1, "rows were written")
    if own:
        with _serving(grounds, DEVELOPMENT="on", HOST=own) as (service, page):
            for headers in LOCAL_NAMES:
                _knock(tally, service, page, headers)
    with _serving(grounds, DEVELOPMENT="off", STUDIO="on") as (service, page):
        _knock(tally, service, page, {})
    return tally.finding("" if own else "the machine has no address but loopback")


def _knock(
    tally: Tally, service: Besieged, page: str | None, headers: dict[str, str], start: str | None = _START
) -> None:
    """Run SQL, list the roles, make a token and read the keys."""
    for method, endpoint, body in _ENDPOINTS:
        answer = _call(service, method, endpoint, body, page, start, **headers)
        held = answer.status in (400, 403, 404, 405) and b"it ran" not in answer.body
        tally.add(held, (headers, page, start, endpoint, answer))
    answer = _call(service, "GET", "session", None, page, start, **headers)
    tally.add(SERVICE.encode() not in answer.body, (headers, page, start, answer))


def _foreign_page(grounds: Grounds, _: float) -> Finding:
    """A page of another site in the developer's browser: it adds no headers without a preflight, and reads nothing."""
    tally = Tally()
    with _serving(grounds, DEVELOPMENT="on", CORS_ORIGINS="*") as (service, _):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            for where in ("sql", "sql?sql=select+1", "sql/", "tokens", "%73ql"):
                sent = {**_FOREIGN, "Content-Type": kind, "Host": "localhost"}
                answer = service.ask("POST", f"/studio/api/{where}", json.dumps(_CHANGE), None, **sent)
                tally.add(answer.status in (400, 403, 404, 405), (kind, where, answer))
        for path in ("/studio", "/studio/rows", "/studio/api/sql", "/studio/api/session", "/studio/api/catalog"):
            answer = service.ask("GET", path, None, None, Host="localhost", **_FOREIGN)
            # A browser lets other sites read what allows it, and the page has its token.
            tally.add("access-control-allow-origin" not in answer.headers, (path, answer))
        tally.add(service.sql("select count(*) from entry")[0][0] == 0, "rows were written")
    return tally.finding()


def _statements(grounds: Grounds, _: float) -> Finding:
    """Statements that end badly or not at all, and bodies that no page sends; queries are answered as before."""
    tally = Tally()
    with _serving(grounds, DEVELOPMENT="on") as (service, page):
        before = service.sql("select count(*) from item")[0][0]
        for sql in _STATEMENTS:
            for role in (None, "anon"):
                answer = _run(service, page, sql, role)
                # A statement may switch the server's limit off; then the service's own applies.
                ended = answer.status == 200 or b"DATABASE_TIMEOUT" in answer.body
                held = ended and answer.seconds < STATEMENT_TIMEOUT_S + 6 and len(answer.body) < 2**23
                tally.add(held, (sql[:60], role, answer.status, answer.seconds, len(answer.body), answer.body[:200]))
                tally.add(service.is_responsive(), f"a simple query after {sql[:60]}")
        for role in ("postgres", "pg_read_all_data", "pg_execute_server_program", "public"):
            answer = _run(service, page, "select 'it ran'", role)
            tally.add(b"it ran" not in answer.body, (role, answer.status, answer.body))
        for body in _BODIES:
            answer = _call(service, "POST", "sql", body, page)
            held = 0 < answer.status < 500 and b"Traceback" not in answer.body
            tally.add(held, (body[:60], answer.status, answer.body))
        locks = "select count(*) from pg_locks where locktype = 'advisory' or relation = 'item'::regclass"
        tally.add(service.sql(locks)[0][0] == 0, "a statement left a lock")
        tally.add(service.sql("select count(*) from item")[0][0] == before, "rows of the table are gone")
        active = f"select query from pg_stat_activity where state = 'active' and usename = '{grounds.login}'"
        tally.add(service.sql(active) == [], "a statement still runs")
    return tally.finding()


ATTACKS = (
    Attack("SQL from elsewhere", "SQL runs for the page on this machine alone, and only in development", _outside),
    Attack("SQL from another site", "no other site runs SQL or reads the page's token", _foreign_page),
    Attack(
        "SQL that ends badly", "no statement harms the service, and no role is taken that is not given", _statements
    ),
)
