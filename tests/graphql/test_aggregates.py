"""Aggregates of collections: which exist, for which columns, and their results."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLObjectType

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create type mood as enum ('sad', 'happy');
create domain positive as int check (value > 0);
create table author (id int primary key, name text);
create table book (
  id int primary key, author_id int references author, int2 smallint, int4 int, int8 bigint, float4 real, float8 float8,
  "numeric" numeric, money money, text text, "varchar" varchar, "char" char(3), bpchar bpchar, "name" name,
  "letter" "char",
  date date, "time" time, "timetz" timetz, "timestamp" timestamp, "timestamptz" timestamptz,
  "boolean" boolean, uuid uuid,
  mood mood, json json, jsonb jsonb, ints int[], "positive" positive, bytea bytea, "interval" interval, "inet" inet
);
create table plain (id int primary key);
create table words (id uuid primary key, flag boolean);
comment on table author is '@graphql({"totalCount": {"enabled": true}})';
comment on table book is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}, "max_rows": 2})';
comment on table words is '@graphql({"aggregate": {"enabled": true}})';
insert into author values (1, 'Ann'), (2, 'Bob'), (3, 'Cy');
insert into book select i, 1 + i % 2, i, i * 10, 4611686018427387904, i / 2.0, i / 2.0, i + 0.10, i, 't' || i, 'v' || i,
  'c' || i, 'b' || i, 'n' || i, 'x', '2020-01-01'::date + i, '10:00'::time + i * interval '1 minute', '10:00+00',
  '2020-01-01'::timestamp + i * interval '1 day', '2020-01-01 00:00+00'::timestamptz + i * interval '1 day', true,
  '00000000-0000-0000-0000-000000000001', 'sad', '1', '1', '{1}', 1, '', '1 day', '::1'
  from generate_series(1, 5) i;
grant all on all tables in schema public to anon;
do $$ begin create role some_columns; exception when duplicate_object or unique_violation then null; end $$;
grant some_columns to current_user;
grant select (id, int4, text) on book to some_columns;
"""
NUMBERS = ["id", "author_id", "int2", "int4", "int8", "float4", "float8", "numeric", "money"]
ORDERED = [
    *NUMBERS,
    "text",
    "varchar",
    "char",
    "bpchar",
    "name",
    "letter",
    "date",
    "time",
    "timetz",
    "timestamp",
    "timestamptz",
]


@pytest.fixture(params=["standard", "pg_graphql"])
def api(reading_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return reading_api(SCHEMA, graphql_dialect=request.param, graphql_features="-groups")


def aggregate(api: Api, selection: str, arguments: str = "") -> Any:
    query = f"{{ bookCollection{arguments} {{ aggregate {{ {selection} }} }} }}"
    return api.ask(query).data["bookCollection"]["aggregate"]


def fields(api: Api, type_name: str, role: str = "anon") -> dict[str, str]:
    graphql = api.application.services.engine.role_schemas.of_role(role).graphql
    type_ = graphql.type_map[type_name]
    assert isinstance(type_, GraphQLObjectType)
    return {name: str(field.type) for name, field in type_.fields.items()}


def test_aggregates_exist_for_columns_of_fitting_types(api: Api) -> None:
    assert fields(api, "bookAggregate") == {
        "count": "Int!", "sum": "bookSumAggregateResult!", "avg": "bookAvgAggregateResult!",
        "min": "bookMinAggregateResult!", "max": "bookMaxAggregateResult!",
    }  # fmt: skip
    assert list(fields(api, "bookSumAggregateResult")) == NUMBERS
    assert list(fields(api, "bookAvgAggregateResult")) == NUMBERS
    assert list(fields(api, "bookMinAggregateResult")) == ORDERED
    assert list(fields(api, "bookMaxAggregateResult")) == ORDERED
    # No column that can be added up or compared; booleans cannot.
    assert fields(api, "wordsAggregate") == {"count": "Int!"}


def test_aggregates_declare_their_types(api: Api) -> None:
    assert fields(api, "bookSumAggregateResult") == {
        **dict.fromkeys(["id", "author_id", "int2", "int4", "int8"], "BigInt"),
        **dict.fromkeys(["float4", "float8", "numeric", "money"], "BigFloat"),
    }
    assert set(fields(api, "bookAvgAggregateResult").values()) == {"BigFloat"}
    for name in ("bookMinAggregateResult", "bookMaxAggregateResult"):
        assert fields(api, name) == {
            **dict.fromkeys(["id", "author_id", "int2", "int4"], "Int"),
            "int8": "BigInt",
            **dict.fromkeys(["float4", "float8", "numeric", "money"], "BigFloat"),
            **dict.fromkeys(["text", "varchar", "char", "bpchar", "name", "letter"], "String"),
            "date": "Date", "time": "Time", "timetz": "Time", "timestamp": "Datetime", "timestamptz": "Datetime",
        }  # fmt: skip


def test_aggregates_of_numbers_are_json_numbers(api: Api) -> None:
    assert aggregate(api, f"count sum {{ {' '.join(NUMBERS[2:])} }} avg {{ {' '.join(NUMBERS[2:])} }}") == {
        "count": 5,
        "sum": {"int2": 15, "int4": 150, "int8": 23058430092136939520, "float4": 7.5, "float8": 7.5,
                "numeric": 15.5, "money": 15},
        "avg": {"int2": 3, "int4": 30, "int8": 4611686018427387904, "float4": 1.5, "float8": 1.5,
                "numeric": 3.1, "money": 3},
    }  # fmt: skip


def test_min_and_max_are_the_least_and_the_greatest_value(api: Api) -> None:
    selection = " ".join(ORDERED[2:])
    answer = aggregate(api, f"min {{ {selection} }} max {{ {selection} }}")
    assert answer["min"] == {
        "int2": 1, "int4": 10, "int8": 4611686018427387904, "float4": 0.5, "float8": 0.5, "numeric": 1.1, "money": 1,
        "text": "t1", "varchar": "v1", "char": "c1 ", "bpchar": "b1", "name": "n1", "letter": "x", "date": "2020-01-02",
        "time": "10:01:00", "timetz": "10:00:00+00", "timestamp": "2020-01-02T00:00:00",
        "timestamptz": "2020-01-02T00:00:00+00:00",
    }  # fmt: skip
    assert answer["max"]["text"] == "t5"
    assert answer["max"]["timestamptz"] == "2020-01-06T00:00:00+00:00"


def test_aggregates_of_no_rows_are_null(api: Api) -> None:
    selection = "count sum { int4 } avg { int4 float8 } min { text date } max { int8 }"
    assert aggregate(api, selection, "(filter: {id: {eq: 99}})") == {
        "count": 0, "sum": {"int4": None}, "avg": {"int4": None, "float8": None},
        "min": {"text": None, "date": None}, "max": {"int8": None},
    }  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    ["", "(first: 1)", "(first: 0)", "(last: 1)", "(first: 2, offset: 3)", '(after: "WzRd")', '(before: "WzFd")'],
)
def test_aggregates_ignore_pages(api: Api, arguments: str) -> None:
    assert aggregate(api, "count sum { id }", arguments) == {"count": 5, "sum": {"id": 15}}


def test_aggregates_follow_filters(api: Api) -> None:
    assert aggregate(api, "count sum { id }", "(first: 1, filter: {id: {gt: 2}})") == {"count": 3, "sum": {"id": 12}}
    relaxed = '(filter: {or: [{id: {eq: 1}}, {text: {eq: "t5"}}]})'
    assert aggregate(api, "count max { id }", relaxed) == {"count": 2, "max": {"id": 5}}


def test_nested_aggregates_stand_beside_other_fields(api: Api) -> None:
    answer = api.ask("""{ authorCollection { totalCount edges { node { name
      bookCollection(first: 1, filter: {id: {lt: 5}}) {
        aggregate { count sum { id } } totalCount edges { node { id } } pageInfo { hasNextPage } } } } } }""").data
    nodes = [each["node"]["bookCollection"] for each in answer["authorCollection"]["edges"]]
    assert nodes == [
        {"aggregate": {"count": 2, "sum": {"id": 6}}, "totalCount": 2, "edges": [{"node": {"id": 2}}],
         "pageInfo": {"hasNextPage": True}},
        {"aggregate": {"count": 2, "sum": {"id": 4}}, "totalCount": 2, "edges": [{"node": {"id": 1}}],
         "pageInfo": {"hasNextPage": True}},
        {"aggregate": {"count": 0, "sum": {"id": None}}, "totalCount": 0, "edges": [],
         "pageInfo": {"hasNextPage": False}},
    ]  # fmt: skip


def test_aliases_and_type_names_work_on_all_levels(api: Api) -> None:
    answer = api.ask("""{ bookCollection {
      a: aggregate { t: __typename n: count s: sum { __typename x: id y: id } s2: sum { id } }
                                           b: aggregate { m: max { id } } } }""").data["bookCollection"]
    assert answer == {
        "a": {
            "t": "bookAggregate",
            "n": 5,
            "s": {"__typename": "bookSumAggregateResult", "x": 15, "y": 15},
            "s2": {"id": 15},
        },
        "b": {"m": {"id": 5}},
    }


@pytest.mark.parametrize("selection", ["__typename", "sum { __typename }", "min { __typename } __typename"])
@pytest.mark.parametrize("arguments", ["", "(filter: {id: {eq: 99}})"])
def test_type_names_alone_can_be_selected(api: Api, selection: str, arguments: str) -> None:
    answer = aggregate(api, selection, arguments)
    assert answer == {
        name: {"__typename": f"book{name.capitalize()}AggregateResult"} if name != "__typename" else "bookAggregate"
        for name in selection.replace("{ __typename }", "").split()
    }


def test_aggregates_cover_only_readable_columns(api: Api) -> None:
    assert list(fields(api, "bookSumAggregateResult", "some_columns")) == ["id", "int4"]
    assert list(fields(api, "bookMaxAggregateResult", "some_columns")) == ["id", "int4", "text"]
    query = "{ bookCollection { aggregate { count sum { %s } } } }"
    assert api.ask(query % "int4", role="some_columns").data["bookCollection"]["aggregate"]["sum"] == {"int4": 150}
    assert "int8" in api.ask(query % "int8", role="some_columns").message


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ("aggregate { min { uuid } }", 'Unknown or invalid field "uuid" selected on type "bookMinAggregateResult"'),
        (
            "aggregate { min { boolean } }",
            'Unknown or invalid field "boolean" selected on type "bookMinAggregateResult"',
        ),
        ("aggregate { sum { text } }", 'Unknown or invalid field "text" selected on type "bookSumAggregateResult"'),
        ("aggregate { median { id } }", 'Unknown field "median" selected on type "bookAggregate"'),
    ],
)
def test_pg_graphql_has_its_own_messages(reading_api: StartApi, selection: str, message: str) -> None:
    relaxed = reading_api(SCHEMA, graphql_dialect="pg_graphql")
    assert relaxed.ask(f"{{ bookCollection {{ {selection} }} }}").message == message
    assert reading_api(SCHEMA).ask(f"{{ bookCollection {{ {selection} }} }}").code == "GRAPHQL_VALIDATION_FAILED"


def test_aggregates_exist_only_if_enabled(reading_api: StartApi) -> None:
    relaxed = reading_api(SCHEMA, graphql_dialect="pg_graphql")
    for name in ("plain", "author"):
        answer = relaxed.ask(f"{{ {name}Collection {{ aggregate {{ count }} }} }}")
        assert answer.message == "enable the aggregate directive to use aggregates"
    graphql = reading_api(SCHEMA).application.services.engine.role_schemas.of_role("anon").graphql
    assert not [name for name in graphql.type_map if "Aggregate" in name and not name.startswith(("book", "words"))]


@pytest.mark.parametrize("directive", ['{"aggregate": {"enabled": false}}', '{"aggregate": {}}'])
def test_a_directive_without_enabled_has_no_effect(start_api: StartApi, directive: str) -> None:
    api = start_api(f"""create table t (id int primary key); grant all on t to anon;
                        comment on table t is '@graphql({directive})'""")
    assert api.ask("{ tCollection { aggregate { count } } }").errors


def test_results_of_functions_and_views_have_aggregates(start_api: StartApi) -> None:
    api = start_api("""
      create table t (id int primary key, n int); insert into t values (1, 5), (2, 6), (3, 7);
      create view v as select id, n from t; create materialized view mv as select id, n from t;
      comment on table t is '@graphql({"aggregate": {"enabled": true}})';
      comment on view v is '@graphql({"primary_key_columns": ["id"], "aggregate": {"enabled": true}})';
      comment on materialized view mv is '@graphql({"primary_key_columns": ["id"], "aggregate": {"enabled": true}})';
      create function odd() returns setof t language sql stable as 'select * from t where id % 2 = 1';
      grant select on t, v, mv to anon""")
    answer = api.ask("""{ odd(filter: {n: {gt: 5}}) { aggregate { count sum { n } } }
      vCollection { aggregate { max { n } } } mvCollection { aggregate { avg { n } } } }""").data
    assert answer == {
        "odd": {"aggregate": {"count": 1, "sum": {"n": 7}}},
        "vCollection": {"aggregate": {"max": {"n": 7}}},
        "mvCollection": {"aggregate": {"avg": {"n": 6}}},
    }


def test_aggregates_respect_row_level_security(start_api: StartApi) -> None:
    api = start_api("""
      create table t (id int primary key); insert into t values (1), (2), (3); grant select on t to anon;
      comment on table t is '@graphql({"aggregate": {"enabled": true}})';
      alter table t enable row level security; create policy visible on t using (id > 1)""")
    assert api.ask("{ tCollection { aggregate { count min { id } } } }").data["tCollection"]["aggregate"] == {
        "count": 2, "min": {"id": 2}
    }  # fmt: skip


def test_aggregates_equal_those_of_sql_for_each_type(start_api: StartApi) -> None:
    api = start_api("""
      create table word (id int primary key, v varchar(9)); insert into word values (1, 'a'), (2, 'b');
      comment on table word is '@graphql({"aggregate": {"enabled": true}})';
      create function mine(text, varchar) returns text language sql immutable as $$ select 'mine' $$;
      create aggregate max(varchar) (sfunc = mine, stype = text);
      grant select on word to anon""")
    assert api.ask("{ wordCollection { aggregate { max { v } } } }").data == {
        "wordCollection": {"aggregate": {"max": {"v": "b"}}}
    }
