"""``Accept: text/csv``: the page of a collection as a table."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graphql.api import ANON_KEY, Api
from tests.graphql.conftest import StartApi

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
def api(request: pytest.FixtureRequest, reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, graphql_dialect=request.param)


def ask(api: Api, query: str, variables: Any = None, accept: str = "text/csv") -> Any:
    headers = {"apiKey": ANON_KEY, "Content-Type": "application/json", "Accept": accept}
    body = json.dumps({"query": query, "variables": variables})
    return api.client.simulate_post("/graphql/v1", body=body, headers=headers)


def test_a_page_is_sent_as_a_table(api: Api) -> None:
    result = ask(api, POSTS)
    assert (result.status_code, result.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert result.content.decode() == TABLE
    assert "shape;dur=" in result.headers["server-timing"]
    assert ask(api, POSTS, {"n": 1}).content.decode() == "".join(TABLE.splitlines(keepends=True)[:2])


def test_a_capped_page_has_a_header(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    whole = ask(api, POSTS, {"n": 31})
    assert (whole.content.decode(), whole.headers["portico-capped"]) == (TABLE, "30")
    assert "portico-capped" not in ask(api, POSTS, {"n": 30}).headers


def test_groups_are_sent_as_a_table(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA + 'comment on table post is \'@graphql({"aggregate": {"enabled": true}})\'')
    groups = """groups(by: [{account: {email: Value}}], orderBy: [{key: {account: {email: DescNullsLast}}}], first: $n)
      { key { account { email } } posts: aggregate { count sum { score } } }"""
    query = f"query ($n: Int) {{ postCollection(filter: {{id: {{gt: 1}}}}) {{ {groups} }} }}"
    table = "key.account.email,posts.count,posts.sum.score\r\nb@x,1,\r\n,1,7\r\n"
    assert ask(api, query).content.decode() == table
    capped = ask(api, query, {"n": 31})
    assert (capped.content.decode(), capped.headers["portico-capped"]) == (table, "30")


def test_totals_of_related_rows_are_columns(reading_api: StartApi) -> None:
    api = reading_api(
        SCHEMA
        + """comment on table post is '@graphql({"aggregate": {"enabled": true}, "totalCount": {"enabled": true}})';
        create function best(account) returns post language sql stable as
          'select post from post where account_id = $1.id limit 1'"""
    )
    query = """{ accountCollection(orderBy: [{id: AscNullsLast}]) { edges { node {
      email postCollection(first: 99) { totalCount aggregate { max { score } } pageInfo { hasNextPage } } best { title }
    } } } }"""
    result = ask(api, query)
    assert result.content.decode() == (
        "email,postCollection.totalCount,postCollection.aggregate.max.score,postCollection.pageInfo.hasNextPage,"
        "best.title\r\n"
        'a@x,1,-5.50,false,"one, ""two"""\r\nb@x,1,,false,"=1+1\nx"\r\nc@x,0,,false,\r\n'
    )
    assert "portico-capped" not in result.headers


def test_rows_of_a_function_are_sent_as_a_table(reading_api: StartApi) -> None:
    api = reading_api(
        SCHEMA
        + """create function totals(lowest int) returns table (account int, posts bigint) language sql stable as
          'select account_id, count(*) from post where account_id >= lowest group by 1 order by 1 desc';
        comment on function totals is '@graphql({"expose": true})'"""
    )
    assert ask(api, "{ totals(lowest: 1) { posts of: account } }").text == "posts,of\r\n1,2\r\n1,1\r\n"
    assert ask(api, "{ totals(lowest: 9) { posts } }").text == "posts\r\n"


def test_related_rows_of_one_row_are_sent_as_a_table(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    query = "query ($id: Int!) { accountByPk(id: $id) { all: postCollection(first: 99) { edges { node { id } } } } }"
    result = ask(api, query, {"id": 1})
    assert (result.text, result.headers["portico-capped"]) == ("id\r\n1\r\n", "30")
    assert ask(api, query, {"id": 9}).text == "id\r\n"


def test_an_empty_table_has_a_header(api: Api) -> None:
    query = "{ postCollection(filter: {id: {gt: 9}}) { edges { node { id account { email } } } } }"
    assert ask(api, query).text == "id,account.email\r\n"


def test_fragments_and_directives_select_columns(api: Api) -> None:
    query = """query ($with: Boolean!) { postCollection(first: 1) { edges { node { ...P } } } }
      fragment P on Post { id title @include(if: $with) account { ... on Account { email } } }"""
    assert ask(api, query, {"with": True}).text.splitlines()[0] == "id,title,account.email"
    assert ask(api, query, {"with": False}).text == "id,account.email\r\n1,a@x\r\n"


def test_a_get_has_a_validator(api: Api) -> None:
    result = api.client.simulate_get("/graphql/v1", params={"query": POSTS}, headers={"apiKey": ANON_KEY, **CSV})
    assert result.content.decode() == TABLE
    plain = api.client.simulate_get("/graphql/v1", params={"query": POSTS}, headers={"apiKey": ANON_KEY})
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
def test_anything_else_is_not_acceptable(api: Api, query: str) -> None:
    result = ask(api, query)
    assert result.status_code == 406
    (error,) = result.json["errors"]
    assert error["extensions"]["code"] == "NOT_ACCEPTABLE"
    assert error["message"].startswith("The response to this operation cannot be CSV: ")
    assert api.ask("{ postCollection { edges { node { id } } } }").data["postCollection"]["edges"], "nothing was done"


def test_the_preferred_type_is_sent(api: Api) -> None:
    for accept in ("text/csv", "text/csv, */*", "text/csv;q=0.9, application/json;q=0.5", "application/json, text/csv"):
        assert ask(api, POSTS, accept=accept).headers["content-type"].startswith("text/csv"), accept
    for accept in ("application/json, text/csv;q=0.9", "text/csv;q=0", "*/*", "", "text/csv;q=x"):
        assert ask(api, POSTS, accept=accept).headers["content-type"].startswith("application/json"), accept


def test_errors_are_those_of_json(api: Api) -> None:
    assert ask(api, "{ postCollection { edges { node { nothing } } } }").json["errors"]
    assert ask(api, "{").json["errors"][0]["extensions"]["code"] == "GRAPHQL_PARSE_FAILED"


def test_formulas_are_escaped_with_the_setting(reading_api: StartApi) -> None:
    sql = """create table cell (id int primary key, "text" text, number numeric); grant select on cell to anon;
      insert into cell values (1, '=cmd', -1), (2, '+49 1', 2), (3, '-x', 3), (4, '@a', 4), (5, '-12.5', 5),
        (6, 'a=b', 6)"""
    query = "{ cellCollection(orderBy: [{id: AscNullsLast}]) { edges { node { text number } } } }"
    plain = [line.split(",")[0] for line in ask(reading_api(sql), query).text.splitlines()[1:]]
    assert plain == ["=cmd", "+49 1", "-x", "@a", "-12.5", "a=b"]
    safe = [line.split(",") for line in ask(reading_api(sql, csv_safe=True), query).text.splitlines()[1:]]
    assert [line[0] for line in safe] == ["'=cmd", "'+49 1", "'-x", "'@a", "-12.5", "a=b"]
    assert safe[0][1] == "-1"


TEXTS = st.lists(
    st.one_of(st.none(), st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))), max_size=8
)


@settings(max_examples=25)
@given(texts=TEXTS)
def test_every_text_is_read_as_it_was_written(reading_api_of_texts: Api, texts: list[str | None]) -> None:
    api = reading_api_of_texts
    query = "query ($texts: [String]!) { words(texts: $texts) { edges { node { id word } } } }"
    text = ask(api, query, {"texts": texts}).content.decode()
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read[0] == ["id", "word"]
    assert read[1:] == [[str(n), each or ""] for n, each in enumerate(texts, 1)]
    assert text.count('""\r\n') >= sum(each == "" for each in texts)


@pytest.fixture(scope="module")
def reading_api_of_texts(reading_api: StartApi) -> Api:
    sql = """create table word (id bigint primary key, word text); grant select on word to anon;
      create function words(texts text[]) returns setof word language sql stable as
        'select n, t from unnest(texts) with ordinality as u(t, n)'"""
    return reading_api(sql)
