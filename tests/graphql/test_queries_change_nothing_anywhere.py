"""A query changes nothing, wherever in it the relation is whose policy would write."""

from __future__ import annotations

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create table log (at timestamptz default clock_timestamp());
create function write() returns boolean language plpgsql security definer as
  $$ begin insert into log default values; return true; end $$;
revoke execute on function write from public; grant execute on function write to anon;
create table parent (id int primary key); insert into parent values (1);
create table guarded (
  id int primary key, name text not null, rank int unique, parent_id int default 1 references parent);
insert into guarded select n, 'name ' || n, n from generate_series(1, 3) n;
create table plain (id int primary key, guarded_id int references guarded, label text);
insert into plain select n, n, 'label' from generate_series(1, 3) n;
create table link (
  plain_id int references plain, guarded_id int references guarded, primary key (plain_id, guarded_id));
insert into link values (1, 1);
alter table guarded enable row level security; create policy p on guarded using (write());
comment on table guarded is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true},
  "search": {"columns": ["name"], "config": "english"}})';
comment on table plain is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
comment on table link is '@graphql({"junction": true})';
create function found() returns setof guarded language sql stable as 'select * from guarded';
create function first_one() returns guarded language sql stable as 'select g from guarded g limit 1';
create function names(plain) returns text language sql stable as 'select string_agg(name, $$,$$) from guarded';
comment on function names is '@graphql({"filter": true, "orderBy": true})';
grant select on guarded, plain, link, parent to anon;
"""
NODE = "WyJwdWJsaWMiLCAiZ3VhcmRlZCIsIDFd"
QUERIES = (
    "guardedCollection { edges { node { id } } }",
    "guardedCollection { totalCount }",
    "guardedCollection { aggregate { count max { rank } } }",
    "guardedCollection { countUpTo(limit: 2) }",
    "guardedCollection { groups(by: [{ name: Value }]) { aggregate { count } } }",
    'guardedCollection(filter: { search: { websearch: "x" } }) { edges { node { id } } }',
    "parentCollection(orderBy: [{ guardedCollection: { count: AscNullsLast } }]) { edges { node { id } } }",
    "parentCollection(filter: { guardedCollection: { some: { id: { gt: 0 } } } }) { edges { node { id } } }",
    "parentCollection { edges { node { guardedCollection { aggregate { count } } } } }",
    "plainCollection { edges { node { guardeds: guardedCollection { edges { node { id } } } } } }",
    "guardedCollection { pageInfo { hasNextPage } }",
    "guardedCollection { edges { cursor } }",
    "guardedByPk(id: 1) { id }",
    "guardedByKey(key: { rank: 1 }) { id }",
    f'node(nodeId: "{NODE}") {{ ... on guarded {{ id }} }}',
    "plainCollection { edges { node { guarded { name } } } }",
    'plainCollection(filter: { guarded: { name: { eq: "x" } } }) { edges { node { id } } }',
    "plainCollection(filter: { not: { guardedExists: true } }) { edges { node { id } } }",
    "plainCollection(orderBy: [{ guarded: { name: AscNullsLast } }]) { edges { node { id } } }",
    'plainCollection(filter: { names: { like: "n%" } }) { edges { node { id } } }',
    "plainCollection(orderBy: [{ names: AscNullsLast }]) { edges { node { id } } }",
    "plainCollection { edges { node { names } } }",
    "linkCollection { edges { node { guarded { id } } } }",
    "found { edges { node { id } } }",
    "first_one { id }",
    "guardedCollection(distinctOn: [name], orderBy: [{ name: AscNullsLast }]) { edges { node { id } } }",
)


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA)


@pytest.mark.parametrize("query", QUERIES)
def test_a_function_in_any_place_cannot_write(api: Api, postgres: PostgresServer, query: str) -> None:
    answer = api.ask(f"{{ {query} }}")
    assert answer.errors == [] or answer.code == "READ_ONLY_SQL_TRANSACTION", answer.body
    mode = api.ask(f"{{ a: {query} b: plainCollection {{ edges {{ node {{ id }} }} }} }}")
    assert mode.errors == [] or mode.code == "READ_ONLY_SQL_TRANSACTION", mode.body
    assert postgres.execute("select count(*) from log", api.database_url) == [[0]]
