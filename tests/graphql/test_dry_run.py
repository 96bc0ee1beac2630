"""``extensions.dryRun``: what a mutation would do, without anything of it being kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.database.proxy import Proxy
from tests.graphql.api import Answer, Api
from tests.graphql.conftest import ROLES, StartApi
from tests.graphql.requests import ask_with
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S

SCHEMA = """
create table item (id int primary key, parent_id int references item deferrable initially deferred, name text);
insert into item values (1, null, 'one'), (2, 1, 'two');
create function rename_all() returns int language sql volatile as 'update item set name = ''all''; select 1';
grant all on item to anon;
"""
ROWS = "{ itemCollection { edges { node { id name } } } }"
INSERT = "mutation { insertIntoitemCollection(objects: [{id: 3, parent_id: 2}]) { affectedCount records { id } } }"
ORPHAN = "mutation { insertIntoitemCollection(objects: [{id: 3, parent_id: 9}]) { affectedCount } }"


def tried(api: Api, query: str, variables: Any = None, value: Any = True) -> Answer:
    return ask_with(api, {"dryRun": value}, query, variables)


def test_a_dry_run_returns_the_result_of_the_mutation(start_api: StartApi) -> None:
    api = start_api(SCHEMA, dry_run=True)
    before = api.ask(ROWS).data
    answer = tried(api, INSERT)
    assert answer.body == {
        "data": {"insertIntoitemCollection": {"affectedCount": 1, "records": [{"id": 3}]}},
        "extensions": {"dryRun": True},
    }
    assert api.ask(ROWS).data == before
    # The same request without it is executed.
    assert tried(api, INSERT, value=False).body == {"data": answer.body["data"]}
    assert api.ask(ROWS).data != before


def test_a_later_field_sees_an_earlier_one(start_api: StartApi) -> None:
    api = start_api(SCHEMA, dry_run=True)
    both = """mutation { insertIntoitemCollection(objects: [{id: 3}]) { affectedCount }
      deleteFromitemCollection(filter: {id: {eq: 3}}) { affectedCount } }"""
    assert [each["affectedCount"] for each in tried(api, both).data.values()] == [1, 1]


def test_deferred_constraints_are_checked(start_api: StartApi) -> None:
    api = start_api(SCHEMA, dry_run=True)
    refused = tried(api, ORPHAN)
    assert refused.code == api.ask(ORPHAN).code == "FOREIGN_KEY_VIOLATION"
    assert refused.body == api.ask(ORPHAN).body


def test_an_error_names_the_field(start_api: StartApi) -> None:
    api = start_api(SCHEMA, dry_run=True)
    refused = tried(api, "mutation { x: insertIntoitemCollection(objects: [{id: 1}]) { affectedCount } }")
    assert (refused.code, refused.errors[0]["path"]) == ("UNIQUE_VIOLATION", ["x"])


def test_a_dry_run_is_refused_if_it_is_off(start_api: StartApi) -> None:
    api = start_api(SCHEMA)
    before = api.ask(ROWS).data
    refused = tried(api, INSERT)
    assert (refused.code, refused.body.keys()) == ("BAD_USER_INPUT", {"errors"})
    assert refused.message == "Mutations cannot be tried here (DRY_RUN); nothing was executed"
    assert api.ask(ROWS).data == before


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_a_dry_run_is_refused_without_the_plugin(start_api: StartApi, dialect: str) -> None:
    api = start_api(SCHEMA, graphql_dialect=dialect, disabled_plugins=("dry_run",))
    before = api.ask(ROWS).data
    refused = tried(api, INSERT)
    assert (refused.code, refused.body.keys()) == ("BAD_USER_INPUT", {"errors"})
    assert refused.message == "extensions.dryRun is not understood here; the mutation was not executed"
    assert api.ask(ROWS).data == before
    # A query has no effect that could be meant to be another.
    assert tried(api, ROWS).body == {"data": before}


@pytest.mark.parametrize("value", ["true", "false", 1, 0, {}, [True]])
@pytest.mark.parametrize("is_on", [True, False])
def test_a_value_that_is_no_boolean_is_refused(start_api: StartApi, value: Any, is_on: bool) -> None:
    api = start_api(SCHEMA, dry_run=is_on)
    before = api.ask(ROWS).data
    refused = tried(api, INSERT, value=value)
    assert (refused.code, refused.message) == ("BAD_USER_INPUT", "extensions.dryRun must be true or false")
    assert api.ask(ROWS).data == before


def test_a_function_that_changes_something_is_rolled_back(start_api: StartApi) -> None:
    api = start_api(SCHEMA + 'comment on function rename_all is \'@graphql({"name": "rename_all"})\';', dry_run=True)
    before = api.ask(ROWS).data
    assert tried(api, "mutation { rename_all }").data == {"rename_all": 1}
    assert api.ask(ROWS).data == before


def test_an_operation_without_statements_is_a_dry_run_too(start_api: StartApi) -> None:
    api = start_api(SCHEMA, dry_run=True)
    assert tried(api, "mutation { __typename }").body["extensions"] == {"dryRun": True}


def test_the_limit_of_an_answer_applies(start_api: StartApi) -> None:
    api = start_api(SCHEMA, dry_run=True, answer_limit=100_000)
    big = "mutation ($name: String) { insertIntoitemCollection(objects: [{id: 3, name: $name}]) { records { name } } }"
    refused = tried(api, big, {"name": "x" * 500_000})
    assert refused.message == "The answer is larger than 100000 bytes (ANSWER_LIMIT)"
    assert "hint" not in refused.errors[0]["extensions"]
    assert len(api.ask(ROWS).data["itemCollection"]["edges"]) == 2


@pytest.fixture
def through_proxy(postgres: PostgresServer) -> Iterator[Callable[..., tuple[Api, Proxy]]]:
    opened: list[tuple[Api, Proxy, str]] = []

    def make(**settings: Any) -> tuple[Api, Proxy]:
        url = postgres.create_database(sql=ROLES + SCHEMA)
        proxy = Proxy(url)
        api = Api(proxy.url(), **settings)
        opened.append((api, proxy, url))
        api.application.services.poller.close(PATIENCE_S)
        api.application.services.storage.background.close()
        return api, proxy

    yield make
    for api, proxy, url in opened:
        api.close()
        proxy.close()
        postgres.drop_database(url)


def test_a_dry_run_is_one_flight(through_proxy: Callable[..., tuple[Api, Proxy]]) -> None:
    api, proxy = through_proxy(dry_run=True)
    tried(api, INSERT)
    before = proxy.flights
    for _ in range(3):
        assert tried(api, INSERT).data
    assert proxy.flights - before == 3


def test_a_query_is_answered_as_usual(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, dry_run=True)
    assert tried(api, ROWS).body == {"data": api.ask(ROWS).data, "extensions": {"dryRun": True}}


def test_known_and_null_members_have_no_effect(start_api: StartApi) -> None:
    """Client libraries send some members of ``extensions`` on their own; others are null."""
    api = start_api(SCHEMA)
    harmless = {"clientLibrary": {"name": "web", "version": "1"}, "persistedQuery": {"version": 1}, "dryRun": None}
    assert ask_with(api, harmless, INSERT).data


def test_an_upsert_of_two_statements_is_rolled_back(start_api: StartApi) -> None:
    api = start_api(SCHEMA, dry_run=True)
    before = api.ask(ROWS).data
    upsert = """mutation { insertIntoitemCollection(objects: [{id: 1}, {id: 3}],
      onConflict: {constraint: item_pkey, updateColumns: []}) { affectedCount existing { id } } }"""
    assert tried(api, upsert).data["insertIntoitemCollection"] == {"affectedCount": 1, "existing": [{"id": 1}]}
    assert api.ask(ROWS).data == before


def test_a_nested_insert_is_rolled_back(start_api: StartApi) -> None:
    api = start_api(SCHEMA, dry_run=True)
    before = api.ask(ROWS).data
    nested = """mutation { insertIntoitemCollection(objects: [{id: 5, itemCollection: {objects: [{id: 6}, {id: 7}]}}])
      { records { id itemCollection { edges { node { id } } } } } }"""
    children = {"edges": [{"node": {"id": 6}}, {"node": {"id": 7}}]}
    (record,) = tried(api, nested).data["insertIntoitemCollection"]["records"]
    assert record == {"id": 5, "itemCollection": children}
    assert api.ask(ROWS).data == before
