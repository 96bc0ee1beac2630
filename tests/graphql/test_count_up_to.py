"""countUpTo: the number of matching rows, counted no further than to its limit."""

from __future__ import annotations

import pytest

from tests.graphql.conftest import OpenDoor
from tests.graphql.door import Door
from tests.graphql.test_rights import changed, printed
from tests.postgres_server import PostgresServer

SCHEMA = """
create table account (id int primary key, name text);
create table post (id int primary key, account_id int references account);
insert into account values (1, 'Ann'), (2, 'Ben'), (3, null);
insert into post select k, 1 + k % 2 from generate_series(1, 7) k;
grant select on all tables in schema public to anon;
"""


@pytest.fixture
def door(reading_door: OpenDoor) -> Door:
    return reading_door(SCHEMA)


@pytest.mark.parametrize(("arguments", "expected"), [("", 7), ("(limit: 5)", 5), ("(limit: 7)", 7), ("(limit: 0)", 0)])
def test_count_up_to_stops_at_the_limit(door: Door, arguments: str, expected: int) -> None:
    data = door.ask(f"{{ postCollection(first: 1) {{ countUpTo{arguments} edges {{ node {{ id }} }} }} }}").data
    assert data["postCollection"] == {"countUpTo": expected, "edges": [{"node": {"id": 1}}]}


def test_count_up_to_follows_filters_and_nests(door: Door) -> None:
    query = """query ($limit: Int!) { accountCollection(filter: {id: {lte: 3}}) { countUpTo edges { node {
      postCollection { countUpTo(limit: $limit) } } } } }"""
    for limit, counts in ((2, [2, 2, 0]), (10, [3, 4, 0])):
        found = door.ask(query, {"limit": limit}).data["accountCollection"]
        assert found["countUpTo"] == 3
        assert [each["node"]["postCollection"]["countUpTo"] for each in found["edges"]] == counts


def test_limits_out_of_range_are_refused(door: Door) -> None:
    query = "query ($limit: Int!) { postCollection { countUpTo(limit: $limit) } }"
    assert door.ask(query, {"limit": 10_000}).data["postCollection"]["countUpTo"] == 7
    refused = door.ask(query, {"limit": 10_001})
    assert (refused.code, refused.message) == ("LIMIT_EXCEEDED", "countUpTo counts at most 10000 rows")
    refused = door.ask(query, {"limit": -1})
    assert (refused.code, refused.message) == ("BAD_USER_INPUT", "`limit` must be an unsigned integer")


def test_rows_that_a_policy_hides_do_not_count(open_door: OpenDoor, postgres: PostgresServer) -> None:
    door = open_door(SCHEMA)
    changed(postgres, door, "alter table post enable row level security; create policy p on post using (id > 5)")
    assert door.ask("{ postCollection { countUpTo } }").data["postCollection"]["countUpTo"] == 2


def test_count_up_to_is_declared_in_the_standard_only(door: Door, reading_door: OpenDoor) -> None:
    assert '  countUpTo(\n    """At most 10,000"""\n    limit: Int! = 1000\n  ): Int!' in printed(door)
    assert "countUpTo" not in printed(reading_door(SCHEMA, graphql_features=("-counts",)))
    assert "countUpTo" not in printed(reading_door(SCHEMA, graphql_dialect="pg_graphql"))
