"""The round trips of a request, and requests while the database is down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import Any

import pytest

from app.installation.install import install
from tests.database.proxy import Proxy
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES
from tests.graphql.counted import counted
from tests.postgres_server import PostgresServer, connect
from tests.process.running import until

SCHEMA = """
create table item (id int primary key, parent_id int references item);
create table box (id int primary key);
create table content (item_id int references item, box_id int references box, primary key (item_id, box_id));
insert into box values (1), (2);
insert into item select i, nullif(i / 2, 0) from generate_series(1, 9) i;
insert into content values (1, 1), (2, 1), (3, 2);
comment on table item is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
comment on table content is '@graphql({"junction": true})';
grant select on item, box, content to anon, authenticated;
"""
ONE = "query ($n: Int) { itemCollection(filter: {id: {gt: $n}}) { totalCount edges { node { id item { id } } } pageInfo { hasNextPage } } }"  # noqa: E501
FIVE = """query ($n: Int) { a: itemCollection(filter: {id: {gt: $n}}) { edges { cursor } } b: itemByPk(id: 2) { id
  itemCollection { edges { node { id } } } }
  c: node(nodeId: "WyJwdWJsaWMiLCAiaXRlbSIsIDFd") { nodeId } d: itemCollection(last: 1) { pageInfo { startCursor }
    } e: itemByPk(id: 99) { id } }"""
StartApi = Callable[..., tuple[Api, Proxy]]


@pytest.fixture
def through_proxy(postgres: PostgresServer) -> Iterator[StartApi]:
    with ExitStack() as opened:

        def make(installed: bool = False, **settings: Any) -> tuple[Api, Proxy]:
            url = postgres.create_database(sql=ROLES + SCHEMA)
            opened.callback(postgres.drop_database, url)
            if installed:
                install(url)
            return opened.enter_context(counted(url, **settings))

        yield make


@pytest.mark.parametrize("installed", [False, True], ids=["polled", "counted"])
def test_a_warm_request_is_one_round_trip(through_proxy: StartApi, installed: bool) -> None:
    api, proxy = through_proxy(installed)
    callers: tuple[dict[str, Any], ...] = ({}, {"claims": {"sub": "u1", "email": "a@b.c"}})
    for asked in callers:
        for query in (ONE, FIVE):
            api.ask(query, {"n": 0}, **asked)
    for number in range(3):
        for asked in callers:
            for query in (ONE, FIVE):
                before = proxy.flights
                assert api.ask(query, {"n": number}, **asked).data
                assert proxy.flights - before == 1
    # A request that needs no database costs nothing; one that the schema answers costs a check that it is current.
    for query, about_schema in (
        ("{ __typename }", False), ("{", False), ("query A { __typename } { __typename }", False), ("{ x }", True),
        ("{ __schema { types { name } } }", True), ("{ itemCollection(first: -1) { edges { cursor } } }", True),
    ):  # fmt: skip
        before = proxy.flights
        api.ask(query)
        assert proxy.flights - before == (1 if installed and about_schema else 0), query


@pytest.mark.parametrize(
    "selection",
    [
        "groups(by: [{item: {id: Value}}], having: {count: {gte: $n}}, first: 2) { key { item { id } } }",
        "countUpTo",
        "edges { node { boxCollection(through: {item_id: {gt: $n}}) { edges { content { box_id } } } } }",
    ],
    ids=["groups", "countUpTo", "junction"],
)
def test_every_field_of_a_connection_is_one_round_trip(through_proxy: StartApi, selection: str) -> None:
    api, proxy = through_proxy()
    query = f"""query ($n: Int) {{
      itemCollection(distinctOn: [parent_id], filter: {{id: {{gt: $n}}}}) {{ {selection} edges {{ cursor }} }} }}"""
    for number in range(3):
        before = proxy.flights
        assert api.ask(query, {"n": number}).data["itemCollection"]
        assert proxy.flights - before == (1 if number else proxy.flights - before)


def test_an_order_by_related_rows_is_one_round_trip(through_proxy: StartApi) -> None:
    api, proxy = through_proxy()
    order = "[{item: {item: {id: DescNullsLast}}}, {itemCollection: {count: AscNullsLast}}]"
    for number in range(3):
        before = proxy.flights
        asked = f"first: {number}, after: $cursor, orderBy: {order}"
        query = f"query ($cursor: Cursor) {{ itemCollection({asked}) {{ totalCount edges {{ cursor }} }} }}"
        assert api.ask(query, {"cursor": "WzEsIDEsIDFd"}).data["itemCollection"]["totalCount"] == 9
        assert proxy.flights - before == (1 if number else proxy.flights - before)


def test_a_new_query_is_one_round_trip_too(through_proxy: StartApi) -> None:
    api, proxy = through_proxy()
    api.ask(ONE, {"n": 0})
    for name in ("first", "second"):
        before = proxy.flights
        assert api.ask(f"{{ {name}: itemCollection {{ edges {{ node {{ id }} }} }} }}").data
        assert proxy.flights - before == 1


def test_requests_succeed_again_after_an_outage(through_proxy: StartApi) -> None:
    api, proxy = through_proxy(pool_timeout_s=2)
    assert api.ask(ONE, {"n": 0}).data
    proxy.refuse = True
    proxy.cut()
    for _ in range(3):
        answer = api.ask(ONE, {"n": 0})
        assert answer.status == 503
        assert answer.code == "DATABASE_UNAVAILABLE"
        assert int(answer.headers["retry-after"]) >= 1
        assert "data" not in answer.body
        assert "127.0.0.1" not in str(answer.body)
    # Requests that need no database are answered.
    assert api.ask("{ __typename }").data == {"__typename": "Query"}
    proxy.refuse = False
    assert api.ask(ONE, {"n": 8}).data["itemCollection"]["totalCount"] == 1


def test_requests_succeed_after_a_start_without_a_database(through_proxy: StartApi) -> None:
    api, proxy = through_proxy(pool_timeout_s=2)
    proxy.refuse = True
    assert api.ask(ONE, {"n": 0}).status == 503
    proxy.refuse = False
    assert api.ask(ONE, {"n": 0}).data


def test_connections_that_were_lost_in_between_cost_no_request(through_proxy: StartApi) -> None:
    api, proxy = through_proxy()
    for _ in range(3):
        assert api.ask(ONE, {"n": 0}).data
        proxy.cut()
    for switch in ("cut_next_request", "cut_next_answer_after"):
        assert api.ask(ONE, {"n": 0}).data
        # Plain attributes of the tests' own proxy.
        setattr(proxy, switch, 3 if switch.endswith("after") else True)
        answer = api.ask(ONE, {"n": 0})
        assert answer.status == 200 or answer.status == 503
        assert api.ask(ONE, {"n": 0}).data


def test_requests_fail_if_no_connection_becomes_free(through_proxy: StartApi, postgres: PostgresServer) -> None:
    api, _ = through_proxy(pool_size=1, pool_timeout_s=0.2)
    api.ask(ONE, {"n": 0})
    postgres.execute(
        """create view slow as select 1 as id, pg_advisory_xact_lock(1)::text as x; grant select on slow to anon;
        comment on view slow is '@graphql({"primary_key_columns": ["id"]})'""", api.database_url
    )  # fmt: skip
    api.application.services.engine.schema_cache.reload()
    waits = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'"
    with ThreadPoolExecutor(1) as threads, closing(connect(api.database_url)) as other:
        other.run("select pg_advisory_lock(1)")
        slow = threads.submit(api.ask, "{ slowByPk(id: 1) { x } }")
        until(lambda: postgres.execute(waits, api.database_url))
        answer = api.ask(ONE, {"n": 0})
        other.run("select pg_advisory_unlock(1)")
        assert slow.result().data
    assert (answer.status, answer.code) == (503, "POOL_TIMEOUT")
    assert answer.headers["retry-after"]
    assert api.ask(ONE, {"n": 0}).data
