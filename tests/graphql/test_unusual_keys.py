"""Keys of types that have no order, have a special order, or may not be named by the role."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_types import INTROSPECT

KEYS: dict[str, tuple[str, list[str]]] = {
    "composite": ("pair", ["(1,x)", "(,)", '(3,"a b")', '(3,"a,\\"b")']),
    "composites": ("pair[]", ['{"(1,x)"}', "{}"]),
    "document": ("document_type", ['"text"', '{"a": 1}', "5", "null"]),
    "documents": ("jsonb[]", ['{"\\"t\\"","{\\"a\\": null}"}', "{NULL}", "{}"]),
    "vector": ("int2vector", ["1 2", "3"]),
    "mood": ("closed.mood", ["sad", "so happy"]),
    "number": ("closed.number", ["1", "20", "3"]),
}
VIEW_KEYS: dict[str, tuple[str, list[str]]] = {
    "points": ("point", ["(1,2)", "(0,-1)"]),
    "circles": ("circle", ["<(0,0),1>", "<(0,0),2>"]),
    "jsons": ("json", ['{"b":  1}', '"t"', "null"]),
    "jsonpaths": ("jsonpath", ["$.a", "$.b"]),
    "transaction": ("xid", ["5", "70", "8"]),
}


def _values(type_: str, values: list[str]) -> str:
    return ", ".join(f"($${value}$$::{type_}, {number})" for number, value in enumerate(values))


SCHEMA = (
    """create schema closed; create type closed.mood as enum ('so happy', 'sad'); create domain closed.number as int;
    create type pair as (a int, b text); create domain document_type as jsonb;
    comment on schema public is '@graphql({"introspection": true})';"""
    + "".join(
        f"""create table {name} (k {type_} primary key, n int, other {type_});
        insert into {name} values {_values(type_, values)}; update {name} set other = k where n = 0;"""
        for name, (type_, values) in KEYS.items()
    )
    + "".join(
        f"""create table of_{name} (k {type_}, n int); insert into of_{name} values {_values(type_, values)};
        create view {name} as select * from of_{name};
        comment on view {name} is '@graphql({{"primary_key_columns": ["k"]}})';"""
        for name, (type_, values) in VIEW_KEYS.items()
    )
    + "grant all on all tables in schema public to anon;"
)


@pytest.fixture(params=["standard", "pg_graphql"])
def api(reading_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return reading_api(SCHEMA, graphql_dialect=request.param)


def page(api: Api, name: str, arguments: str) -> dict[str, Any]:
    selection = "edges { cursor node { nodeId n } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }"
    return api.ask(f"{{ {name}Collection({arguments}) {{ {selection} }} }}").data[f"{name}Collection"]


def numbers(page: dict[str, Any]) -> list[int]:
    return [edge["node"]["n"] for edge in page["edges"]]


def visits_each_row_once(api: Api, name: str, order: str = "") -> None:
    edges = page(api, name, f"{order} first: 30")["edges"]
    everything = [edge["node"]["n"] for edge in edges]
    assert everything
    for place, edge in enumerate(edges):
        after = page(api, name, f"{order} after: {json.dumps(edge['cursor'])}, first: 1")
        before = page(api, name, f"{order} before: {json.dumps(edge['cursor'])}, last: 1")
        assert numbers(after) == everything[place + 1 : place + 2], edge
        assert numbers(before) == everything[:place][-1:], edge
        assert after["pageInfo"]["hasNextPage"] is (place + 2 < len(edges))
        assert after["pageInfo"]["hasPreviousPage"] is (place + 1 < len(edges))
        assert before["pageInfo"]["hasNextPage"] is (place > 0)


def leads_back(api: Api, name: str) -> None:
    edges = page(api, name, "first: 30")["edges"]
    assert edges
    for edge in edges:
        id_ = edge["node"]["nodeId"]
        data = api.ask(
            f"""query ($id: ID!) {{ node(nodeId: $id) {{ nodeId ... on {name} {{ n }} }}
            {name}Collection(filter: {{nodeId: {{eq: $id}}}}) {{ edges {{ node {{ n }} }} }} }}""",
            {"id": id_},
        ).data
        assert data["node"] == {"nodeId": id_, "n": edge["node"]["n"]}
        assert numbers(data[f"{name}Collection"]) == [edge["node"]["n"]]


@pytest.mark.parametrize("name", [*KEYS, *VIEW_KEYS])
def test_unusual_keys_have_pages_and_node_ids(api: Api, name: str) -> None:
    values = ({**KEYS, **VIEW_KEYS})[name][1]
    assert sorted(numbers(page(api, name, "first: 30"))) == list(range(len(values)))
    visits_each_row_once(api, name)
    leads_back(api, name)


@pytest.mark.parametrize("direction", ["AscNullsFirst", "AscNullsLast", "DescNullsFirst", "DescNullsLast"])
def test_pages_work_with_values_printed_in_another_format(api: Api, direction: str) -> None:
    visits_each_row_once(api, "document", f"orderBy: [{{other: {direction}}}],")


@pytest.mark.parametrize("name", ["mood", "number"])
def test_a_column_whose_type_may_not_be_named_can_only_be_read(api: Api, name: str) -> None:
    def members(type_name: str, what: str) -> list[str]:
        return [each["name"] for each in api.ask(INTROSPECT % type_name).data["__type"][what]]

    assert members(name, "fields") == ["nodeId", "k", "n", "other"]
    assert members(f"{name}Filter", "inputFields") == ["n", "nodeId", "and", "or", "not"]
    assert members(f"{name}OrderBy", "inputFields") == ["n"]
    assert members(f"{name}InsertInput", "inputFields") == members(f"{name}UpdateInput", "inputFields") == ["n"]
    assert f"{name}ByPk" not in members("Query", "fields")
    read = api.ask(f"{{ {name}Collection(filter: {{n: {{eq: 0}}}}) {{ edges {{ node {{ k other }} }} }} }}").data
    value = {"mood": "sad", "number": 1}[name]
    assert read[f"{name}Collection"]["edges"] == [{"node": {"k": value, "other": value}}]
