"""Workers that crash while a change on two of them is committed: all of it is there afterwards, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pg8000.exceptions
import pytest

from tests.citus.cluster import Cluster, populate, run_apart, until
from tests.graphql.api import Answer, Api

CRASH = "copy (select 1) to program 'kill -9 $PPID'"
"""Kills its own process. PostgreSQL then ends all others and recovers, as after any crash."""
RESTOCK = (
    "mutation { updateBookCollection(set: { stock: 77 }, filter: { id: { eq: 1 } }, atMost: 9) { affectedCount } }"
)
CHANGED = "select count(*) from app.book where stock = 77"
PREPARED = "select count(*) from pg_prepared_xacts where database = current_database()"
COMMITTING = """select count(*) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and wait_event = 'SyncRep'"""
"""How many sessions wait for a standby: on the coordinator they have prepared all workers then."""

SHARDS_OF_BOOK = "select shard_name from citus_shards where table_name = 'app.book'::regclass and nodeport = {port}"


@pytest.fixture
def url(cluster: Cluster) -> str:
    return populate(cluster.create(sharded=True), by_row=True, policies=False)


@pytest.fixture
def api(url: str) -> Iterator[Api]:
    api = Api(url, api_schemas=("app", "public"), api_roles=("anon", "service_role"))
    # The statements that a crash interrupts are not the first ones.
    api.ask("{ bookCollection { totalCount } }", role="service_role")
    yield api
    api.close()


def restock(api: Api) -> Answer:
    return api.ask(RESTOCK, role="service_role")


def changed_rows(cluster: Cluster, url: str) -> int:
    """The number of changed rows, once all servers are there and have ended what they prepared."""
    for number in (0, 1):
        until(cluster.worker(url, number), "select 1", 1)
    run_apart(url, "select recover_prepared_transactions()")
    for number in (0, 1):
        until(cluster.worker(url, number), PREPARED, 0)
    return int(str(run_apart(url, CHANGED)[0][0]))


def test_a_crash_before_a_worker_has_prepared_changes_nothing(cluster: Cluster, url: str, api: Api) -> None:
    worker = cluster.worker(url, 1)
    for (shard,) in run_apart(url, SHARDS_OF_BOOK.format(port=cluster.nodes[2][1])):
        # A deferred trigger runs when the transaction is prepared.
        run_apart(
            worker,
            "set citus.enable_manual_changes_to_shards = on; set citus.enable_ddl_propagation = off;"
            " set citus.enable_unsafe_triggers = on;"
            " create or replace function public.crash() returns trigger language plpgsql security definer as"
            f" $crash$ begin execute $${CRASH}$$; return null; end $crash$;"
            f" create constraint trigger crash after update on {shard} deferrable initially deferred"
            " for each row execute function public.crash()",
        )
    answer = restock(api)
    assert answer.status == 503, answer.body
    assert answer.code == "DATABASE_UNAVAILABLE"
    assert str(cluster.nodes[2][1]) not in str(answer.body)
    assert changed_rows(cluster, url) == 0


def test_a_crash_after_the_workers_have_prepared_loses_nothing(cluster: Cluster, url: str, api: Api) -> None:
    name = url.rpartition("/")[2]
    # The commit on the coordinator, which follows, waits for a standby that there is not.
    run_apart(url, f"alter database {name} set synchronous_commit = on")
    run_apart(url, "alter system set synchronous_standby_names = 'none'")
    api.close()
    waiting = Api(url, api_schemas=("app", "public"), api_roles=("anon", "service_role"))
    try:
        with ThreadPoolExecutor(1) as pool:
            run_apart(url, "select pg_reload_conf()")
            try:
                answered = pool.submit(restock, waiting)
                until(url, COMMITTING, 1)
                with suppress(pg8000.exceptions.Error, OSError):
                    run_apart(cluster.worker(url, 1), CRASH)
                until(cluster.worker(url, 1), "select 1", 1)
            finally:
                run_apart(url, "alter system reset synchronous_standby_names")
                run_apart(url, "select pg_reload_conf()")
            answer = answered.result(timeout=60)
        assert (answer.status, answer.data) == (200, {"updateBookCollection": {"affectedCount": 3}})
        assert changed_rows(cluster, url) == 3
    finally:
        waiting.close()
