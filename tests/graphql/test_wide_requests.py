"""Requests that are wide or long rather than deep: they are refused, or their errors reported, with little work."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create table item (id int primary key, name text, body text, tags text[], data jsonb, n int, m int, k int);
insert into item values (1, 'one', 'text', '{a}', '{"a": 1}', 1, 1, 1);
create function echo(numbers int[]) returns int language sql stable as 'select 1';
comment on function echo is '@graphql({"expose": true})';
comment on table item is e'@graphql({"search": {"columns": ["name", "body"], "config": "english"}})';
grant select on item to anon;
"""
FILTER = "query ($x: itemFilter) { itemCollection(filter: $x) { edges { node { id } } } }"
FILTERS = "query ($x: [itemFilter!]) { itemCollection(filter: {or: $x}) { edges { node { id } } } }"
ORDER = "query ($x: [itemOrderBy!]) { itemCollection(orderBy: $x) { edges { node { id } } } }"
NUMBERS = "query ($x: [Int!]) { itemCollection(filter: {n: {in: $x}}) { edges { node { id } } } }"
TWICE = "query ($x: [Int!]) { itemCollection(filter: {n: {in: $x}, m: {in: $x}}) { edges { node { id } } } }"
CONDITIONS = "The filters have more than 2000 conditions"
LONG = "x" * 17_000


@pytest.fixture(scope="module")
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA)


@pytest.mark.parametrize(
    ("query", "value", "message"),
    [
        (FILTERS, [{"name": {"like": "a"}}] * 19_000, CONDITIONS),
        (FILTERS, [{}] * 2001, CONDITIONS),
        (FILTERS, [{"or": [{"id": {"eq": 1}}] * 1000}] * 12, CONDITIONS),
        (FILTER, {"name": {"ilikeAny": ["%a%"] * 600}}, CONDITIONS),
        (FILTER, {"tags": {"overlaps": ["b"] * 50_000}}, CONDITIONS),
        (FILTER, {"data": {"hasAnyKey": ["b"] * 50_000}}, CONDITIONS),
        (FILTER, {"data": {"path": [{"at": ["b"] * 50_000, "text": {"eq": "a"}}]}}, CONDITIONS),
        (FILTER, {"and": [{"name": {"regex": f"a{number}"}} for number in range(21)]}, CONDITIONS),
        (FILTER, {"data": {"match": " || ".join(['$.a like_regex "a"'] * 21)}}, CONDITIONS),
        (FILTER, {"and": [{"search": {"plain": "a"}}] * 41}, CONDITIONS),
        (TWICE, [1] * 300_000, CONDITIONS),
        (ORDER, [{"id": "AscNullsLast"}] * 101, "orderBy has more than 100 elements"),
        (ORDER, [{}] * 39_000, "orderBy has more than 100 elements"),
    ],
)
def test_a_wide_list_is_refused(api: Api, query: str, value: Any, message: str) -> None:
    answer = api.ask(query, {"x": value})
    assert (answer.code, answer.message) == ("LIMIT_EXCEEDED", message)


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_wide_lists_are_refused_in_both_dialects(reading_api: StartApi, dialect: str) -> None:
    api = reading_api(SCHEMA, graphql_dialect=dialect)
    assert api.ask(FILTERS, {"x": [{"id": {"eq": 1}}] * 2001}).message == CONDITIONS
    assert api.ask(ORDER, {"x": [{"id": "AscNullsLast"}] * 101}).message == "orderBy has more than 100 elements"


@pytest.mark.parametrize(
    ("query", "value", "found"),
    [
        (FILTERS, [{"id": {"eq": number}} for number in range(1900)], True),
        (FILTER, {"name": {"ilikeAny": ["%a%"] * 200}}, False),
        (FILTER, {"tags": {"overlaps": ["b"] * 20_000}}, False),
        (FILTER, {"and": [{"name": {"regex": f"a{number}"}} for number in range(19)]}, False),
        (FILTER, {"and": [{"search": {"plain": "text"}}] * 30}, True),
        (NUMBERS, [1] * 300_000, True),
        (ORDER, [{"id": "AscNullsLast"}] * 100, True),
    ],
)
def test_a_shorter_list_is_accepted(api: Api, query: str, value: Any, found: bool) -> None:
    assert bool(api.ask(query, {"x": value}).data["itemCollection"]["edges"]) is found


def test_the_length_of_a_list_is_checked_in_each_request(api: Api) -> None:
    """A plan that was made for a short list does not answer for a long one."""
    for length, code in ((3, None), (2001, "LIMIT_EXCEEDED"), (4, None)):
        answer = api.ask(FILTER, {"x": {"name": {"likeAny": ["%a%"] * length}}})
        assert (answer.code if answer.errors else None) == code


@pytest.mark.parametrize(
    "document",
    [
        "{ " + " ".join(f"{LONG}{number}" for number in range(40)) + " }",
        "{ itemCollection(" + ", ".join(f"{LONG}{number}: 1" for number in range(40)) + ") { __typename } }",
        "{ itemCollection(filter: {" + ", ".join(f"nam{number}: 1" for number in range(1500)) + "}) { __typename } }",
        "query (" + ", ".join(f"$v{number}: Itm{number}" for number in range(900)) + ") { __typename }",
    ],
)
def test_few_errors_of_a_large_document_are_reported(api: Api, document: str) -> None:
    answer = api.ask(document)
    assert len(answer.errors) <= 6
    assert {each["extensions"]["code"] for each in answer.errors} == {"GRAPHQL_VALIDATION_FAILED"}
    assert "Did you mean" not in json.dumps(answer.body)
    assert len(json.dumps(answer.body)) < 10_000


@pytest.mark.parametrize(
    "selection", ["id { x } " * 900, "a: id a: name " * 200, "data " * 1900, "... on item { id } " * 600]
)
@pytest.mark.timing
def test_many_fields_of_one_name_take_little_time(api: Api, selection: str) -> None:
    api.ask("{ itemCollection { edges { node { id } } } }")
    began = time.process_time()
    api.ask("{ itemCollection { edges { node { " + selection + " } } } }")
    # It was between one and two seconds.
    assert time.process_time() - began < 0.8
