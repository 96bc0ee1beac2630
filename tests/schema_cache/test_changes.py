"""A catalog that is made from another one and what has changed since equals one that is read as a whole."""

from __future__ import annotations

from random import Random

import pytest
from pg8000.exceptions import DatabaseError

from app.installation.install import install
from schema_cache.ahead import CHANGED_OBJECTS, changed_relations
from schema_cache.freshness import SchemaCache
from tests.schema_cache.asker import Asker
from tests.schema_cache.comparing import differences, read_on
from tests.schema_cache.conftest import Connect
from tests.schema_cache.ddl import PREPARATION, command
from tests.schema_cache.loading import load_catalog
from tests.schema_cache.session import Session

STEPS = 60
SEEDS = 4


def _run(session: Session, sql: str) -> bool:
    """Run a command in a savepoint. Returns whether it succeeded."""
    session.rows("savepoint s")
    try:
        session.rows(sql)
    except DatabaseError:
        session.rows("rollback to s")
        return False
    return True


@pytest.mark.parametrize("seed", range(SEEDS))
def test_changes_lead_to_the_catalog_that_is_read_as_a_whole(database_url: str, connect: Connect, seed: int) -> None:
    install(database_url)
    owner, service = connect(), connect()
    owner.rows(PREPARATION)
    random = Random(seed)
    known = load_catalog(service.value)
    partly = 0
    log: list[str] = []
    for _ in range(STEPS):
        done: list[str] = []
        owner.rows("begin")
        for _ in range(random.choice((1, 1, 1, 2, 5))):
            while not _run(owner, sql := command(random)):
                pass
            done.append(sql)
        is_committed = random.random() < 0.9
        owner.rows("commit" if is_committed else "rollback")
        log.append("; ".join(done) + ("" if is_committed else " (rolled back)"))
        made, is_part = read_on(service.value, known)
        partly += is_part
        whole = load_catalog(service.value)
        assert not (found := differences(made, whole)), "\n".join([*found[:5], *log[-4:]])
        assert made.change_count == whole.change_count
        known = made
    assert partly > STEPS / 2


@pytest.fixture
def service(database_url: str, owner: Session, asker: Asker) -> SchemaCache:
    install(database_url)
    owner.rows("create table a (id int primary key, name text); create table b (id int primary key)")
    cache = SchemaCache(asker, ("public",))
    cache.current()
    return cache


def test_unchanged_records_are_the_same_objects(service: SchemaCache, owner: Session) -> None:
    before = service.current()
    owner.rows("alter table a add column c int")
    after = service.refresh_if_changed(thorough=False)
    changed = [each.name for each in after.relations if each is not before.relation_by_oid.get(each.oid)]
    assert changed == ["a"]
    assert after.types is before.types
    assert after.roles is before.roles


def test_a_change_that_is_not_listed_is_read_with_the_next_one(service: SchemaCache, owner: Session) -> None:
    with owner.roles(1) as [role]:
        service.reload()
        owner.rows("alter table a owner to anon")
        service.refresh_if_changed(thorough=False)
        owner.rows(f"reassign owned by anon to {role}; alter table b add column c int")
        after = service.refresh_if_changed(thorough=False)
        assert not differences(after, load_catalog(owner.value))
        assert service.refresh_if_changed(thorough=True) is after
        owner.rows("drop table a")


def test_the_whole_catalog_is_read_if_the_list_has_gaps(service: SchemaCache, owner: Session) -> None:
    owner.rows("alter table a add column c int; delete from graphql.changed_object; alter table b add column c int")
    after = service.refresh_if_changed(thorough=False)
    assert after.contents_fingerprint
    assert not differences(after, load_catalog(owner.value))


@pytest.mark.parametrize(
    ("change", "concerned"),
    [
        ("alter table a add column c int", {"a"}),
        ("alter table a add column c int references b", {"a", "b"}),
        ("create table c (id int)", set()),
        ("create index on b (id)", set()),
        ("drop table a", {"a"}),
        ("grant select on a to anon", None),
        ("create function f() returns int language sql return 1", None),
        ("create type e as enum ('x')", set()),
        ("create policy p on a using (true)", None),
        ("comment on schema public is 'changed'", None),
    ],
)
def test_changed_relations_are_found_without_reading_them(
    service: SchemaCache, owner: Session, change: str, concerned: set[str] | None
) -> None:
    owner.rows(change)
    known = service.current()
    listed = owner.value(CHANGED_OBJECTS.replace("$1", f"'{known.snapshot}'"))
    changed = changed_relations(listed, known)
    names = None if changed is None else {each.name for oid, each in known.relation_by_oid.items() if oid in changed}
    assert names == concerned


def test_old_entries_of_the_list_are_dropped(service: SchemaCache, owner: Session) -> None:
    owner.rows("update graphql.changed_object set changed_at = now() - interval '1 hour'; create table c ()")
    assert owner.value("select count(distinct transaction) from graphql.changed_object") == 1
