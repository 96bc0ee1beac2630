"""Values of every type as inputs: they arrive unchanged or are refused; nothing is truncated or half done."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from tests.graphql.api import ANON_KEY, Answer, Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create type mood as enum ('sad', 'happy');
comment on type mood is '@graphql({"mappings": {"sad": "BLUE"}})';
create domain short as varchar(3);
create domain positive as int check (value > 0);
create domain shorts as varchar(3)[];
create type two as (a int, b text);
create domain pair as two;
create table item (
  id int primary key, bit3 bit(3), varbit3 bit varying(3), varchar3 varchar(3), char3 char(3), onechar "char",
  "name" name, numeric52 numeric(5,2), anynumeric numeric, short short, positive positive, mood mood, boolean boolean,
  int2 smallint, int4 int, int8 bigint, float4 real, float8 double precision, money money,
  json json, jsonb jsonb, uuid uuid, bytea bytea, "interval" interval, "range" int4range, inet inet,
  point point, "date" date, "time" time, "timestamp" timestamp, "timestamptz" timestamptz,
  "timetz" timetz,
  ints int[], bigs bigint[], texts text[], varchars varchar(3)[], chars char(3)[], bits bit(3)[], moods mood[],
  jsons jsonb[], shortlist short[], shorts shorts, booleans boolean[], uuids uuid[], floats float8[],
  box box, boxes box[], pair pair, vec int2vector, oids oidvector, vecs int2vector[]
);
grant all on item to anon;
"""
UUID = "00000000-0000-0000-0000-00000000000a"

ACCEPTED = [
    ("bit3", "101", "101"),
    ("varbit3", "10", "10"),
    ("varchar3", "abc", "abc"),
    ("varchar3", "äöü", "äöü"),
    ("varchar3", "", ""),
    ("char3", "ab", "ab "),
    ("onechar", "x", "x"),
    ("name", "n" * 63, "n" * 63),
    ("numeric52", "999.99", "999.99"),
    ("numeric52", "1.239", "1.24"),
    ("anynumeric", "1" * 60 + ".5", "1" * 60 + ".5"),
    ("anynumeric", "NaN", "NaN"),
    ("short", "abc", "abc"),
    ("positive", 5, 5),
    ("mood", "BLUE", "BLUE"),
    ("mood", "happy", "happy"),
    ("boolean", False, False),
    ("int2", -32768, -32768),
    ("int4", 2147483647, 2147483647),
    ("int8", "9223372036854775807", "9223372036854775807"),
    ("int8", 12, "12"),
    ("float4", 0.5, 0.5),
    ("float8", 1e300, 1e300),
    ("float8", 3, 3),
    ("money", "1.50", "$1.50"),
    ("json", '{"b": 1,  "a": [null]}', '{"b": 1,  "a": [null]}'),
    ("jsonb", '{"b": 1,  "a": [null]}', '{"a": [null], "b": 1}'),
    ("uuid", UUID, UUID),
    ("bytea", "\\x00ff", "\\x00ff"),
    ("interval", "1 day", "1 day"),
    ("range", "[1,3)", "[1,3)"),
    ("inet", "::1", "::1"),
    ("point", "(1,2)", "(1,2)"),
    ("box", "(1,1),(0,0)", "(1,1),(0,0)"),
    ("boxes", ["(1,1),(0,0)", None, "(2,2),(0,0)"], ["(1,1),(0,0)", None, "(2,2),(0,0)"]),
    ("pair", "(1,x)", {"a": 1, "b": "x"}),
    ("date", "2020-02-29", "2020-02-29"),
    ("time", "12:34:56.789", "12:34:56.789"),
    ("timestamp", "2020-01-01T00:00:00", "2020-01-01T00:00:00"),
    ("timestamptz", "2020-01-01T02:00:00+02:00", "2020-01-01T00:00:00+00:00"),
    ("timetz", "12:00:00+01", "12:00:00+01"),
    ("ints", [1, None, -3], [1, None, -3]),
    ("ints", [], []),
    ("ints", 4, [4]),
    ("bigs", ["5", 6], ["5", "6"]),
    ("texts", ["NULL", "", 'a"b\\c', "{x,y}", None, " ", "ü"], ["NULL", "", 'a"b\\c', "{x,y}", None, " ", "ü"]),
    ("varchars", ["abc", None], ["abc", None]),
    ("chars", ["ab"], ["ab "]),
    ("bits", ["101"], ["101"]),
    ("moods", ["BLUE", None, "happy"], ["BLUE", None, "happy"]),
    ("jsons", ['{"a": 1}', "2", None], ['{"a": 1}', "2", None]),
    ("shortlist", ["abc"], ["abc"]),
    ("booleans", [True, False], [True, False]),
    ("uuids", [UUID], [UUID]),
    ("floats", [1.5, 2], [1.5, 2]),
    ("vec", [1, -2], [1, -2]),
    ("vec", [], []),
    ("vec", 3, [3]),
    ("oids", [4294967295, "7"], ["4294967295", "7"]),
    ("vecs", [[1, 2], [3], None], [[1, 2], [3], None]),
]
REFUSED = [
    ("bit3", "1011", "bit string length 4 does not match type bit(3)", "22026"),
    ("bit3", "10", "bit string length 2 does not match type bit(3)", "22026"),
    ("varbit3", "1011", "bit string too long for type bit varying(3)", "22001"),
    ("varchar3", "abcd", "Invalid input for String type. Maximum character length 3", None),
    ("varchar3", "abc ", "Invalid input for String type. Maximum character length 3", None),
    ("char3", "abcd", "Invalid input for String type. Maximum character length 3", None),
    ("onechar", "xy", "Maximum", None),
    ("name", "n" * 64, "Maximum", None),
    ("numeric52", "1000", "numeric field overflow", "22003"),
    ("numeric52", 1.5, "Invalid input for BigFloat type. String required", None),
    ("anynumeric", "1,5", 'invalid input syntax for type numeric: "1,5"', "22P02"),
    ("short", "abcd", "value too long for type character varying(3)", "22001"),
    ("positive", 0, 'value for domain positive violates check constraint "positive_check"', "23514"),
    ("mood", "sad", "mood", None),
    ("mood", "bogus", "mood", None),
    ("mood", 1, "mood", None),
    ("boolean", "true", "Boolean", None),
    ("boolean", 1, "Boolean", None),
    ("int2", 32768, 'value "32768" is out of range for type smallint', "22003"),
    ("int4", 2147483648, "Int|value \"2147483648\" is out of range for type integer", "22003"),
    ("int4", 1.5, "Int", None),
    ("int4", "1", "Int", None),
    ("int4", True, "Int", None),
    ("int8", "9223372036854775808", 'value "9223372036854775808" is out of range for type bigint', "22003"),
    ("int8", 1.5, 'invalid input syntax for type bigint: "1.5"', "22P02"),
    ("int8", True, "BigInt", None),
    ("float8", "1.5", "Float", None),
    ("float4", 1e300, "out of range for type real", "22003"),
    ("json", "{broken", "invalid input syntax for type json", "22P02"),
    ("json", {"a": 1}, "JSON", None),
    ("jsonb", "", "invalid input syntax for type json", "22P02"),
    ("uuid", "x", 'invalid input syntax for type uuid: "x"', "22P02"),
    ("uuid", 5, "UUID", None),
    ("date", "2021-02-29", 'date/time field value out of range: "2021-02-29"', "22008"),
    ("timestamptz", "soon", 'invalid input syntax for type timestamp with time zone: "soon"', "22007"),
    ("range", "[3,1)", "range lower bound must be less than or equal to range upper bound", "22000"),
    ("inet", "x", 'invalid input syntax for type inet: "x"', "22P02"),
    ("ints", ["x"], "Int", None),
    ("ints", [[1]], "Int", None),
    ("ints", [2147483648], "Int|value \"2147483648\" is out of range for type integer", "22003"),
    ("varchars", ["abcd"], "Maximum|value too long for type character varying(3)", "22001"),
    ("chars", ["abcd"], "Maximum|value too long for type character(3)", "22001"),
    ("bits", ["1011"], "bit string length 4 does not match type bit(3)", "22026"),
    ("moods", ["bogus"], "mood", None),
    ("shortlist", ["abcd"], "value too long for type character varying(3)", "22001"),
    ("shorts", "{abcd}", "value too long for type character varying(3)", "22001"),
    ("vec", [32768], 'value "32768" is out of range for type smallint', "22003"),
    ("vec", ["1"], "Int", None),
    ("vec", [1, None], "Invalid input for list type. A vector has no nulls", None),
    ("oids", ["x"], 'invalid input syntax for type oid: "x"', "22P02"),
    ("texts", ["a\x00b"], 'invalid byte sequence for encoding "UTF8": 0x00', "22021"),
    ("varchar3", "\x00", 'invalid byte sequence for encoding "UTF8": 0x00', "22021"),
    ("varchar3", "\ud800", "A string of the request is not valid Unicode", None),
]  # fmt: skip

INSERT = "mutation ($objects: [itemInsertInput!]!) { insertIntoitemCollection(objects: $objects) { records { %s } } }"
UPDATE = (
    "mutation ($set: itemUpdateInput!) { updateitemCollection(set: $set, filter: {id: {eq: 1}}) { records { %s } } }"
)


def answers(api: Api, column: str, value: Any) -> list[Answer]:
    """The results of an insert, a bulk insert and an update with the value."""
    one = api.ask(INSERT % column, {"objects": {"id": 1, column: value}})
    many = api.ask(INSERT % column, {"objects": [{"id": id_, column: value} for id_ in (2, 3)]})
    return [one, many, api.ask(UPDATE % column, {"set": {column: value}})]


@pytest.fixture(params=["standard", "pg_graphql"])
def api(writing_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return writing_api(SCHEMA, "truncate item", graphql_dialect=request.param)


@pytest.mark.parametrize(("column", "value", "expected"), ACCEPTED)
def test_a_value_arrives_as_it_is(api: Api, column: str, value: Any, expected: Any) -> None:
    one, many, updated = answers(api, column, value)
    assert one.data["insertIntoitemCollection"]["records"] == [{column: expected}]
    assert many.data["insertIntoitemCollection"]["records"] == [{column: expected}] * 2
    assert updated.data["updateitemCollection"]["records"] == [{column: expected}]


@pytest.mark.parametrize(("column", "value", "message", "sqlstate"), REFUSED)
def test_a_value_that_does_not_fit_is_refused(
    api: Api, postgres: PostgresServer, column: str, value: Any, message: str, sqlstate: str | None
) -> None:
    postgres.execute("insert into item (id) values (1)", api.database_url)
    before = postgres.execute("select * from item", api.database_url)
    for answer in answers(api, column, value):
        # A row with this id exists; the value is refused before that matters.
        reported = answer.errors[0]
        assert any(part in reported["message"] for part in message.split("|")), answer.body
        assert reported["extensions"].get("sqlstate") in (sqlstate, None)
        assert answer.body.get("data") is None
    assert postgres.execute("select * from item", api.database_url) == before


@pytest.mark.parametrize(
    ("type_", "value", "other"),
    [
        ("bit(3)", "101", "1011"),
        ("bit(3)", "100", "1"),
        ("bit varying(3)", "101", "1011"),
        ("varchar(3)", "abc", "abcd"),
        ("char(3)", "abc", "abcd"),
    ],
)
def test_a_value_that_would_be_truncated_does_not_find_another_row(
    start_api: StartApi, postgres: PostgresServer, type_: str, value: str, other: str
) -> None:
    api = start_api(
        f"create table t (id {type_} primary key, same {type_}); insert into t values ('{value}', '{value}');"
        "grant all on t to anon"
    )
    node_id = b64encode(json.dumps(["public", "t", other]).encode()).decode()
    for filter_ in (f'{{same: {{eq: "{other}"}}}}', f'{{nodeId: {{eq: "{node_id}"}}}}'):
        answer = api.ask(f"mutation {{ deleteFromtCollection(filter: {filter_}) {{ affectedCount }} }}")
        assert answer.body["data"] in (None, {"deleteFromtCollection": {"affectedCount": 0}})
    assert api.ask(f'{{ node(nodeId: "{node_id}") {{ nodeId }} }}').body["data"] in (None, {"node": None})
    assert postgres.execute("select count(*) from t", api.database_url) == [[1]]
    right = api.ask(f'mutation {{ deleteFromtCollection(filter: {{same: {{eq: "{value}"}}}}) {{ affectedCount }} }}')
    assert right.data == {"deleteFromtCollection": {"affectedCount": 1}}


def test_null_is_null_in_every_type(api: Api) -> None:
    columns = sorted({column for column, *_ in ACCEPTED})
    nulls = dict.fromkeys(columns)
    query = INSERT % " ".join(columns)
    for objects, count in (({"id": 1, **nulls}, 1), ([{"id": 2, **nulls}, {"id": 3, **nulls}], 2)):
        records = api.ask(query, {"objects": objects}).data["insertIntoitemCollection"]["records"]
        assert records == [nulls] * count


def test_an_infinite_number_is_refused(api: Api) -> None:
    for literal in ("1e400", "-1e400"):
        answer = api.ask(
            f"mutation {{ insertIntoitemCollection(objects: {{id: 1, float8: {literal}}}) {{ affectedCount }} }}"
        )
        assert answer.body.get("data") is None
        query = INSERT % "id"
        body = f'{{"query": "{query}", "variables": {{"objects": [{{"id": 1, "float8": {literal}}}]}}}}'
        assert api.post(body).body.get("data") is None


@pytest.mark.parametrize("enum", ["happy", '"happy"'])
def test_an_enum_may_be_a_string_where_values_are_not_validated(writing_api: StartApi, enum: str) -> None:
    query = f"mutation {{ insertIntoitemCollection(objects: {{id: 1, mood: {enum}}}) {{ records {{ mood }} }} }}"
    relaxed = writing_api(SCHEMA, "truncate item", graphql_dialect="pg_graphql").ask(query)
    assert relaxed.data["insertIntoitemCollection"]["records"] == [{"mood": "happy"}]
    strict = writing_api(SCHEMA, "truncate item").ask(query)
    assert bool(strict.errors) is (enum == '"happy"')


def test_columns_that_can_be_written_are_inputs(start_api: StartApi) -> None:
    api = start_api(
        """
      create type pair as (a int, b int);
      create table t (
        id int generated by default as identity, always int generated always as identity (sequence name s), old serial,
        doubled int generated always as (plain * 2) stored, plain int, pair pair, "has space" int, "__reserved" int,
        fixed int, primary key (id));
      comment on column t.fixed is '@graphql({"name": "renamed"})';
      grant all on t to anon; grant usage on all sequences in schema public to anon;
    """.replace(" (sequence name s)", "")
    )
    for type_name in ("tInsertInput", "tUpdateInput"):
        answer = api.ask(f'{{ __type(name: "{type_name}") {{ inputFields {{ name type {{ name kind }} }} }} }}')
        assert answer.data["__type"]["inputFields"] == [
            {"name": "plain", "type": {"name": "Int", "kind": "SCALAR"}},
            {"name": "pair", "type": {"name": "pairInput", "kind": "INPUT_OBJECT"}},
            {"name": "renamed", "type": {"name": "Int", "kind": "SCALAR"}},
        ]
    fields = "id always old doubled renamed"
    answer = api.ask(
        f"mutation {{ insertIntotCollection(objects: {{plain: 4, renamed: 5}}) {{ records {{ {fields} }} }} }}"
    )
    assert answer.data["insertIntotCollection"]["records"] == [
        {"id": 1, "always": 1, "old": 1, "doubled": 8, "renamed": 5}
    ]


def test_names_that_need_quoting_work(start_api: StartApi) -> None:
    api = start_api("""
      create schema "Odd Schema";
      create table "Odd Schema"."select" ("Id" int primary key, "order" int, "q""q" int, "p%s" int, "colon:x" int);
      grant usage on schema "Odd Schema" to anon; grant all on "Odd Schema"."select" to anon;
      comment on column "Odd Schema"."select"."q""q" is '@graphql({"name": "quoted"})';
      comment on column "Odd Schema"."select"."p%s" is '@graphql({"name": "percent"})';
      comment on column "Odd Schema"."select"."colon:x" is '@graphql({"name": "colon"})';
    """, api_schemas=("Odd Schema",))  # fmt: skip
    fields = "Id order quoted percent colon"
    row = {"Id": 1, "order": 2, "quoted": 3, "percent": 4, "colon": 5}
    insert = INSERT.replace("item", "select") % fields
    one = api.ask(insert, {"objects": row})
    assert one.data["insertIntoselectCollection"]["records"] == [row]
    rows = [{**row, "Id": id_} for id_ in (2, 3)]
    many = api.ask(insert, {"objects": rows})
    assert many.data["insertIntoselectCollection"]["records"] == rows
    arguments = "set: {order: 9, quoted: 8, percent: 7, colon: 6}, filter: {percent: {eq: 4}, Id: {eq: 1}}"
    updated = api.ask(f"mutation {{ updateselectCollection({arguments}) {{ records {{ {fields} }} }} }}")
    assert updated.data["updateselectCollection"]["records"] == [
        {"Id": 1, "order": 9, "quoted": 8, "percent": 7, "colon": 6}
    ]
    gone = api.ask("mutation { deleteFromselectCollection(filter: {colon: {eq: 6}}) { records { nodeId Id } } }")
    assert gone.data["deleteFromselectCollection"]["records"][0]["Id"] == 1


def test_a_wide_table_can_be_written(start_api: StartApi) -> None:
    columns = [f"c{number}" for number in range(230)]
    declared = ", ".join(f"{name} int" for name in columns)
    api = start_api(f"create table wide (id int primary key, {declared}); grant all on wide to anon")
    row = {"id": 1, **{name: number for number, name in enumerate(columns)}}
    query = INSERT.replace("item", "wide") % " ".join(row)
    for objects in ([row], [{**row, "id": 2}, {**row, "id": 3}]):
        assert api.ask(query, {"objects": objects}).data["insertIntowideCollection"]["records"] == objects


def test_unknown_keys_are_named(writing_api: StartApi) -> None:
    api = writing_api(SCHEMA, "truncate item")
    query = "mutation ($objects: [itemInsertInput!]!) { insertIntoitemCollection(objects: $objects) { affectedCount } }"
    for objects in ({"id": 1, "bogus": 1}, [{"id": 1, "bogus": 1}, {"id": 2, "bogus": 1}]):
        answer = api.ask(query, {"objects": objects})
        assert "bogus" in answer.errors[0]["message"]
        assert answer.errors[0]["extensions"]["code"] == "BAD_USER_INPUT"
    literal = api.ask("mutation { updateitemCollection(set: {bogus: 1, int4: 1}) { affectedCount } }")
    assert "bogus" in literal.message
    relaxed = writing_api(SCHEMA, "truncate item", graphql_dialect="pg_graphql")
    answer = relaxed.ask("mutation { updateitemCollection(set: {bogus: 1, int4: 1, worse: 2}) { affectedCount } }")
    assert answer.message == 'Input for type itemUpdateInput contains extra keys ["bogus", "worse"]'


REQUIRED = """
create domain with_default as text default 'd';
create table plain (id int primary key, name text not null, d text not null default 'x', dom with_default not null,
  n int);
create table filled (id int primary key, name text not null);
create function fill() returns trigger language plpgsql as $$ begin new.name := 'filled'; return new; end $$;
create trigger fill before insert on filled for each row execute function fill();
create table told (id int primary key, name text not null);
create trigger fill after insert on told for each row execute function fill();
create table whole (id int primary key, name text not null) partition by range (id);
create table part partition of whole for values from (0) to (100);
create trigger fill before insert on part for each row execute function fill();
create view seen as select id, name from plain;
comment on view seen is '@graphql({"primary_key_columns": ["id"]})';
grant all on plain, filled, told, whole, seen to anon;
"""


def test_members_that_an_insert_cannot_leave_out_are_not_nullable(writing_api: StartApi) -> None:
    query = """query ($t: String!) { __type(name: $t) { inputFields { name type { kind } } } }"""

    def required(api: Api, table: str) -> list[str]:
        members = api.ask(query, {"t": f"{table}InsertInput"}).data["__type"]["inputFields"]
        return [each["name"] for each in members if each["type"]["kind"] == "NON_NULL"]

    rows = "truncate plain; truncate filled; truncate whole"
    sql = REQUIRED + """comment on schema public is '@graphql({"introspection": true})';"""
    api = writing_api(sql, rows)
    tables = ("plain", "filled", "told", "whole", "seen")
    assert [required(api, table) for table in tables] == [["id", "name"], [], ["id", "name"], [], []]
    peer = writing_api(sql, rows, graphql_dialect="pg_graphql")
    assert [required(peer, table) for table in ("plain", "filled", "told", "seen")] == [[], [], [], []]
    for table in ("filled", "whole"):
        insert = f"mutation {{ insertInto{table}Collection(objects: [{{id: 1}}]) {{ records {{ name }} }} }}"
        assert api.ask(insert).data[f"insertInto{table}Collection"] == {"records": [{"name": "filled"}]}


def test_a_missing_member_is_reported_with_any_known_plan(writing_api: StartApi) -> None:
    """The plan of a bulk insert is not used for objects that lack a required member."""
    api = writing_api(REQUIRED, "truncate plain")
    insert = "mutation ($o: [plainInsertInput!]!) { insertIntoplainCollection(objects: $o) { affectedCount } }"
    assert api.ask(insert, {"o": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]}).data
    for bad in ({"id": 4}, {"id": 4, "name": None}):
        answer = api.ask(insert, {"o": [{"id": 3, "name": "c"}, bad]})
        assert answer.code == "BAD_USER_INPUT", answer.body
    assert api.ask(insert, {"o": [{"id": 3, "name": "c"}, {"id": 4, "name": "d", "n": 1}]}).data


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('{ plainCollection(after: "?") { edges { cursor } } }', "cursor"),
        ('{ node(nodeId: "?") { nodeId } }', "nodeId"),
        ("mutation { updateplainCollection(set: {}) { affectedCount } }", "set: {"),
        ("mutation { updateplainCollection(set: {n: 1}, atMost: -1) { affectedCount } }", "atMost"),
    ],
)
def test_errors_say_what_was_expected(writing_api: StartApi, query: str, expected: str) -> None:
    answer = writing_api(REQUIRED, "truncate plain").ask(query)
    hint = answer.errors[0]["extensions"]["hint"]
    assert hint.startswith("Expected ")
    assert expected in hint
    assert "docs/graphql.md" in hint


def test_json_is_given_as_a_string(writing_api: StartApi) -> None:
    api = writing_api("create table doc (id int primary key, j json); grant all on doc to anon;", "truncate doc")
    insert = "mutation ($j: JSON) { insertIntodocCollection(objects: [{id: 1, j: $j}]) { affectedCount } }"
    message = api.ask(insert, {"j": {"a": 1}}).message
    assert 'Expected a string that holds JSON, such as "{\\"a\\": 1}"' in message


def test_persisted_queries_are_not_supported(writing_api: StartApi) -> None:
    """Clients that send a hash get the error on which they send the text."""
    api = writing_api(REQUIRED, "truncate plain")
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": "0" * 64}}
    answer = api.post(json.dumps({"extensions": extensions}))
    assert (answer.status, answer.message, answer.code) == (
        200, "PersistedQueryNotSupported", "PERSISTED_QUERY_NOT_SUPPORTED"
    )  # fmt: skip
    result = api.client.simulate_get(
        "/graphql/v1", params={"extensions": json.dumps(extensions)}, headers={"apiKey": ANON_KEY}
    )
    assert result.json["errors"][0]["message"] == "PersistedQueryNotSupported"
    assert api.post(json.dumps({"query": "{ __typename }", "extensions": extensions})).data == {"__typename": "Query"}
