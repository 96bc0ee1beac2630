"""``portico test-server``: an app's database for the tests of the app, and its reset."""

from __future__ import annotations

import subprocess
import sys
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from app.installation.scripts import install_script
from app.installation.version import VERSION
from app.testing import baseline as reset
from app.testing.baseline import Baseline
from app.testing.failure import TestingError
from tests.postgres_server import PostgresServer, connect
from tests.process.running import PATIENCE_S, environment, started

SCHEMA = """
create table kind (id int primary key, name text not null);
create table item (
  id bigint generated always as identity (start 100) primary key,
  kind int not null references kind,
  parent bigint references item deferrable,
  name text not null,
  upper_name text generated always as (upper(name)) stored
);
create table event (at date not null, what text) partition by range (at);
create table event_2026 partition of event for values from ('2026-01-01') to ('2027-01-01');
create sequence ticket;
create materialized view names as select name from item;
create table "odd ""name" ("odd ""column" text);
create table written (what text);
create function write_down() returns trigger language plpgsql as
  $$ begin insert into written values (tg_op); return null; end $$;
create trigger write_down after insert or delete on item for each row execute function write_down();
"""
SEED = """
insert into kind values (1, 'a');
insert into item (kind, name) values (1, 'first');
update item set parent = id;
insert into event values ('2026-05-05', 'start');
insert into "odd ""name" values ('x');
select nextval('ticket');
refresh materialized view names;
delete from written;
"""
STATE = """
select json_build_array(
  (select json_agg(k order by id) from kind k), (select json_agg(i order by id) from item i),
  (select json_agg(e) from event e), (select json_agg(o) from "odd ""name" o),
  (select json_agg(w) from written w), (select json_agg(n) from names n),
  (select last_value from ticket), (select count(*) from storage.buckets))::text
"""
CHANGES = """
insert into item (kind, name) values (1, 'second');
refresh materialized view names;
delete from item where name = 'first';
insert into event values ('2026-06-06', 'more');
update "odd ""name" set "odd ""column" = 'y';
select nextval('ticket'), nextval('ticket');
insert into storage.buckets (id, name) values ('b', 'b');
"""


@pytest.fixture
def database_url(postgres: PostgresServer) -> str:
    return postgres.create_database(sql=install_script(VERSION) + SCHEMA + SEED)


def test_a_reset_restores_rows_sequences_and_views(postgres: PostgresServer, database_url: str) -> None:
    before = postgres.execute(STATE, database_url)
    baseline = Baseline(database_url)
    postgres.execute(CHANGES, database_url)
    assert postgres.execute(STATE, database_url) != before
    baseline.restore()
    assert postgres.execute(STATE, database_url) == before
    inserted = "insert into item (kind, name) values (1, 'second') returning id"
    assert postgres.execute(inserted, database_url) == [[101]]


def test_a_reset_says_why_it_failed(
    postgres: PostgresServer, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reset, "_LOCK_WAIT_S", 1)
    baseline = Baseline(database_url)
    with closing(connect(database_url)) as other:
        other.run("begin")
        other.run("update kind set name = 'b'")
        with pytest.raises(TestingError, match="another session has had rows locked for 1 s"):
            baseline.restore()
    postgres.execute("drop table written cascade", database_url)
    with pytest.raises(TestingError, match=r'relation "public.written" does not exist; tests must not change or drop'):
        baseline.restore()


def test_the_program_finds_the_service_and_its_exit_code_is_returned(postgres: PostgresServer, tmp_path: Path) -> None:
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "1.sql").write_text("create table thing (id int primary key); grant all on thing to anon;")
    (tmp_path / "sql" / "2.sql").write_text("insert into thing values (1)")
    (tmp_path / "program.py").write_text(PROGRAM)
    options = ["--migrate", 'test -n "$DATABASE_URL" && touch migrated', "--sql", "sql"]
    done = _test_server(postgres, tmp_path, *options, "--", sys.executable, "program.py")
    assert done.stdout == "1 [2] 204 [1] ann 401 401 400\n", done.stderr
    assert done.returncode == 7
    assert (tmp_path / "migrated").exists()
    left = "select count(*) from pg_database where datname like 'portico_test_server%'"
    assert postgres.execute(left) == [[0]]


PROGRAM = """
import json, os, sys, urllib.error, urllib.request

URL, ANON, SERVICE = (os.environ[name] for name in ("PORTICO_URL", "PORTICO_ANON_KEY", "PORTICO_SERVICE_ROLE_KEY"))

def post(path, body, key=ANON, token=None):
    headers = {"apikey": key, "Content-Type": "application/json", "Authorization": f"Bearer {token or key}"}
    try:
        with urllib.request.urlopen(urllib.request.Request(URL + path, body.encode(), headers)) as response:
            return response.status, json.loads(response.read() or "null")
    except urllib.error.HTTPError as ex:
        return ex.code, None

def things():
    _, answer = post("/graphql/v1", json.dumps({"query": "{ thingCollection { edges { node { id } } } }"}))
    return [edge["node"]["id"] for edge in answer["data"]["thingCollection"]["edges"]]

before = len(things())
change = (
    "mutation { insertIntothingCollection(objects: [{id: 2}]) { affectedCount }"
    " deleteFromthingCollection(filter: {id: {eq: 1}}) { affectedCount } }"
)
post("/graphql/v1", json.dumps({"query": change}))
changed = things()
status, _ = post("/test/v1/reset", "{}", SERVICE)
_, made = post("/test/v1/token", json.dumps({"sub": "ann"}), SERVICE)
import base64
claims = json.loads(base64.urlsafe_b64decode(made["token"].split(".")[1] + "=="))
refused = [post("/test/v1/reset", "{}")[0], post("/test/v1/token", "{}")[0], post("/test/v1/token", "[]", SERVICE)[0]]
print(before, changed, status, things(), claims["sub"], *refused)
sys.exit(7)
"""


def test_without_a_program_it_prints_the_variables_and_serves(postgres: PostgresServer, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "portico", "test-server", "--log-level", "error"]
    with started(command, tmp_path, TEST_DATABASE_URL=postgres.url) as process:
        assert process.stdout is not None
        variables = dict(next(process.stdout).rstrip().split("=", 1) for _ in range(5))
        with urllib.request.urlopen(f"{variables['PORTICO_URL']}/health", timeout=PATIENCE_S) as response:
            assert response.status == 200
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    left = "select count(*) from pg_database where datname like 'portico_test_server%'"
    assert postgres.execute(left) == [[0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--migrate", "exit 3"], "the command 'exit 3' failed with exit code 3"),
        (["--sql", "wrong.sql"], 'wrong.sql, line 2: relation "absent" does not exist'),
        (["--sql", "empty"], "the folder empty has no file that ends in .sql"),
        (["--", "/absent"], "/absent cannot be run: No such file or directory"),
    ],
)
def test_what_fails_is_one_line(postgres: PostgresServer, tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "wrong.sql").write_text("create table a ();\ninsert into absent values (1);\n")
    (tmp_path / "empty").mkdir()
    done = _test_server(postgres, tmp_path, *arguments)
    assert done.returncode == 1
    assert f"portico: {message}\n" in done.stderr


def test_it_never_uses_the_database_of_the_environment(postgres: PostgresServer, tmp_path: Path) -> None:
    url = postgres.create_database(sql="create table kept (id int)")
    program = ["--", "sh", "-c", 'test "$DATABASE_URL" != "$GIVEN"']
    done = _test_server(postgres, tmp_path, *program, DATABASE_URL=url, GIVEN=url, SERVICE_DATABASE_URL=url)
    assert done.returncode == 0, done.stderr
    assert postgres.execute("select count(*) from pg_namespace where nspname = 'graphql'", url) == [[0]]


def _test_server(
    postgres: PostgresServer, folder: Path, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "portico", "test-server", "--log-level", "error", *arguments]
    known = environment(TEST_DATABASE_URL=postgres.url, **variables)
    return subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True, timeout=PATIENCE_S)
