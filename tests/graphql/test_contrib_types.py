"""Types of PostgreSQL's own extensions: citext and hstore."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_unusual_keys import leads_back, numbers, page, visits_each_row_once
from tests.postgres_server import PostgresServer

EXTENSIONS = """
create schema extra; grant usage on schema extra to anon;
create extension citext schema extra; create extension hstore schema extra;
create table word (k extra.citext primary key, n int, other extra.citext);
insert into word values ('a', 0, null), ('B', 1, 'x'), ('c', 2, 'X');
create table mention (id int primary key, n int, word extra.citext references word);
insert into mention values (1, 0, 'A'), (2, 1, 'b');
create table tagged (k extra.hstore primary key, n int, other extra.hstore);
insert into tagged values ('a=>1', 0, 'a=>1'), ('b=>NULL, "c d"=>"e\\"f"', 1, null), ('', 2, 'a=>1');
grant select on all tables in schema public to anon;
"""


@pytest.fixture(scope="module")
def postgres(postgres_with: Callable[[str], PostgresServer]) -> PostgresServer:
    return postgres_with("citext")


@pytest.fixture
def extended(reading_api: StartApi) -> Api:
    return reading_api(EXTENSIONS)


@pytest.mark.parametrize("name", ["word", "tagged"])
def test_types_work_with_operators_outside_of_the_search_path(extended: Api, name: str) -> None:
    visits_each_row_once(extended, name)
    visits_each_row_once(extended, name, "orderBy: [{other: DescNullsLast}],")
    leads_back(extended, name)


@pytest.mark.parametrize(
    ("filter_", "found"),
    [
        ('eq: "b"', [1]),
        ('neq: "b"', [0, 2]),
        ('in: ["A", "b"]', [0, 1]),
        ('lt: "b"', [0]),
        ('lte: "b"', [0, 1]),
        ('gt: "b"', [2]),
        ('gte: "b"', [1, 2]),
    ],
)
def test_citext_ignores_case_with_any_search_path(extended: Api, filter_: str, found: list[int]) -> None:
    assert numbers(page(extended, "word", f"filter: {{k: {{{filter_}}}}}")) == found


def test_relationships_use_the_operators_of_the_type(extended: Api) -> None:
    data = extended.ask('{ wordByPk(k: "b") { k mentionCollection { edges { node { id word } } } } }').data
    assert data == {"wordByPk": {"k": "B", "mentionCollection": {"edges": [{"node": {"id": 2, "word": "b"}}]}}}


def test_citext_columns_have_filters_of_strings(reading_api: StartApi) -> None:
    api = reading_api("""
        create extension citext;
        create table word (id int primary key, word citext unique, words citext[]);
        insert into word values (1, 'Hello', '{Hello}'), (2, 'other', '{}');
        grant select on word to anon;
    """)
    query = """{
      eq: wordCollection(filter: {word: {eq: "hELLO"}}) { ...ids } in: wordCollection(filter: {word: {in:
        ["HELLO"]}}) { ...ids }
      like: wordCollection(filter: {word: {like: "h%"}}) { ...ids } list: wordCollection(filter: {words: {contains:
        "HELLO"}}) { ...ids }
      } fragment ids on wordConnection { edges { node { id word words } } }"""
    hello = {"edges": [{"node": {"id": 1, "word": "Hello", "words": ["Hello"]}}]}
    assert api.ask(query).data == dict.fromkeys(("eq", "in", "like", "list"), hello)


def test_citext_keeps_its_own_order(start_api: StartApi) -> None:
    api = start_api("""
      create schema extra; grant usage on schema extra to anon; create extension citext schema extra;
      create table word (id int primary key, v extra.citext); insert into word values (1, 'a'), (2, 'B');
      comment on table word is '@graphql({"aggregate": {"enabled": true}})'; grant select on word to anon""")
    assert api.ask("{ wordCollection { aggregate { min { v } max { v } } } }").data == {
        "wordCollection": {"aggregate": {"min": {"v": "a"}, "max": {"v": "B"}}}
    }
