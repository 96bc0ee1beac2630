"""Computed fields: functions whose only argument is a row."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create schema other; create schema auth; create schema unseen;
create type mood as enum ('sad', 'happy');
comment on type mood is '@graphql({"mappings": {"sad": "BLUE"}})';
create table account (id int primary key, email text, balance bigint, data jsonb, mood mood);
create table post (id int primary key, account_id int references account, title text);
comment on table post is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}, "max_rows": 3})';
insert into account values (1, 'a@x', 10, '{"k": [1]}', 'sad'), (2, 'b@x', null, null, 'happy'),
  (3, null, null, null, null);
insert into post select i, 1 + (i > 5)::int, 'Post ' || i from generate_series(1, 7) i;

create function _shout(a account) returns text language sql immutable as $$ select upper(a.email) $$;
create function plain(account) returns text language sql immutable as $$ select $1.email $$;
create function doubled(a account) returns bigint language sql stable as 'select a.balance * 2';
create function exact(a account) returns numeric language sql stable as 'select 1.50';
create function copied(a account) returns jsonb language sql stable as 'select a.data';
create function words(a account) returns text[] language sql stable as $$ select array['x', a.email] $$;
create function numbers(a account) returns int[] language sql stable as 'select array[a.id, null]';
create function bigs(a account) returns bigint[] language sql stable as 'select array[a.balance]';
create function feeling(a account) returns mood language sql stable as 'select a.mood';
create function changing(a account) returns text language sql volatile as $$ select a.email || '~' $$;
create function posts(a account) returns setof post language sql stable as 'select * from post where account_id = a.id';
create function volatile_posts(a account) returns setof post language sql volatile
  as 'select * from post where account_id = a.id';
create function first_post(a account) returns post language sql stable
  as 'select * from post where account_id = a.id order by id limit 1';
create function last_post(a account) returns setof post language sql stable rows 1
  as 'select * from post where account_id = a.id order by id desc';
create function null_post(a account) returns post language sql stable as 'select null::post';
create function half_post(a account) returns post language sql stable as 'select row(a.id, null, null)::post';
create function itself(a account) returns account language sql stable as 'select a';
create function shout(p post) returns text language sql immutable as 'select upper(p.title)';
create function other.far(a account) returns int language sql stable as 'select 1';
create function auth.near(a account) returns int language sql stable as 'select 2';
create function fails(a account) returns int language sql stable as 'select 1 / (a.id - 2)';
create function named(a account) returns int language sql stable as 'select 3';
comment on function named is '@graphql({"name": "renamed", "description": "What it does"})';

create function unseen.nowhere(a account) returns int language sql stable as 'select 1';
create function revoked(a account) returns int language sql stable as 'select 1';
revoke execute on function revoked from public;
create function with_argument(a account, b int) returns int language sql stable as 'select b';
create function of_table(a account) returns table (x int) language sql stable as 'select 1';
create function of_numbers(a account) returns setof int language sql stable as 'select 1';
create function of_record(a account) returns record language sql stable as 'select 1, 2';
create function of_void(a account) returns void language sql as 'select';
create function email(a account) returns text language sql stable as $$ select 'never' $$;

create role reader_of_columns; grant reader_of_columns to current_user;
grant usage on schema other, auth to anon, reader_of_columns;
grant all on account, post to anon;
grant select (id, email) on account to reader_of_columns; grant select on post to reader_of_columns;
""".replace(
    "create role reader_of_columns; grant",
    """do $$ begin create role reader_of_columns;
  exception when duplicate_object or unique_violation then null; end $$; grant""",
)
SETTINGS = {"api_schemas": ("public", "other", "auth")}


@pytest.fixture(params=["standard", "pg_graphql"])
def api(reading_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return reading_api(SCHEMA, graphql_dialect=request.param, **SETTINGS)


def of_accounts(api: Api, selection: str, key: str | None = None) -> list[Any]:
    """The results of the three accounts under ``key``, the first word of the selection."""
    edges = api.ask(f"{{ accountCollection {{ edges {{ node {{ {selection} }} }} }} }}").data["accountCollection"][
        "edges"
    ]
    return [each["node"][key or selection.split()[0].split("(")[0]] for each in edges]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("shout", ["A@X", "B@X", None]),
        ("plain", ["a@x", "b@x", None]),
        ("doubled", ["20", None, None]),
        ("exact", ["1.50"] * 3),
        ("copied", ['{"k": [1]}', None, None]),
        ("words", [["x", "a@x"], ["x", "b@x"], ["x", None]]),
        ("numbers", [[1, None], [2, None], [3, None]]),
        ("bigs", [["10"], [None], [None]]),
        ("feeling", ["BLUE", "happy", None]),
        ("far", [1] * 3),
        ("near", [2] * 3),
        ("renamed", [3] * 3),
        # A function takes precedence over a column of its name.
        ("email", ["never"] * 3),
        ("first_post { id shout }", [{"id": 1, "shout": "POST 1"}, {"id": 6, "shout": "POST 6"}, None]),
        ("last_post { id }", [{"id": 5}, {"id": 7}, None]),
        ("null_post { id }", [None] * 3),
        ("half_post { id title }", [{"id": id_, "title": None} for id_ in (1, 2, 3)]),
        ("itself { id __typename }", [{"id": id_, "__typename": "account"} for id_ in (1, 2, 3)]),
    ],
)
def test_computed_fields_return_their_results(api: Api, field: str, expected: list[Any]) -> None:
    assert of_accounts(api, field) == expected


def test_pg_graphql_has_volatile_computed_fields(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, graphql_dialect="pg_graphql", **SETTINGS)
    assert of_accounts(api, "changing") == ["a@x~", "b@x~", None]


@pytest.mark.parametrize(
    ("dialect", "name"), [("standard", "posts"), ("pg_graphql", "posts"), ("pg_graphql", "volatile_posts")]
)
def test_a_set_is_a_connection_with_all_arguments(reading_api: StartApi, dialect: str, name: str) -> None:
    api = reading_api(SCHEMA, graphql_dialect=dialect, **SETTINGS)
    arguments = "first: 2, offset: 1, filter: {id: {gt: 1}}, orderBy: [{title: DescNullsLast}]"
    selection = "totalCount edges { cursor node { id } } pageInfo { hasNextPage } aggregate { count min { id } }"
    first, second, third = of_accounts(api, f"{name}({arguments}) {{ {selection} }}", name)
    assert [each["node"]["id"] for each in first["edges"]] == [4, 3]
    assert (first["totalCount"], first["pageInfo"], first["aggregate"]) == (
        4, {"hasNextPage": True}, {"count": 4, "min": {"id": 2}}
    )  # fmt: skip
    assert [each["node"]["id"] for each in second["edges"]] == [6]
    assert third == {
        "totalCount": 0, "edges": [], "pageInfo": {"hasNextPage": False}, "aggregate": {"count": 0, "min": {"id": None}}
    }  # fmt: skip
    after = first["edges"][0]["cursor"]
    onward = f'{name}(after: "{after}", orderBy: [{{title: DescNullsLast}}]) {{ edges {{ node {{ id }} }} }}'
    assert [each["node"]["id"] for each in of_accounts(api, onward, name)[0]["edges"]] == [3, 2, 1]


@pytest.mark.parametrize("selection", ["__typename", "totalCount", "totalCount edges { node { id } }"])
def test_a_volatile_set_runs_once_for_each_row(start_api: StartApi, postgres: PostgresServer, selection: str) -> None:
    api = start_api(
        """
      create table t (id int primary key); insert into t values (1), (2);
      create table u (id int primary key); insert into u values (1);
      comment on table u is '@graphql({"totalCount": {"enabled": true}})';
      create sequence calls;
      create function us(t t) returns setof u language plpgsql volatile as
        $$ begin perform nextval('calls'); return query select * from u; end $$;
      grant all on t, u, calls to anon""",
        graphql_dialect="pg_graphql",
    )
    answer = api.ask(f"mutation {{ deleteFromtCollection(atMost: 2) {{ records {{ us {{ {selection} }} }} }} }}")
    assert len(answer.data["deleteFromtCollection"]["records"]) == 2
    assert postgres.execute("select last_value from calls", api.database_url) == [[2]]


def test_pages_of_a_set_end_where_those_of_its_relation_do(api: Api) -> None:
    first, *_ = of_accounts(api, "posts { edges { node { id } } }")
    assert [each["node"]["id"] for each in first["edges"]] == [1, 2, 3]


def test_computed_fields_exist_on_all_rows(api: Api) -> None:
    answer = api.ask("""{
      postCollection(first: 1) { edges { node {
        shout account { shout posts(first: 1) { edges { node { shout } } } } } } }
      accountByPk(id: 2) { shout first_post { account { last_post { shout } } } }
      node(nodeId: "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDFd") { ... on account { shout } }
    }""").data
    node = answer["postCollection"]["edges"][0]["node"]
    assert node == {
        "shout": "POST 1",
        "account": {"shout": "A@X", "posts": {"edges": [{"node": {"shout": "POST 1"}}]}},
    }
    assert answer["accountByPk"] == {"shout": "B@X", "first_post": {"account": {"last_post": {"shout": "POST 7"}}}}
    assert answer["node"] == {"shout": "A@X"}


def test_computed_fields_exist_on_records(start_api: StartApi) -> None:
    api = start_api(SCHEMA, **SETTINGS)
    fields = "id shout words posts { totalCount } first_post { id } itself { shout }"
    inserted = api.ask(
        f'mutation {{ insertIntoaccountCollection(objects: {{id: 9, email: "n"}}) {{ records {{ {fields} }} }} }}'
    ).data["insertIntoaccountCollection"]["records"]
    assert inserted == [
        {
            "id": 9, "shout": "N", "words": ["x", "n"], "posts": {"totalCount": 0}, "first_post": None,
            "itself": {"shout": "N"},
        }
    ]  # fmt: skip
    arguments = 'set: {email: "u"}, filter: {id: {eq: 1}}'
    updated = api.ask(f"mutation {{ updateaccountCollection({arguments}) {{ records {{ {fields} }} }} }}")
    record = updated.data["updateaccountCollection"]["records"][0]
    assert (record["shout"], record["posts"], record["itself"]) == ("U", {"totalCount": 5}, {"shout": "U"})
    deleted = api.ask(
        f"mutation {{ deleteFromaccountCollection(filter: {{id: {{eq: 9}}}}) {{ records {{ {fields} }} }} }}"
    )
    assert deleted.data["deleteFromaccountCollection"]["records"][0]["shout"] == "N"


@pytest.mark.parametrize(
    "name", ["nowhere", "revoked", "with_argument", "of_table", "of_numbers", "of_record", "of_void", "_shout"]
)
def test_other_functions_are_no_computed_fields(api: Api, name: str) -> None:
    answer = api.ask(f"{{ accountCollection {{ edges {{ node {{ {name} }} }} }} }}")
    assert answer.body.get("data") is None
    assert name in answer.message


def test_reading_only_some_columns_is_not_enough(api: Api) -> None:
    answer = api.ask("{ accountCollection { edges { node { id email } } } }", role="reader_of_columns")
    assert answer.data
    hidden = api.ask("{ accountCollection { edges { node { shout } } } }", role="reader_of_columns")
    assert "shout" in hidden.message
    assert api.ask("{ postCollection(first: 1) { edges { node { shout } } } }", role="reader_of_columns").data


def test_an_error_fails_the_whole_request(api: Api) -> None:
    answer = api.ask("{ accountCollection { edges { node { id fails } } } postCollection { totalCount } }")
    assert answer.body["data"] is None
    assert (answer.message, answer.code) == ("division by zero", "DIVISION_BY_ZERO")


def test_introspection_has_their_types(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, **SETTINGS)
    fields = api.ask("""{ __type(name: "account") { fields { name description args { name }
      type { kind name ofType { kind name } } } } }""").data["__type"]["fields"]
    by_name = {each["name"]: each for each in fields}
    assert by_name["numbers"]["type"] == {"kind": "LIST", "name": None, "ofType": {"kind": "SCALAR", "name": "Int"}}
    assert by_name["posts"]["type"]["name"] == "postConnection"
    assert len(by_name["posts"]["args"]) == 8
    assert by_name["first_post"]["type"] == {"kind": "OBJECT", "name": "post", "ofType": None}
    assert by_name["last_post"]["type"]["name"] == "post"
    assert by_name["feeling"]["type"]["name"] == "mood"
    assert by_name["renamed"]["description"] == "What it does"
    names = [each["name"] for each in fields]
    assert names.index("mood") < names.index("postCollection") < names.index("shout")


def test_views_and_quoted_names_have_computed_fields(start_api: StartApi) -> None:
    api = start_api("""
      comment on schema public is '@graphql({"inflect_names": true})';
      create table "Mixed Table" ("Id" int primary key, "select" text, gone int);
      alter table "Mixed Table" drop column gone;
      alter table "Mixed Table" add column later int default 5;
      comment on table "Mixed Table" is '@graphql({"name": "Mixed"})';
      insert into "Mixed Table" values (1, 'x');
      create view seen as select "Id" as id, "select" from "Mixed Table";
      comment on view seen is '@graphql({"primary_key_columns": ["id"]})';
      create function _the_text("row" "Mixed Table") returns text language sql stable as
        'select "row"."select" || "row".later';
      create function the_text(s seen) returns text language sql stable as 'select s."select"';
      create function same(m "Mixed Table") returns setof "Mixed Table" language sql stable as
        'select * from "Mixed Table" t where t."Id" = m."Id"';
      grant all on all tables in schema public to anon""")
    answer = api.ask("""{
      mixedCollection { edges { node { theText same { edges { node { theText select later } } } } } }
      seenCollection { edges { node { theText } } } }""").data
    assert answer["mixedCollection"]["edges"][0]["node"] == {
        "theText": "x5", "same": {"edges": [{"node": {"theText": "x5", "select": "x", "later": 5}}]}
    }  # fmt: skip
    assert answer["seenCollection"]["edges"] == [{"node": {"theText": "x"}}]
    fields = "theText same { edges { node { later } } }"
    changed = api.ask(f'mutation {{ updateMixedCollection(set: {{select: "y"}}) {{ records {{ {fields} }} }} }}')
    assert changed.data["updateMixedCollection"]["records"][0]["theText"] == "y5"
