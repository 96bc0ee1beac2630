from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier, Event, Semaphore

import pytest

from schema_cache.freshness import SchemaCache
from schema_cache.poller import Poller
from schema_cache.privileges import UnknownRole
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until
from tests.schema_cache.asker import Asker
from tests.schema_cache.counting import COUNTING
from tests.schema_cache.session import Session


@pytest.fixture
def cache(asker: Asker) -> SchemaCache:
    return SchemaCache(asker, ("public",))


def names(cache: SchemaCache) -> list[str]:
    return [relation.name for relation in cache.current().relations]


def test_the_catalog_is_read_once_until_something_changes(owner: Session, asker: Asker, cache: SchemaCache) -> None:
    first = cache.current()
    assert cache.current() is first
    assert cache.refresh_if_changed().contents_fingerprint == first.contents_fingerprint
    owner.execute("create table a ()")
    assert names(cache) == []
    second = cache.refresh_if_changed()
    assert cache.current() is second
    assert names(cache) == ["a"]
    assert first.relations == ()
    assert cache.reload() is not second


def test_an_inherited_catalog_is_used_until_something_changes(owner: Session, asker: Asker, cache: SchemaCache) -> None:
    owner.execute("create table a ()")
    views = cache.views(cache.current())
    asker.loads = 0
    heir = SchemaCache(asker, ("public",), inherited=views)
    assert heir.known is None
    assert heir.current() is views.catalog
    assert heir.views(heir.current()) is views
    assert asker.loads == 0
    owner.execute("create table b ()")
    assert names(SchemaCache(asker, ("public",), inherited=views)) == ["a", "b"]
    assert asker.loads == 1


def test_a_quick_check_uses_the_counter(owner: Session, asker: Asker, cache: SchemaCache) -> None:
    owner.rows(COUNTING)
    cache.current()
    owner.execute("create table a ()")
    assert len(cache.refresh_if_changed(thorough=False).relations) == 2
    owner.execute("drop function graphql.schema_version()", "create table b ()")
    cache.refresh_if_changed(thorough=False)
    assert set(names(cache)) == {"counted", "a", "b"}
    assert not cache.current().counted


def test_a_missing_schema_is_reported_until_it_exists(
    owner: Session, asker: Asker, caplog: pytest.LogCaptureFixture
) -> None:
    cache = SchemaCache(asker, ("public", "shpo", "sales"))
    cache.current()
    owner.execute("create table a ()")
    cache.refresh_if_changed()
    assert [each.message for each in caplog.records] == [
        "the database has no schema shpo and no schema sales, which API_SCHEMAS names; create it or correct the setting"
    ]
    caplog.clear()
    owner.execute("create schema sales")
    cache.refresh_if_changed()
    assert "no schema shpo, which" in caplog.text
    caplog.clear()
    owner.execute("create schema shpo")
    cache.refresh_if_changed()
    assert caplog.text == ""


def test_concurrent_threads_share_one_reading(asker: Asker, cache: SchemaCache) -> None:
    started = Barrier(8)

    def ask(_: int) -> object:
        started.wait()
        return cache.current()

    with ThreadPoolExecutor(8) as pool:
        catalogs = set(pool.map(ask, range(8)))
    assert len(catalogs) == 1
    assert asker.loads == 1


def test_a_caller_during_a_reading_gets_a_later_one(owner: Session, asker: Asker, cache: SchemaCache) -> None:
    entered, go_on = Semaphore(0), Semaphore(0)

    def pause() -> None:
        entered.release()
        go_on.acquire()

    cache.current()
    asker.loads, asker.before_load = 0, pause
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(cache.reload)
        entered.acquire()
        asking = Semaphore(0)
        late = [pool.submit(lambda: (asking.release(), cache.reload())[1]) for _ in range(3)]
        for _ in late:
            asking.acquire()
        go_on.release()
        first.result()
        owner.execute("create table a ()")
        go_on.release(3)
        for reading in late:
            assert [relation.name for relation in reading.result().relations] == ["a"]


def test_an_error_reaches_every_waiting_thread_and_keeps_the_catalog(
    owner: Session, asker: Asker, cache: SchemaCache
) -> None:
    before = cache.current()

    def fail() -> None:
        raise RuntimeError("no answer")

    asker.before_load = fail
    with ThreadPoolExecutor(4) as pool:
        for reading in [pool.submit(cache.reload) for _ in range(4)]:
            with pytest.raises(RuntimeError, match="no answer"):
                reading.result()
    assert cache.current() is before
    asker.before_load = lambda: None
    assert cache.reload() is cache.current() is not before


def test_views_belong_to_their_catalog_and_are_shared(owner: Session, cache: SchemaCache) -> None:
    owner.execute("create table a (id int)", "create table b (id int)")
    with owner.roles(2) as (one, two):
        owner.execute(f"grant select on a to {one}, {two}")
        old = cache.reload()
        view = cache.views(old).view(one)
        assert cache.views(old).view(two) is view
        assert [visible.relation.name for visible in view.relations] == ["a"]
        owner.execute(f"grant select on b to {two}")
        new = cache.reload()
        assert [visible.relation.name for visible in cache.views(new).view(two).relations] == ["a", "b"]
        assert cache.views(old).view(two) is view
        with pytest.raises(UnknownRole):
            cache.views(new).view("nobody there")


@pytest.mark.parametrize("support", ["", COUNTING], ids=["without", "with"])
def test_the_poller_finds_changes_on_its_own(owner: Session, cache: SchemaCache, support: str) -> None:
    if support:
        owner.rows(support)
    cache.current()
    poller = Poller(cache, interval=0.05)
    poller.start()
    try:
        owner.execute("create table seen (id int)")
        until(lambda: "seen" in names(cache))
        owner.execute("comment on table seen is 'x'")
        until(lambda: cache.current().relations[-1].comment == "x")
        with owner.roles(1) as (role,):
            until(lambda: role in cache.current().role_by_name)
    finally:
        poller.close()


def test_the_poller_survives_an_outage_of_the_database(
    postgres: PostgresServer, asker: Asker, cache: SchemaCache, caplog: pytest.LogCaptureFixture
) -> None:
    cache.current()
    caplog.set_level(logging.INFO, "schema_cache")
    with closing(Session(asker.url)) as session:
        database = session.database
    other = Session(postgres.url)
    poller = Poller(cache, interval=0.02)
    poller.start()
    try:
        other.execute(
            f'alter database "{database}" allow_connections false',
            f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{database}'",
        )
        until(lambda: "cannot be read" in caplog.text)
        asked = asker.looks + asker.loads
        until(lambda: asker.looks + asker.loads >= asked + 2)
        other.execute(f'alter database "{database}" allow_connections true')
        until(lambda: "can be read again" in caplog.text)
        with closing(Session(asker.url)) as session:
            session.execute("create table seen ()")
        until(lambda: names(cache) == ["seen"])
    finally:
        poller.close()
        other.close()
    messages = [record.getMessage() for record in caplog.records if record.name.startswith("schema_cache")]
    assert len(messages) == 2
    assert all(record.exc_info is None for record in caplog.records)
    assert database not in caplog.text


def test_a_closed_poller_sends_no_more_queries(asker: Asker, cache: SchemaCache) -> None:
    poller = Poller(cache, interval=0.01)
    poller.start()
    until(lambda: asker.looks > 2)
    poller.close(PATIENCE_S)
    asked = asker.looks
    # Ten intervals: an open poller would have asked.
    Event().wait(0.1)
    assert asker.looks == asked
