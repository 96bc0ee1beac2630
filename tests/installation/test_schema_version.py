"""The schema version: what counts as a change, what does not, and that counting never makes DDL fail."""

from __future__ import annotations

import itertools
import random
import threading
import time

import pg8000.exceptions
import pytest

from app.installation.install import install
from tests.installation.conftest import Session
from tests.postgres_server import PostgresServer, connect

SUPPORT = """
create table t (id int primary key, body text);
create type mood as enum ('sad');
create function f() returns int language sql as 'select 1';
create materialized view m as select 1 as one;
create table victim (id int, more int);
create role counted_role;
create view v as select id from t;
create policy p on t using (true);
create schema s;
"""

COUNTS = [
    "create table x (id int)",
    "create table x as select 1 as one",
    "create temp table x (id int); create table y (id int)",
    "alter table t add column more int",
    "alter table t alter column body set not null",
    "alter table t rename to t2",
    "alter table t rename column body to text",
    "alter table t enable row level security",
    "alter table t set schema s",
    "alter table victim drop column more",
    "create unique index on t (body)",
    "comment on table t is 'new'",
    'comment on column t.body is \'@graphql({"name": "text"})\'',
    "comment on schema public is '@graphql({\"inflect_names\": true})'",
    "grant select on t to counted_role",
    "grant select (id) on t to counted_role",
    "grant usage on schema public to counted_role",
    "revoke all on t from public",
    "alter default privileges in schema public grant select on tables to counted_role",
    "alter type mood add value 'happy'",
    "alter type mood rename value 'sad' to 'blue'",
    "create function g(t) returns int language sql as 'select 1'",
    "create or replace function f() returns int language sql stable as 'select 2'",
    "alter function f() immutable",
    "create view w as table t",
    "create domain d as int",
    "create policy q on t using (true)",
    "create schema fresh",
    "drop table victim",
    "drop view v",
    "drop function f()",
    "drop policy p on t",
    "drop schema s",
    "drop owned by counted_role",
    "do $$ begin execute 'create table x (id int)'; end $$",
    "set session_replication_role = replica; create table x (id int)",
]

DOES_NOT = [
    "create temp table x (id int primary key, n serial)",
    "create temp table x as select 1 as one",
    "create temp table x (id int); alter table x add column n int; comment on column x.n is 'n'; drop table x",
    "create temp view x as select 1 as one",
    "create table if not exists t (id int)",
    "drop table if exists nothing",
    "refresh materialized view m",
    "reindex table t",
    "insert into t values (1, 'a'); update t set body = 'b'; delete from t",
    "analyze t",
    "truncate t",
    "set search_path = s",
]


def version(session: pg8000.native.Connection) -> int:
    return session.run("select graphql.schema_version()")[0][0]


@pytest.fixture(scope="module")
def installed(postgres: PostgresServer):
    """The URL of a database with the support objects and something to change."""
    postgres.execute("drop role if exists counted_role")
    url = postgres.create_database()
    install(url)
    postgres.execute(SUPPORT, url)
    yield url
    postgres.drop_database(url)
    postgres.execute("drop role if exists counted_role")


@pytest.mark.parametrize("command", COUNTS)
def test_a_schema_change_is_counted(installed: str, session: Session, command: str) -> None:
    writer, reader = session(installed), session(installed)
    before = version(reader)
    writer.run("begin")
    writer.run(command)
    assert version(reader) == before, "visible before the commit"
    assert version(writer) > before
    writer.run("rollback")
    assert version(reader) == before
    # nothing else was locked: the next test makes the same objects


@pytest.mark.parametrize("command", DOES_NOT)
def test_other_commands_are_not_counted(installed: str, session: Session, command: str) -> None:
    writer = session(installed)
    before = version(writer)
    writer.run("begin")
    writer.run(command)
    writer.run("rollback")
    writer.run("begin")
    writer.run(command)
    assert version(writer) == before
    writer.run("rollback")


def test_a_change_becomes_visible_exactly_at_commit(database_url: str, session: Session) -> None:
    install(database_url)
    writer, reader = session(database_url), session(database_url)
    before = version(reader)
    writer.run("begin")
    writer.run("create table t (id int)")
    writer.run("create table u (id int)")
    assert version(reader) == before
    writer.run("commit")
    assert version(reader) > before


def test_a_rolled_back_savepoint_does_not_hide_what_follows(database_url: str, session: Session) -> None:
    install(database_url)
    writer = session(database_url)
    before = version(writer)
    for command in ("begin", "savepoint s", "create table t (id int)", "rollback to s"):
        writer.run(command)
    assert version(writer) == before
    writer.run("create table u (id int)")
    writer.run("commit")
    assert version(writer) > before


@pytest.mark.parametrize("isolation", ["read committed", "repeatable read", "serializable"])
def test_transactions_with_ddl_do_not_wait_for_each_other(database_url: str, session: Session, isolation: str) -> None:
    install(database_url)
    reader = session(database_url)
    versions = [version(reader)]
    writers = [session(database_url) for _ in range(5)]
    for number, writer in enumerate(writers):
        # a session that waited for another's transaction would wait until this
        writer.run("set lock_timeout = '10s'")
        writer.run(f"begin isolation level {isolation}")
        writer.run("select count(*) from pg_class")
        writer.run(f"create table t{number} (id int)")
        writer.run(f"alter table t{number} add column more int")
    for writer in reversed(writers):
        writer.run("commit")
        versions.append(version(reader))
    assert versions == sorted(set(versions))


def test_concurrent_changes_are_all_counted(database_url: str) -> None:
    install(database_url)
    failures: list[str] = []
    start = threading.Barrier(6)

    def crowd(number: int) -> None:
        chance = random.Random(number)
        session = connect(database_url)
        try:
            start.wait()
            for turn in range(25):
                isolation = chance.choice(["read committed", "read committed", "repeatable read", "serializable"])
                before = version(session)
                session.run(f"begin isolation level {isolation}")
                session.run("select 1")
                for step in range(chance.randint(1, 3)):
                    session.run(f"create table t_{number}_{turn}_{step} (id int)")
                if chance.random() < 0.3:
                    session.run("rollback")
                    continue
                session.run("commit")
                if not version(session) > before:
                    failures.append(f"turn {turn} of {number} was not counted")
        except Exception as error:
            failures.append(f"{number}: {error}")
        finally:
            session.close()

    threads = [threading.Thread(target=crowd, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_slots_are_added_up(database_url: str, session: Session) -> None:
    install(database_url)
    writer = session(database_url)
    for number in range(70):
        writer.run("begin isolation level serializable")
        writer.run(f"create table t{number} (id int)")
        writer.run("commit")
    assert writer.run("select count(*) from graphql.schema_change")[0][0] > 64
    before = version(writer)
    writer.run("create table last (id int)")
    assert writer.run("select count(*) from graphql.schema_change") == [[1]]
    assert before < version(writer) <= before + 1_000_000


def test_changes_of_any_role_are_counted(database_url: str, postgres: PostgresServer, session: Session) -> None:
    install(database_url)
    owner = session(database_url)
    before = version(owner)
    owner.run("grant create on schema public to anon")
    granted = version(owner)
    owner.run("set role anon")
    owner.run("create table of_anon (id int)")
    assert before < granted < version(owner)
    with pytest.raises(pg8000.exceptions.DatabaseError, match="permission denied"):
        owner.run("select graphql.count_change()")
    with pytest.raises(pg8000.exceptions.DatabaseError, match="permission denied"):
        owner.run("update graphql.schema_change set changes = 0")


@pytest.mark.parametrize(
    "damage", ["alter table graphql.schema_change rename to gone", "drop function graphql.count_change()"]
)
def test_ddl_never_fails_because_of_the_counter(database_url: str, session: Session, damage: str) -> None:
    install(database_url, as_extension=False)
    owner = session(database_url)
    owner.run(damage)
    owner.run("create table t (id int)")
    owner.run("drop table t")
    assert "could not count" in " ".join(str(notice[b"M"]) for notice in owner.notices)


def test_there_is_no_version_while_changes_are_not_counted(database_url: str, session: Session) -> None:
    install(database_url)
    owner = session(database_url)
    before = version(owner)
    owner.run("alter event trigger portico_count_ddl disable")
    assert version(owner) is None
    owner.run("alter event trigger portico_count_ddl enable")
    assert version(owner) is not None
    assert version(owner) >= before


def test_assert_fails_with_another_version(database_url: str, session: Session) -> None:
    install(database_url)
    caller, owner = session(database_url), session(database_url)
    caller.run("set role anon")
    known = version(caller)
    check = "select graphql.assert_schema_version(cast(:v as bigint))"
    caller.run(check, v=known)
    owner.run("create table t (id int)")
    for wrong in (known, 0, None):
        with pytest.raises(pg8000.exceptions.DatabaseError) as caught:
            caller.run(check, v=wrong)
        assert caught.value.args[0]["C"] == "PTSCH"
        assert caught.value.args[0]["M"] == "the schema of the database has changed"
    caller.run(check, v=version(caller))


def test_assert_uses_no_operator_of_another_role(database_url: str, session: Session) -> None:
    install(database_url)
    owner = session(database_url)
    owner.run("create schema evil")
    for number, (left, right) in enumerate(itertools.product(("bigint", "numeric"), repeat=2)):
        owner.run(
            f"create function evil.trap{number}({left}, {right}) returns boolean language plpgsql"
            " as $$ begin raise exception 'trapped'; end $$"
        )
        owner.run(f"create operator evil.= (function = evil.trap{number}, leftarg = {left}, rightarg = {right})")
    owner.run("create aggregate evil.sum(bigint) (sfunc = pg_catalog.int8pl, stype = bigint)")
    owner.run("set search_path = evil, pg_catalog")
    known = version(owner)
    owner.run(f"select graphql.assert_schema_version({known})")
    with pytest.raises(pg8000.exceptions.DatabaseError, match="PTSCH"):
        owner.run(f"select graphql.assert_schema_version({known + 1})")


@pytest.mark.timing
def test_assert_is_cheap(database_url: str, session: Session) -> None:
    install(database_url)
    caller = session(database_url)
    known = version(caller)
    loop = f"do $$ begin for i in 1..5000 loop perform graphql.assert_schema_version({known}); end loop; end $$"
    caller.run(loop)
    started = time.perf_counter()
    caller.run(loop)
    # 4.5 us were measured; the rest is for a busy machine
    assert (time.perf_counter() - started) / 5000 < 60e-6
