"""The feature ``json_filters``: filters of documents, and parts of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from graphql import print_type
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.counted import counted
from tests.graphql.test_operators import types_of, without_descriptions
from tests.graphql.test_random_filters import quote
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer, connect

DOCUMENTS = [
    {"a": "x", "b": 1, "c": True, "d": None, "e": {"a": ["x", 2, None]}},
    {"a": 1, "b": "1", "e": {"a": []}},
    {"a": None, "b": 2.5, "e": [1, "a", {"a": False}]},
    ["a", "x", 1],
    "a",
    7,
    True,
    None,
    {},
    [],
    {"a": "X%", "b": -1e3, "0": {"0": "zero"}},
]

SCHEMA = f"""
create table note (id int primary key, data jsonb, plain json);
insert into note select n, value, value::json
from jsonb_array_elements({quote(json.dumps(DOCUMENTS))}::jsonb) with ordinality as d(value, n);
insert into note values (100, null, null);
comment on table note is '@graphql({{"max_rows": 200}})';
grant select on note to anon;
"""

JSON_FILTER = """
input JSONFilter {
  is: FilterIs
  contains: JSON
  containedBy: JSON
  hasKey: String
  hasAnyKey: [String!]
  hasAllKeys: [String!]
  match: String
  exists: String
  path: [JSONPathFilter!]
  distinctFrom: JSON
  not: JSONFilter
}
"""

JSON_TEXT_FILTER = """
input JSONTextFilter {
  is: FilterIs
  path: [JSONPathFilter!]
  not: JSONTextFilter
}
"""

JSON_PATH_FILTER = """
input JSONPathFilter {
  at: [String!]!
  text: StringFilter
  number: BigFloatFilter
  boolean: BooleanFilter
  is: FilterIs
}
"""

QUERY = "query ($f: noteFilter) { noteCollection(filter: $f) { edges { node { id } } } }"


def matching_ids(api: Api, filter_: Any) -> list[int]:
    return [each["node"]["id"] for each in api.ask(QUERY, {"f": filter_}).data["noteCollection"]["edges"]]


# Types


def test_json_filters_have_their_types(reading_api: StartApi) -> None:
    types = types_of(reading_api(SCHEMA))
    for name, sdl in (
        ("JSONFilter", JSON_FILTER),
        ("JSONTextFilter", JSON_TEXT_FILTER),
        ("JSONPathFilter", JSON_PATH_FILTER),
    ):
        assert without_descriptions(print_type(types[name])) == sdl.strip()
    assert {name: str(each.type) for name, each in types["noteFilter"].fields.items()} == {
        "id": "IntFilter",
        "nodeId": "IDFilter",
        "and": "[noteFilter!]",
        "or": "[noteFilter!]",
        "not": "noteFilter",
        "data": "JSONFilter",
        "plain": "JSONTextFilter",
    }
    assert {name: str(each.type) for name, each in types["note"].fields["data"].args.items()} == {"at": "[String!]"}


@pytest.mark.parametrize("options", [{"graphql_features": "-json_filters"}, {"graphql_dialect": "pg_graphql"}])
def test_no_json_filters_exist_without_the_feature(reading_api: StartApi, options: dict[str, str]) -> None:
    types = types_of(reading_api(SCHEMA, **options))
    assert {"JSONFilter", "JSONTextFilter", "JSONPathFilter"}.isdisjoint(types)
    assert "data" not in types["noteFilter"].fields
    assert types["note"].fields["data"].args == {}


def test_types_exist_only_with_a_column(reading_api: StartApi) -> None:
    types = types_of(reading_api("create table t (id int primary key); grant select on t to anon"))
    assert {"JSONFilter", "JSONTextFilter", "JSONPathFilter"}.isdisjoint(types)


def test_a_relation_keeps_its_name(start_api: StartApi) -> None:
    api = start_api("""
        create table "JSONFilter" (id int primary key, data jsonb);
        create type "JSONPathFilter" as enum ('a');
        create table t (id int primary key, e "JSONPathFilter");
        grant select on all tables in schema public to anon;
    """)
    types = types_of(api)
    assert str(types["JSONFilterFilter"].fields["data"].type) == "JSONFilter_"
    assert str(types["JSONFilter_"].fields["path"].type) == "[JSONPathFilter_!]"
    assert str(types["JSONFilter_"].fields["not"].type) == "JSONFilter_"


def test_an_unreadable_column_has_no_filter(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    changed(postgres, api, "revoke select on note from anon; grant select (id, plain) on note to anon")
    sdl = printed(api)
    assert "data" not in members(sdl, "noteFilter")
    assert "plain" in members(sdl, "noteFilter")
    assert members(sdl, "JSONFilter") == []


# Results

FILTERS: list[tuple[dict[str, Any], str]] = [
    ({"contains": '{"a": "x"}'}, """data @> '{"a": "x"}'"""),
    ({"contains": "[1]"}, "data @> '[1]'"),
    ({"contains": None}, "false"),
    ({"containedBy": '{"a": 1, "b": "1", "e": {"a": []}, "z": 0}'}, "id in (2, 9)"),
    ({"hasKey": "a"}, "data ? 'a'"),
    ({"hasAnyKey": ["0", "c"]}, "data ?| '{0,c}'"),
    ({"hasAnyKey": []}, "false"),
    ({"hasAllKeys": ["a", "b"]}, "data ?& '{a,b}'"),
    ({"hasAllKeys": []}, "data is not null"),
    ({"match": "$.b > 0"}, "data @@ '$.b > 0'"),
    ({"exists": "$.e.a[*] ? (@ == 2)"}, "data @? '$.e.a[*] ? (@ == 2)'"),
    ({"exists": '$.a ? (@ like_regex "^x" flag "i")'}, "id in (1, 11)"),
    ({"is": "NULL"}, "data is null"),
    ({"is": "NOT_NULL"}, "data is not null"),
    ({"distinctFrom": '{"b": 1}'}, """data is distinct from '{"b": 1}'"""),
    ({"distinctFrom": "7"}, "data is distinct from '7'"),
    ({"distinctFrom": None}, "data is not null"),
    ({"not": {"hasKey": "a"}}, "not data ? 'a'"),
    ({"not": {"match": "$.b > 0"}}, "not data @@ '$.b > 0'"),
    ({}, "true"),
    ({"path": []}, "true"),
    ({"path": None}, "true"),
    ({"path": [{"at": ["a"], "text": {}}]}, "true"),
    ({"path": [{"at": ["a"], "text": None}]}, "true"),
    ({"path": [{"at": [], "text": {"eq": "a"}}]}, "id = 5"),
    ({"path": [{"at": ["e", "a", "0"], "text": {"eq": "x"}}]}, "id = 1"),
    ({"path": [{"at": ["0", "0"], "text": {"includes": "er"}}]}, "id = 11"),
    ({"path": [{"at": ["e", "a", "-1"], "is": "NULL"}, {"at": ["e"], "is": "NOT_NULL"}]}, "id in (1, 2, 3)"),
]


@pytest.mark.parametrize(("filter_", "sql"), FILTERS, ids=[json.dumps(each) for each, _ in FILTERS])
def test_filters_find_the_rows_of_sql(reading_api: StartApi, filter_: dict[str, Any], sql: str) -> None:
    api = reading_api(SCHEMA)
    database = connect(api.database_url)
    try:
        rows = database.execute_simple(f"select id from note where {sql} order by id").rows or []
    finally:
        database.close()
    assert matching_ids(api, {"data": filter_}) == [row[0] for row in rows]


STEPS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "0", "1", "2", "-1", "z", ""]), max_size=3)
VALUES: dict[str, tuple[str, str, list[Any]]] = {
    "text": ("string", "text", ["x", "a", "1", "X%", ""]),
    "number": ("number", "numeric", ["1", "2", "2.50", "-1000", "7"]),
    "boolean": ("boolean", "boolean", [True, False]),
}


@st.composite
def parts(draw: Callable[..., Any]) -> tuple[dict[str, Any], str]:
    """An element of ``path``, and what it means for the column ``doc``."""
    at = draw(STEPS)
    path = f"{quote(at)}::text[]"
    kind = draw(st.sampled_from([*VALUES, "is"]))
    if kind == "is":
        word = draw(st.sampled_from(["NULL", "NOT_NULL"]))
        return {"at": at, "is": word}, f"doc #>> {path} is {word.replace('_', ' ')}"
    json_type, type_, values = VALUES[kind]
    value = f"(case when jsonb_typeof(doc #> {path}) = '{json_type}' then (doc #>> {path})::{type_} end)"
    operator = draw(st.sampled_from(["eq", "is", "not", "distinctFrom", *([] if kind == "boolean" else ["gt", "in"])]))
    other = draw(st.sampled_from(values))
    if operator == "is":
        return {"at": at, kind: {"is": "NULL"}}, f"{value} is null"
    literal = f"{quote(str(other))}::{type_}"
    asked: Any = {"eq": other, "gt": other, "in": [other], "not": {"eq": other}, "distinctFrom": other}[operator]
    sql = {
        "eq": "{} = {}",
        "gt": "{} > {}",
        "in": "{} in ({})",
        "not": "not {} = {}",
        "distinctFrom": "{} is distinct from {}",
    }
    return {"at": at, kind: {operator: asked}}, sql[operator].format(value, literal)


@pytest.mark.parametrize("column", ["data", "plain"])
def test_parts_equal_those_of_sql(reading_api: StartApi, column: str) -> None:
    api = reading_api(SCHEMA)
    database = connect(api.database_url)

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(parts(), min_size=1, max_size=3), st.booleans())
    def check(asked: list[tuple[dict[str, Any], str]], negated: bool) -> None:
        sql = " and ".join(f"({each})" for _, each in asked).replace("doc", f"{column}::jsonb")
        members = {"path": [each for each, _ in asked]}
        where, filter_ = (f"not ({sql})", {"not": members}) if negated else (sql, members)
        rows = database.execute_simple(f"select id from note where {where} order by id").rows or []
        assert matching_ids(api, {column: filter_}) == [row[0] for row in rows], where

    try:
        check()
    finally:
        database.close()


def test_a_number_is_compared_exactly(start_api: StartApi) -> None:
    api = start_api(SCHEMA + "insert into note values (200, '{\"n\": 12345678901234567890.5}')")
    path = {"at": ["n"], "number": {"eq": "12345678901234567890.50"}}
    assert matching_ids(api, {"data": {"path": [path]}}) == [200]


def test_hidden_rows_are_not_found(start_api: StartApi) -> None:
    api = start_api(SCHEMA + "alter table note enable row level security; create policy p on note using (id <> 1)")
    assert matching_ids(api, {"data": {"hasKey": "c"}}) == []
    assert matching_ids(api, {"data": {"not": {"hasKey": "c"}}}) == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]


# Refused requests


@pytest.mark.parametrize(
    ("filter_", "code", "says"),
    [
        ({"contains": {"a": 1}}, "BAD_USER_INPUT", "string"),
        ({"hasKey": 1}, "BAD_USER_INPUT", "String"),
        ({"hasAnyKey": ["a", None]}, "BAD_USER_INPUT", "null"),
        ({"eq": "{}"}, "BAD_USER_INPUT", "eq"),
        ({"path": [{"at": ["a"]}]}, "BAD_USER_INPUT", "exactly one of text, number, boolean, is"),
        ({"path": [{"at": ["a"], "is": "NULL", "text": {}}]}, "BAD_USER_INPUT", "exactly one of"),
        ({"path": [{"text": {"eq": "a"}}]}, "BAD_USER_INPUT", "at"),
        ({"path": [{"at": [1], "text": {"eq": "a"}}]}, "BAD_USER_INPUT", "String"),
        ({"match": "$." + "a" * 999}, "LIMIT_EXCEEDED", "1000 characters"),
        ({"match": '$ like_regex "(a)\\\\1"'}, "LIMIT_EXCEEDED", "back references"),
        ({"exists": '$ ? (@ LIKE_REGEX /* now */ "((a|b){1,100}c?){1,60}")'}, "LIMIT_EXCEEDED", "bounds"),
        ({"exists": '$ ? (@ like\\u005fregex "(a)\\u005c1")'}, "LIMIT_EXCEEDED", "back references"),
        ({"exists": '$ ? (@ like\\u{5f}regex "(a)\\u{5c}1")'}, "LIMIT_EXCEEDED", "back references"),
        ({"exists": '$ ? (@ \\x4cIKE_REGEX "(a)\\x5c1")'}, "LIMIT_EXCEEDED", "back references"),
        ({"path": [{"at": ["a"], "text": {"regex": "(a)\\1"}}]}, "LIMIT_EXCEEDED", "back references"),
        ({"match": "$.b >"}, "SYNTAX_ERROR", "jsonpath"),
        ({"contains": "{"}, "INVALID_TEXT_REPRESENTATION", "json"),
    ],
)
def test_invalid_operands_are_refused(reading_api: StartApi, filter_: Any, code: str, says: str) -> None:
    answer = reading_api(SCHEMA).ask(QUERY, {"f": {"data": filter_}})
    assert answer.code == code
    assert says in answer.message


def test_the_longest_path_is_accepted(reading_api: StartApi) -> None:
    assert matching_ids(reading_api(SCHEMA), {"data": {"exists": "$." + "a" * 998}}) == []


def test_each_part_counts_as_a_condition(reading_api: StartApi) -> None:
    many = [{"at": ["a"], "text": {"eq": "a"}}] * 2000
    answer = reading_api(SCHEMA).ask(QUERY, {"f": {"data": {"path": many}}})
    assert answer.code == "LIMIT_EXCEEDED"
    assert "2000 conditions" in answer.message


# Parts of a document as fields


def part(api: Api, id_: int, at: Any, column: str = "data") -> Any:
    query = f"query ($id: Int!, $at: [String!]) {{ noteByPk(id: $id) {{ part: {column}(at: $at) }} }}"
    return api.ask(query, {"id": id_, "at": at}).data["noteByPk"]["part"]


@pytest.mark.parametrize("column", ["data", "plain"])
@pytest.mark.parametrize(
    ("id_", "at", "printed_"),
    [
        (1, ["e", "a"], ["x", 2, None]),
        (1, ["e", "a", "-2"], 2),
        (1, ["a"], "x"),
        (4, ["1"], "x"),
        (5, [], "a"),
        (11, ["0", "0"], "zero"),
    ],
)
def test_a_part_is_returned(reading_api: StartApi, column: str, id_: int, at: list[str], printed_: Any) -> None:
    text = part(reading_api(SCHEMA), id_, at, column)
    assert (text if isinstance(printed_, str) else json.loads(text)) == printed_


@pytest.mark.parametrize(
    ("id_", "at"), [(1, ["z"]), (1, ["d"]), (1, ["a", "b"]), (6, ["0"]), (100, ["a"]), (100, None)]
)
def test_a_null_or_missing_part_is_null(reading_api: StartApi, id_: int, at: list[str] | None) -> None:
    assert part(reading_api(SCHEMA), id_, at) is None


def test_the_whole_document_is_returned_without_a_path(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    assert part(api, 4, None) == part(api, 4, []) == '["a", "x", 1]'
    assert api.ask("{ noteByPk(id: 4) { data } }").data["noteByPk"]["data"] == '["a", "x", 1]'


def test_several_parts_of_one_column_can_be_selected(reading_api: StartApi) -> None:
    data = reading_api(SCHEMA).ask('{ noteByPk(id: 1) { x: data(at: ["a"]) y: data(at: ["b"]) data(at: "c") } }').data
    assert data["noteByPk"] == {"x": "x", "y": "1", "data": "true"}


def test_a_step_is_a_string(reading_api: StartApi) -> None:
    assert reading_api(SCHEMA).ask("{ noteByPk(id: 1) { data(at: [1]) } }").code == "GRAPHQL_VALIDATION_FAILED"


def test_a_filter_and_a_part_are_one_flight(start_api: StartApi) -> None:
    filter_ = {"data": {"match": "$.b == 1", "path": [{"at": ["a"], "text": {"eq": "x"}}]}}
    query = 'query ($f: noteFilter) { noteCollection(filter: $f) { edges { node { data(at: ["b"]) } } } }'
    with counted(start_api(SCHEMA).database_url) as (api, proxy):
        api.ask(query, {"f": filter_})
        before = proxy.flights
        assert api.ask(query, {"f": filter_}).data["noteCollection"]["edges"] == [{"node": {"data": "1"}}]
        assert proxy.flights - before == 1
