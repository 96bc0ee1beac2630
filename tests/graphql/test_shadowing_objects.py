"""Objects of users by the names of PostgreSQL's own are not called by the service's SQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.graphql.conftest import OpenDoor
from tests.graphql.door import ANON_KEY, Door
from tests.postgres_server import connect

_COMPARED = ("=", "<>", "<", "<=", ">", ">=", "~~", "~~*", "~", "~*", "^@", "@>", "<@", "&&")
_TYPES = ("varchar", "code", "mood", "int[]", "varchar[]", "int4range", "bpchar", "cidr", "amount")
_FUNCTIONS = (
    "lower(varchar)", "upper(varchar)", "length(varchar)", "to_json(varchar)", "to_jsonb(varchar)", "to_json(code)",
    "concat(varchar, varchar)", "octet_length(varchar)", "array_append(int[], int)", "starts_with(varchar, text)",
    "to_json(mood)", "to_json(int[])", "string_agg_one(varchar)", "json_build_array(varchar)", "encode(bytea, varchar)",
    "set_config(varchar, varchar, bool)", "current_setting(varchar)", "quote_ident(varchar)", "format_type(oid, int)",
    "row_to_json(thing)", "num_nulls(varchar, varchar)", "count(varchar)", "max(varchar)", "min(varchar)",
    "sum(amount)",
)  # fmt: skip


def shadows() -> Iterator[str]:
    yield """
    create function called() returns bool language plpgsql as $$ begin raise exception 'a shadow was called'; end $$;"""
    for kind in _TYPES:
        for number, symbol in enumerate(_COMPARED):
            other = "text" if symbol in ("~~", "~~*", "~", "~*", "^@") else kind
            name = f"op_{number}_{''.join(filter(str.isalnum, kind))}"
            yield f"create function {name}({kind}, {other}) returns bool language sql volatile as 'select called()';"
            yield f"create operator {symbol} (leftarg = {kind}, rightarg = {other}, function = {name});"
    yield "create function plus(amount, amount) returns amount language sql volatile as 'select called()::int::amount';"
    yield "create operator + (leftarg = amount, rightarg = amount, function = plus);"
    for each in _FUNCTIONS:
        yield f"create function {each} returns text language sql volatile as 'select called()::text';"
    for name in ("text", "json", "jsonb", "uuid", "date", "timestamptz", "int8", "float8"):
        yield f'create domain public."{name}" as pg_catalog.int4;'


SCHEMA = """
create domain code as varchar check (value <> '');
create domain amount as int4;
create type mood as enum ('sad', 'glad');
create table parent (name varchar(20) primary key, code code unique);
create table thing (
  id int primary key, name varchar(20) references parent, code code, mood mood, list int[], names varchar[],
  span int4range, padded char(4), net cidr, amount amount default 1);
comment on table thing is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
create index on thing (name);
insert into parent values ('a', 'c1'), ('b', 'c2');
insert into thing values
  (1, 'a', 'c1', 'sad', '{1,2}', '{x}', '[1,5)', 'p', '10.0.0.0/8', 5),
  (2, 'b', 'c2', 'glad', '{3}', '{y}', '[5,9)', 'q', '10.1.0.0/16', 6),
  (3, 'b', 'c2', 'glad', '{3}', '{y}', '[5,9)', 'q', '10.1.0.0/16', 7);
"""
GRANTS = "grant all on all tables in schema public to anon, service_role;"
QUERIES = (
    '{ thingCollection(filter: {name: {eq: "a"}}) { edges { node { id } } } }',
    '{ thingCollection(filter: {name: {in: ["a", "b"]}, code: {eq: "c2"}}) { totalCount edges { node { id } } } }',
    '{ thingCollection(filter: {name: {gt: "a"}, mood: {eq: glad}}) { edges { node { id } } } }',
    '{ thingCollection(filter: {name: {like: "a%"}}) { edges { node { id } } } }',
    '{ thingCollection(filter: {name: {ilike: "A"}, padded: {startsWith: "p"}}) { edges { node { id } } } }',
    '{ thingCollection(filter: {name: {regex: "^a"}, padded: {iregex: "P"}}) { edges { node { id } } } }',
    '{ thingCollection(filter: {list: {contains: [1]}, names: {overlaps: ["x"]}}) { edges { node { id } } } }',
    '{ thingCollection(filter: {list: {eq: [1, 2]}, padded: {eq: "p"}}) { edges { node { id } } } }',
    '{ thingCollection(filter: {amount: {eq: 6}, not: {name: {eq: "a"}}}) { edges { node { id } } } }',
    '{ thingCollection(filter: {parent: {name: {eq: "a"}}}) { edges { node { id parent { name } } } } }',
    "{ parentCollection(orderBy: [{code: AscNullsLast}]) { edges { cursor node { nodeId thingCollection { edges {"
    " node { id name code mood list names span padded net amount } } } } } } }",
    "{ thingCollection { aggregate { count max { name } min { name } } } }",
)  # fmt: skip
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
def test_answers_are_the_same_as_without_them(open_door: OpenDoor, path: str, place: str) -> None:
    def answers(door: Door) -> list[Any]:
        told = [post(door, each) for each in QUERIES]
        return [*told, *(post(door, each, **ROLLED_BACK) for each in WRITES), pages(door), csv(door)]

    usual = answers(open_door(SCHEMA + GRANTS))
    assert [each for each in usual if "'errors'" in str(each)] == []
    shadowed = open_door(SCHEMA + "".join(shadows()) + GRANTS)
    whose = "alter role anon in database %I" if place == "role" else "alter database %I"
    connection = connect(shadowed.database_url)
    connection.execute_simple(
        f"do $$ begin execute format('{whose} set search_path = {path}', current_database()); end $$"
    )
    connection.close()
    assert answers(shadowed) == usual


def post(door: Door, query: str, **headers: str) -> Any:
    given = {"apiKey": ANON_KEY, **headers}
    return door.client.simulate_post("/graphql/v1", json={"query": query}, headers=given).json


def csv(door: Door) -> str:
    query = {"query": "{ thingCollection { edges { node { id name code mood list } } } }"}
    given = {"apiKey": ANON_KEY, "Accept": "text/csv"}
    return door.client.simulate_post("/graphql/v1", json=query, headers=given).text


def pages(door: Door) -> list[Any]:
    """All rows, one by one, in the order of columns of every kind."""
    found, after = [], "null"
    for _ in range(4):
        query = """{ thingCollection(first: 1, after: %s, orderBy: [{name: DescNullsLast}, {code: AscNullsLast},
          {mood: AscNullsFirst}, {padded: AscNullsLast}]) {
          pageInfo { hasNextPage endCursor } edges { node { nodeId id } } } }"""
        page = post(door, query % after)
        found.append(page)
        if "errors" in page or not page["data"]["thingCollection"]["pageInfo"]["hasNextPage"]:
            return found
        after = f'"{page["data"]["thingCollection"]["pageInfo"]["endCursor"]}"'
        node = page["data"]["thingCollection"]["edges"][0]["node"]["nodeId"]
        found.append(post(door, NODE % json.dumps(node)))
    return found
