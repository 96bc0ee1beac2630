"""Which functions and relations may do more than read, and why."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schema_cache.effects import ANYTHING, Effects
from tests.postgres_server import PostgresServer
from tests.schema_cache.asker import Asker
from tests.schema_cache.conftest import Connect
from tests.schema_cache.loading import load_catalog
from tests.schema_cache.session import Session

WRITER = "create function writer() returns int language sql volatile as 'select 1';"


def effects_of(owner: Session, asker: Asker, sql: str) -> Effects:
    owner.execute(sql)
    return load_catalog(asker).effects


def reasons(effects: Effects, names: tuple[str, ...]) -> list[str | None]:
    by_name = {name: code for code, name in effects.names.items()}
    return [effects.explain(by_name[name]) if name in by_name else None for name in names]


@pytest.mark.parametrize(
    "sql",
    [
        "create function f() returns float language sql volatile as 'select random()'; drop function f()",
        "create function f() returns float language sql stable as 'select random()'",
        "create function f() returns uuid language plpgsql stable as 'begin return gen_random_uuid(); end'",
        "create function f() returns text language sql stable as $$ select current_setting('a.b', true) $$",
        "create function f() returns int language plpgsql stable as 'begin return count(*) from pg_class; end'",
        "create view f as select clock_timestamp() as at, pg_sleep(0)::text as slept",
        "create table f (id int primary key); create policy p on f for insert with check (nextval('s') > 0)",
        "create table f (id int default nextval('s'), t text default (gen_random_uuid()::text || lastval()))",
        "create table f (id int); create function t() returns trigger language plpgsql as 'begin return new; end';"
        " create trigger t before insert on f for each row execute function t()",
        "create domain f as text check (value <> '' and length(value) < 5)",
        "create function called() returns int language sql stable as 'select 1'; create view f as select called()",
        "create aggregate f(int) (sfunc = int4pl, stype = int)",
        f"{WRITER} create function f(writers int) returns int language sql stable as 'select writers'",
    ],
)
def test_functions_that_only_read_have_no_reason(owner: Session, asker: Asker, sql: str) -> None:
    effects = effects_of(owner, asker, f"create sequence s; {sql}")
    assert reasons(effects, ("f",)) == [None]
    assert not effects.may_follow([])


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("create function f() returns int language sql volatile as 'select 1'", "it is volatile"),
        ("create procedure f() language sql as 'select 1'", "it is a procedure"),
        ("create function f() returns int language plpgsql stable as $$ begin execute 'x'; end $$", "puts together"),
        ("create function f() returns bigint language sql stable as $$ select nextval('s') $$", "it calls nextval()"),
        ("create view f as select set_config('a.b', 'c', false)", "it calls set_config()"),
        ("create view f as select 1 as n where pg_try_advisory_lock(1)", "it calls pg_try_advisory_lock()"),
        ("create view f as select table_to_xml('pg_class', true, true, '')", "it calls table_to_xml()"),
        (f"{WRITER} create view f as select writer()", "it calls writer, which is volatile"),
        (f"{WRITER} create view v as select writer(); create view f as select * from v", "it calls v, which calls"),
        (f"{WRITER} create table f (); create policy p on f using (writer() = 1)", "it calls writer, which"),
        (f"{WRITER} create table t (); create policy p on t using (writer() = 1); create view f as select from t", "t"),
        (f"{WRITER} create function f(n int default writer()) returns int language sql stable as 'select n'", "writer"),
        (f"{WRITER} create function f() returns int language sql stable as 'select WRITER()'", "writer"),
        (f"{WRITER} create function a(int, int) returns int language sql stable as 'select writer()';"
         " create aggregate f(int) (sfunc = a, stype = int)", "it calls a, which calls writer"),
        ("create function \"É x\"\"\"() returns int language sql volatile as 'select 1'; create function f()"
         " returns int language sql stable as 'select \"É x\"\"\"()'", "which is volatile"),
        ("create aggregate f(text, bool) (sfunc = set_config, stype = text, initcond = 'a')", "it calls set_config()"),
        ("create function f(text, text, bool) returns text language internal stable as 'set_config_by_name'",
         "it calls set_config()"),
        (f"create function {'w' * 63}() returns int language sql volatile as 'select 1'; create function f()"
         f" returns int language sql stable as 'select {'w' * 70}()'", "which is volatile"),
    ],
)  # fmt: skip
def test_functions_that_may_write_have_a_reason(owner: Session, asker: Asker, sql: str, reason: str) -> None:
    effects = effects_of(owner, asker, f"create sequence s; {sql}")
    assert reason in str(*reasons(effects, ("f",)))
    oids = [code.oid for code, name in effects.names.items() if name == "f"]
    assert effects.may_follow(oids)
    assert not effects.may_follow([])


@pytest.mark.parametrize(
    ("extension", "call"),
    [
        ("tablefunc", "select row_name from crosstab2('select 1')"),
        ("tablefunc", "select a from crosstab('select 1', 'select 2') as t (a text, b text)"),
        ("tablefunc", "select a from connectby('t', 'k', 'p', 'x', 1) as t (a text, b text, c int)"),
        ("xml2", "select a from xpath_table('k', 'd', 't', '/a', 'true') as t (a text, b text)"),
        ("postgis_raster", "select st_mapalgebra(null::raster, null, '[rast]')::text"),
    ],
)
def test_functions_that_run_their_arguments_as_sql_have_a_reason(
    postgres_with: Callable[[str], PostgresServer],
    connect: Connect,
    ask: Callable[..., Asker],
    extension: str,
    call: str,
) -> None:
    server = postgres_with(extension)
    url = server.create_database(sql=f"create extension {extension} cascade")
    body = call.replace("'", "''")
    function = f"create function f() returns text language sql stable as '{body}'"
    owner, asker = connect(url), ask(url)
    try:
        assert "which runs SQL that it is given" in str(*reasons(effects_of(owner, asker, function), ("f",)))
    finally:
        owner.close()
        asker.close()
        server.drop_database(url)


LIES = """create function lies(n int) returns int language plpgsql immutable as
  $$ begin perform set_config('a.b', 'c', false); return n; end $$;"""


@pytest.mark.parametrize(
    "sql",
    [
        "create table f (id int); create index on f (id) where lies(1) = 1",
        "create table f (id int); create index on f ((id + lies(1)))",
        "create table f (id int check (id > lies(1)))",
        "create table f (id int) partition by range ((id + lies(1)))",
        "create table f (id int) partition by range (id); create table g partition of f for values from (0) to (1);"
        " alter table g add check (id > lies(1))",
        "create table f (id int); create table g (check (id > lies(1))) inherits (f)",
    ],
)
def test_relations_for_whose_plans_a_function_runs_have_a_reason(owner: Session, asker: Asker, sql: str) -> None:
    (reason,) = reasons(effects_of(owner, asker, LIES + sql), ("f",))
    assert reason in (
        "it calls lies, which calls set_config()",
        "it calls g, which calls lies, which calls set_config()",
    )


def test_tables_for_whose_statistics_a_function_runs_have_a_reason(owner: Session, asker: Asker) -> None:
    if owner.rows("select current_setting('server_version_num')::int")[0][0] < 140000:
        pytest.skip("statistics of expressions exist from PostgreSQL 14 on")
    sql = "create table f (id int, n int); create statistics st on (id + lies(1)), n from f"
    assert reasons(effects_of(owner, asker, LIES + sql), ("f",)) == ["it calls lies, which calls set_config()"]


@pytest.mark.parametrize("check", ["", "check (writer() > 0)", "check (id > 0)"])
def test_functions_that_only_writes_run_are_no_reason(owner: Session, asker: Asker, check: str) -> None:
    effects = effects_of(owner, asker, f"{WRITER} create table f (id int default writer() {check})")
    assert reasons(effects, ("f",)) == [None]


def test_a_table_has_the_reason_of_a_foreign_partition(owner: Session, asker: Asker) -> None:
    owner.execute(
        "create foreign data wrapper w; create server s foreign data wrapper w;"
        " create table f (id int) partition by range (id);"
        " create foreign table g partition of f for values from (0) to (1) server s"
    )
    assert reasons(load_catalog(asker).effects, ("f",)) == ["it calls g, which is a foreign table"]


def test_functions_with_a_parsed_body_are_followed(owner: Session, asker: Asker) -> None:
    if owner.rows("select current_setting('server_version_num')::int")[0][0] < 140000:
        pytest.skip("BEGIN ATOMIC exists from PostgreSQL 14 on")
    made = """create sequence s;
      create function f() returns int stable begin atomic select writer(); end;
      create function g() returns bigint stable begin atomic select nextval('s'); end;
      create function h() returns int stable begin atomic select 1; end"""
    effects = effects_of(owner, asker, WRITER + made)
    assert reasons(effects, ("f", "g", "h")) == ["it calls writer, which is volatile", "it calls nextval()", None]


@pytest.mark.parametrize(
    "sql",
    [
        "create type pair as (a int, b int); create function c(pair) returns text language sql stable as"
        " 'select writer()::text'; create cast (pair as text) with function c(pair)",
        "create function o(int, text) returns boolean language sql stable as 'select writer() > 0';"
        " create operator = (leftarg = int, rightarg = text, function = o)",
        "create function d(text) returns boolean language sql stable as 'select writer() > 0';"
        " create domain dd as text check (d(value))",
        "create sequence s; create domain dd as int check (nextval('s') > value)",
        "create operator <~> (leftarg = int, rightarg = int, function = pg_try_advisory_lock)",
        "create cast (bigint as boolean) with function pg_try_advisory_lock(bigint)",
    ],
)
def test_functions_behind_every_query_are_found(owner: Session, asker: Asker, sql: str) -> None:
    effects = effects_of(owner, asker, WRITER + sql)
    assert ANYTHING in effects.found
    assert effects.may_follow([])
