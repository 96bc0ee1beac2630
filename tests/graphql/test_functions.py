"""Database functions as root fields: which exist, how they are called, and their results."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLObjectType

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create schema other; create schema hidden; create schema auth; create schema extensions; create schema graphql_public;
create type mood as enum ('sad', 'happy');
create type pair as (a int, b text);
create domain positive as int check (value > 0);
create table account (id serial primary key, email text not null, age int, balance bigint, data jsonb);
comment on table account is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
create table post (id serial primary key, account_id int references account, title text);
create table secret (id int primary key);
create table log (id serial primary key, what text);

-- Scalars and lists
create function add(a int, b int default 5, c text default 'x') returns int language sql immutable
  as 'select a + b + length(c)';
create function big(a bigint) returns bigint language sql immutable as 'select a * 2';
create function exact() returns numeric language sql stable as 'select 1.50';
create function floating() returns float8 language sql stable as 'select 0.5';
create function doc(d jsonb) returns jsonb language sql stable as 'select d';
create function docs() returns json[] language sql stable as $$ select array['{"a":1}'::json, null] $$;
create function bigs(xs int[]) returns bigint[] language sql immutable as 'select xs::bigint[]';
create function nothing() returns text language sql stable as 'select null::text';
create function when_is(t timestamptz) returns timestamptz language sql stable as 'select t';
create function lucky(n positive) returns positive language sql stable as 'select n';
create function joined(variadic words text[]) returns text language sql immutable
  as $$ select array_to_string(words, '-') $$;
create function after_one(a int, variadic rest int[] default '{}') returns int language sql immutable
  as $$ select a + cardinality(rest) $$;
create function with_out(a int, out b int) language sql stable as 'select a + 1';
create function defaults(a int default null, b timestamptz default now(), c float8 default 3.14, d bool default false,
  e text default 'he''y, you', f bigint default 4, g int[] default '{1,2}', h int default -7) returns text
  language sql stable as $$ select concat_ws('|', a, b > '2000-01-01', c, d, e, f, g, h) $$;
create function is_null(a int) returns bool language sql stable as 'select a is null';
create function strictly(a int) returns int language sql stable strict as 'select 1';
create function of_char(a char) returns text language sql stable as 'select a::text || length(a)';
create function of_varchar(a varchar(2)) returns text language sql stable as 'select a';
create function of_bit(a bit) returns text language sql stable as 'select a::text';
create function _under(a int) returns int language sql stable as 'select a';
create function "Odd Name"("TheArg" int) returns int language sql stable as 'select "TheArg"';
comment on function "Odd Name" is '@graphql({"name": "oddName"})';
create function "Quoted"("Arg" int, "select" int default 2) returns int language sql stable
  as 'select "Arg" + "select"';
create function named(a int) returns int language sql stable as 'select a';
comment on function named is 'Some words. @graphql({"name": "renamed", "description": "What it does"})';
create function other.elsewhere() returns int language sql stable as 'select 1';

-- Rows
create function all_accounts() returns setof account language sql stable as 'select * from account';
create function account_of(address text) returns account language sql stable
  as 'select * from account where email = address';
create function one_of_many() returns setof account language sql stable rows 1 as 'select * from account order by id';
create function empty_set() returns setof account language sql stable as 'select * from account where false';
create function null_row() returns account language sql stable as 'select null::account';
create function partly_null() returns account language sql stable
  as $$ select row(9, null, null, null, null)::account $$;

-- Volatile
create function note(what text) returns int language sql as $$ insert into log (what) values (what) returning id $$;
create function note_default(what text default 'nothing') returns text language plpgsql as
  $$ begin insert into log (what) values (what); return what; end $$;
create function sign_up(address text) returns account language sql
  as $$ insert into account (email) values (address) returning * $$;
create function sign_up_two(address text) returns setof account language sql
  as $$ insert into account (email) values (address || '1'), (address || '2') returning * $$;
create function fail() returns int language plpgsql as $$ begin raise exception 'no'; end $$;

-- Not shown
create function nameless(int) returns int language sql stable as 'select 1';
create function half_named(a int, int) returns int language sql stable as 'select 1';
create function overloaded(a int) returns int language sql stable as 'select 1';
create function overloaded(a text) returns int language sql stable as 'select 1';
create function overloaded_elsewhere(a int) returns int language sql stable as 'select 1';
create function other.overloaded_elsewhere(a text) returns int language sql stable as 'select 1';
create function not_overloaded(a int) returns int language sql stable as 'select 1';
create function hidden.not_overloaded(a text) returns int language sql stable as 'select 1';
create function hidden.in_hidden() returns int language sql stable as 'select 1';
create function auth.in_auth() returns int language sql stable as 'select 1';
create function extensions.in_extensions() returns int language sql stable as 'select 1';
create function graphql_public.in_graphql_public() returns int language sql stable as 'select 1';
create function returns_void() returns void language sql as 'select';
create function returns_record() returns record language sql stable as 'select 1, 2';
create function returns_trigger() returns trigger language plpgsql as 'begin return new; end';
create function returns_event_trigger() returns event_trigger language plpgsql as 'begin end';
create function returns_table() returns table (a int, b int) language sql stable as 'select 1, 2';
create function returns_two(out a int, out b int) language sql stable as 'select 1, 2';
create function returns_mood() returns mood language sql stable as $$ select 'sad'::mood $$;
create function returns_moods() returns mood[] language sql stable as $$ select array['sad'::mood] $$;
create function returns_pair() returns pair language sql stable as $$ select 1, 'a' $$;
create function returns_pairs() returns pair[] language sql stable as $$ select null::pair[] $$;
create function returns_numbers() returns setof int language sql stable as 'select 1';
create function returns_secret() returns secret language sql stable as 'select null::secret';
create function returns_any(a anyelement) returns anyelement language sql stable as 'select a';
create function takes_mood(m mood) returns int language sql stable as 'select 1';
create function takes_moods(m mood[]) returns int language sql stable as 'select 1';
create function takes_row(a account, b int) returns int language sql stable as 'select 1';
create function takes_pair(p pair) returns int language sql stable as 'select 1';
create function takes_first(first int) returns setof account language sql stable as 'select * from account';
create function takes_filter(filter text) returns setof account language sql stable as 'select * from account';
create function takes_bad_name("a b" int) returns int language sql stable as 'select 1';
create function "bad name"() returns int language sql stable as 'select 1';
create function "accountCollection"() returns int language sql stable as 'select 1';
create function node() returns int language sql stable as 'select 1';
create function "insertIntopostCollection"() returns int language sql volatile as 'select 1';
create procedure a_procedure(a int) language sql as 'select 1';
create aggregate an_aggregate(int) (sfunc = int4pl, stype = int);
create function not_mine() returns int language sql stable as 'select 1';
revoke execute on function not_mine from public;

grant usage on schema other, auth, extensions, graphql_public to anon;
grant all on account, post, log to anon; grant usage on all sequences in schema public to anon;
"""
ROWS = """
truncate account, post, log restart identity;
insert into account (email, age, balance, data) values
  ('a@x', 1, 10, '{"k": 1}'), ('b@x', 2, 20, null), ('c@x', null, null, null);
insert into post (account_id, title) values (1, 'p1'), (1, 'p2'), (2, 'p3');
"""
SETTINGS = {"api_schemas": ("public", "other", "auth", "extensions", "graphql_public")}
SHOWN = {
    "account_of", "add", "after_one", "all_accounts", "big", "bigs", "defaults", "doc",
    "docs", "elsewhere", "empty_set", "exact", "floating", "is_null", "joined", "lucky",
    "not_overloaded", "nothing", "null_row", "oddName", "of_bit", "of_char", "of_varchar", "one_of_many",
    "partly_null", "quoted", "renamed", "strictly", "under", "when_is", "with_out",
}  # fmt: skip


@pytest.fixture(params=["standard", "pg_graphql"])
def api(writing_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return writing_api(SCHEMA, ROWS, graphql_dialect=request.param, **SETTINGS)


def root_fields(api: Api, type_: str) -> dict[str, Any]:
    graphql = api.application.services.engine.role_schemas.of_role("anon").graphql
    root = graphql.type_map[type_]
    assert isinstance(root, GraphQLObjectType)
    return dict(root.fields)


def test_functions_with_fitting_types_are_fields(api: Api) -> None:
    names = ("account", "post", "log")
    generated = {f"{name}{suffix}" for name in names for suffix in ("Collection", "ByPk", "ByKey")}
    assert set(root_fields(api, "Query")) - generated - {"node"} == SHOWN
    made = {
        f"{verb}{name}{suffix}"
        for verb in ("insertInto", "update", "deleteFrom")
        for name in names
        for suffix in ("Collection", "ByKey", "CollectionByKey")
    }
    assert sorted(set(root_fields(api, "Mutation")) - made) == [
        "fail",
        "note",
        "note_default",
        "sign_up",
        "sign_up_two",
    ]


def test_generated_fields_win_over_functions_of_their_name(api: Api) -> None:
    assert api.ask("{ accountCollection { totalCount } }").data == {"accountCollection": {"totalCount": 3}}
    assert (
        "affectedCount"
        in api.ask("mutation { insertIntopostCollection(objects: {}) { affectedCount } }").data[
            "insertIntopostCollection"
        ]
    )


@pytest.mark.parametrize("name", ["overloaded", "returns_void", "in_auth", "not_mine", "takes_first", "nope"])
@pytest.mark.parametrize("operation", ["query", "mutation"])
def test_hidden_functions_are_unknown(writing_api: StartApi, operation: str, name: str) -> None:
    api = writing_api(SCHEMA, ROWS, graphql_dialect="pg_graphql", **SETTINGS)
    type_ = operation.capitalize()
    assert api.ask(f"{operation} {{ {name} }}").message == f'Unknown field "{name}" on type {type_}'
    strict = writing_api(SCHEMA, ROWS, **SETTINGS)
    assert strict.ask(f"{operation} {{ {name} }}").code == "GRAPHQL_VALIDATION_FAILED"


def test_volatility_decides_the_root_type(api: Api) -> None:
    assert api.ask('query { note(what: "x") }').errors
    assert api.ask("mutation { exact }").errors


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("add(a: 1)", 7),
        ("add(a: 1, b: 1)", 3),
        ('add(a: 1, c: "abc")', 9),
        ('add(c: "", b: 0, a: 0)', 0),
        ("add(a: 1, b: null)", None),
        ('big(a: "4611686018427387903")', "9223372036854775806"),
        ("big(a: 3)", "6"),
        ("exact", "1.50"),
        ("floating", 0.5),
        (r'doc(d: "{\"a\": 1}")', '{"a": 1}'),
        ("docs", ['{"a":1}', None]),
        ("bigs(xs: [1, null])", ["1", None]),
        ("bigs(xs: 1)", ["1"]),
        ("bigs(xs: [])", []),
        ("nothing", None),
        ('when_is(t: "2020-01-01T00:00:00Z")', "2020-01-01T00:00:00+00:00"),
        ("lucky(n: 7)", 7),
        ('joined(words: ["a", "b"])', "a-b"),
        ('joined(words: "a")', "a"),
        ("joined(words: [])", ""),
        ("after_one(a: 1, rest: [5, 6])", 3),
        ("with_out(a: 1)", 2),
        ("defaults", "t|3.14|f|he'y, you|4|{1,2}|-7"),
        ('defaults(a: 1, e: "e", h: 3)', "1|t|3.14|f|e|4|{1,2}|3"),
        ("defaults(c: null, d: null, e: null)", "t|4|{1,2}|-7"),
        ("strictly(a: 1)", 1),
        ('of_char(a: "abc")', "abc3"),
        ('of_varchar(a: "abcdef")', "abcdef"),
        ('of_bit(a: "10110")', "10110"),
        ("under(a: 1)", 1),
        ("oddName(theArg: 4)", 4),
        ("quoted(arg: 1)", 3),
        ("quoted(arg: 1, select: 5)", 6),
        ("renamed(a: 1)", 1),
        ("elsewhere", 1),
        ("not_overloaded(a: 1)", 1),
    ],
)
def test_calls_return_their_results(api: Api, call: str, expected: Any) -> None:
    assert api.ask(f"{{ result: {call} }}").data == {"result": expected}


def test_only_given_arguments_are_passed(api: Api) -> None:
    query = "query ($b: Int, $c: String) { add(a: 1, b: $b, c: $c) }"
    assert api.ask(query).data == {"add": 7}
    assert api.ask(query, {"b": 1}).data == {"add": 3}
    assert api.ask(query, {"b": None}).data == {"add": None}
    assert api.ask(query, {"c": "four"}).data == {"add": 10}
    # The same document again, in the other order: the plans must not be confused.
    assert api.ask(query, {"b": 1}).data == {"add": 3}
    assert api.ask(query).data == {"add": 7}


def test_explicit_null_is_passed_where_there_is_a_default(writing_api: StartApi) -> None:
    for dialect in ("standard", "pg_graphql"):
        api = writing_api(SCHEMA, ROWS, graphql_dialect=dialect, **SETTINGS)
        answer = api.ask("mutation { note_default(what: null) }")
        assert answer.data == {"note_default": None}
        assert api.ask("mutation { note_default }").data == {"note_default": "nothing"}


@pytest.mark.parametrize("call", ["is_null(a: null)", "is_null", "after_one(a: 1)"])
def test_an_argument_without_default_is_required(api: Api, call: str) -> None:
    answer = api.ask(f"{{ {call} }}")
    assert answer.body.get("data") is None
    if api.application.services.settings.graphql_dialect == "pg_graphql":
        assert answer.message == "Invalid input for NonNull type"


def test_an_unknown_argument_is_named(writing_api: StartApi) -> None:
    api = writing_api(SCHEMA, ROWS, graphql_dialect="pg_graphql", **SETTINGS)
    assert api.ask("{ add(a: 1, z: 2) }").message == 'Input contains extra keys ["z"]'
    strict = writing_api(SCHEMA, ROWS, **SETTINGS)
    assert "'z'" in strict.ask("{ add(a: 1, z: 2) }").message


def test_introspection_has_types_and_defaults_of_arguments(writing_api: StartApi) -> None:
    api = writing_api(SCHEMA, ROWS, **SETTINGS)
    fields = api.ask("""{ __type(name: "Query") { fields { name description
      type { kind name ofType { kind name } }
      args { name defaultValue type { kind name ofType { kind name } } } } } }""").data["__type"]["fields"]
    by_name = {each["name"]: each for each in fields}
    assert [(each["name"], each["defaultValue"]) for each in by_name["defaults"]["args"]] == [
        ("a", None), ("b", None), ("c", "3.14"), ("d", "false"), ("e", '"he\'y, you"'), ("f", None), ("g", None),
        ("h", "-7"),
    ]  # fmt: skip
    assert all(each["type"]["kind"] != "NON_NULL" for each in by_name["defaults"]["args"])
    a, b, c = by_name["add"]["args"]
    assert a["type"] == {"kind": "NON_NULL", "name": None, "ofType": {"kind": "SCALAR", "name": "Int"}}
    assert (b["type"]["name"], b["defaultValue"], c["defaultValue"]) == ("Int", "5", '"x"')
    assert by_name["bigs"]["type"] == {"kind": "LIST", "name": None, "ofType": {"kind": "SCALAR", "name": "BigInt"}}
    assert by_name["all_accounts"]["type"]["name"] == "accountConnection"
    assert by_name["account_of"]["type"] == {"kind": "OBJECT", "name": "account", "ofType": None}
    assert by_name["renamed"]["description"] == "What it does"
    assert [each["name"] for each in by_name["all_accounts"]["args"]] == [
        "first", "last", "before", "after", "offset", "filter", "orderBy", "distinctOn"
    ]  # fmt: skip


# Rows


def test_a_function_may_return_a_row(api: Api) -> None:
    selection = "{ __typename id email nodeId postCollection(first: 1) { edges { node { title } } } }"
    answer = api.ask(f'{{ account_of(address: "a@x") {selection} }}').data["account_of"]
    assert answer == {
        "__typename": "account", "id": 1, "email": "a@x", "nodeId": "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDFd",
        "postCollection": {"edges": [{"node": {"title": "p1"}}]},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('account_of(address: "nobody")', None),
        ("null_row", None),
        ("partly_null", {"id": 9, "age": None}),
        ("one_of_many", {"id": 1, "age": 1}),
    ],
)
def test_rows_that_are_null(api: Api, call: str, expected: Any) -> None:
    assert api.ask(f"{{ row: {call} {{ id age }} }}").data == {"row": expected}


def test_a_set_is_a_collection_with_all_features_of_one(api: Api) -> None:
    query = """{ all_accounts(first: 1, filter: {id: {gt: 1}}, orderBy: [{email: DescNullsLast}]) {
      __typename totalCount aggregate { count sum { balance } }
      edges { cursor node { id nodeId } } pageInfo { hasNextPage hasPreviousPage startCursor } } }"""
    answer = api.ask(query).data["all_accounts"]
    cursor = answer["edges"][0]["cursor"]
    assert answer == {
        "__typename": "accountConnection", "totalCount": 2, "aggregate": {"count": 2, "sum": {"balance": 20}},
        "edges": [{"cursor": cursor, "node": {"id": 3, "nodeId": "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDNd"}}],
        "pageInfo": {"hasNextPage": True, "hasPreviousPage": False, "startCursor": cursor},
    }  # fmt: skip
    arguments = f'after: "{cursor}", filter: {{id: {{gt: 1}}}}, orderBy: [{{email: DescNullsLast}}]'
    following = api.ask(f"{{ all_accounts({arguments}) {{ edges {{ node {{ id }} }} }} }}").data["all_accounts"]
    assert following["edges"] == [{"node": {"id": 2}}]
    assert api.ask("{ empty_set { edges { node { id } } totalCount } }").data["empty_set"] == {
        "edges": [],
        "totalCount": 0,
    }


def test_a_set_is_in_the_order_of_the_key(start_api: StartApi) -> None:
    api = start_api("""
      create table t (id int primary key); insert into t values (2), (1), (3);
      create function backward() returns setof t language sql stable as 'select * from t order by id desc';
      grant select on t to anon""")
    edges = api.ask("{ backward { edges { node { id } } } }").data["backward"]["edges"]
    assert [each["node"]["id"] for each in edges] == [1, 2, 3]


# Volatile functions


def test_a_volatile_function_changes_data(api: Api, postgres: PostgresServer) -> None:
    assert api.ask('mutation { note(what: "x") note_default sign_up(address: "n@x") { id email nodeId } }').data == {
        "note": 1,
        "note_default": "nothing",
        "sign_up": {"id": 4, "email": "n@x", "nodeId": "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDRd"},
    }
    assert postgres.execute("select what from log order by id", api.database_url) == [["x"], ["nothing"]]


@pytest.mark.parametrize(
    "selection",
    [
        "__typename",
        "totalCount",
        "edges { node { id } }",
        "edges { node { id } } totalCount pageInfo { hasNextPage hasPreviousPage } aggregate { count }",
        "totalCount aggregate { count max { email } }",
        "pageInfo { hasNextPage }",
    ],
)
def test_a_volatile_set_is_called_exactly_once(api: Api, postgres: PostgresServer, selection: str) -> None:
    answer = api.ask(f'mutation {{ sign_up_two(address: "n") {{ {selection} }} }}').data["sign_up_two"]
    assert postgres.execute("select email from account where id > 3 order by id", api.database_url) == [["n1"], ["n2"]]
    assert answer.get("totalCount", 2) == 2
    assert len(answer.get("edges", [1, 2])) == 2


def test_a_volatile_set_takes_pages_and_filters(api: Api, postgres: PostgresServer) -> None:
    arguments = 'address: "n", first: 1, orderBy: [{email: DescNullsLast}], filter: {email: {neq: "no"}}'
    selection = "edges { node { email } } totalCount pageInfo { hasNextPage }"
    answer = api.ask(f"mutation {{ sign_up_two({arguments}) {{ {selection} }} }}").data["sign_up_two"]
    assert answer == {"edges": [{"node": {"email": "n2"}}], "totalCount": 2, "pageInfo": {"hasNextPage": True}}
    assert postgres.execute("select count(*) from account", api.database_url) == [[5]]


def test_changes_of_a_function_are_undone_if_a_later_field_fails(api: Api, postgres: PostgresServer) -> None:
    answer = api.ask('mutation { note(what: "x") sign_up_two(address: "n") { totalCount } fail }')
    assert (answer.message, answer.body["data"], answer.errors[0]["path"]) == ("no", None, ["fail"])
    assert postgres.execute("select count(*) from log", api.database_url) == [[0]]
    assert postgres.execute("select count(*) from account", api.database_url) == [[3]]


def test_functions_and_mutations_run_in_the_order_of_the_document(api: Api) -> None:
    query = """mutation {
      before: sign_up(address: "z@x") { id }
      updateaccountCollection(set: {age: 99}, filter: {email: {eq: "z@x"}}) { affectedCount }
      deleteFromaccountCollection(filter: {age: {eq: 99}}) { records { email } }
    }"""
    answer = api.ask(query).data
    assert answer["updateaccountCollection"] == {"affectedCount": 1}
    assert answer["deleteFromaccountCollection"] == {"records": [{"email": "z@x"}]}


# Names


def test_names_are_inflected(start_api: StartApi) -> None:
    api = start_api("""
      comment on schema public is '@graphql({"inflect_names": true})';
      create table a_table (id int primary key); grant select on a_table to anon; insert into a_table values (1);
      create function _add_up(first_number int, "secondNumber" int default 1) returns int language sql stable as
        'select first_number + "secondNumber"';
      create function clash(a_b int, "aB" int) returns int language sql stable as 'select 1';
      create function get_it() returns int language sql stable as 'select 1';
      create function "getIt"() returns int language sql stable as 'select 2';
      create function order_by(order_by int) returns setof a_table language sql stable as 'select * from a_table';
      create function verbatim() returns int language sql stable as 'select 3';
      comment on function verbatim is '@graphql({"name": "as_is"})';
    """)
    assert api.ask("{ addUp(firstNumber: 1, secondNumber: 2) again: addUp(firstNumber: 1) as_is getIt }").data == {
        "addUp": 3, "again": 2, "as_is": 3, "getIt": 1
    }  # fmt: skip
    fields = root_fields(api, "Query")
    assert "clash" not in fields
    assert "orderBy" not in fields


def test_reserved_names_are_left_out(start_api: StartApi) -> None:
    api = start_api("""
      create table t (id int primary key); grant select on t to anon;
      create function "___f"() returns int language sql stable as 'select 1';
      create function g("__a" int) returns int language sql stable as 'select 1';
      create function h() returns int language sql stable as 'select 1';
    """)
    assert api.ask("{ h __typename }").data == {"h": 1, "__typename": "Query"}
    assert sorted(root_fields(api, "Query")) == ["h", "node", "tByKey", "tByPk", "tCollection"]


@pytest.mark.parametrize("name", ["pow", "to_tsvector", "substring", "aggregate_strings", "100%(expr)s :x $1 %"])
@pytest.mark.parametrize("schema", ["User", "a.b %s"])
def test_names_with_another_meaning_in_sql_work(start_api: StartApi, schema: str, name: str) -> None:
    api = start_api(f"""
      create schema "{schema}"; grant usage on schema "{schema}" to anon; set search_path = "{schema}";
      create table t (id int primary key); grant all on t to anon; insert into t values (1);
      create function "{name}"(x int, "Y" int) returns int language sql stable as 'select x + "Y"';
      create function "{name} set"() returns setof t language sql stable as 'select 1';
      create function "{name} of"(t) returns int language sql stable as 'select 8';
      comment on function "{name}"(int, int) is '@graphql({{"name": "value"}})';
      comment on function "{name} set" is '@graphql({{"name": "rows"}})';
      comment on function "{name} of" is '@graphql({{"name": "computed"}})';
    """, api_schemas=(schema,))  # fmt: skip
    assert api.ask("{ value(x: 2, y: 3) rows { edges { node { id computed } } } }").data == {
        "value": 5, "rows": {"edges": [{"node": {"id": 1, "computed": 8}}]}
    }  # fmt: skip


def test_a_function_with_an_argument_of_a_hidden_type_is_missing(start_api: StartApi) -> None:
    sql = """
    create schema closed; create domain closed.small as int; grant usage on schema public to anon;
    create function half(n closed.small) returns int language sql stable as 'select n / 2';
    """
    assert "half" in start_api(sql + "grant usage on schema closed to anon").ask("{ half(n: 8) }").data
    assert start_api(sql).ask("{ half(n: 8) }").code == "GRAPHQL_VALIDATION_FAILED"


def test_objects_of_extensions_are_shown_only_with_a_comment(start_api: StartApi) -> None:
    api = start_api("""
        create function theirs() returns int language sql stable as 'select 1';
        create function wanted() returns int language sql stable as 'select 2';
        create table their_table (id int primary key);
        create table wanted_table (id int primary key);
        alter extension plpgsql add function theirs();
        alter extension plpgsql add function wanted();
        alter extension plpgsql add table their_table;
        alter extension plpgsql add table wanted_table;
        comment on function wanted() is '@graphql({"name": "asked"})';
        comment on table wanted_table is '@graphql({"totalCount": {"enabled": true}})';
        grant select on their_table, wanted_table to anon;
    """)
    fields = {
        field["name"]
        for field in api.ask("{ __schema { queryType { fields { name } } } }").data["__schema"]["queryType"]["fields"]
    }
    assert "asked" in fields
    assert "wanted_tableCollection" in fields
    assert not {name for name in fields if "their" in name}
    assert api.ask("{ asked }").data == {"asked": 2}
