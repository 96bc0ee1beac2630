"""What one request may cost: whatever is sent, it is answered soon and in few words."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest

from tests.graphql.conftest import OpenDoor
from tests.graphql.door import Door

SCHEMA = """
create table item (id int primary key, name text, tags int[]);
insert into item select n, 'item ' || n from generate_series(1, 5) n;
grant all on item to anon;
"""
SECONDS = 1.5
"""Of CPU, on a machine that does other things as well; a fifth of it is what such a request takes on a quiet one."""

MIB = 1_000_000


def filled(item: str, separator: str = ",") -> str:
    return separator.join([item] * (MIB // (len(item) + 1)))


HOSTILE = {
    "unknown members": (
        "query ($x: itemFilter) { itemCollection(filter: $x) { __typename } }",
        '{"x": {' + ",".join(f'"k{number}":1' for number in range(70_000)) + "}}",
    ),
    "lists for numbers": (
        "query ($x: [Int!]) { itemCollection(filter: {id: {in: $x}}) { __typename } }",
        '{"x": [' + filled("[1]") + "]}",
    ),
    "texts for numbers": (
        "query ($x: [Int!]) { itemCollection(filter: {id: {in: $x}}) { __typename } }",
        '{"x": [' + filled('"a"') + "]}",
    ),
    "empty filters": (
        "query ($x: [itemFilter!]) { itemCollection(filter: {or: $x}) { __typename } }",
        '{"x": [' + filled("{}") + "]}",
    ),
    "empty objects": (
        "mutation ($x: [itemInsertInput!]!) { insertIntoitemCollection(objects: $x) { affectedCount } }",
        '{"x": [' + filled("{}") + "]}",
    ),
    "an undeclared variable": ("query { __typename }", '{"x": [' + filled("[]") + "]}"),
    "nested lists": ("query ($x: [Int!]) { __typename }", '{"x": ' + "[" * 400 + "]" * 400 + "}"),
    "objects in a filter": (
        "query ($x: [itemFilter!]) { itemCollection(filter: {and: $x}) { __typename } }",
        '{"x": [' + ",".join(['{"id":{"eq":1}}'] * 9_000) + "]}",
    ),
}


@pytest.fixture(params=["standard", "pg_graphql"])
def door(reading_door: OpenDoor, request: pytest.FixtureRequest) -> Door:
    return reading_door(SCHEMA, graphql_dialect=request.param)


@pytest.mark.parametrize("case", HOSTILE)
def test_variables_of_a_megabyte_are_answered_soon(door: Door, case: str) -> None:
    query, variables = HOSTILE[case]
    door.ask("{ __typename }")
    began = process_time()
    answer = door.post(f'{{"query": {json.dumps(query)}, "variables": {variables}}}')
    assert process_time() - began < SECONDS
    assert len(json.dumps(answer.body)) < 10_000


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("query ($x: [Int!]) { itemCollection(filter: {id: {in: $x}}) { edges { node { id } } } }", [1] * 300_000),
        (
            "query ($x: [String!]) { itemCollection(filter: {name: {in: $x}}) { edges { node { id } } } }",
            ["a"] * 200_000,
        ),
        ("query ($x: Int) { itemCollection(first: $x) { edges { node { id } } } }", 1),
    ],
)
def test_long_lists_of_plain_values_are_taken(door: Door, query: str, value: Any) -> None:
    began = process_time()
    assert "itemCollection" in door.ask(query, {"x": value}).data
    assert process_time() - began < SECONDS


def test_the_limit_of_variables_names_itself(reading_door: OpenDoor) -> None:
    door = reading_door(SCHEMA, variable_limit=3)
    query = "query ($x: itemFilter) { itemCollection(filter: $x) { __typename } }"
    assert door.ask(query, {"x": {"id": {"eq": 1}}}).data
    error = door.ask(query, {"x": {"or": [{"id": {"eq": 1}}]}}).errors[0]
    assert error["message"] == "The variables hold more than 3 lists and objects (VARIABLE_LIMIT)"
    assert error["extensions"]["code"] == "LIMIT_EXCEEDED"


def test_ten_errors_of_variables_are_told(reading_door: OpenDoor) -> None:
    query = "query ($x: [Int!]) { itemCollection(filter: {id: {in: $x}}) { __typename } }"
    errors = reading_door(SCHEMA).ask(query, {"x": ["a"] * 1000}).errors
    assert len(errors) == 11
    assert "error limit reached" in errors[-1]["message"]
