"""extensions.capped: collections for which a request wanted more rows than max_rows allows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create table account (id int primary key);
create table post (id int primary key, account_id int references account);
comment on table account is '@graphql({"aggregate": {"enabled": true}, "max_rows": 2})';
insert into account values (1), (2), (3);
insert into post values (1, 1);
grant all on all tables in schema public to anon;
"""


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA)


def capped(api: Api, query: str, variables: Any = None) -> Any:
    answer = api.ask(query, variables)
    assert answer.data
    return answer.body.get("extensions")


def test_capped_has_the_requested_and_the_returned_number(api: Api) -> None:
    query = """query ($n: Int) { all: accountCollection(first: $n) { edges { node { id
      posts: postCollection(last: 31) { edges { node { id } } } } } } }"""
    posts = {"path": ["all", "edges", "node", "posts"], "asked": 31, "given": 30}
    for asked in (3, 1000):
        accounts = {"path": ["all"], "asked": asked, "given": 2}
        assert capped(api, query, {"n": asked}) == {"capped": [accounts, posts]}
    for fits in (2, 1, None):
        assert capped(api, query, {"n": fits}) == {"capped": [posts]}


@pytest.mark.parametrize("arguments", ["", "(first: 2)", "(last: 1)", "(first: null)"])
def test_uncapped_pages_have_no_extension(api: Api, arguments: str) -> None:
    assert capped(api, f"{{ accountCollection{arguments} {{ edges {{ node {{ id }} }} }} }}") is None


def test_capped_does_not_depend_on_the_number_of_rows(api: Api) -> None:
    query = "{ accountCollection(first: 3, filter: {id: {eq: 0}}) { edges { node { id } } } }"
    assert capped(api, query) == {"capped": [{"path": ["accountCollection"], "asked": 3, "given": 2}]}


def test_capped_groups_are_reported(api: Api) -> None:
    query = "{ accountCollection { groups(by: [{id: Value}], first: 5) { key { id } } } }"
    assert capped(api, query) == {"capped": [{"path": ["accountCollection", "groups"], "asked": 5, "given": 2}]}


def test_capped_pages_in_mutations_are_reported(start_api: StartApi) -> None:
    query = """mutation { insertIntoaccountCollection(objects: [{id: 4}]) {
      records { postCollection(first: 40) { edges { node { id } } } } } }"""
    path = ["insertIntoaccountCollection", "records", "postCollection"]
    assert capped(start_api(SCHEMA), query) == {"capped": [{"path": path, "asked": 40, "given": 30}]}


def test_pg_graphql_has_no_such_extension(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, graphql_dialect="pg_graphql")
    assert capped(api, "{ accountCollection(first: 3) { edges { node { id } } } }") is None
