"""Several requests in one body, each on its own."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.graphql.api import ANON_KEY, Answer, Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create table item (id int primary key, name text);
insert into item values (1, 'one'), (2, 'two');
grant select, insert on item to anon;
"""
ITEMS = "query ($n: Int = 2) { itemCollection(first: $n) { edges { node { id } } } }"
LINES = {"Accept": "application/jsonl"}


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, batch_limit=3)


def items(*ids: int) -> dict[str, Any]:
    return {"data": {"itemCollection": {"edges": [{"node": {"id": each}} for each in ids]}}}


def post(api: Api, body: Any, headers: dict[str, str] | None = None) -> Answer:
    return api.post(json.dumps(body), headers=headers)


def lines(api: Api, body: Any, **headers: str) -> list[Any]:
    sent = {"Content-Type": "application/json", "apiKey": ANON_KEY, **LINES, **headers}
    result = api.client.simulate_post("/graphql/v1", body=json.dumps(body), headers=sent)
    assert (result.status_code, result.headers["content-type"]) == (200, "application/jsonl")
    return [json.loads(line) for line in result.text.splitlines()]


def test_a_list_is_answered_by_a_list(api: Api) -> None:
    answer = post(api, [{"query": ITEMS, "variables": {"n": 1}}, {"query": "{ x }"}, {"query": ITEMS}])
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    first, second, third = answer.body
    assert (first, third) == (items(1), items(1, 2))
    assert second["errors"][0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
    assert "data" not in second
    assert post(api, [{"query": ITEMS}]).body == [items(1, 2)]
    assert post(api, {"query": ITEMS}).body == items(1, 2)


def test_a_malformed_request_gets_an_error_in_its_place(api: Api) -> None:
    answers = post(api, [1, {"query": ITEMS, "variables": [{}]}, {"query": ITEMS}]).body
    assert [each["errors"][0]["message"] for each in answers[:2]] == [
        'The request has no "query", which must be a string',
        "variables must be an object",
    ]
    assert answers[2] == items(1, 2)


def test_each_mutation_has_its_own_transaction(writing_api: StartApi) -> None:
    api = writing_api(SCHEMA, "delete from item where id > 2", batch_limit=3)
    add = "mutation ($id: Int!) { insertIntoitemCollection(objects: [{id: $id}]) { affectedCount } }"
    added = post(api, [{"query": add, "variables": {"id": each}} for each in (3, 1, 4)]).body
    assert [each.get("errors", [{"extensions": {"code": None}}])[0]["extensions"]["code"] for each in added] == [
        None, "UNIQUE_VIOLATION", None
    ]  # fmt: skip
    assert api.ask(ITEMS, {"n": 9}).body == items(1, 2, 3, 4)


def test_batches_that_are_too_long_or_empty_are_refused(api: Api) -> None:
    answer = post(api, [{"query": ITEMS}] * 4)
    assert (answer.status, answer.code) == (200, "LIMIT_EXCEEDED")
    assert answer.message == "The batch has 4 requests, more than 3 (BATCH_LIMIT)"
    assert (post(api, []).status, post(api, []).code) == (400, "BAD_REQUEST")
    sets = {"query": ITEMS, "variables": [{}] * 2}
    assert post(api, [sets, sets], LINES).code == "LIMIT_EXCEEDED"
    assert post(api, {"query": ITEMS, "variables": []}, LINES).code == "BAD_REQUEST"


def test_without_the_setting_a_body_is_one_request(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    for headers in ({}, LINES):
        answer = post(api, [{"query": ITEMS}], headers)
        assert (answer.status, answer.code) == (400, "BAD_REQUEST")
        answer = post(api, {"query": ITEMS, "variables": [{}]}, headers)
        assert (answer.status, answer.message) == (400, "variables must be an object")


def test_jsonl_has_a_line_for_each_request(api: Api) -> None:
    assert lines(api, [{"query": ITEMS}, {"query": "{"}, {"query": ITEMS, "variables": {"n": 1}}]) == [
        {"requestIndex": 0, **items(1, 2)},
        {"requestIndex": 1, "errors": api.ask("{").errors},
        {"requestIndex": 2, **items(1)},
    ]
    assert lines(api, {"query": ITEMS, "variables": [{"n": 2}, {"n": 1}]}) == [
        {"variableIndex": 0, **items(1, 2)},
        {"variableIndex": 1, **items(1)},
    ]
    assert lines(api, [{"query": "{ __typename }"}, {"query": ITEMS, "variables": [{"n": 1}, 5]}]) == [
        {"requestIndex": 0, "data": {"__typename": "Query"}},
        {"requestIndex": 1, "variableIndex": 0, **items(1)},
        {"requestIndex": 1, "variableIndex": 1, "errors": post(api, {"query": ITEMS, "variables": 5}).errors},
    ]
    assert post(api, {"query": ITEMS}, LINES).body == items(1, 2)


@pytest.mark.parametrize("accept", ["text/csv", "application/graphql-response+json"])
def test_the_accept_header_does_not_change_the_parts(api: Api, accept: str) -> None:
    answer = post(api, [{"query": ITEMS}, {"query": "{ x }"}], {"Accept": accept})
    assert answer.status == 200
    assert answer.body[0] == items(1, 2)
    assert answer.body[1]["errors"]


def test_without_a_limit_a_list_is_refused_and_the_setting_is_named(start_api: StartApi) -> None:
    answer = post(start_api(SCHEMA), [{"query": ITEMS}])
    assert (answer.status, answer.message) == (400, "The body must be a JSON object with a query")
    assert answer.errors[0]["extensions"]["hint"] == "BATCH_LIMIT allows lists of requests."


def test_limits_apply_to_each_request(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, batch_limit=3, node_limit=2, alias_limit=1, body_limit=400)
    asked = [{"query": "{ a: __typename }"}, {"query": ITEMS}, {"query": ITEMS, "variables": {"n": 3}}]
    few, more, most = post(api, asked).body
    assert (few, more) == ({"data": {"a": "Query"}}, items(1, 2))
    assert most["errors"][0]["extensions"]["code"] == "LIMIT_EXCEEDED"
    large = post(api, [{"query": ITEMS, "variables": {"x": "y" * 400}}])
    assert (large.status, large.code) == (413, "LIMIT_EXCEEDED")


def test_stages_are_wrapped_and_timed_for_each_request(start_api: StartApi) -> None:
    from portico import OverLimit, hookimpl

    class Rate:
        """Takes two requests."""

        def __init__(self) -> None:
            self.seen = 0

        @hookimpl
        def around_stages(self) -> dict[str, Any]:
            def parse(run: Any, *arguments: Any) -> Any:
                self.seen += 1
                if self.seen > 2:
                    raise OverLimit("Too many requests", status=429)
                return run(*arguments)

            return {"parse": parse}

    api = start_api(SCHEMA, plugins={"rate": Rate}, batch_limit=3)
    answer = post(api, [{"query": ITEMS}] * 3)
    assert answer.body[:2] == [items(1, 2)] * 2
    assert answer.body[2]["errors"][0]["message"] == "Too many requests"
    stages = re.findall(r"(\w+);dur=", answer.headers["server-timing"])
    assert stages == ["parse", "authorize", "plan", "execute", "shape"]
