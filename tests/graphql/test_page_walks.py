"""Walks through all pages of random orders, forward and backward: each row comes once, in the order of a SQL query.

The rows have many nulls and ties, so that pages end anywhere within them.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Sequence
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create table author (id int primary key, name text, born date not null);
insert into author select n, case when n % 3 <> 0 then 'author ' || n % 4 end, '2000-01-01'::date + n % 3
from generate_series(1, 8) n;
create domain mark as int;
create type size as enum ('small', 'large');
create table item (
  shelf int, number int, author_id int references author, rank int, label text collate "C", note varchar(5),
  marked mark, size size, share float8 not null, flag boolean not null, primary key (shelf, number)
);
insert into item
select n % 7, n, nullif(n * 31 % 9, 0), case when n % 3 > 0 then n % 4 end,
  case when n % 4 > 0 then 'l' || n % 3 end,
  (array['a', 'A', 'b', null])[n % 4 + 1], nullif(n % 5, 2), (array['small', 'large', null])[n % 3 + 1]::size,
  (array[1, 'NaN', '-Infinity', 0.5]::float8[])[n * 3 % 4 + 1], n % 2 = 0
from generate_series(1, 60) n;
create view item_seen as select * from item;
comment on view item_seen is '@graphql({"primary_key_columns": ["shelf", "number"]})';
grant select on all tables in schema public to anon;
"""
SHADOWED = """
create function called(varchar, varchar) returns bool language plpgsql as $$ begin raise exception 'called'; end $$;
create operator > (leftarg = varchar, rightarg = varchar, function = called);
"""
"""An operator that PostgreSQL prefers to its own, so that the API writes operators with their schema."""

COLUMNS = ("shelf", "rank", "label", "note", "marked", "size", "share", "flag", "number")
RELATED = {"author: {name: %s}": "a.name", "author: {born: %s}": "a.born"}
DIRECTIONS = {
    "AscNullsFirst": "asc nulls first",
    "AscNullsLast": "asc nulls last",
    "DescNullsFirst": "desc nulls first",
    "DescNullsLast": "desc nulls last",
}
Order = Sequence[tuple[str, str]]


def random_order(chosen: random.Random, *, related: bool) -> tuple[str, str]:
    """orderBy and ORDER BY of one to three elements."""
    members = {f"{each}: %s": f"i.{each}" for each in COLUMNS} | (RELATED if related else {})
    elements = [
        (member, chosen.choice(list(DIRECTIONS))) for member in chosen.sample(list(members), chosen.randint(1, 3))
    ]
    order = ", ".join(f"{{{member % direction}}}" for member, direction in elements)
    return f"[{order}]", ", ".join(f"{members[member]} {DIRECTIONS[direction]}" for member, direction in elements)


def walked(api: Api, collection: str, order: str, size: int, *, backward: bool) -> list[Any]:
    """The keys of all rows, page after page; backward from the end."""
    found: list[Any] = []
    window, more = ("last", "hasPreviousPage") if backward else ("first", "hasNextPage")
    before, end = ("before", "startCursor") if backward else ("after", "endCursor")
    at = ""
    while True:
        page = api.ask(
            f"""{{ {collection}({window}: {size}{at}, orderBy: {order}) {{
              edges {{ node {{ shelf number }} }} pageInfo {{ {more} {end} }} }} }}"""
        ).data[collection]
        rows = [(edge["node"]["shelf"], edge["node"]["number"]) for edge in page["edges"]]
        found = [*rows, *found] if backward else [*found, *rows]
        if not page["pageInfo"][more]:
            return found
        at = f', {before}: "{page["pageInfo"][end]}"'


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("schema", [SCHEMA, SCHEMA + SHADOWED], ids=["plain", "shadowed"])
@pytest.mark.parametrize("collection", ["itemCollection", "item_seenCollection"])
def test_a_walk_meets_each_row_once(
    reading_api: StartApi, postgres: PostgresServer, collection: str, schema: str, seed: int
) -> None:
    api = reading_api(schema)
    chosen = random.Random(f"{collection} {len(schema)} {seed}")
    order, sql_order = random_order(chosen, related=collection == "itemCollection")
    rows = postgres.execute(
        f"select shelf, number from item i left join author a on a.id = author_id order by {sql_order}, shelf, number",
        api.database_url,
    )
    expected = [tuple(row) for row in rows]
    size = chosen.choice((1, 2, 3, 7, 20))
    assert walked(api, collection, order, size, backward=False) == expected, order
    assert walked(api, collection, order, size, backward=True) == expected, order


VALUES = {
    "shelf": (0, 3, 6, 9),
    "rank": (None, 0, 2, 3),
    "label": (None, "l0", "l1", "m"),
    "share": (1, "NaN", "-Infinity", 0.7),
    "flag": (True, False),
    "number": (1, 30, 60),
}
"""Values of cursors, some of which no row has."""


def condition_after(elements: Sequence[tuple[str, str]], values: Sequence[Any]) -> str:
    """The condition that a row comes after a cursor, straight from the definition of an order by several columns."""
    if not elements:
        return "false"
    (column, direction), value = elements[0], values[0]
    literal = "null" if value is None else f"'{value}'"
    is_after = f"{column} {'<' if direction.startswith('Desc') else '>'} {literal}"
    if direction.endswith("First"):
        is_after = f"{column} is not null" if value is None else f"({column} is not null and {is_after})"
    else:
        is_after = "false" if value is None else f"({column} is null or {is_after})"
    equal = f"{column} is null" if value is None else f"{column} = {literal}"
    return f"({is_after} or ({equal} and {condition_after(elements[1:], values[1:])}))"


@pytest.mark.parametrize("seed", range(20))
def test_the_ranges_after_any_cursor_have_the_rows_of_its_definition(
    reading_api: StartApi, postgres: PostgresServer, seed: int
) -> None:
    api = reading_api(SCHEMA)
    chosen = random.Random(seed)
    for _ in range(10):
        columns = [each for each in chosen.sample(list(VALUES), chosen.randint(1, 3)) if each != "number"]
        elements = [(each, chosen.choice(list(DIRECTIONS))) for each in columns]
        keys = [*elements, ("shelf", "AscNullsLast"), ("number", "AscNullsLast")]
        # A column that the order has twice has the same value twice.
        known = {column: chosen.choice(VALUES[column]) for column, _ in keys}
        values = [known[column] for column, _ in keys]
        cursor = base64.b64encode(json.dumps(values).encode()).decode()
        order = ", ".join(f"{{{column}: {direction}}}" for column, direction in elements)
        rows = postgres.execute(
            f"""select shelf, number from item where {condition_after(keys, values)}
            order by {", ".join(f"{column} {DIRECTIONS[direction]}" for column, direction in keys)} limit 30""",
            api.database_url,
        )
        # With an offset there is one condition instead of ranges.
        for offset in ("", ", offset: 0"):
            query = f"""{{ itemCollection(first: 30, after: "{cursor}", orderBy: [{order}]{offset}) {{
              edges {{ node {{ shelf number }} }} }} }}"""
            edges = api.ask(query).data["itemCollection"]["edges"]
            assert [[each["node"]["shelf"], each["node"]["number"]] for each in edges] == rows, (order, values, offset)
