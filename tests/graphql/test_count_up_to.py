"""countUpTo: the number of matching rows, counted no further than to its limit."""

from __future__ import annotations

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
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
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA)


@pytest.mark.parametrize(("arguments", "expected"), [("", 7), ("(limit: 5)", 5), ("(limit: 7)", 7), ("(limit: 0)", 0)])
def test_count_up_to_stops_at_the_limit(api: Api, arguments: str, expected: int) -> None:
    data = api.ask(f"{{ postCollection(first: 1) {{ countUpTo{arguments} edges {{ node {{ id }} }} }} }}").data
    assert data["postCollection"] == {"countUpTo": expected, "edges": [{"node": {"id": 1}}]}


def test_count_up_to_follows_filters_and_nests(api: Api) -> None:
    query = """query ($limit: Int!) { accountCollection(filter: {id: {lte: 3}}) { countUpTo edges { node {
      postCollection { countUpTo(limit: $limit) } } } } }"""
    for limit, counts in ((2, [2, 2, 0]), (10, [3, 4, 0])):
        found = api.ask(query, {"limit": limit}).data["accountCollection"]
        assert found["countUpTo"] == 3
        assert [each["node"]["postCollection"]["countUpTo"] for each in found["edges"]] == counts


def test_limits_out_of_range_are_refused(api: Api) -> None:
    query = "query ($limit: Int!) { postCollection { countUpTo(limit: $limit) } }"
    assert api.ask(query, {"limit": 10_000}).data["postCollection"]["countUpTo"] == 7
    refused = api.ask(query, {"limit": 10_001})
    assert (refused.code, refused.message) == ("LIMIT_EXCEEDED", "countUpTo counts at most 10000 rows")
    refused = api.ask(query, {"limit": -1})
    assert (refused.code, refused.message) == ("BAD_USER_INPUT", "`limit` must be an unsigned integer")


def test_rows_that_a_policy_hides_do_not_count(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    changed(postgres, api, "alter table post enable row level security; create policy p on post using (id > 5)")
    assert api.ask("{ postCollection { countUpTo } }").data["postCollection"]["countUpTo"] == 2


def test_count_up_to_is_declared_in_the_standard_only(api: Api, reading_api: StartApi) -> None:
    assert '  countUpTo(\n    """At most 10,000"""\n    limit: Int! = 1000\n  ): Int!' in printed(api)
    assert "countUpTo" not in printed(reading_api(SCHEMA, graphql_features=("-counts",)))
    assert "countUpTo" not in printed(reading_api(SCHEMA, graphql_dialect="pg_graphql"))
