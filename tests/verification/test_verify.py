"""``portico verify``: the answers of the API compared with SQL, on databases that are right and on a broken service."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from app.hooks import hookimpl
from app.pipeline.records import ResultSet
from app.verification.report import Verification
from app.verification.walk import Extent, verify
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer
from tests.process.running import REPOSITORY, environment

SCHEMA = """
create type mood as enum ('calm', 'very happy');
create table city (id bigint primary key, name text not null, area float8, founded date, moods mood[], tags jsonb);
create table person (
  id uuid primary key default gen_random_uuid(), name varchar(20) not null unique, born timestamptz, wealth numeric,
  mood mood, city bigint references city, boss uuid references person);
create table padded (code char(5) primary key);
insert into padded values ('a'), ('bcdef'), ('');
create table seat (city bigint references city, place int, check (place > 0), primary key (city, place));
insert into city select n, 'city ' || n % 4, n / 3.0, '2000-01-01'::date + n, array['calm', 'very happy']::mood[],
  json_build_object('n', n, 'half', n / 2.0) from generate_series(1, 9) n;
insert into city values (100, 'NaN', 'NaN', 'infinity', '{}', 'null'), (101, '100%\\_', null, null, null, null);
insert into person (name, born, wealth, mood, city)
  select 'person ' || n, timestamptz '2001-02-03 04:05:06.789+02' + n * interval '1 day', n * 1e20,
    case when n % 2 = 0 then 'calm'::mood end, n % 9 + 1 from generate_series(1, 12) n;
update person set boss = (select id from person where name = 'person 1') where name > 'person 5';
insert into seat select city, place from generate_series(1, 3) city, generate_series(1, 4) place;
comment on table city is e'@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
create view named as select id, name from city;
comment on view named is e'@graphql({"primary_key_columns": ["id"]})';
grant usage on schema public to service_role, anon;
grant all on all tables in schema public to service_role;
grant select on city to anon;
"""


EVERYTHING = Extent()


@pytest.fixture
def database_url(postgres: PostgresServer) -> Iterator[str]:
    url = postgres.create_database(sql=ROLES + SCHEMA)
    yield url
    postgres.drop_database(url)


@pytest.fixture
def verified(database_url: str) -> Iterator[Callable[..., Verification]]:
    """``verified(role, extent, plugins)``: the report on the database."""
    apis: list[Api] = []

    def run(
        role: str = "service_role", extent: Extent = EVERYTHING, plugins: Mapping[str, Any] | None = None
    ) -> Verification:
        apis.append(Api(database_url, plugins, dry_run=True))
        return verify(apis[-1].application.services.engine, database_url, role, extent)

    yield run
    for each in apis:
        each.close()


def test_every_kind_of_comparison_is_equal(verified: Callable[..., Verification]) -> None:
    report = verified(extent=Extent(writes=True))
    assert report.differences == []
    assert report.left_out == []
    assert report.relations == 5
    assert set(report.equal) == {
        "aggregate", "delete", "filter", "insert", "insert with defaults", "order", "order backwards", "page after",
        "page before", "related filter", "related order", "related order backwards", "relationship", "row by key",
        "rows", "total", "update",
    }  # fmt: skip
    assert report.too_long.total() == 0


def test_nothing_is_changed(verified: Callable[..., Verification], database_url: str, postgres: PostgresServer) -> None:
    everything = "select md5(string_agg(t::text, ',' order by t::text)) from {} t"
    tables = ("city", "padded", "person", "seat")
    before = [postgres.execute(everything.format(each), database_url) for each in tables]
    assert [[None]] not in before
    assert verified(extent=Extent(writes=True)).equal["delete"] == 5
    assert [postgres.execute(everything.format(each), database_url) for each in tables] == before


def test_a_role_is_compared_with_its_own_rights(
    verified: Callable[..., Verification], database_url: str, postgres: PostgresServer
) -> None:
    postgres.execute(
        "alter table city enable row level security; create policy few on city to anon using (id < 4)", database_url
    )
    report = verified("anon")
    assert report.differences == []
    assert report.relations == 1


def test_only_the_chosen_relations_are_compared(verified: Callable[..., Verification]) -> None:
    assert verified(extent=Extent(only="public.s*")).relations == 1


def test_relations_that_cannot_be_compared_are_named(
    verified: Callable[..., Verification], database_url: str, postgres: PostgresServer
) -> None:
    postgres.execute(
        "revoke select on seat from service_role; grant select (place) on seat to service_role", database_url
    )
    assert verified().left_out == [("public.seat", "the role may not read its key")]


def changed(text: bytes | None) -> bytes | None:
    return None if text is None else text.replace(b'"city 1"', b'"city 2"').replace(b'"5"', b'"6"')


class Broken:
    """A plugin that changes what the database answered."""

    @hookimpl
    def around_stages(self) -> Mapping[str, Any]:
        def execute(run: Callable[..., ResultSet], *arguments: Any) -> ResultSet:
            results = run(*arguments)
            return replace(results, texts={name: changed(text) for name, text in results.texts.items()})

        return {"execute": execute}


def test_wrong_answers_are_found(verified: Callable[..., Verification]) -> None:
    report = verified(plugins={"broken": Broken()})
    assert not report.is_equal
    assert {"rows", "filter", "order"} <= {each.kind for each in report.differences}
    value = next(each for each in report.differences if each.kind == "rows")
    assert value.subject == "public.city"
    assert "city 2" in value.api
    assert "city 1" in value.sql


class Failing:
    """A plugin that refuses every request with a filter."""

    @hookimpl
    def around_stages(self) -> Mapping[str, Any]:
        def parse(run: Callable[..., Any], request: Any, *others: Any) -> Any:
            if "filter" in request.query:
                raise ZeroDivisionError
            return run(request, *others)

        return {"parse": parse}


def test_requests_that_fail_are_differences(verified: Callable[..., Verification]) -> None:
    report = verified(plugins={"failing": Failing()})
    assert {each.kind for each in report.differences} == {"filter", "related filter"}
    assert "INTERNAL" in report.differences[0].api


def run(database_url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app", "verify", *arguments],
        cwd=REPOSITORY, env=environment(DATABASE_URL=database_url), capture_output=True, text=True,
    )  # fmt: skip


def test_the_command_prints_a_table(database_url: str) -> None:
    done = run(database_url, "--only", "public.c*")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 relations, ")
    assert [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("rows ")] == [["1", "0", "0", "0"]]


def test_the_command_prints_json(database_url: str) -> None:
    done = run(database_url, "--json", "--role", "anon")
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert (report["relations"], report["differences"]) == (1, [])
    assert report["equal"]["rows"] == 1


def test_a_role_that_does_not_exist_is_named(database_url: str) -> None:
    done = run(database_url, "--role", "nobody_there")
    assert done.returncode == 1
    assert "nobody_there" in done.stderr
    assert "Traceback" not in done.stderr


def test_more_columns_than_a_call_has_arguments(
    verified: Callable[..., Verification], database_url: str, postgres: PostgresServer
) -> None:
    columns = ", ".join(f"c{number} int default {number}" for number in range(120))
    postgres.execute(
        f"create table wide (id int primary key, {columns}); insert into wide values (1), (2);"
        " grant select on wide to service_role",
        database_url,
    )
    report = verified(extent=Extent(only="public.wide"))
    assert report.differences == []
    assert (report.equal["rows"], report.values) == (1, 2 * 121)
