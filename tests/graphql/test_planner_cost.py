"""The planner's estimate of an operation: its limit, the response that shows it, and its round trips."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from plugins.graphql import cost
from tests.database.proxy import Proxy
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES, StartApi
from tests.graphql.requests import ask_with
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S

SCHEMA = """
create table item (id int primary key, parent_id int references item, name text);
insert into item select n, nullif(n / 2, 0), repeat('x', 100) from generate_series(1, 20000) n;
analyze item;
alter table item enable row level security;
create policy all_rows on item to authenticated using (true);
create policy one_row on item to anon using (id = 1);
grant all on item to anon, authenticated, service_role;
"""
CHEAP = "query ($id: Int!) { itemByPk(id: $id) { name } }"
EXPENSIVE = "{ itemCollection(orderBy: [{name: AscNullsLast}]) { edges { node { id } } } }"
"""Sorts the table."""
LIMIT = 100
Through = Callable[..., tuple[Api, Proxy]]


@pytest.fixture
def through_proxy(postgres: PostgresServer) -> Iterator[Through]:
    opened: list[tuple[Api, Proxy]] = []
    urls = []

    def make(**settings: Any) -> tuple[Api, Proxy]:
        urls.append(postgres.create_database(sql=ROLES + SCHEMA))
        proxy = Proxy(urls[-1])
        api = Api(proxy.url(), **settings)
        opened.append((api, proxy))
        api.application.services.poller.close(PATIENCE_S)
        api.application.services.storage.background.close()
        return api, proxy

    yield make
    for api, proxy in opened:
        api.close()
        proxy.close()
    for url in urls:
        postgres.drop_database(url)


@contextmanager
def flights(proxy: Proxy, number: int) -> Iterator[None]:
    before = proxy.flights
    yield
    assert proxy.flights - before == number


def test_an_operation_above_the_limit_is_refused_with_both_numbers(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, cost_limit=LIMIT, explain_roles=("authenticated",))
    error = api.ask(EXPENSIVE, role="authenticated")
    assert error.code == "LIMIT_EXCEEDED"
    found = re.fullmatch(r"The operation is estimated to cost (\d+), more than 100 \(COST_LIMIT\)", error.message)
    assert found is not None
    assert int(found[1]) > LIMIT
    assert error.body == {"errors": error.errors}
    assert api.ask(CHEAP, {"id": 1}, role="authenticated").data == {"itemByPk": {"name": "x" * 100}}


def test_no_estimate_is_made_without_a_limit(through_proxy: Through) -> None:
    api, proxy = through_proxy()
    api.ask("{ itemByPk(id: 1) { id } }")
    with flights(proxy, 1):
        assert api.ask(EXPENSIVE, role="authenticated").data


def test_an_estimate_costs_one_flight_at_first_and_after_ten_minutes(
    through_proxy: Through, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    # Ten minutes go by at once.
    monkeypatch.setattr(cost, "monotonic", lambda: now)
    api, proxy = through_proxy(cost_limit=LIMIT)
    api.ask("{ __typename }")
    api.application.services.engine.schema_cache.current()
    api.ask("{ itemByPk(id: 9) { parent_id } }")
    with flights(proxy, 2):
        assert api.ask(CHEAP, {"id": 1}).data
    for seconds in (0, 1, 599):
        now = 1000.0 + seconds
        with flights(proxy, 1):
            assert api.ask(CHEAP, {"id": seconds}).data
    now = 1600.0
    with flights(proxy, 2):
        assert api.ask(CHEAP, {"id": 2}).data
    with flights(proxy, 1):
        assert api.ask(CHEAP, {"id": 3}).data


def test_a_refusal_is_repeated_without_another_estimate(through_proxy: Through) -> None:
    api, proxy = through_proxy(cost_limit=LIMIT)
    assert api.ask(EXPENSIVE, role="authenticated").code == "LIMIT_EXCEEDED"
    with flights(proxy, 0):
        assert api.ask(EXPENSIVE, role="authenticated").code == "LIMIT_EXCEEDED"


def test_the_estimate_is_that_of_the_role(reading_api: StartApi) -> None:
    """Its policies are part of the plan: anon reads one row by the key."""
    api = reading_api(SCHEMA, cost_limit=LIMIT)
    assert api.ask(EXPENSIVE, role="authenticated").code == "LIMIT_EXCEEDED"
    assert api.ask(EXPENSIVE).data


def test_a_refused_mutation_executes_nothing(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA, cost_limit=LIMIT)
    change = 'mutation { updateitemCollection(set: {name: "y"}, filter: {name: {like: "%x%"}}, atMost: 30000) { affectedCount } }'  # noqa: E501
    assert api.ask(change, role="authenticated").code == "LIMIT_EXCEEDED"
    assert api.ask("{ itemByPk(id: 1) { name } }").data == {"itemByPk": {"name": "x" * 100}}


def test_later_statements_of_a_field_can_be_estimated(start_api: StartApi) -> None:
    api = start_api(SCHEMA, cost_limit=100_000)
    upsert = """mutation { insertIntoitemCollection(objects: [{id: 1}, {id: 30000}],
      onConflict: {constraint: item_pkey, updateColumns: []}) { affectedCount existing { id } } }"""
    answer = api.ask(upsert, role="authenticated").data["insertIntoitemCollection"]
    assert answer == {"affectedCount": 1, "existing": [{"id": 1}]}


def test_nested_inserts_can_be_estimated(start_api: StartApi) -> None:
    api = start_api(SCHEMA, cost_limit=100_000)
    nested = """mutation { insertIntoitemCollection(objects: [
      {id: 30001, item: {connect: {id: 1}}, itemCollection: {objects: [{id: 30002}], connect: [{id: 7}]}}])
      { records { id item { id } itemCollection { edges { node { id } } } } } }"""
    (record,) = api.ask(nested, role="authenticated").data["insertIntoitemCollection"]["records"]
    children = [{"node": {"id": 7}}, {"node": {"id": 30002}}]
    assert record == {"id": 30001, "item": {"id": 1}, "itemCollection": {"edges": children}}
    reported = ask_with(api, {"cost": True, "explain": "plan"}, nested, role="service_role").body["extensions"]
    assert reported["cost"]["nodes"] == 32
    assert reported["cost"]["estimate"] > 0
    assert len(reported["explain"]) > 1


def test_the_cost_is_reported_on_request(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, cost_limit=50_000, node_limit=5000, explain_roles=("anon", "authenticated"))
    answer = ask_with(api, {"cost": True}, EXPENSIVE, role="authenticated")
    assert list(answer.body) == ["data", "extensions"]
    reported = answer.body["extensions"]["cost"]
    assert reported.pop("estimate") > LIMIT
    assert reported == {"nodes": 30, "nodeLimit": 5000, "costLimit": 50_000}
    assert ask_with(api, {"cost": True}, "{ __typename }").body["extensions"]["cost"] == {
        "nodes": 0, "nodeLimit": 5000, "estimate": 0, "costLimit": 50_000,
    }  # fmt: skip


def test_missing_limits_are_reported_as_null(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, node_limit=0, explain_roles=("anon",))
    reported = ask_with(api, {"cost": True}, CHEAP, {"id": 1}).body["extensions"]["cost"]
    assert (reported["nodes"], reported["nodeLimit"], reported["costLimit"]) == (1, None, None)
    assert 0 < reported["estimate"] < LIMIT


def test_anonymous_callers_learn_no_value_of_hidden_rows(reading_api: StartApi) -> None:
    """The planner expects more rows for a value that is frequent, also in rows that policies hide."""
    hidden = """
    create table pay (id int primary key, owner text, secret text);
    insert into pay select n, 'boss', case when n % 3 = 0 then 'frequent' else 'x' || n end
    from generate_series(1, 3000) n;
    create index on pay (secret);
    analyze pay;
    alter table pay enable row level security;
    create policy own on pay to anon using (owner = 'anon');
    grant select on pay to anon;
    """
    guesses = (("id", "frequent"), ("id owner", "rare"))
    query = '{ payCollection(filter: {secret: {eq: "%s"}}) { edges { node { %s } } } }'
    for limit in (0, 1):
        api = reading_api(hidden, cost_limit=limit)
        answers = [ask_with(api, {"cost": True}, query % (value, fields)) for fields, value in guesses]
        assert answers[0].body == answers[1].body
        if not limit:
            assert answers[0].body["extensions"]["cost"]["estimate"] is None
        else:
            assert answers[0].message == "The operation is estimated to cost more than 1 (COST_LIMIT)"


@pytest.mark.parametrize("value", [False, None])
def test_false_requests_no_cost(reading_api: StartApi, value: Any) -> None:
    assert ask_with(reading_api(SCHEMA), {"cost": value, "other": 1}, CHEAP, {"id": 1}).body.keys() == {"data"}


@pytest.mark.parametrize("value", [1, "true", {}, [True]])
def test_a_value_that_is_no_boolean_is_refused(reading_api: StartApi, value: Any) -> None:
    answer = ask_with(reading_api(SCHEMA), {"cost": value}, CHEAP, {"id": 1})
    assert (answer.code, answer.message) == ("BAD_USER_INPUT", "extensions.cost must be true or false")


@pytest.mark.parametrize("extensions", [[], "cost", 1, [{"dryRun": True}]])
def test_extensions_that_are_no_object_are_refused(reading_api: StartApi, extensions: Any) -> None:
    answer = ask_with(reading_api(SCHEMA), extensions, CHEAP, {"id": 1})
    assert (answer.status, answer.message) == (400, "extensions must be an object")


def test_pg_graphql_reports_the_cost_too(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, graphql_dialect="pg_graphql")
    reported = ask_with(api, {"cost": True}, EXPENSIVE).body["extensions"]["cost"]
    assert (reported["nodes"], reported["nodeLimit"]) == (30, None)


def test_a_failing_statement_has_its_usual_error(reading_api: StartApi) -> None:
    """The planner computes constants, and so finds some errors before the statement runs."""
    query = "query ($name: String!) { wrong: itemCollection(filter: {name: {regex: $name}}) { edges { cursor } } }"
    bodies = [reading_api(SCHEMA, cost_limit=limit).ask(query, {"name": "("}).body for limit in (LIMIT, 0)]
    assert bodies[0] == bodies[1]
    assert bodies[0]["errors"]


def test_a_table_that_changes_meanwhile_is_planned_again(start_api: StartApi, postgres: PostgresServer) -> None:
    """The estimate fails as the statement would: the operation is planned again on the new schema."""
    api = start_api(SCHEMA, cost_limit=LIMIT)
    assert api.ask(CHEAP, {"id": 1}).data
    postgres.execute("alter table item rename column name to title", api.database_url)
    assert api.ask("{ itemByPk(id: 2) { name parent_id } }").code == "GRAPHQL_VALIDATION_FAILED"
