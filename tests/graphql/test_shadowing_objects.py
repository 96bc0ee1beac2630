"""Objects of users by the names of PostgreSQL's own are not called by the service's SQL."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bench.siege.attacks.shadows import QUERIES, SCHEMA, shadows
from tests.graphql.api import ANON_KEY, Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import connect

GRANTS = "grant all on all tables in schema public to anon, service_role;"
WRITES = (
    'mutation { updatethingCollection(set: {name: "b"}, filter: {code: {eq: "c1"}}, atMost: 5) {'
    " affectedCount records { id name } } }",
    'mutation { deleteFromthingCollection(filter: {name: {eq: "a"}}, atMost: 5) { records { id parent { name } } } }',
    'mutation { insertIntothingCollection(objects: [{id: 9, name: "a", mood: sad, list: [1], amount: 3}]) {'
    " records { id name mood parent { code } } } }",
)
NODE = "{ node(nodeId: %s) { nodeId ... on thing { name parent { code } } } }"
ROLLED_BACK = {"Prefer": "tx=rollback"}


@pytest.mark.parametrize("path", ["public", "public, pg_catalog"])
@pytest.mark.parametrize("place", ["database", "role"])
def test_answers_are_the_same_as_without_them(start_api: StartApi, path: str, place: str) -> None:
    def answers(api: Api) -> list[Any]:
        reported = [post(api, each) for each in QUERIES]
        return [*reported, *(post(api, each, **ROLLED_BACK) for each in WRITES), pages(api), csv(api)]

    usual = answers(start_api(SCHEMA + GRANTS))
    assert [each for each in usual if "'errors'" in str(each)] == []
    shadowed = start_api(SCHEMA + "".join(shadows()) + GRANTS)
    whose = "alter role anon in database %I" if place == "role" else "alter database %I"
    connection = connect(shadowed.database_url)
    connection.execute_simple(
        f"do $$ begin execute format('{whose} set search_path = {path}', current_database()); end $$"
    )
    connection.close()
    assert answers(shadowed) == usual


def post(api: Api, query: str, **headers: str) -> Any:
    given = {"apiKey": ANON_KEY, **headers}
    return api.client.simulate_post("/graphql/v1", json={"query": query}, headers=given).json


def csv(api: Api) -> str:
    query = {"query": "{ thingCollection { edges { node { id name code mood list } } } }"}
    given = {"apiKey": ANON_KEY, "Accept": "text/csv"}
    return api.client.simulate_post("/graphql/v1", json=query, headers=given).text


def pages(api: Api) -> list[Any]:
    """All rows, one by one, in the order of columns of every kind."""
    found, after = [], "null"
    for _ in range(4):
        query = """{ thingCollection(first: 1, after: %s, orderBy: [{name: DescNullsLast}, {code: AscNullsLast},
          {mood: AscNullsFirst}, {padded: AscNullsLast}]) {
          pageInfo { hasNextPage endCursor } edges { node { nodeId id } } } }"""
        page = post(api, query % after)
        found.append(page)
        if "errors" in page or not page["data"]["thingCollection"]["pageInfo"]["hasNextPage"]:
            return found
        after = f'"{page["data"]["thingCollection"]["pageInfo"]["endCursor"]}"'
        node = page["data"]["thingCollection"]["edges"][0]["node"]["nodeId"]
        found.append(post(api, NODE % json.dumps(node)))
    return found


DISTINCT = """
create table owner (code varchar(5) primary key);
create table part (code varchar(5), number int, primary key (code, number));
create table piece (
  id int primary key, code varchar(5) references owner, number int, tags varchar[],
  foreign key (code, number) references part
);
insert into piece (id, tags) values (1, '{a,b,NULL}');
create function called(varchar, varchar) returns bool language plpgsql as $$ begin raise exception 'called'; end $$;
create operator = (leftarg = varchar, rightarg = varchar, function = called);
grant all on owner, part, piece to anon;
"""
SAME = """mutation { insertIntoownerCollection(objects: [{code: "x", pieceCollection: {objects: [
  {id: 2, part: {object: {code: "%s", number: 1}}}]}}]) { records { pieceCollection { edges { node { id } } } } } }"""
REMOVED = """mutation { updatepieceCollection(set: {}, remove: {tags: %s}, filter: {id: {eq: 1}}) {
  records { tags } } }"""


def test_shadowing_operators_do_not_decide_which_values_are_distinct(start_api: StartApi) -> None:
    api = start_api(DISTINCT)
    assert "different values for code" in api.ask(SAME % "y").message
    records = api.ask(SAME % "x").data["insertIntoownerCollection"]["records"]
    assert records == [{"pieceCollection": {"edges": [{"node": {"id": 2}}]}}]
    removed = api.ask(REMOVED % '["a", null]')
    assert removed.data["updatepieceCollection"]["records"] == [{"tags": ["b"]}]
