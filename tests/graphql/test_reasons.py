"""Why something is not in the API: the reason that is given is the one that holds."""

from __future__ import annotations

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create table acct (id int primary key, name text);
create table keyless (id int);
create type mood as enum ('happy');
create type pair as (a int, b int);
create schema closed;
create table closed.hidden (id int primary key);
create function search_acct(query text, "filter" text default null) returns setof acct language sql stable
  as 'select * from acct';
create function search2("first name" int default 1) returns setof acct language sql stable as 'select * from acct';
create function weirdarg("User Id" int) returns int language sql stable as 'select 1';
create function "Weird Fn"("User Id" int) returns int language sql stable as 'select 1';
create function "Weird Too"(a int) returns int language sql stable as 'select 1';
create function alike("userId" int, "UserId" int) returns int language sql stable as 'select 1';
create function unnamed(int) returns int language sql stable as 'select 1';
create function of_mood(m mood) returns int language sql stable as 'select 1';
create function of_moods(m mood[]) returns int language sql stable as 'select 1';
create function of_pair(m int, p pair) returns int language sql stable as 'select 1';
create function of_any(a anyelement) returns int language sql stable as 'select 1';
create function gives_mood(a int) returns mood language sql stable as 'select null::mood';
create function gives_pair(a int) returns pair language sql stable as 'select null::pair';
create function gives_void(a int) returns void language sql stable as 'select null';
create function gives_record(a int) returns record language sql stable as 'select 1, 2';
create function gives_table(a int) returns table (x int) language sql stable as 'select 1';
create function gives_ints(a int) returns setof int language sql stable as 'select 1';
create function gives_keyless(a int) returns setof keyless language sql stable as 'select 1';
create function gives_hidden(a int) returns closed.hidden language sql stable as 'select 1';
create function twice(a int) returns int language sql stable as 'select 1';
create function twice(a text) returns int language sql stable as 'select 1';
create function exposed_weird("User Id" int) returns int language sql stable as 'select 1';
comment on function exposed_weird is '@graphql({"expose": true})';
create function ordered_volatile(acct) returns int language sql volatile as 'select 1';
create function ordered_point(acct) returns point language sql stable as 'select point(1, 2)';
create function filtered_list(acct) returns int[] language sql stable as 'select array[1]';
comment on function ordered_volatile is '@graphql({"orderBy": true, "filter": true})';
comment on function ordered_point is '@graphql({"orderBy": true})';
comment on function filtered_list is '@graphql({"filter": true})';
create view misspelt as select 1 as foo;
comment on view misspelt is '@graphql({"primary_key_columns": ["bar"]})';
grant select on all tables in schema public to anon, service_role;
"""
EXPOSING = '; {"expose": true} in its comment may make it one: docs/exposed-functions.md'


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA)


def reasons(api: Api, subject: str) -> list[str]:
    notices = api.application.services.engine.role_schemas.of_role("anon").notices
    return [each.reason for each in notices if each.subject == subject]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("search_acct", "its argument filter has the name of an argument that collections have; rename it"),
        ("search2", 'the name of its argument "first name" is not a valid GraphQL name; rename it'),
        ("weirdarg", 'the name of its argument "User Id" is not a valid GraphQL name; rename it'),
        ("Weird Fn", "weird Fn is not a valid GraphQL name; the directive `name` gives another"),
        ("Weird Too", "weird Too is not a valid GraphQL name; the directive `name` gives another"),
        ("alike", "two of its arguments are called userId in GraphQL; rename one"),
        ("unnamed", "an argument has no name"),
        ("of_mood", f"its argument m is public.mood, an enum{EXPOSING}"),
        ("of_moods", f"its argument m is public.mood[], an array of which each element is an enum{EXPOSING}"),
        ("of_pair", f"its argument p is public.pair, a composite type{EXPOSING}"),
        ("of_any", "its argument a is anyelement, of which requests have no values"),
        ("gives_mood", f"it returns public.mood, an enum{EXPOSING}"),
        ("gives_pair", f"it returns public.pair, a composite type{EXPOSING}"),
        ("gives_void", f"it returns void{EXPOSING}"),
        ("gives_record", "it returns record"),
        ("gives_table", f"it returns a table of its own{EXPOSING}"),
        ("gives_ints", f"it returns a set of values, not of rows{EXPOSING}"),
        ("gives_keyless", "the rows of its result have no key, which a collection needs"),
        ("gives_hidden", "it returns rows of closed.hidden, which the API does not show to the role"),
        ("twice", f"it has overloads, and a field has only one set of arguments{EXPOSING}"),
    ],
)
def test_functions_that_are_no_fields_have_a_reason(api: Api, function: str, reason: str) -> None:
    assert set(reasons(api, f"function public.{function}")) == {f"it is not a field: {reason}"}


def test_exposing_a_function_does_not_hide_the_reason(api: Api) -> None:
    reason = 'it is not exposed: the name of its argument "User Id" is not a valid GraphQL name; rename it'
    assert reasons(api, "function public.exposed_weird") == [reason]
    answer = api.ask("{ exposed_weird }", role="service_role")
    assert reason.removeprefix("it is not exposed: ") in str(answer.errors)


def test_the_error_of_a_request_gives_the_same_reason(api: Api) -> None:
    answer = api.ask('{ search_acct(query: "x") { edges { cursor } } }', role="service_role")
    assert "its argument filter has the name of an argument that collections have" in str(answer.errors)


def test_functions_missing_in_orders_and_filters_have_a_reason(api: Api) -> None:
    (volatile,) = reasons(api, "function public.ordered_volatile")
    assert "it is volatile" in volatile
    assert reasons(api, "function public.ordered_point") == [
        "it is not in orderBy: it returns point, a type without an order"
    ]
    assert reasons(api, "function public.filtered_list") == [
        "it is not in the filter: it returns integer[], a type without operators"
    ]


def test_a_declared_key_of_other_columns_is_reported(api: Api) -> None:
    reason = "its directive primary_key_columns names bar, which is none of its columns"
    assert reasons(api, "view public.misspelt") == [reason]


# Which unique index could be the key

KEYS = """
create table plain (a int not null, b text not null, c int);
create unique index plain_ab on plain (a, b);
create unique index plain_a on plain (a) include (c);
create table nullable (a int unique, b int);
create table no_nulls (a int, b int not null, unique nulls not distinct (a, b));
create table partial (a int not null, b text);
create unique index on partial (a) where b is not null;
create unique index on partial (lower(b));
create table later (a int not null constraint later_a unique deferrable);
create table parts (a int not null, b int not null, unique (b, a)) partition by list (b);
create table "It's" ("a ""b" int not null unique);
create table secret (a int not null unique, b int);
create table "Upper" ("Id" int not null unique);
create table bare (a int);
create view of_plain as select b as text, a as number from plain;
create materialized view stored as select a, b from plain;
create unique index on stored (a);
grant select on all tables in schema public to anon;
revoke select on secret from anon;
grant select (b) on secret to anon;
"""


def fix_of(api: Api, subject: str, kind: str = "table") -> str:
    notices = api.application.services.engine.role_schemas.of_role("anon").notices
    (notice,) = (each for each in notices if each.subject == f"{kind} public.{subject}")
    return notice.fix


def test_the_unique_index_that_could_be_the_key_is_named(reading_api: StartApi) -> None:
    api = reading_api(KEYS if server_knows_nulls(reading_api) else KEYS.replace("nulls not distinct", ""))
    one, other = (f'@graphql({{"primary_key_columns": [{each}]}})' for each in ('"a"', '"b", "a"'))
    none = 'add one, or comment it with @graphql({"primary_key_columns": ["..."]})'
    assert fix_of(api, "plain") == (
        f"its unique index plain_a could be the key: comment it with {one},"
        " or alter table public.plain add primary key (a)"
    )
    assert fix_of(api, "nullable") == (
        "its unique index nullable_a_key could be the key if a is never null:"
        f" alter table public.nullable alter column a set not null; then comment it with {one}"
    )
    assert "if a is never null" in fix_of(api, "no_nulls")
    assert fix_of(api, "partial") == none
    assert "though it is deferrable" in fix_of(api, "later")
    assert fix_of(api, "parts") == (
        f"its unique index parts_b_a_key could be the key: comment it with {other},"
        " or alter table public.parts add primary key (b, a)"
    )
    assert fix_of(api, "Upper").endswith('or alter table public."Upper" add primary key ("Id")')
    assert fix_of(api, "bare") == none
    stored = f"its unique index stored_a_idx could be the key if a is never null: comment it with {one}"
    assert fix_of(api, "stored", "materialized view") == stored
    # Nothing is said of columns that the role may not read.
    assert "a" not in fix_of(api, "secret").split('"')


def test_a_view_has_the_unique_indexes_of_its_table(reading_api: StartApi) -> None:
    api = reading_api(
        KEYS if server_knows_nulls(reading_api) else KEYS.replace("nulls not distinct", ""), infer_view_keys=True
    )
    directive = '@graphql({"primary_key_columns": ["number"]})'
    could = "its unique index plain_a could be the key if number is never null"
    assert fix_of(api, "of_plain", "view") == f"{could}: comment it with {directive}"


def server_knows_nulls(reading_api: StartApi) -> bool:
    return reading_api("").application.services.engine.role_schemas.of_role("anon").catalog.server_version >= 150000
