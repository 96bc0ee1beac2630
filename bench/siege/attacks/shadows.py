"""Objects of users named like PostgreSQL's own, in an exposed schema: none may run with the caller's rights."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from app.database import parse_database_url
from bench.siege.client import ANON
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Besieged, Grounds

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
    """SQL that makes objects by the names of PostgreSQL's own, which fail when they are called."""
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
_GRANTS = "grant usage on schema public to anon; grant all on all tables in schema public to anon, service_role;"
_PATHS = ("public", "public, pg_catalog")


def _answers(service: Besieged) -> Iterator[Any]:
    for query in QUERIES:
        for accept in ("application/json", "text/csv"):
            answer = service.ask("POST", "/graphql/v1", {"query": query}, None, apiKey=ANON, Accept=accept)
            yield query, answer.status, answer.body
    name = service.bucket(allowed_mime_types=["text/plain"])
    put = service.ask("POST", f"/object/{name}/a/b.txt", b"bytes", Content_Type="text/plain")
    listed = service.ask("POST", f"/object/list/{name}", {"prefix": "a"})
    removed = service.ask("DELETE", f"/object/{name}", {"prefixes": ["a/b.txt"]})
    yield "storage", put.status, listed.status, len(listed.json), removed.status, len(removed.json)


def _shadowing(grounds: Grounds, seconds: float) -> Finding:
    tally, deadline = Tally(), time.monotonic() + seconds
    with grounds.serving(grounds.database(SCHEMA + _GRANTS)) as service:
        usual = list(_answers(service))
    made = list(shadows())
    for path in _PATHS:
        if tally.tried and time.monotonic() > deadline:
            break
        database = grounds.database(SCHEMA + "".join(made) + _GRANTS)
        name = parse_database_url(database).database
        grounds.server.execute(f'alter database "{name}" set search_path = {path}')
        with grounds.serving(database) as service:
            for found, expected in zip(_answers(service), usual, strict=True):
                tally.add(found == expected, (path, found))
    return tally.finding(f"{len(made)} objects")


ATTACKS = (Attack("shadowing objects", "users' objects with the names of PostgreSQL's are not called", _shadowing),)
