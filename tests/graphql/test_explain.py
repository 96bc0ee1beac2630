"""``extensions.explain``: the statements of an operation and their plans, for roles that may see them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Answer, Api
from tests.graphql.conftest import StartApi
from tests.graphql.requests import ask_with

SCHEMA = """
create table item (id int primary key, name text);
insert into item select n, 'item ' || n from generate_series(1, 5) n;
create function touched() returns int language sql volatile as 'update item set name = ''touched''; select 1';
grant all on item to anon, service_role;
alter table item enable row level security;
create policy even on item to anon using (id % 2 = 0);
"""
TWO = """{ a: itemCollection(filter: {name: {eq: "item 3"}}) { edges { node { id } } }
  b: itemByPk(id: 1) { id } __typename }"""
CHANGES = """mutation { first: deleteFromitemCollection(filter: {id: {eq: 1}}) { affectedCount }
  second: insertIntoitemCollection(objects: [{id: 1}, {id: 2}], onConflict: {constraint: item_pkey, updateColumns: []})
  { existing { id } } }"""


def explained(api: Api, how: Any, query: str, role: str = "service_role") -> Answer:
    return ask_with(api, {"explain": how}, query, role=role)


def rows(api: Api) -> Any:
    return api.ask("{ itemCollection { edges { node { id name } } } }", role="service_role").data


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_a_query_is_one_statement(reading_api: StartApi, dialect: str) -> None:
    answer = explained(reading_api(SCHEMA, graphql_dialect=dialect), "plan", TWO)
    assert answer.body["data"] == {"a": None, "b": None, "__typename": "Query"}
    (entry,) = answer.body["extensions"]["explain"]
    assert list(entry) == ["paths", "sql", "plan", "pages"]
    assert entry["paths"] == [["a"], ["b"]]
    assert entry["sql"].startswith("SELECT ")
    # Values are parameters, also here.
    assert "item 3" not in entry["sql"]
    assert entry["plan"]["Plan"]["Node Type"]
    assert "Execution Time" not in entry["plan"]


def test_analyze_runs_the_query(reading_api: StartApi) -> None:
    answer = explained(reading_api(SCHEMA), "analyze", TWO)
    (entry,) = answer.body["extensions"]["explain"]
    assert entry["plan"]["Execution Time"] >= 0
    assert entry["plan"]["Plan"]["Actual Rows"] == 1


def test_a_mutation_has_an_entry_for_each_statement_and_changes_nothing(start_api: StartApi) -> None:
    api = start_api(SCHEMA)
    before = rows(api)
    entries = explained(api, "plan", CHANGES).body["extensions"]["explain"]
    assert [each["paths"] for each in entries] == [[["first"]], [["second"]], [["second"]]]
    assert rows(api) == before
    refused = explained(api, "analyze", CHANGES)
    assert (refused.code, refused.body.keys()) == ("BAD_USER_INPUT", {"errors"})
    assert rows(api) == before


def test_an_operation_without_statements_has_no_entries(reading_api: StartApi) -> None:
    answer = explained(reading_api(SCHEMA), "plan", "{ __typename }")
    assert answer.body == {"data": {"__typename": "Query"}, "extensions": {"explain": []}}


def test_only_roles_of_the_setting_may_explain(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    for how in ("plan", "analyze", "other"):
        refused = explained(api, how, TWO, role="anon")
        assert (refused.code, refused.message) == (
            "BAD_USER_INPUT",
            "The role may not explain operations (EXPLAIN_ROLES)",
        )
        assert "data" not in refused.body
    api = reading_api(SCHEMA, explain_roles=("anon",))
    assert explained(api, "plan", TWO, role="anon").body["extensions"]["explain"]
    assert explained(api, "plan", TWO).code == "BAD_USER_INPUT"


def test_the_plan_is_that_of_the_role(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, explain_roles=("anon", "service_role"))
    assert "% 2" in str(explained(api, "plan", TWO, role="anon").body)
    assert "% 2" not in str(explained(api, "plan", TWO).body)


@pytest.mark.parametrize("how", ["PLAN", "verbose", True, {}, ["plan"]])
def test_unknown_ways_to_explain_are_refused(reading_api: StartApi, how: Any) -> None:
    refused = explained(reading_api(SCHEMA), how, TWO)
    assert (refused.code, refused.message) == ("BAD_USER_INPUT", 'extensions.explain must be "plan" or "analyze"')


def test_explain_and_cost_can_be_combined(reading_api: StartApi) -> None:
    answer = ask_with(reading_api(SCHEMA), {"cost": True, "explain": "plan"}, TWO, role="service_role")
    reported = answer.body["extensions"]
    assert reported.keys() == {"cost", "explain"}
    assert reported["cost"]["estimate"] == round(reported["explain"][0]["plan"]["Plan"]["Total Cost"])


def test_an_invalid_query_is_not_explained(reading_api: StartApi) -> None:
    assert explained(reading_api(SCHEMA), "plan", "{ nothing }").code == "GRAPHQL_VALIDATION_FAILED"


def test_csv_cannot_be_explained(reading_api: StartApi) -> None:
    query = "{ itemCollection { edges { node { id } } } }"
    refused = ask_with(
        reading_api(SCHEMA), {"explain": "plan"}, query, role="service_role", headers={"Accept": "text/csv"}
    )
    assert (refused.status, refused.message) == (406, "The response to this operation cannot be CSV: it has extensions")
