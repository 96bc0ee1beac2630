"""Volatile functions whose rows lead to others: these are read after the function, and so as it left them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.counted import counted
from tests.graphql.requests import ask_with
from tests.postgres_server import PostgresServer

SCHEMA = """
create domain cents as int not null;
create table customer (id int primary key, name text, purchases int not null default 0);
create table purchase (
  id int generated always as identity primary key, customer_id int references customer, gone int, note text,
  price numeric, fee cents, at timestamptz, data jsonb, raw bytea, tags text[], size float8
);
alter table purchase drop column gone;
create table item (id int generated always as identity primary key, purchase_id int references purchase, name text);
insert into customer values (1, 'Ann'), (2, 'Ben');
create function buy(customer int, items text[], note text default null) returns purchase language plpgsql as $$
declare made purchase; begin
  insert into purchase (customer_id, note, price, fee, at, data, raw, tags, size)
    values (buy.customer, buy.note, 1.50, 5, '2026-01-02 03:04:05.678901+00', '{"a": "\\"(x,)"}', '\\x00ff', items, 0.1)
    returning * into made;
  insert into item (purchase_id, name) select made.id, unnest(items);
  update customer c set purchases = purchases + 1 where c.id = buy.customer;
  return made;
end $$;
create function buy_both(customer int) returns setof purchase language plpgsql as $$ begin
  return next buy(customer, '{a}', 'first'); return next buy(customer, '{b,c}', 'second');
end $$;
create function buy_nothing(customer int) returns purchase language plpgsql as
  $$ begin perform buy(customer, '{a}'); return null; end $$;
create function buy_none(customer int) returns setof purchase language plpgsql as
  $$ begin perform buy(customer, '{a}'); end $$;
create function fail_after(customer int) returns purchase language plpgsql as
  $$ begin perform buy(customer, '{a}'); raise 'no'; end $$;
create function number_of_items(p purchase) returns bigint language sql stable as
  'select count(*) from item where purchase_id = p.id';
grant select, insert, update, delete on all tables in schema public to anon;
"""
ROWS = "truncate item, purchase restart identity; update customer set purchases = 0"
ITEMS = "itemCollection(orderBy: [{name: AscNullsLast}]) { edges { node { name } } }"


@pytest.fixture
def api(writing_api: StartApi) -> Api:
    return writing_api(SCHEMA, ROWS)


def names(purchase: dict[str, Any]) -> list[str]:
    return [each["node"]["name"] for each in purchase["itemCollection"]["edges"]]


def test_a_returned_row_shows_writes_to_other_tables(api: Api) -> None:
    query = f"""mutation($items: [String]!) {{ buy(customer: 1, items: $items) {{
      id number_of_items customer {{ name purchases }} {ITEMS} }} }}"""
    bought = api.ask(query, {"items": ["x", "y"]}).data["buy"]
    assert names(bought) == ["x", "y"]
    assert (bought["id"], bought["number_of_items"]) == (1, "2")
    assert bought["customer"] == {"name": "Ann", "purchases": 1}


def test_a_returned_set_shows_writes_to_other_tables(api: Api) -> None:
    query = f"""mutation {{ buy_both(customer: 2, first: 1, orderBy: [{{id: DescNullsLast}}]) {{
      edges {{ node {{ note customer {{ purchases }} {ITEMS} }} }} pageInfo {{ hasNextPage }} }} }}"""
    bought = api.ask(query).data["buy_both"]
    (edge,) = bought["edges"]
    assert (edge["node"]["note"], edge["node"]["customer"], names(edge["node"])) == (
        "second",
        {"purchases": 2},
        ["b", "c"],
    )
    assert bought["pageInfo"] == {"hasNextPage": True}


def test_filters_of_a_returned_set_see_writes_to_other_tables(api: Api) -> None:
    query = """mutation { buy_both(customer: 1, filter: {itemCollection: {some: {name: {eq: "c"}}}}) {
      edges { node { note } } } }"""
    assert api.ask(query).data["buy_both"] == {"edges": [{"node": {"note": "second"}}]}


def test_values_arrive_unchanged(api: Api) -> None:
    columns = "note price at data raw tags size"
    note = 'a "quote", (a comma), {a brace}\\\n\t NULL ü €'
    query = 'mutation($note: String) {{ buy(customer: 1, items: [null, "NULL", ""], note: $note) {{ {} }} }}'
    related = api.ask(query.format(f"{columns} customer {{ id }}"), {"note": note}).data["buy"]
    assert related.pop("customer") == {"id": 1}
    assert related == api.ask(query.format(columns), {"note": note}).data["buy"]
    assert (related["note"], related["tags"], related["size"]) == (note, [None, "NULL", ""], 0.1)


def test_a_function_without_a_result_runs_once(api: Api, postgres: PostgresServer) -> None:
    query = f"""mutation {{ buy_nothing(customer: 1) {{ {ITEMS} }}
      buy_none(customer: 1) {{ edges {{ node {{ {ITEMS} }} }} }} }}"""
    assert api.ask(query).data == {"buy_nothing": None, "buy_none": {"edges": []}}
    assert postgres.execute("select count(*) from purchase", api.database_url) == [[2]]


def test_the_fields_of_a_mutation_stay_in_order(api: Api) -> None:
    query = f"""mutation {{ one: buy(customer: 1, items: ["x"]) {{ customer {{ purchases }} }}
      updateitemCollection(set: {{name: "y"}}) {{ affectedCount }}
      two: buy(customer: 1, items: ["z"]) {{ customer {{ purchases }} {ITEMS} }} }}"""
    data = api.ask(query).data
    assert data["one"] == {"customer": {"purchases": 1}}
    assert (data["two"]["customer"], names(data["two"])) == ({"purchases": 2}, ["z"])


def test_a_function_that_fails_undoes_the_mutation(api: Api, postgres: PostgresServer) -> None:
    query = f'mutation {{ buy(customer: 1, items: ["x"]) {{ {ITEMS} }} fail_after(customer: 1) {{ {ITEMS} }} }}'
    answer = api.ask(query)
    assert (answer.message, answer.body["data"], answer.errors[0]["path"]) == ("no", None, ["fail_after"])
    assert postgres.execute("select count(*) from purchase", api.database_url) == [[0]]


def test_policies_apply_to_writes_in_other_tables(start_api: StartApi) -> None:
    api = start_api(
        SCHEMA
        + """
        alter table item enable row level security;
        create policy some_items on item to anon using (name <> 'secret') with check (true)"""
    )
    query = f'mutation {{ buy(customer: 1, items: ["x", "secret"]) {{ number_of_items {ITEMS} }} }}'
    bought = api.ask(query).data["buy"]
    assert (bought["number_of_items"], names(bought)) == ("1", ["x"])


def test_a_partly_readable_table_can_be_returned(start_api: StartApi) -> None:
    api = start_api(
        SCHEMA
        + """
        revoke select on purchase from anon; grant select (id, customer_id) on purchase to anon;
        alter function buy security definer"""
    )
    query = 'mutation { buy(customer: 1, items: ["x"]) { id customer { purchases } } }'
    assert api.ask(query).data["buy"] == {"id": 1, "customer": {"purchases": 1}}


def test_a_call_is_one_flight(start_api: StartApi) -> None:
    with counted(start_api(SCHEMA).database_url) as (api, proxy):
        query = f'mutation {{ buy(customer: 1, items: ["x"]) {{ {ITEMS} }} }}'
        api.ask(query).data  # noqa: B018
        before = proxy.flights
        assert names(api.ask(query).data["buy"]) == ["x"]
        assert proxy.flights - before == 1


def test_a_call_can_be_explained(start_api: StartApi) -> None:
    api = start_api(SCHEMA, explain_roles=("anon",))
    query = f"""mutation {{ buy(customer: 1, items: ["x"]) {{ {ITEMS} }}
      buy_both(customer: 1, filter: {{itemCollection: {{some: {{name: {{eq: "c"}}}}}}}}) {{
        edges {{ node {{ {ITEMS} }} }} }} }}"""
    answer = ask_with(api, {"explain": "plan"}, query)
    assert [each["paths"] for each in answer.body["extensions"]["explain"]] == [[["buy"]]] * 2 + [[["buy_both"]]] * 2


def test_pg_graphql_reads_related_rows_as_before_the_call(start_api: StartApi) -> None:
    api = start_api(SCHEMA, graphql_dialect="pg_graphql")
    query = f'mutation {{ buy(customer: 1, items: ["x"]) {{ id {ITEMS} }} }}'
    bought = api.ask(query).data["buy"]
    assert (bought["id"], names(bought)) == (1, [])
