"""Pages at any depth: an index finds them, in every order that an index of the table has.

The tests count the rows that PostgreSQL reads for a page: by EXPLAIN ANALYZE of the statement that the API sends, as a
prepared statement with a generic plan.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from app.database.url.url import parse_database_url
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.requests import ask_with
from tests.postgres_server import PostgresServer

ROWS, PAGE = 20_000, 10
DIRECTIONS = ("AscNullsFirst", "AscNullsLast", "DescNullsFirst", "DescNullsLast")
ELEMENTS = {
    "AscNullsFirst": "asc nulls first",
    "AscNullsLast": "asc nulls last",
    "DescNullsFirst": "desc nulls first",
    "DescNullsLast": "desc nulls last",
}
TABLES = f"""
create table author (id int primary key, name text not null);
insert into author select n, 'author ' || n % 500 from generate_series(1, 1000) n;
create table item (
  id int primary key, parent_id int not null, author_id int references author, score int not null, rank int,
  created timestamptz not null, label text collate "C", uid uuid not null, amount numeric not null
);
insert into item
select n, n % 100, case when n % 10 <> 0 then n % 1000 + 1 end, n % 4, case when n % 3 <> 0 then n * 7919 % 1009 end,
  '2026-01-01'::timestamptz + n / 3 * interval '1 min', case when n % 5 <> 0 then 'label ' || n % 777 end,
  md5(n::text)::uuid, n * 7919 % 4001 / 10.0
from generate_series(1, {ROWS}) n;
create index on author (name);
create index on item (author_id, id);
create table parent (id int primary key);
insert into parent select n from generate_series(0, 99) n;
alter table item add foreign key (parent_id) references parent;
create view item_seen as select * from item;
comment on view item_seen is '@graphql({{"primary_key_columns": ["id"]}})';
create table place (row_number int, column_number int, height int, primary key (row_number, column_number));
insert into place select n / 200, n % 200, n * 7919 % 50 from generate_series(0, 9999) n;
create index on place (height desc nulls last, row_number, column_number);
grant select on all tables in schema public to anon;
"""
NULLABLE = ("rank", "label")
ORDERS: Sequence[tuple[tuple[str, str], ...]] = (
    *(((column, each),) for column in NULLABLE for each in DIRECTIONS),
    *(((column, each),) for column in ("score", "created", "uid", "amount", "id") for each in DIRECTIONS[1:3]),
    (("created", "DescNullsLast"),),
    (("created", "AscNullsFirst"),),
    (("score", "DescNullsLast"), ("created", "AscNullsLast")),
    (("score", "AscNullsLast"), ("created", "DescNullsLast")),
    (("score", "DescNullsFirst"), ("rank", "AscNullsFirst")),
    (("rank", "DescNullsLast"), ("label", "AscNullsLast")),
)


def index(order: Sequence[tuple[str, str]]) -> str:
    """The index for an order. Where a column has no nulls, their place is left out."""
    elements = [
        f"{column} {ELEMENTS[direction] if column in NULLABLE else direction[:4].rstrip('N')}"
        for column, direction in order
    ]
    return ", ".join([*elements, "id"])


INDEXES = "\n".join(
    f"create index on item ({head}{each});" for each in sorted({*map(index, ORDERS)}) for head in ("", "parent_id, ")
)


SCHEMA = f"{TABLES} {INDEXES} analyze;"


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, explain_roles=("anon",))


def argument(order: Sequence[tuple[str, str]]) -> str:
    return "orderBy: [" + ", ".join(f"{{{column}: {direction}}}" for column, direction in order) + "]"


def nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def rows_of(plan: Mapping[str, Any]) -> int:
    """The rows that a plan with the results of ANALYZE reads from tables, also those that it then excludes."""
    scans = [each for each in nodes(plan) if "Relation Name" in each]
    assert scans
    read = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck")
    return sum(sum(each.get(name, 0) for name in read) * each["Actual Loops"] for each in scans)


class Reading:
    """An API, and the number of rows that a page of it reads."""

    def __init__(self, api: Api, postgres: PostgresServer) -> None:
        self.api = api
        self._postgres = postgres

    def cursor(self, collection: str, order: str, offset: int) -> str:
        """The cursor of a row of a collection."""
        query = f"{{ {collection}(first: 1, offset: {offset}, {order}) {{ edges {{ cursor }} }} }}"
        return self.api.ask(query).data[collection]["edges"][0]["cursor"]

    def rows_read(self, query: str, cursor: str | None = None) -> int:
        """The rows that PostgreSQL reads from tables for a query with a cursor, also those that it then excludes."""
        answer = ask_with(self.api, {"explain": "plan"}, query)
        assert "errors" not in answer.body, answer.body
        (entry,) = answer.body["extensions"]["explain"]
        values = [each for each in json.loads(base64.b64decode(cursor or "W10=")) if each is not None]
        # A column that the order has twice is compared once.
        given = ", ".join(f"'{each}'" for each in values[: len(set(re.findall(r"\$\d+", entry["sql"])))])
        rows = self._postgres.execute(
            f"""set plan_cache_mode = force_generic_plan; prepare page as {entry["sql"]};
            explain (analyze, format json) execute page{f"({given})" if given else ""}""",
            self.api.database_url,
        )
        ((plans,),) = rows
        (plan,) = plans if isinstance(plans, list) else json.loads(str(plans))
        return rows_of(plan["Plan"])


@pytest.fixture
def reading(api: Api, postgres: PostgresServer) -> Reading:
    return Reading(api, postgres)


PAGE_INFO = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor }"


ENOUGH = 6 * PAGE
"""Rows that may be read for a page: PostgreSQL may find rows of one of the four scores by the index on the key."""


def id_of(order: Sequence[tuple[str, str]]) -> str:
    return " ".join(itertools.chain(*order))


def reads_few_rows(reading: Reading, collection: str, order: Sequence[tuple[str, str]]) -> None:
    def check(window: str, at: str | None = None) -> None:
        page = f"{collection}({window}, {argument(order)}) {{ edges {{ node {{ id }} }} {PAGE_INFO} }}"
        assert reading.rows_read(f"{{ {page} }}", at) <= ENOUGH, window

    for window in (f"first: {PAGE}", f"last: {PAGE}"):
        check(window)
    for depth in (0, 0.2, 0.5, 0.9, 1):
        at = reading.cursor(collection, argument(order), int((ROWS - 1) * depth))
        check(f'first: {PAGE}, after: "{at}"', at)
        check(f'last: {PAGE}, before: "{at}"', at)


@pytest.mark.parametrize("order", ORDERS, ids=id_of)
def test_a_page_reads_few_rows_at_any_depth(reading: Reading, order: Sequence[tuple[str, str]]) -> None:
    reads_few_rows(reading, "itemCollection", order)


OF_VIEWS = [
    order
    for order in ORDERS
    if all(column in NULLABLE or direction in ("AscNullsLast", "DescNullsFirst") for column, direction in order)
]
"""Orders with the place of nulls that the indexes have: a view's columns may be null, as far as PostgreSQL shows."""


@pytest.mark.parametrize("order", OF_VIEWS, ids=id_of)
def test_a_page_of_a_view_reads_few_rows(reading: Reading, order: Sequence[tuple[str, str]]) -> None:
    reads_few_rows(reading, "item_seenCollection", order)


def test_a_composite_key_is_a_bound_too(reading: Reading) -> None:
    for sorting in ("", "orderBy: [{height: DescNullsLast}]", "orderBy: [{row_number: DescNullsLast}]"):
        at = reading.cursor("placeCollection", sorting, 5000)
        for window in (f'first: {PAGE}, after: "{at}"', f'last: {PAGE}, before: "{at}"'):
            query = f"{{ placeCollection({window}, {sorting}) {{ edges {{ node {{ height }} }} }} }}"
            # The rows of one number come in the order of the second column of the key, which no index has.
            assert reading.rows_read(query, at) <= (ENOUGH if "row_number" not in sorting else 400 + PAGE)


@pytest.mark.parametrize("order", ORDERS, ids=id_of)
def test_nested_pages_read_few_rows(reading: Reading, order: Sequence[tuple[str, str]]) -> None:
    sorting = argument(order)
    at = reading.cursor("itemCollection", sorting, ROWS // 2)
    for window in ("first: 10", f'first: 10, after: "{at}"', f'last: 10, before: "{at}"'):
        query = f"""{{ parentCollection(first: 100) {{ edges {{ node {{ id
          itemCollection({window}, {sorting}) {{ edges {{ node {{ id }} }} }} }} }} }} }}"""
        assert reading.rows_read(query, at) <= 100 + 100 * 20, window


@pytest.mark.parametrize("direction", ["AscNullsLast", "DescNullsLast"])
def test_an_order_by_a_related_row_begins_with_its_index(reading: Reading, direction: str) -> None:
    sorting = f"orderBy: [{{author: {{name: {direction}}}}}]"
    windows = [("first: 10", None)]
    for offset in (0, 5, 9_000, 17_000):
        at = reading.cursor("itemCollection", sorting, offset)
        windows.append((f'first: 10, after: "{at}"', at))
    for window, at in windows:
        query = f"{{ itemCollection({window}, {sorting}) {{ edges {{ cursor }} pageInfo {{ hasPreviousPage }} }} }}"
        # Two authors with the same name, with 20 items each, and their items in the order of the key.
        assert reading.rows_read(query, at) <= 300, window


FOREIGN = """
create foreign data wrapper elsewhere;
create server elsewhere foreign data wrapper elsewhere;
create foreign table distant (id int) server elsewhere;
"""


@pytest.mark.parametrize("relation", ["item", "item_seen"])
@pytest.mark.parametrize("sql", ["", FOREIGN], ids=["without foreign tables", "with foreign tables"])
def test_a_view_that_may_have_foreign_rows_is_read_at_once(reading_api: StartApi, relation: str, sql: str) -> None:
    """PostgreSQL may read several queries on foreign tables at the same time, and their rows in any order."""
    api = reading_api(TABLES + sql, explain_roles=("anon",))
    query = f'{{ {relation}Collection(after: "WzUsIDdd", orderBy: [{{rank: AscNullsLast}}]) {{ edges {{ cursor }} }} }}'
    (entry,) = ask_with(api, {"explain": "plan"}, query).body["extensions"]["explain"]
    assert ("UNION ALL" in entry["sql"]) == (relation == "item" or not sql)


@pytest.mark.parametrize(("conditions", "ranges"), [(0, 5), (300, 5), (600, 3), (1500, 1)])
def test_long_filters_are_not_repeated_beyond_the_limit_of_conditions(
    reading_api: StartApi, conditions: int, ranges: int
) -> None:
    api = reading_api(TABLES, explain_roles=("anon",), token_limit=50_000, field_limit=20_000)
    each = ", ".join("{id: {gt: 0}}" for _ in range(conditions))
    at = base64.b64encode(b'[3, "label 3", 5]').decode()
    query = f"""{{ itemCollection(first: 3, after: "{at}", filter: {{and: [{each}]}}, orderBy: [
      {{rank: AscNullsLast}}, {{label: DescNullsLast}}]) {{ edges {{ cursor }} }} }}"""
    (entry,) = ask_with(api, {"explain": "plan"}, query).body["extensions"]["explain"]
    assert entry["sql"].count("UNION ALL") == ranges - 1


POLICIES = f"""
create table secret (id int primary key, score int not null, amount numeric not null, label text);
insert into secret select n, n % 4, n / 3, case when n % 5 > 0 then 'label ' || n % 977 end
from generate_series(1, {ROWS}) n;
create index on secret (score desc, id);
create index on secret (amount, id);
create index on secret (label desc nulls last, id);
alter table secret enable row level security;
create policy most on secret using (id % 100 <> 1);
grant select on secret to anon;
analyze;
"""


def test_an_index_finds_pages_under_a_policy_if_operators_are_leakproof(reading_api: StartApi) -> None:
    api = reading_api(POLICIES, explain_roles=("anon",))

    def rows_read(order: str) -> int:
        query = "query ($at: Cursor) { secretCollection(%s, after: $at, orderBy: [%s]) { edges { cursor } } }"
        (edge,) = api.ask(query % (f"first: 1, offset: {ROWS // 2}", order)).data["secretCollection"]["edges"]
        paged = query % (f"first: {PAGE}", order)
        (entry,) = ask_with(api, {"explain": "analyze"}, paged, {"at": edge["cursor"]}).body["extensions"]["explain"]
        return rows_of(entry["plan"]["Plan"])

    assert rows_read("{score: DescNullsLast}") <= ENOUGH
    assert rows_read("{label: DescNullsLast}") <= ENOUGH
    # The comparison of numeric is not leakproof: docs/graphql.md, "Which index does an order need?".
    assert rows_read("{amount: AscNullsLast}") > ROWS // 4


def test_a_later_range_is_not_read_if_the_first_suffices(reading: Reading) -> None:
    """Also without an index: a table is not read twice for a page that one range fills."""
    sorting = "orderBy: [{author_id: AscNullsLast}]"
    at = reading.cursor("itemCollection", sorting, 100)
    query = f'{{ itemCollection(first: 5, after: "{at}", {sorting}) {{ edges {{ cursor }} }} }}'
    assert reading.rows_read(query, at) <= ROWS


def test_ranges_are_read_in_their_order_in_parallel_plans(postgres: PostgresServer, start_api: StartApi) -> None:
    everywhere = start_api(TABLES)
    settings = {
        "min_parallel_table_scan_size": "0",
        "min_parallel_index_scan_size": "0",
        "parallel_setup_cost": "0",
        "parallel_tuple_cost": "0",
        "max_parallel_workers_per_gather": "4",
    }
    for name, value in settings.items():
        database = parse_database_url(everywhere.database_url).database
        postgres.execute(f'alter database "{database}" set {name} = {value}')
    sorting = "orderBy: [{rank: DescNullsLast}, {label: AscNullsLast}]"
    ordered = 'select id from item order by rank desc nulls last, label collate "C", id offset 13301 limit 60'
    at = Reading(everywhere, postgres).cursor("itemCollection", sorting, 13_300)
    query = f'{{ itemCollection(first: 60, after: "{at}", {sorting}) {{ edges {{ node {{ id }} }} }} }}'
    found = [edge["node"]["id"] for edge in everywhere.ask(query).data["itemCollection"]["edges"]]
    expected = postgres.execute(ordered, everywhere.database_url)
    assert [[each] for each in found] == expected[: len(found)]
    assert len(found) == 30
