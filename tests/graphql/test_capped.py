"""extensions.capped: collections for which a request wanted more rows than max_rows allows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.conftest import OpenDoor
from tests.graphql.door import Door

SCHEMA = """
create table account (id int primary key);
create table post (id int primary key, account_id int references account);
comment on table account is '@graphql({"aggregate": {"enabled": true}, "max_rows": 2})';
insert into account values (1), (2), (3);
insert into post values (1, 1);
grant all on all tables in schema public to anon;
"""


@pytest.fixture
def door(reading_door: OpenDoor) -> Door:
    return reading_door(SCHEMA)


def capped(door: Door, query: str, variables: Any = None) -> Any:
    answer = door.ask(query, variables)
    assert answer.data
    return answer.body.get("extensions")


def test_capped_has_the_requested_and_the_returned_number(door: Door) -> None:
    query = """query ($n: Int) { all: accountCollection(first: $n) { edges { node { id
      posts: postCollection(last: 31) { edges { node { id } } } } } } }"""
    posts = {"path": ["all", "edges", "node", "posts"], "asked": 31, "given": 30}
    for asked in (3, 1000):
        accounts = {"path": ["all"], "asked": asked, "given": 2}
        assert capped(door, query, {"n": asked}) == {"capped": [accounts, posts]}
    for fits in (2, 1, None):
        assert capped(door, query, {"n": fits}) == {"capped": [posts]}


@pytest.mark.parametrize("arguments", ["", "(first: 2)", "(last: 1)", "(first: null)"])
def test_uncapped_pages_have_no_extension(door: Door, arguments: str) -> None:
    assert capped(door, f"{{ accountCollection{arguments} {{ edges {{ node {{ id }} }} }} }}") is None


def test_capped_does_not_depend_on_the_number_of_rows(door: Door) -> None:
    query = "{ accountCollection(first: 3, filter: {id: {eq: 0}}) { edges { node { id } } } }"
    assert capped(door, query) == {"capped": [{"path": ["accountCollection"], "asked": 3, "given": 2}]}


def test_capped_groups_are_reported(door: Door) -> None:
    query = "{ accountCollection { groups(by: [{id: Value}], first: 5) { key { id } } } }"
    assert capped(door, query) == {"capped": [{"path": ["accountCollection", "groups"], "asked": 5, "given": 2}]}


def test_capped_pages_in_mutations_are_reported(open_door: OpenDoor) -> None:
    query = """mutation { insertIntoaccountCollection(objects: [{id: 4}]) {
      records { postCollection(first: 40) { edges { node { id } } } } } }"""
    path = ["insertIntoaccountCollection", "records", "postCollection"]
    assert capped(open_door(SCHEMA), query) == {"capped": [{"path": path, "asked": 40, "given": 30}]}


def test_pg_graphql_has_no_such_extension(reading_door: OpenDoor) -> None:
    door = reading_door(SCHEMA, graphql_dialect="pg_graphql")
    assert capped(door, "{ accountCollection(first: 3) { edges { node { id } } } }") is None
