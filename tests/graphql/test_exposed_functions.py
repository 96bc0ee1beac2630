"""The feature ``exposed_functions``: functions that are fields because a comment says so."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLObjectType, print_type, validate_schema

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.counted import counted
from tests.graphql.test_operators import types_of, without_descriptions
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer

SCHEMA = """
create type mood as enum ('sad', 'very happy');
comment on type mood is '@graphql({"mappings": {"very happy": "HAPPY"}})';
create type spot as (lat int, gone int, lon int);
alter type spot drop attribute gone;
create domain feeling as mood;
create table account (id int primary key, name text, mood mood);
create table log (id int generated always as identity primary key, what text);
insert into account values (1, 'Ann', 'sad'), (2, 'Ben', 'very happy'), (3, null, null);

create function of_mood(m mood) returns setof account language sql stable as 'select * from account where mood = m';
create function moods() returns mood[] language sql stable as $$ select array['sad', 'very happy']::mood[] $$;
create function all_moods(many mood[]) returns setof mood language sql stable as 'select unnest(many)';
create function felt(f feeling) returns feeling language sql stable as 'select f';
create function next_mood() returns mood language sql as
  $$ insert into log (what) values ('mood'); select 'very happy'::mood $$;
create function moved(s spot, by int default 1) returns spot language sql stable
  as 'select row((s).lat + by, (s).lon)::spot';
create function spots(number int) returns setof spot language sql stable
  as 'select case when n <> 2 then row(n, -n)::spot end from generate_series(number, 1, -1) n';
create function spot_list() returns spot[] language sql stable as 'select array[row(1, 2), null]::spot[]';
create function numbers(number int) returns setof int language sql stable
  as 'select nullif(n, 2) from generate_series(number, 1, -1) n';
create function statistics(lowest int default 0) returns table (mood mood, "how many" int, number bigint, names text[])
  language sql stable as $$
    select mood, 0, count(*), array_agg(name) from account where id >= lowest group by mood order by mood nulls last $$;
create function bounds(out low int, out high int) language sql stable as 'select min(id), max(id) from account';
create function shifted(inout a int, inout b int, c int default 0) language sql strict immutable
  as 'select a + c, b + c';
create function one_column() returns table (number int) language sql stable as 'select 1 union select 2 order by 1';
create function touch(what text) returns void language sql as 'insert into log (what) values (what)';
create function check_it(a int) returns void language plpgsql stable
  as $$ begin if a < 0 then raise 'negative'; end if; end $$;
create function pick(a int) returns text language sql immutable as $$ select 'not exposed' $$;
create function pick(a text) returns text language sql immutable as $$ select 'text' $$;
create function pick(a int, b int default 7) returns text language sql immutable as $$ select 'two: ' || a || b $$;
create function pick(a bigint) returns text language sql immutable as $$ select 'not exposed' $$;
comment on function pick(text) is '@graphql({"expose": true, "name": "pickText", "description": "By text"})';
comment on function pick(int, int) is '@graphql({"expose": true, "name": "pickTwo"})';
create function greeting(a account, word text default 'Hello', how mood default null) returns text language sql stable
  as $$ select word || ' ' || a.name || coalesce(' ' || how, '') $$;
create function words(a account, number int) returns setof text language sql stable
  as 'select a.name || n from generate_series(1, number) n';
create function others(a account, m mood) returns setof account language sql stable
  as 'select * from account where id <> a.id and mood is not distinct from m';
create function place(account) returns spot language sql stable as 'select row($1.id, null)::spot';
create function facts(a account, out size int, out is_new boolean) language sql stable
  as 'select length(a.name), a.id > 1';
create function name(a account, upper boolean) returns text language sql stable as 'select a.name';

create function nameless(mood) returns int language sql stable as 'select 1';
create function any_of(a anyelement) returns int language sql stable as 'select 1';
create function some_record() returns record language sql stable as 'select 1, 2';
create function of_row(n int, a account) returns int language sql stable as 'select 1';
create function with_first(first mood) returns setof account language sql stable as 'select * from account';
create function plain(a int) returns int language sql stable as 'select a';
create function "accountCollection"(m mood) returns int language sql stable as 'select 1';
create function hidden_mood() returns mood language sql stable as $$ select 'sad'::mood $$;
do $$ declare f regprocedure; begin
  for f in select oid from pg_proc where pronamespace = 'public'::regnamespace and obj_description(oid) is null
      and proname not in ('hidden_mood', 'pick') loop
    execute format('comment on function %s is %L', f, '@graphql({"expose": true})');
  end loop;
end $$;
grant select on account to anon;
grant insert, select on log to anon;
"""

QUERY_FIELDS = {
    "of_mood", "moods", "all_moods", "felt", "moved", "spots", "spot_list", "numbers", "statistics", "bounds",
    "shifted", "one_column", "check_it", "pickText", "pickTwo",
}  # fmt: skip
MUTATION_FIELDS = {"next_mood", "touch"}
NODE_FIELDS = {"greeting", "words", "others", "place", "facts"}


def fields(api: Api, type_: str) -> dict[str, str]:
    made = types_of(api)[type_]
    assert isinstance(made, GraphQLObjectType)
    return {name: str(each.type) for name, each in made.fields.items()}


# Which are shown


def test_exposed_functions_are_fields(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    assert fields(api, "Query").keys() >= QUERY_FIELDS
    assert fields(api, "Mutation").keys() >= MUTATION_FIELDS
    assert fields(api, "account").keys() >= NODE_FIELDS
    absent = {"nameless", "any_of", "some_record", "of_row", "with_first", "hidden_mood", "pick", *NODE_FIELDS}
    assert absent.isdisjoint(fields(api, "Query"))
    assert str(types_of(api)["Query"].fields["accountCollection"].type) == "accountConnection!"
    assert fields(api, "account")["name"] == "String"
    assert types_of(api)["account"].fields["name"].args == {}
    reported = {
        each.subject.removeprefix("function public."): each.reason
        for each in api.application.services.engine.role_schemas.of_role("anon").notices
        if "it is not exposed" in each.reason
    }
    assert reported.keys() == {"nameless", "any_of", "some_record", "with_first", "of_row"}
    assert "argument of the same name" in reported["with_first"]


@pytest.mark.parametrize("options", [{"graphql_features": "-exposed_functions"}, {"graphql_dialect": "pg_graphql"}])
def test_no_functions_are_exposed_without_the_feature(reading_api: StartApi, options: dict[str, str]) -> None:
    api = reading_api(SCHEMA, **options)
    assert (QUERY_FIELDS - {"plain"}).isdisjoint(fields(api, "Query"))
    assert "plain" in fields(api, "Query")
    assert NODE_FIELDS.isdisjoint(fields(api, "account"))
    assert "bad_name" not in types_of(api)
    assert "statisticsRow" not in types_of(api)


def test_exposed_functions_have_types(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    types = types_of(api)
    shown = fields(api, "Query")
    assert {name: shown[name] for name in QUERY_FIELDS} == {
        "of_mood": "accountConnection",
        "moods": "[mood]",
        "all_moods": "[mood]",
        "felt": "Opaque",
        "moved": "spot",
        "spots": "[spot]",
        "spot_list": "[spot]",
        "numbers": "[Int]",
        "statistics": "[statisticsRow!]",
        "bounds": "boundsRow",
        "shifted": "shiftedRow",
        "one_column": "[one_columnRow!]",
        "check_it": "Boolean",
        "pickText": "String",
        "pickTwo": "String",
    }
    arguments = {
        name: {key: str(each.type) for key, each in types["Query"].fields[name].args.items()} for name in shown
    }
    assert arguments["moved"] == {"s": "spotInput!", "by": "Int"}
    assert arguments["all_moods"] == {"many": "[mood]!"}
    assert arguments["shifted"] == {"a": "Int!", "b": "Int!", "c": "Int"}
    assert arguments["pickTwo"] == {"a": "Int!", "b": "Int"}
    assert types["Query"].fields["pickText"].description == "By text"
    assert without_descriptions(print_type(types["statisticsRow"])) == (
        "type statisticsRow {\n  mood: mood\n  number: BigInt\n  names: [String]\n}"
    )
    assert fields(api, "Mutation")["touch"] == "Boolean"
    on_rows = fields(api, "account")
    assert {name: on_rows[name] for name in NODE_FIELDS} == {
        "greeting": "String",
        "words": "[String]",
        "others": "accountConnection",
        "place": "spot",
        "facts": "factsRow",
    }


def test_domains_have_their_base_types(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, value_types=("domains",))
    assert fields(api, "Query")["felt"] == "mood"
    assert api.ask("{ felt(f: HAPPY) }").data == {"felt": "HAPPY"}


def test_an_invalid_name_does_not_affect_other_functions(reading_api: StartApi) -> None:
    api = reading_api("""
      create table t (id int primary key);
      create function "über"() returns table (a int, b int) language sql stable as 'select 1, 2';
      create function "1st"(t) returns table (a int, b int) language sql stable as 'select 1, 2';
      create function "__two"() returns table (a int, b int) language sql stable as 'select 1, 2';
      create function plain() returns table (a int, b int) language sql stable as 'select 1, 2';
      comment on function "über"() is '@graphql({"expose": true})';
      comment on function "1st"(t) is '@graphql({"expose": true})';
      comment on function "__two"() is '@graphql({"expose": true})';
      comment on function plain() is '@graphql({"expose": true})';
      grant select on t to anon;
    """)
    assert api.ask("{ plain { a b } tCollection { edges { node { id } } } }").data["plain"] == [{"a": 1, "b": 2}]
    reported = {each.subject for each in api.application.services.engine.role_schemas.of_role("anon").notices}
    assert reported == {"function public.über", "function public.1st", "function public.__two"}


def test_names_are_inflected(start_api: StartApi) -> None:
    api = start_api("""
        create function top_posts() returns table (post_id int) language sql stable as 'select 1';
        create function named() returns table (a int) language sql stable as 'select 1';
        create table "TopPostsRow" (id int primary key);
        comment on function top_posts is '@graphql({"expose": true})';
        comment on function named is '@graphql({"expose": true, "name": "Other"})';
        comment on schema public is '@graphql({"inflect_names": true})';
        grant select on "TopPostsRow" to anon;
    """)
    shown = fields(api, "Query")
    assert (shown["topPosts"], shown["Other"]) == ("[TopPostsRow_!]", "[OtherRow!]")
    assert api.ask("{ topPosts { postId } }").data == {"topPosts": [{"postId": 1}]}


# Results

CALLS: list[tuple[str, Any]] = [
    ("of_mood(m: HAPPY) { edges { node { id } } }", {"edges": [{"node": {"id": 2}}]}),
    ("moods", ["sad", "HAPPY"]),
    ("all_moods(many: [HAPPY, null, sad])", ["HAPPY", None, "sad"]),
    ("all_moods(many: [])", []),
    ('felt(f: "sad")', "sad"),
    ("moved(s: {lat: 1, lon: 2}) { lat lon }", {"lat": 2, "lon": 2}),
    ("moved(s: {lon: 2}, by: 5) { __typename lat l: lon }", {"__typename": "spot", "lat": None, "l": 2}),
    ("moved(s: {}) { lat }", None),
    ("spots(number: 3) { lat lon }", [{"lat": 3, "lon": -3}, None, {"lat": 1, "lon": -1}]),
    ("spots(number: 0) { lat }", []),
    ("spot_list { lon }", [{"lon": 2}, None]),
    ("numbers(number: 3)", [3, None, 1]),
    (
        "statistics { mood number names }",
        [
            {"mood": "sad", "number": "1", "names": ["Ann"]},
            {"mood": "HAPPY", "number": "1", "names": ["Ben"]},
            {"mood": None, "number": "1", "names": [None]},
        ],
    ),
    ("statistics(lowest: 9) { number }", []),
    ("bounds { low high }", {"low": 1, "high": 3}),
    ("shifted(a: 1, b: 2, c: 3) { a b }", {"a": 4, "b": 5}),
    ("shifted(a: 1, b: 2, c: null) { a }", None),
    ("one_column { number }", [{"number": 1}, {"number": 2}]),
    ("check_it(a: 1)", True),
    ('pickText(a: "1")', "text"),
    ("pickTwo(a: 1)", "two: 17"),
    ("pickTwo(a: 1, b: 2)", "two: 12"),
]


@pytest.mark.parametrize(("call", "expected"), CALLS, ids=[call for call, _ in CALLS])
def test_calls_return_their_results(reading_api: StartApi, call: str, expected: Any) -> None:
    assert reading_api(SCHEMA).ask(f"{{ made: {call} }}").data == {"made": expected}


def test_exposed_functions_of_rows_are_fields(reading_api: StartApi) -> None:
    query = """query ($how: mood) {
      accountCollection {
        edges {
          node {
            id hello: greeting bye: greeting(word: "Bye", how: $how) words(number: 2) place { lat lon }
            facts { size is_new } others(m: sad, first: 1) { edges { node { id } } }
          }
        }
      }
    }"""
    edges = reading_api(SCHEMA).ask(query, {"how": "sad"}).data["accountCollection"]["edges"]
    sad = {"edges": [{"node": {"id": 1}}]}
    assert [edge["node"] for edge in edges] == [
        {
            "id": 1,
            "hello": "Hello Ann",
            "bye": "Bye Ann sad",
            "words": ["Ann1", "Ann2"],
            "place": {"lat": 1, "lon": None},
            "facts": {"size": 3, "is_new": False},
            "others": {"edges": []},
        },
        {
            "id": 2,
            "hello": "Hello Ben",
            "bye": "Bye Ben sad",
            "words": ["Ben1", "Ben2"],
            "place": {"lat": 2, "lon": None},
            "facts": {"size": 3, "is_new": True},
            "others": sad,
        },
        {
            "id": 3,
            "hello": None,
            "bye": None,
            "words": [None, None],
            "place": {"lat": 3, "lon": None},
            "facts": {"size": None, "is_new": True},
            "others": sad,
        },
    ]


def logged(postgres: PostgresServer, api: Api) -> list[Any]:
    return [row[0] for row in postgres.execute("select what from log order by id", api.database_url)]


def test_volatile_functions_are_called_once(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    assert api.ask('mutation { touch(what: "a") next_mood again: touch(what: "b") }').data == {
        "touch": True,
        "next_mood": "HAPPY",
        "again": True,
    }
    assert logged(postgres, api) == ["a", "mood", "b"]


def test_an_error_undoes_the_mutation(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(
        SCHEMA
        + """
        create function fail() returns void language plpgsql as $$ begin raise 'no'; end $$;
        comment on function fail() is '@graphql({"expose": true})';
        """
    )
    answer = api.ask('mutation { touch(what: "a") fail }')
    assert answer.code == "RAISE_EXCEPTION"
    assert logged(postgres, api) == []


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("of_mood(m: angry) { edges { cursor } }", "GRAPHQL_VALIDATION_FAILED"),
        ("of_mood { edges { cursor } }", "GRAPHQL_VALIDATION_FAILED"),
        ('felt(f: "angry")', "INVALID_TEXT_REPRESENTATION"),
        ("moved(s: {up: 1}) { lat }", "GRAPHQL_VALIDATION_FAILED"),
        ("check_it(a: -1)", "RAISE_EXCEPTION"),
    ],
)
def test_wrong_calls_are_refused(reading_api: StartApi, call: str, code: str) -> None:
    assert reading_api(SCHEMA).ask(f"{{ {call} }}").code == code


# Rights


def test_a_function_without_the_privilege_is_gone(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    changed(postgres, api, "revoke execute on function statistics, pick(text), greeting from public")
    sdl = printed(api)
    assert {"statistics", "pickText"}.isdisjoint(members(sdl, "Query"))
    assert "greeting" not in members(sdl, "account")
    assert "statisticsRow" not in sdl
    changed(postgres, api, "revoke select on account from anon; grant select (id) on account to anon")
    assert NODE_FIELDS.isdisjoint(members(printed(api), "account"))
    assert validate_schema(api.application.services.engine.role_schemas.of_role("anon").graphql) == []


def test_an_argument_of_a_closed_schema_hides_a_function(start_api: StartApi) -> None:
    api = start_api("""
        create schema closed;
        create type closed.mood as enum ('sad');
        create function takes(m closed.mood) returns int language sql stable as 'select 1';
        create function gives() returns table (m closed.mood) language sql stable security definer
          as $$ select 'sad'::closed.mood $$;
        comment on function takes is '@graphql({"expose": true})';
        comment on function gives is '@graphql({"expose": true})';
    """)
    assert "takes" not in fields(api, "Query")
    assert api.ask("{ gives { m } }").data == {"gives": [{"m": "sad"}]}


def test_hidden_rows_stay_hidden(start_api: StartApi) -> None:
    api = start_api(SCHEMA + "alter table account enable row level security; create policy p on account using (id = 1)")
    assert api.ask("{ bounds { low high } statistics { number } }").data == {
        "bounds": {"low": 1, "high": 1},
        "statistics": [{"number": "1"}],
    }


def test_calls_are_one_flight(start_api: StartApi) -> None:
    query = "query ($n: Int!) { numbers(number: $n) accountCollection { edges { node { words(number: $n) } } } }"
    with counted(start_api(SCHEMA).database_url) as (api, proxy):
        api.ask(query, {"n": 2})
        before = proxy.flights
        assert api.ask(query, {"n": 1}).data["numbers"] == [1]
        assert proxy.flights - before == 1
