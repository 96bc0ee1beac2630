"""The version changes with everything that the records contain, and with nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from schema_cache.loader import read_support
from schema_cache.state import read_schema_state
from tests.postgres_server import PostgresServer
from tests.schema_cache.conftest import Connect
from tests.schema_cache.counting import COUNTING
from tests.schema_cache.loading import load_catalog
from tests.schema_cache.session import Session

OBJECTS = """
create table a (id int primary key, b int, c text default 'x');
create table z (id int primary key, a int constraint to_a references a);
create unique index by_b on a (b);
create view v as select * from a;
create materialized view m as select id, c from a;
create type mood as enum ('sad', 'happy');
create domain short as varchar(3);
create function f(x int default 1) returns int language sql as 'select 1';
create function change() returns trigger language plpgsql as $$ begin return new; end $$;
create function of_mood(mood) returns int language sql immutable as 'select 1';
create function same_moods(mood, mood) returns boolean language sql immutable as 'select true';
create policy readable on z using (true);
create sequence loose;
create schema other;
"""
BEGIN = "begin isolation level repeatable read"
"""Roles belong to the server: in a snapshot no other test's come and go."""

CHANGES = [
    "create table new ()",
    "drop table z",
    "alter table a rename to renamed",
    "alter table a set schema other",
    "alter table a enable row level security",
    "alter table a add column d int",
    "alter table z drop column a",
    "alter table a rename column b to bb",
    "alter table z alter a type bigint",
    "alter table a alter b set not null",
    "alter table a alter b set default 1",
    "alter table a alter c drop default",
    "alter table a alter b set not null, alter b add generated always as identity",
    "alter sequence loose owned by a.b",
    "alter table z drop constraint to_a",
    "alter table z rename constraint to_a to renamed",
    "alter table z add foreign key (id) references a (b)",
    "create unique index on a (c)",
    "create unique index on a (c) where c > ''",
    "alter index by_b rename to renamed",
    "drop index by_b",
    "create or replace view v as select id, b, c from a limit 1",
    "create trigger t instead of insert on v for each row execute function change()",
    "create rule r as on delete to v do instead nothing",
    "comment on table a is 'x'",
    "comment on column a.b is 'x'",
    "comment on constraint to_a on z is 'x'",
    "comment on function f is 'x'",
    "comment on type mood is 'x'",
    "comment on schema public is 'x'",
    "grant select on a to role_of_test",
    "grant select (b) on a to public",
    "grant usage on schema other to role_of_test",
    "revoke execute on function f from public",
    "revoke usage on type mood from public",
    "alter table a owner to role_of_test",
    "alter function f owner to role_of_test",
    "alter type mood add value 'better'",
    "alter type mood rename value 'sad' to 'low'",
    "alter type mood rename to feeling",
    "create type fresh as enum ()",
    "alter domain short rename to shorter",
    "create function g() returns int language sql as 'select 1'",
    "create or replace function f(x int default 2) returns int language sql as 'select 1'",
    "alter function f stable",
    "drop function f",
    "create policy p on a using (true)",
    "alter policy readable on z using (false)",
    "alter domain short add check (value <> '')",
    "create cast (mood as int) with function of_mood(mood)",
    "create operator === (leftarg = mood, rightarg = mood, function = same_moods)",
    "create schema fresh",
    "alter schema other rename to another",
    "drop schema other",
]
SHARED_CHANGES = [
    "create role another_role_of_test",
    "alter role role_of_test noinherit",
    "alter role role_of_test bypassrls",
    "alter role role_of_test superuser",
    "alter role role_of_test rename to another_role_of_test",
    "grant pg_monitor to role_of_test",
    "grant role_of_test to current_user with admin option",
    "alter role role_of_test set statement_timeout = '1s'",
    "alter role role_of_test in database this_database set statement_timeout = '1s'",
    "alter database this_database owner to role_of_test",
    """comment on role role_of_test is '@graphql({"node_limit": 1})'""",
    """comment on role role_of_test is '@graphql({"node_limit": 1})'; comment on role role_of_test is null; """
    """comment on role role_of_test is 'Words. @graphql({"node_limit": 2})'""",
]
NO_CHANGES = [
    "insert into a values (1, 1, 'x')",
    "analyze",
    "vacuum full a",
    "truncate a cascade",
    "reindex table a",
    "cluster a using a_pkey",
    "refresh materialized view m",
    "create temporary table t (id serial primary key, x text)",
    "create temporary table u as select * from a; create function pg_temp.g() returns int language sql as 'select 1'",
    "select nextval('loose')",
    "begin; create table gone (); drop table z; comment on table a is 'gone'; rollback",
]


@pytest.fixture(scope="module")
def plain(postgres: PostgresServer) -> Iterator[Session]:
    """A session on a database with objects; tests undo their changes."""
    yield from _with_objects(postgres, OBJECTS)


@pytest.fixture(scope="module")
def counting(postgres: PostgresServer) -> Iterator[Session]:
    """The same with support objects."""
    yield from _with_objects(postgres, OBJECTS + COUNTING)


def _with_objects(postgres: PostgresServer, sql: str) -> Iterator[Session]:
    url = postgres.create_database()
    session = Session(url)
    session.rows(sql)
    yield session
    session.close()
    postgres.drop_database(url)


@pytest.mark.parametrize("change", CHANGES + SHARED_CHANGES)
def test_a_change_is_seen_without_support_objects(plain: Session, change: str) -> None:
    check_change(plain, change)


@pytest.mark.parametrize("change", [*CHANGES[:2], "grant select on a to role_of_test", *SHARED_CHANGES])
def test_a_change_is_seen_with_support_objects(counting: Session, change: str) -> None:
    check_change(counting, change)


def check_change(session: Session, change: str) -> None:
    # A transaction sees its own changes, and rolling it back is cheaper than a database for each change.
    session.execute(BEGIN, "create role role_of_test")
    try:
        before = load_catalog(session.value)
        assert read_schema_state(session.value, counted=before.counted, thorough=False).is_of(before)
        session.execute("set local search_path = public")
        session.execute(*change.replace("this_database", f'"{session.database}"').split("; "))
        assert not read_schema_state(session.value, counted=before.counted, thorough=False).is_of(before)
        after = load_catalog(session.value)
        assert after.version != before.version
        assert read_schema_state(session.value, counted=after.counted, thorough=True).is_of(after)
    finally:
        session.execute("rollback")


@pytest.mark.parametrize("statements", NO_CHANGES)
def test_ordinary_work_is_no_change(plain: Session, statements: str) -> None:
    before = load_catalog(plain.value)
    plain.execute(*statements.split("; "))
    assert load_catalog(plain.value).contents_fingerprint == before.contents_fingerprint


def test_an_open_transaction_is_not_a_change_until_it_commits(owner: Session, connect: Connect) -> None:
    owner.rows(OBJECTS)
    watcher = connect()

    def contents() -> str | None:
        return read_schema_state(watcher.value, counted=False, thorough=True).contents_fingerprint

    before = load_catalog(watcher.value).contents_fingerprint
    owner.execute("begin", "comment on table a is 'x'", "grant select on z to public")
    assert contents() == before
    owner.execute("commit")
    assert contents() != before


def test_a_thorough_check_finds_uncounted_changes(counting: Session) -> None:
    counting.execute(BEGIN, "set local session_replication_role = replica")
    try:
        catalog = load_catalog(counting.value)
        assert (catalog.counted, catalog.change_count) == (True, counting.value("select graphql.schema_version()"))
        counting.execute("comment on table public.a is 'x'")
        assert read_schema_state(counting.value, counted=True, thorough=False).is_of(catalog)
        assert not read_schema_state(counting.value, counted=True, thorough=True).is_of(catalog)
        assert load_catalog(counting.value).version != catalog.version
    finally:
        counting.execute("rollback")


@pytest.mark.parametrize(
    "removal",
    [
        "drop function graphql.schema_version()",
        "drop schema graphql cascade",
        "update graphql.counted set changes = null",
    ],
)
def test_support_objects_may_come_and_go(owner: Session, removal: str) -> None:
    before = load_catalog(owner.value)
    owner.rows(COUNTING)
    assert not read_schema_state(owner.value, counted=before.counted, thorough=False).is_of(before)
    counted = load_catalog(owner.value)
    assert (before.counted, counted.counted) == (False, True)
    owner.execute("drop event trigger counts", "drop event trigger counts_drops", removal)
    state = read_schema_state(owner.value, counted=counted.counted, thorough=False)
    assert not state.is_of(counted)
    after = load_catalog(owner.value)
    assert not after.counted
    assert state.contents_fingerprint == after.contents_fingerprint


def test_a_counter_of_an_untrusted_role_is_not_called(owner: Session, connect: Connect) -> None:
    with owner.roles(1) as (stranger,):
        owner.rows(COUNTING)
        assert read_support(owner.value).counted
        owner.execute(f"alter function graphql.schema_version() owner to {stranger}")
        assert not read_support(owner.value).counted
        owner.execute("alter function graphql.schema_version() owner to current_user")
        assert read_support(owner.value).counted
        # A volatile function would answer from a newer snapshot than the statement that asks it.
        owner.execute("alter function graphql.schema_version() volatile")
        assert not read_support(owner.value).counted
        owner.execute("alter function graphql.schema_version() stable")
        owner.execute("revoke execute on function graphql.schema_version() from public", f"alter role {stranger} login")
        session = connect(user=stranger)
        assert not read_support(session.value).counted
        assert not load_catalog(session.value).counted
        session.close()
