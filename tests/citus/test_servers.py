"""Servers of a cluster that are down or refuse a role, and the costs and tasks of requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from app.commands.citus_checks import claims, spread
from app.commands.finding import Finding
from tests.citus.cluster import Cluster, populate, run_apart
from tests.citus.nested import NESTED, VARIABLES
from tests.citus.reads import READS
from tests.citus.writes import WRITES
from tests.graphql.api import Answer, Api
from tests.graphql.requests import ask_with

ROLES = ("anon", "authenticated", "service_role")
ONE_TASK = (
    *(text for name, text in READS.items() if "of a tenant" in name and "function" not in name and "reads" not in name),
    *(READS[name] for name in ("by pk", "by key", "by node id", "by pk with children", "by pk with parents")),
    *(WRITES[name] for name in ("insert", "insert two", "update by key", "update by title", "update by node id")),
    *(WRITES[name] for name in ("bulk update", "bulk update, read parent", "bulk update by title", "delete by key")),
)


@pytest.fixture(scope="module")
def api(cluster: Cluster) -> Iterator[Api]:
    url = populate(cluster.create(sharded=True), by_row=True, policies=False)
    api = started(url)
    yield api
    api.close()


def findings(api: Api) -> list[Finding]:
    """The findings of a new process: Citus keeps connections of sessions."""
    fresh = started(api.database_url)
    try:
        services = fresh.application.services
        found = [*spread(services.settings, services.engine.database), *claims(services.settings, services.engine)]
        return [each for each in found if each.is_fatal]
    finally:
        fresh.close()


def started(url: str, **settings: Any) -> Api:
    return Api(
        url, api_schemas=("app", "public"), api_roles=ROLES, citus_claim="tenant", explain_roles=ROLES, **settings
    )


def books(api: Api) -> Answer:
    """The answer of a new process."""
    fresh = started(api.database_url)
    try:
        return fresh.ask("{ bookCollection { totalCount } }", role="authenticated")
    finally:
        fresh.close()


def test_doctor_finds_nothing_on_a_healthy_cluster(api: Api) -> None:
    assert findings(api) == []


def test_a_worker_that_is_down_is_found_and_not_named_to_clients(cluster: Cluster, api: Api) -> None:
    name, (host, port) = api.database_url.rpartition("/")[2], cluster.nodes[1]
    postgres = cluster.worker(api.database_url.replace(name, "postgres"), 0)
    run_apart(postgres, f"alter database {name} allow_connections false")
    run_apart(postgres, f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'")
    try:
        answer = books(api)
        (finding,) = findings(api)
    finally:
        run_apart(postgres, f"alter database {name} allow_connections true")
    assert (answer.status, answer.code) == (503, "DATABASE_UNAVAILABLE")
    assert not any(each in str(answer.body) for each in (host, str(port), name, "postgres@"))
    assert f"{host}:{port}" in finding.what
    assert books(api).data == {"bookCollection": {"totalCount": 9}}


def test_a_worker_that_refuses_a_role_is_found_and_not_named_to_clients(cluster: Cluster, api: Api) -> None:
    worker = cluster.worker(api.database_url, 0)
    local = "set citus.enable_ddl_propagation = off;"
    run_apart(worker, f"{local} alter role authenticated nologin")
    try:
        answer = books(api)
        (finding,) = findings(api)
    finally:
        run_apart(worker, f"{local} alter role authenticated login")
    assert (answer.status, answer.code) == (503, "DATABASE_UNAVAILABLE")
    assert not any(each in str(answer.body) for each in (str(cluster.nodes[1][1]), "authenticated"))
    assert "authenticated" in finding.what


def test_the_limit_of_costs_counts_the_tasks(api: Api) -> None:
    cost = ask_with(api, {"cost": True}, READS["nested"], role="authenticated").body["extensions"]["cost"]
    one = ask_with(api, {"cost": True}, READS["nested of a tenant"], role="authenticated").body["extensions"]["cost"]
    assert cost["estimate"] > one["estimate"] > 0
    limited = started(api.database_url, cost_limit=cost["estimate"] - 1)
    try:
        assert limited.ask(READS["nested"], role="authenticated").code == "LIMIT_EXCEEDED"
        assert limited.ask(READS["nested of a tenant"], role="authenticated").errors == []
    finally:
        limited.close()


def tasks(plan: Any) -> list[int]:
    """The numbers of tasks in all parts of a plan."""
    if isinstance(plan, list):
        return [number for each in plan for number in tasks(each)]
    if not isinstance(plan, dict):
        return []
    own = [plan["Task Count"]] if "Task Count" in plan else []
    return own + [number for each in plan.values() for number in tasks(each)]


@pytest.mark.parametrize("text", ONE_TASK)
def test_a_request_of_one_tenant_is_one_task(api: Api, text: str) -> None:
    entries = ask_with(api, {"explain": "plan"}, text, role="service_role").body["extensions"]["explain"]
    assert max(tasks(entries)) == 1
    assert len(entries) == 1


@pytest.mark.parametrize("name", ["parent and children", "three levels", "child with known parent", "connect children"])
def test_each_statement_of_a_nested_insert_concerns_one_shard(api: Api, name: str) -> None:
    entries = ask_with(api, {"explain": "plan"}, NESTED[name], role="service_role").body["extensions"]["explain"]
    assert set(tasks(entries)) <= {1}


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        *(VARIABLES[name] for name in VARIABLES if "insert a variable" in name and "many" not in name),
        *(
            VARIABLES[name]
            for name in ("upsert a variable", "upsert a variable, existing", "nested insert of a variable")
        ),
        *((text, None) for name, text in NESTED.items() if "child" in name and "another tenant" not in name),
    ],
)
def test_rows_are_sent_along_with_their_insert(api: Api, text: str, variables: Any) -> None:
    body = ask_with(api, {"explain": "plan"}, text, role="service_role", variables=variables).body
    assert "INSERT ... SELECT" not in json.dumps(body.get("extensions", {}))


def test_what_citus_has_itself_is_no_code_of_users(api: Api) -> None:
    assert not api.application.services.engine.schema_cache.current().writes_run_code


def test_a_plan_serves_lists_of_one_length(api: Api) -> None:
    text, _ = VARIABLES["nested insert of a variable"]
    for number, ids in enumerate(((200, 201), (202, 203, 204), (206, 205))):
        books = [{"id": each, "title": f"book {each}"} for each in ids]
        rows = [
            {"tenantId": 1 + number, "id": each["id"], "name": f"{each}", "bookCollection": {"objects": [each]}}
            for each in books
        ]
        made = api.ask(text, {"o": rows}, role="service_role").data["insertIntoAuthorCollection"]["records"]
        titles = [each["bookCollection"]["edges"][0]["node"]["title"] for each in made]
        assert titles == [each["title"] for each in books]


def test_values_in_variables_name_the_tenant_too(api: Api) -> None:
    text, variables = VARIABLES["bulk update of a variable"]
    answer = ask_with(api, {"explain": "plan"}, text, role="service_role", variables=variables)
    assert tasks(answer.body["extensions"]["explain"]) == [1]
