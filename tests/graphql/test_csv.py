"""``Accept: text/csv``: the page of a collection as a table."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graphql.conftest import OpenDoor
from tests.graphql.door import ANON_KEY, Door

SCHEMA = """
comment on schema public is '@graphql({"inflect_names": true})';
create table account (id int primary key, email text not null, name text, tags text[] not null default '{}');
comment on table account is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
create table post (id int primary key, account_id int references account, title text not null, score numeric,
                   size float, done bool, data jsonb, big bigint);
create function full_name(account) returns text stable language sql as 'select upper($1.name)';
insert into account values (1, 'a@x', 'Ann'), (2, 'b@x', null), (3, 'c@x', '');
insert into post values (1, 1, 'one, "two"', -5.50, 1e30, true, '{"a": [1]}', -9007199254740993),
                        (2, 2, E'=1+1\\nx', null, 0.5, false, null, null), (3, null, '', 7, null, null, '"x"', 0);
grant select on account, post to anon; grant insert, delete on post to anon;
"""
CSV = {"Accept": "text/csv"}
POSTS = """query ($n: Int) { postCollection(first: $n, orderBy: [{id: AscNullsLast}]) { edges { node {
  id title score size done data big author: account { email of: name } account { __typename name fullName } } } } }"""
TABLE = (
    "id,title,score,size,done,data,big,author.email,author.of,account.__typename,account.name,account.fullName\r\n"
    '1,"one, ""two""",-5.50,1e+30,true,"{""a"": [1]}",-9007199254740993,a@x,Ann,Account,Ann,ANN\r\n'
    '2,"=1+1\nx",,0.5,false,,,b@x,,Account,,\r\n'
    '3,"",7,,,x,0,,,,,\r\n'
)


@pytest.fixture(params=["standard", "pg_graphql"])
def door(request: pytest.FixtureRequest, reading_door: OpenDoor) -> Door:
    return reading_door(SCHEMA, graphql_dialect=request.param)


def ask(door: Door, query: str, variables: Any = None, accept: str = "text/csv") -> Any:
    headers = {"apiKey": ANON_KEY, "Content-Type": "application/json", "Accept": accept}
    body = json.dumps({"query": query, "variables": variables})
    return door.client.simulate_post("/graphql/v1", body=body, headers=headers)


def test_a_page_is_sent_as_a_table(door: Door) -> None:
    result = ask(door, POSTS)
    assert (result.status_code, result.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert result.content.decode() == TABLE
    assert "shape;dur=" in result.headers["server-timing"]
    assert ask(door, POSTS, {"n": 1}).content.decode() == "".join(TABLE.splitlines(keepends=True)[:2])


def test_a_capped_page_has_a_header(reading_door: OpenDoor) -> None:
    door = reading_door(SCHEMA)
    whole = ask(door, POSTS, {"n": 31})
    assert (whole.content.decode(), whole.headers["portico-capped"]) == (TABLE, "30")
    assert "portico-capped" not in ask(door, POSTS, {"n": 30}).headers


def test_groups_are_sent_as_a_table(reading_door: OpenDoor) -> None:
    door = reading_door(SCHEMA + 'comment on table post is \'@graphql({"aggregate": {"enabled": true}})\'')
    groups = """groups(by: [{account: {email: Value}}], orderBy: [{key: {account: {email: DescNullsLast}}}], first: $n)
      { key { account { email } } posts: aggregate { count sum { score } } }"""
    query = f"query ($n: Int) {{ postCollection(filter: {{id: {{gt: 1}}}}) {{ {groups} }} }}"
    table = "key.account.email,posts.count,posts.sum.score\r\nb@x,1,\r\n,1,7\r\n"
    assert ask(door, query).content.decode() == table
    capped = ask(door, query, {"n": 31})
    assert (capped.content.decode(), capped.headers["portico-capped"]) == (table, "30")


def test_totals_of_related_rows_are_columns(reading_door: OpenDoor) -> None:
    door = reading_door(
        SCHEMA
        + """comment on table post is '@graphql({"aggregate": {"enabled": true}, "totalCount": {"enabled": true}})';
        create function best(account) returns post language sql stable as
          'select post from post where account_id = $1.id limit 1'"""
    )
    query = """{ accountCollection(orderBy: [{id: AscNullsLast}]) { edges { node {
      email postCollection(first: 99) { totalCount aggregate { max { score } } pageInfo { hasNextPage } } best { title }
    } } } }"""
    result = ask(door, query)
    assert result.content.decode() == (
        "email,postCollection.totalCount,postCollection.aggregate.max.score,postCollection.pageInfo.hasNextPage,"
        "best.title\r\n"
        'a@x,1,-5.50,false,"one, ""two"""\r\nb@x,1,,false,"=1+1\nx"\r\nc@x,0,,false,\r\n'
    )
    assert "portico-capped" not in result.headers


def test_rows_of_a_function_are_sent_as_a_table(reading_door: OpenDoor) -> None:
    door = reading_door(
        SCHEMA
        + """create function totals(lowest int) returns table (account int, posts bigint) language sql stable as
          'select account_id, count(*) from post where account_id >= lowest group by 1 order by 1 desc';
        comment on function totals is '@graphql({"expose": true})'"""
    )
    assert ask(door, "{ totals(lowest: 1) { posts of: account } }").text == "posts,of\r\n1,2\r\n1,1\r\n"
    assert ask(door, "{ totals(lowest: 9) { posts } }").text == "posts\r\n"


def test_related_rows_of_one_row_are_sent_as_a_table(reading_door: OpenDoor) -> None:
    door = reading_door(SCHEMA)
    query = "query ($id: Int!) { accountByPk(id: $id) { all: postCollection(first: 99) { edges { node { id } } } } }"
    result = ask(door, query, {"id": 1})
    assert (result.text, result.headers["portico-capped"]) == ("id\r\n1\r\n", "30")
    assert ask(door, query, {"id": 9}).text == "id\r\n"


def test_an_empty_table_has_a_header(door: Door) -> None:
    query = "{ postCollection(filter: {id: {gt: 9}}) { edges { node { id account { email } } } } }"
    assert ask(door, query).text == "id,account.email\r\n"


def test_fragments_and_directives_select_columns(door: Door) -> None:
    query = """query ($with: Boolean!) { postCollection(first: 1) { edges { node { ...P } } } }
      fragment P on Post { id title @include(if: $with) account { ... on Account { email } } }"""
    assert ask(door, query, {"with": True}).text.splitlines()[0] == "id,title,account.email"
    assert ask(door, query, {"with": False}).text == "id,account.email\r\n1,a@x\r\n"


def test_a_get_has_a_validator(door: Door) -> None:
    result = door.client.simulate_get("/graphql/v1", params={"query": POSTS}, headers={"apiKey": ANON_KEY, **CSV})
    assert result.content.decode() == TABLE
    plain = door.client.simulate_get("/graphql/v1", params={"query": POSTS}, headers={"apiKey": ANON_KEY})
    assert result.headers["etag"] != plain.headers["etag"]
    assert "Accept" in result.headers["vary"]


@pytest.mark.parametrize(
    "query",
    [
        "{ accountCollection { edges { node { id tags } } } }",
        "{ accountCollection { edges { node { id postCollection { edges { node { id } } } } } } }",
        "{ accountCollection { totalCount edges { node { id } } } }",
        "{ accountCollection { totalCount } }",
        "{ accountCollection { aggregate { count } } }",
        "{ accountCollection { pageInfo { hasNextPage } } }",
        "{ accountCollection { edges { cursor node { id } } } }",
        "{ accountCollection { edges { cursor } } }",
        "{ accountCollection { edges { node { id } } } postCollection { edges { node { id } } } }",
        "{ accountCollection { edges { node { id } } } __typename }",
        "{ accountByPk(id: 1) { id } }",
        "{ accountByPk(id: 1) { postCollection { edges { node { id } } } id } }",
        "{ accountCollection { edges @skip(if: true) { node { id } } } }",
        "{ accountCollection { edges { node @skip(if: true) { id } } } }",
        "{ accountCollection { edges { __typename } } }",
        "{ __typename }",
        "mutation { deleteFromPostCollection(atMost: 9) { affectedCount } }",
    ],
)
def test_anything_else_is_not_acceptable(door: Door, query: str) -> None:
    result = ask(door, query)
    assert result.status_code == 406
    (error,) = result.json["errors"]
    assert error["extensions"]["code"] == "NOT_ACCEPTABLE"
    assert error["message"].startswith("The response to this operation cannot be CSV: ")
    assert door.ask("{ postCollection { edges { node { id } } } }").data["postCollection"]["edges"], "nothing was done"


def test_the_preferred_type_is_sent(door: Door) -> None:
    for accept in ("text/csv", "text/csv, */*", "text/csv;q=0.9, application/json;q=0.5", "application/json, text/csv"):
        assert ask(door, POSTS, accept=accept).headers["content-type"].startswith("text/csv"), accept
    for accept in ("application/json, text/csv;q=0.9", "text/csv;q=0", "*/*", "", "text/csv;q=x"):
        assert ask(door, POSTS, accept=accept).headers["content-type"].startswith("application/json"), accept


def test_errors_are_those_of_json(door: Door) -> None:
    assert ask(door, "{ postCollection { edges { node { nothing } } } }").json["errors"]
    assert ask(door, "{").json["errors"][0]["extensions"]["code"] == "GRAPHQL_PARSE_FAILED"


def test_formulas_are_escaped_with_the_setting(reading_door: OpenDoor) -> None:
    sql = """create table cell (id int primary key, "text" text, number numeric); grant select on cell to anon;
      insert into cell values (1, '=cmd', -1), (2, '+49 1', 2), (3, '-x', 3), (4, '@a', 4), (5, '-12.5', 5),
        (6, 'a=b', 6)"""
    query = "{ cellCollection(orderBy: [{id: AscNullsLast}]) { edges { node { text number } } } }"
    plain = [line.split(",")[0] for line in ask(reading_door(sql), query).text.splitlines()[1:]]
    assert plain == ["=cmd", "+49 1", "-x", "@a", "-12.5", "a=b"]
    safe = [line.split(",") for line in ask(reading_door(sql, csv_safe=True), query).text.splitlines()[1:]]
    assert [line[0] for line in safe] == ["'=cmd", "'+49 1", "'-x", "'@a", "-12.5", "a=b"]
    assert safe[0][1] == "-1"


TEXTS = st.lists(
    st.one_of(st.none(), st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))), max_size=8
)


@settings(max_examples=25)
@given(texts=TEXTS)
def test_every_text_is_read_as_it_was_written(reading_door_of_texts: Door, texts: list[str | None]) -> None:
    door = reading_door_of_texts
    query = "query ($texts: [String]!) { words(texts: $texts) { edges { node { id word } } } }"
    text = ask(door, query, {"texts": texts}).content.decode()
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read[0] == ["id", "word"]
    assert read[1:] == [[str(n), each or ""] for n, each in enumerate(texts, 1)]
    assert text.count('""\r\n') >= sum(each == "" for each in texts)


@pytest.fixture(scope="module")
def reading_door_of_texts(reading_door: OpenDoor) -> Door:
    sql = """create table word (id bigint primary key, word text); grant select on word to anon;
      create function words(texts text[]) returns setof word language sql stable as
        'select n, t from unnest(texts) with ordinality as u(t, n)'"""
    return reading_door(sql)
