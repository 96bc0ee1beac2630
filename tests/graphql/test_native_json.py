"""JSON_VALUES=native: values of json and jsonb are JSON in requests and answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create table note (id int primary key, data jsonb, plain json, many jsonb[]);
insert into note values (1, '{"a": [1, {"b": null}]}', '[1, "x"]', array['{"a": 1}', 'null', '"s"']::jsonb[]),
  (2, '"text"', 'null', null), (3, null, null, '{}');
grant all on note to anon;
"""
NATIVE = {"json_values": "native"}
INSERT = """mutation ($d: JSON) {
  insertIntonoteCollection(objects: [{id: 9, data: $d, plain: $d}]) { records { data plain } }
}"""


def matching_ids(api: Api, filter_: Any) -> list[int]:
    query = "query ($f: noteFilter) { noteCollection(filter: $f) { edges { node { id } } } }"
    return [each["node"]["id"] for each in api.ask(query, {"f": filter_}).data["noteCollection"]["edges"]]


def test_answers_contain_json_values(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, **NATIVE)
    query = '{ noteCollection { edges { node { data plain many part: data(at: ["a", "1"]) } } } }'
    assert [edge["node"] for edge in api.ask(query).data["noteCollection"]["edges"]] == [
        {"data": {"a": [1, {"b": None}]}, "plain": [1, "x"], "many": [{"a": 1}, None, "s"], "part": {"b": None}},
        {"data": "text", "plain": None, "many": None, "part": None},
        {"data": None, "plain": None, "many": [], "part": None},
    ]


@pytest.mark.parametrize("options", [{}, {**NATIVE, "graphql_dialect": "pg_graphql"}])
def test_values_are_strings_by_default(reading_api: StartApi, options: dict[str, str]) -> None:
    api = reading_api(SCHEMA, **options)
    assert api.ask("{ noteByPk(id: 1) { plain } }").data["noteByPk"]["plain"] == '[1, "x"]'


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    lambda within: st.lists(within, max_size=3) | st.dictionaries(st.text("ab\"'\\{", max_size=3), within, max_size=3),
    max_leaves=8,
)


def test_written_values_are_read_back(start_api: StartApi) -> None:
    api = start_api(SCHEMA, **NATIVE)

    @settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(JSON)
    def check(value: Any) -> None:
        records = api.ask(INSERT, {"d": value}).data["insertIntonoteCollection"]["records"]
        api.ask("mutation { deleteFromnoteCollection(filter: {id: {eq: 9}}) { affectedCount } }")
        assert records == [{"data": value, "plain": value}]

    check()


def test_literals_may_contain_variables(start_api: StartApi) -> None:
    api = start_api(SCHEMA, **NATIVE)
    query = """mutation ($x: JSON, $n: Int) {
      updatenoteCollection(set: {data: {a: $x, list: [1, $n, "s", null]}}, filter: {id: {eq: 1}}) { records { data } }
    }"""
    written = api.ask(query, {"x": {"deep": [True]}, "n": 7}).data["updatenoteCollection"]["records"]
    assert written == [{"data": {"a": {"deep": [True]}, "list": [1, 7, "s", None]}}]


@pytest.mark.parametrize(
    ("operators", "ids"),
    [
        ({"contains": {"a": [1]}}, [1]),
        ({"contains": "text"}, [2]),
        ({"containedBy": {"a": [1, {"b": None}], "z": 0}}, [1]),
    ],
)
def test_filters_take_values(reading_api: StartApi, operators: Any, ids: list[int]) -> None:
    assert matching_ids(reading_api(SCHEMA, **NATIVE), {"data": operators}) == ids


def test_merge_takes_an_object(start_api: StartApi) -> None:
    api = start_api(SCHEMA, **NATIVE)
    query = (
        "mutation ($m: JSON) { updatenoteCollection(merge: {data: $m}, filter: {id: {eq: 1}}) { records { data } } }"
    )
    merged = api.ask(query, {"m": {"c": [2]}}).data["updatenoteCollection"]["records"]
    assert merged == [{"data": {"a": [1, {"b": None}], "c": [2]}}]
    assert api.ask(query, {"m": "text"}).code == "BAD_USER_INPUT"


def test_a_number_that_is_too_large_is_refused(reading_api: StartApi) -> None:
    body = json.dumps({"query": INSERT, "variables": {"d": {"n": 0}}}).replace('"n": 0', '"n": 1e999')
    assert reading_api(SCHEMA, **NATIVE).post(body).code == "BAD_USER_INPUT"


def test_values_of_any_shape_share_a_plan(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA + "-- plans", **NATIVE)
    query = "query ($d: JSON) { noteCollection(filter: {data: {contains: $d}}) { edges { node { id } } } }"
    plans = api.application.services.engine.plans
    assert api.ask(query, {"d": {"a": [1]}}).data
    before = len(plans)
    for document in ({"b": 1}, {"c": {"d": [[]]}}, [1], [[{}], 2], "x", 3, True):
        assert api.ask(query, {"d": document}).data
    assert len(plans) == before
