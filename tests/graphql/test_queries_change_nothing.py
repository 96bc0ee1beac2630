"""A query changes nothing, regardless of what it calls: by a field, a view, a policy, an operator or a default."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.graphql.api import ANON_KEY, Answer, Api
from tests.graphql.conftest import StartApi
from tests.graphql.requests import ask_with
from tests.postgres_server import PostgresServer, connect

SCHEMA = """
create schema hidden;
create table hidden.log (at timestamptz default clock_timestamp());
create sequence hidden.numbers;
create table doc (id int primary key, t text);
insert into doc select i, 'x' from generate_series(1, 3) i;

create function hidden.write() returns int language plpgsql security definer as $$
  begin insert into hidden.log default values; return 1; end $$;
create function hidden.indirectly() returns int language plpgsql stable as $$ begin return hidden.write(); end $$;
create function hidden.put_together() returns int language plpgsql stable as $$
  declare result int; begin execute 'select hidden.wri' || 'te()' into result; return result; end $$;
create function hidden."odd name"() returns int language sql volatile security definer as $$
  insert into hidden.log default values; select 1 $$;
create function hidden.by_odd_name() returns int language sql stable as 'select hidden."odd name"()';
create function hidden.escaped() returns int language sql stable as $$ select hidden.U&"wr\\0069te"() $$;
create function hidden.upper_case() returns int language sql stable as 'select HIDDEN.WRITE()';
create function hidden.quietly() returns int language plpgsql as $$
  begin
    perform set_config('transaction_read_only', null, true);
    return hidden.write();
  exception when others then return 0; end $$;
create function hidden.object() returns int language plpgsql as $$
  begin perform lo_create(0); return 1; exception when others then return 0; end $$;

create view through_view as select 1 as id, hidden.write() as n;
create view through_views as select * from through_view;
create view through_stable as select 1 as id, hidden.indirectly() as n;
create view through_text as select 1 as id, hidden.put_together() as n;
create view through_odd_name as select 1 as id, hidden.by_odd_name() as n;
create view through_escapes as select 1 as id, hidden.escaped() as n;
create view through_upper_case as select 1 as id, hidden.upper_case() as n;
create view through_sequence as select 1 as id, nextval('hidden.numbers')::int as n;
create view through_setval as select 1 as id, setval('hidden.numbers', 7)::int as n;
create view through_notify as select 1 as id, length(pg_notify('noise', 'x')::text) as n;
create view through_object as select 1 as id, hidden.object() as n;
create view through_reset as select 1 as id, hidden.quietly() as n;
create view through_xml as
  select 1 as id, length(query_to_xml('select hidden.wri' || 'te()', true, true, '')::text) as n;
create function hidden.reads_a_view() returns int language sql stable as 'select n from public.through_view';
create view through_words as select 1 as id, hidden.reads_a_view() as n;
create table through_policy (id int primary key, n int);
insert into through_policy values (1, 1);
alter table through_policy enable row level security;
create policy p on through_policy using (hidden.write() > 0);
create view over_policy as select * from through_policy;
alter view over_policy owner to authenticated;
create function hidden.add(int, int) returns int language sql stable as 'select hidden.write() + $1 + $2';
create aggregate hidden.summed(int) (sfunc = hidden.add, stype = int, initcond = '0');
create view through_aggregate as select 1 as id, hidden.summed(id)::int as n from doc;
comment on schema public is e'@graphql({"inflect_names": false})';
do $$ declare name text; begin
  foreach name in array array['view', 'views', 'stable', 'text', 'odd_name', 'escapes', 'upper_case', 'sequence',
                              'setval', 'notify', 'object', 'reset', 'xml', 'words', 'aggregate'] loop
    execute format('comment on view through_%s is %L', name, '@graphql({"primary_key_columns": ["id"]})');
  end loop;
end $$;
comment on view over_policy is '@graphql({"primary_key_columns": ["id"]})';

create function asked() returns int language sql stable as 'select hidden.write()';
create function given(n int default hidden.write()) returns int language sql stable as 'select n';
create function docs() returns setof doc language sql stable as 'select doc from doc where hidden.write() > 0';
create function seen(doc) returns int language sql stable as 'select hidden.write()';
create function seen_too(doc, times int) returns int language sql stable as 'select hidden.write() * times';
comment on function seen is '@graphql({"filter": true, "orderBy": true})';
comment on function seen_too is '@graphql({"expose": true, "orderBy": true})';

create function remove(d doc) returns boolean language plpgsql as $$
  begin delete from doc where id = d.id; return found; end $$;
create function renamed(d doc, name text) returns doc language sql as
  'update doc set t = renamed.name where id = d.id returning *';
create function emptied(d doc) returns void language sql as $$ update doc set t = '' where id = d.id $$;
create function neighbours(d doc, key int) returns int language sql as 'select key';
create function calm(d doc) returns text language plpgsql as $$ begin return upper(d.t); end $$;
comment on function remove is '@graphql({"expose": true})';
comment on function renamed is '@graphql({"expose": true, "name": "rename"})';
comment on function emptied is '@graphql({"expose": true})';
comment on function neighbours is '@graphql({"expose": true})';
comment on function calm is '@graphql({"filter": true, "orderBy": true})';

create function hidden.careless() returns boolean language plpgsql as 'begin return true; end';
create function hidden.careful() returns boolean language plpgsql stable as
  $$ begin return hidden.uid() is null or current_setting('x.y', true) is null; end $$;
create function hidden.uid() returns uuid language sql stable as
  $$ select nullif(current_setting('request.jwt.claim.sub', true), '')::uuid $$;
create table plain (id int primary key, n text);
insert into plain values (1, 'one');
create table protected (like plain including all);
insert into protected select * from plain;
alter table protected enable row level security;
create policy p on protected using (hidden.careful());
create table careless (like plain including all);
insert into careless select * from plain;
alter table careless enable row level security;
create policy p on careless using (hidden.careless());
create view mode as select 1 as id, current_setting('transaction_read_only') as mode;
create view odds as select 1 as id, random() as n, gen_random_uuid() as u, clock_timestamp() as at;
comment on view mode is '@graphql({"primary_key_columns": ["id"]})';
comment on view odds is '@graphql({"primary_key_columns": ["id"]})';
grant update, delete on doc to anon;

grant usage on schema hidden to anon, authenticated;
grant select on all tables in schema public to anon, authenticated;
grant usage on sequence hidden.numbers to anon; grant update on sequence hidden.numbers to anon;
"""

COLLECTIONS = (
    "through_view", "through_views", "through_stable", "through_text", "through_odd_name", "through_escapes",
    "through_upper_case", "through_sequence", "through_setval", "through_xml", "through_words", "through_aggregate",
    "through_policy", "over_policy",
)  # fmt: skip
REFUSED = (
    *(f"{{ {name}Collection {{ edges {{ node {{ id n }} }} }} }}" for name in COLLECTIONS),
    "{ asked }",
    "{ given }",
    "{ docs { edges { node { id } } } }",
    "{ docCollection { edges { node { seen } } } }",
    "{ docCollection { edges { node { seen_too(times: 2) } } } }",
    "{ docCollection(filter: { seen: { gt: 0 } }) { edges { node { id } } } }",
    "{ docCollection(orderBy: [{ seen: AscNullsLast }]) { edges { node { id } } } }",
    "{ docCollection(orderBy: [{ seen_too: { times: 1, direction: AscNullsLast } }]) { edges { node { id } } } }",
)
QUIET = tuple(
    f"{{ {name}Collection {{ edges {{ node {{ id n }} }} }} }}"
    for name in ("through_notify", "through_object", "through_reset")
)


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, batch_limit=5, explain_roles=("anon",))


@pytest.fixture
def changed(api: Api, postgres: PostgresServer) -> Callable[[], list[list[object]]]:
    """The data that queries could have changed."""
    return lambda: postgres.execute(
        "select (select count(*) from hidden.log), (select count(*) from pg_catalog.pg_largeobject_metadata),"
        " (select last_value from hidden.numbers), (select is_called from hidden.numbers)",
        api.database_url,
    )


UNCHANGED = [[0, 0, 1, False]]


@pytest.mark.parametrize("query", REFUSED)
def test_a_query_that_would_write_fails(api: Api, changed: Callable[[], object], query: str) -> None:
    answer = api.ask(query)
    assert answer.code == "READ_ONLY_SQL_TRANSACTION", answer.body
    assert "Make it a mutation" in answer.errors[0]["extensions"]["hint"]
    assert changed() == UNCHANGED


@pytest.mark.parametrize("query", QUIET)
def test_effects_that_postgresql_allows_are_undone(
    api: Api, changed: Callable[[], object], query: str, postgres: PostgresServer
) -> None:
    listener = connect(api.database_url)
    listener.run("listen noise")
    assert api.ask(query).errors == []
    listener.run("select 1")
    assert (changed(), list(listener.notifications)) == (UNCHANGED, [])
    listener.close()


def rows_of(answer: Answer, collection: str) -> list[dict[str, Any]]:
    return [edge["node"] for edge in answer.data[collection]["edges"]]


SEEN = "{ docCollection { edges { node { seen } } } }"


def by_get(api: Api) -> str:
    return api.client.simulate_get("/graphql/v1", params={"query": SEEN}, headers={"apiKey": ANON_KEY}).text


def by_csv(api: Api) -> str:
    headers = {"apiKey": ANON_KEY, "Content-Type": "application/json", "Accept": "text/csv"}
    return api.client.simulate_post("/graphql/v1", body=json.dumps({"query": SEEN}), headers=headers).text


def by_batch(api: Api) -> str:
    return json.dumps(api.post(json.dumps([{"query": SEEN}, {"query": "{ asked }"}])).body)


def by_literals(api: Api) -> str:
    return json.dumps(
        [api.ask(f"{{ docCollection(first: {n}) {{ edges {{ node {{ seen }} }} }} }}").body for n in (1, 2)]
    )


def by_analysis(api: Api) -> str:
    return json.dumps(ask_with(api, {"explain": "analyze"}, SEEN).body)


@pytest.mark.parametrize("ask", [by_get, by_csv, by_batch, by_literals, by_analysis])
def test_queries_of_every_protocol_change_nothing(
    api: Api, changed: Callable[[], object], ask: Callable[[Api], str]
) -> None:
    assert "READ_ONLY_SQL_TRANSACTION" in ask(api)
    assert changed() == UNCHANGED


def test_queries_of_pg_graphql_change_nothing(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA, graphql_dialect="pg_graphql")
    before = api.ask("{ docCollection { edges { node { id } } } }")
    answer = api.ask("{ docCollection { edges { node { id remove calm } } } }")
    assert answer.errors[0]["extensions"]["code"] == "READ_ONLY_SQL_TRANSACTION"
    assert rows_of(api.ask("{ docCollection { edges { node { id calm } } } }"), "docCollection")[0]["calm"] == "X"
    assert api.ask("{ docCollection { edges { node { id } } } }").data == before.data
    changed = api.ask(
        "mutation { updatedocCollection(set: {t: 'y'}, filter: {id: {eq: 1}}) { records { calm remove } } }".replace(
            "'", '"'
        )
    )
    assert changed.data["updatedocCollection"]["records"] == [{"calm": "Y", "remove": True}]


def test_functions_that_write_nothing_work(api: Api) -> None:
    assert rows_of(api.ask("{ carelessCollection { edges { node { id n } } } }"), "carelessCollection") == [
        {"id": 1, "n": "one"}
    ]
    assert len(rows_of(api.ask("{ oddsCollection { edges { node { n u at } } } }"), "oddsCollection")) == 1


@pytest.mark.parametrize(
    ("other", "mode"),
    [("plain", "off"), ("protected", "off"), ("odds", "off"), ("careless", "on"), ("through_object", "on")],
)
def test_only_queries_that_may_write_are_read_only(api: Api, other: str, mode: str) -> None:
    answer = api.ask(
        f"{{ {other}Collection {{ edges {{ node {{ id }} }} }} modeCollection {{ edges {{ node {{ mode }} }} }} }}"
    )
    assert rows_of(answer, "modeCollection") == [{"mode": mode}]


# Functions of a row that may write


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("{ docCollection { edges { node { calm } } } }", "calm"),
        ("{ docCollection { edges { node { remove } } } }", "remove"),
        ('{ docCollection { edges { node { rename(name: "x") { id } } } } }', "rename"),
        ("{ docCollection(filter: { calm: { eq: 1 } }) { edges { node { id } } } }", "calm"),
        ("{ docCollection(orderBy: [{ calm: AscNullsLast }]) { edges { node { id } } } }", "calm"),
        ("mutation { deleteFromdocCollection { records { remove } } }", "remove"),
    ],
)
def test_volatile_functions_of_rows_are_no_members(api: Api, query: str, field: str) -> None:
    answer = api.ask(query)
    assert answer.errors[0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
    assert field in answer.errors[0]["message"]


def test_the_error_gives_the_reason(api: Api) -> None:
    def hint(query: str) -> str:
        return api.ask(query).errors[0]["extensions"]["hint"]

    said = hint("{ docCollection { edges { node { calm } } } }")
    assert "The function public.calm is volatile, and a query changes nothing" in said
    assert "declare it stable or immutable if it only reads" in said
    assert "field of Mutation" in hint("{ docCollection { edges { node { remove } } } }")


def test_a_comment_makes_volatile_functions_mutations(writing_api: StartApi, postgres: PostgresServer) -> None:
    api = writing_api(SCHEMA, "delete from doc; insert into doc select i, 'x' from generate_series(1, 3) i")
    answer = api.ask(
        """mutation ($name: String!) {
          one: rename(key: { id: 1 }, name: $name) { id t seen: __typename }
          two: emptied(key: { id: 2 })
          three: remove(key: { id: 3 })
          none: rename(key: { id: 4 }, name: $name) { id }
        }""",
        {"name": "new"},
    )
    assert answer.data == {"one": {"id": 1, "t": "new", "seen": "doc"}, "two": True, "three": True, "none": None}
    assert postgres.execute("select id, t from doc order by id", api.database_url) == [[1, "new"], [2, ""]]
    assert "neighbours" not in api.ask("{ __schema { mutationType { fields { name } } } }").body.__repr__()
