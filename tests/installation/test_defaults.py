"""The rights of the roles after the installation, and the results of the functions for policies."""

from __future__ import annotations

import pg8000.exceptions
import pytest

from app.installation.install import closed_relations, install, upgrade
from app.installation.scripts import versions
from tests.installation.conftest import Session

BEFORE = """
create table old_table (id int generated always as identity primary key, body text);
create table closed (id int);
alter table closed enable row level security;
create view old_view as table old_table;
create materialized view old_matview as select 1 as one;
create sequence old_sequence;
create function old_function() returns int language sql as 'select 1';
create function closed_function() returns int language sql as 'select 1';
revoke execute on function closed_function() from public;
create procedure old_procedure() language sql as 'select 1';
"""

USES = {
    "old_table": "insert into old_table (body) values ('a') returning body",
    "old_view": "select count(*) >= 0 from old_view",
    "old_matview": "select one from old_matview",
    "old_sequence": "select nextval('old_sequence')",
    "old_function": "select old_function()",
}
WRITES = ("old_table",)

LATER = """
create table new_table (id int generated always as identity primary key, body text);
create view new_view as table new_table;
create function new_function() returns int language sql as 'select 1';
"""
LATER_USES = (
    "insert into new_table (body) values ('a') returning body",
    "select count(*) >= 0 from new_view",
    "select new_function()",
)


def denied(session, sql: str) -> bool:
    try:
        session.run(sql)
    except pg8000.exceptions.DatabaseError as error:
        if error.args[0]["C"] != "42501":
            raise
        return True
    return False


@pytest.mark.parametrize("as_extension", [True, False])
def test_public_is_visible(request, session: Session, as_extension: bool) -> None:
    url = request.getfixturevalue("extension_url" if as_extension else "database_url")
    owner = session(url)
    owner.run(BEFORE)
    report = install(url, as_extension=as_extension, opened=[each.name for each in closed_relations(url)])
    assert [lack.what for lack in report.problems] == []
    for role in ("anon", "authenticated", "service_role"):
        owner.run(f"set role {role}")
        for name, use in USES.items():
            if role == "anon" and name in WRITES:
                assert denied(owner, use)
                use = f"select count(*) >= 0 from {name}"
            assert owner.run(use), (role, use)
        assert denied(owner, "select closed_function()")
        assert denied(owner, "create table mine (id int)")
        assert denied(owner, "truncate old_table") == (role != "service_role")
        owner.run("reset role")


def test_later_objects_are_visible(database_url: str, session: Session) -> None:
    install(database_url)
    owner = session(database_url)
    owner.run(LATER)
    for role in ("anon", "authenticated", "service_role"):
        owner.run(f"set role {role}")
        for use in LATER_USES:
            assert owner.run(use), (role, use)
        owner.run("reset role")


@pytest.mark.parametrize("as_extension", [True, False])
def test_older_tables_without_row_security_stay_closed(request, session: Session, as_extension: bool) -> None:
    url = request.getfixturevalue("extension_url" if as_extension else "database_url")
    owner = session(url)
    owner.run(BEFORE)
    owner.run("create view careful with (security_invoker = true) as select 1 as one")
    owner.run("create table alembic_version (version_num text); alter table alembic_version enable row level security")
    report = install(url, as_extension=as_extension)
    assert [lack.what for lack in report.problems] == [
        "anon and authenticated have no rights on 3 relation(s) without row level security",
        "relations that you create in schema public later are closed to anon and authenticated too",
    ]
    closed = [f"public.{name}" for name in ("old_matview", "old_table", "old_view")]
    assert report.problems[0].fix.splitlines()[1:] == [
        f"grant select on {each} to anon, authenticated;" for each in closed
    ]
    owner.run("create table new_table (id int generated always as identity primary key, body text)")
    for role in ("anon", "authenticated"):
        owner.run(f"set role {role}")
        for relation in ("old_table", "old_view", "old_matview", "alembic_version", "new_table"):
            assert denied(owner, f"select count(*) from {relation}"), (role, relation)
        for relation in ("closed", "careful"):
            assert owner.run(f"select count(*) >= 0 from {relation}") == [[True]], (role, relation)
        owner.run("reset role")
    owner.run("set role service_role")
    assert owner.run(USES["old_table"]) == [["a"]]
    owner.run("reset role")
    assert install(url).problems == ()
    install(url, opened=closed)
    owner.run("set role authenticated")
    assert owner.run(USES["old_table"]) == [["a"]]
    owner.run("set role anon")
    assert owner.run("select count(*) > 0 from old_table") == [[True]]
    assert denied(owner, "select * from alembic_version")


def test_revoked_rights_stay_revoked(extension_url: str, session: Session) -> None:
    owner = session(extension_url)
    owner.run(BEFORE)
    install(extension_url, version=versions()[0], as_extension=True)
    owner.run("revoke all on old_table from anon")
    owner.run("revoke insert on storage.objects from anon")
    owner.run("alter default privileges in schema public revoke all on tables from anon")
    upgrade(extension_url)
    owner.run("drop extension portico")
    owner.run("create extension portico")
    install(extension_url)
    owner.run("create table new_table (id int)")
    owner.run("set role anon")
    assert denied(owner, "select * from old_table")
    assert denied(owner, "select * from new_table")
    assert denied(owner, "insert into storage.objects (bucket_id, name) values ('b', 'n')")


def test_grants_on_public_can_be_left_out(database_url: str, session: Session) -> None:
    owner = session(database_url)
    owner.run(BEFORE)
    assert install(database_url, grants_on_public="none").problems == ()
    install(database_url)
    owner.run("create table new_table (id int)")
    owner.run("set role anon")
    assert denied(owner, "select * from old_table")
    assert denied(owner, "select * from new_table")
    assert owner.run("select count(*) from storage.buckets") == [[0]]


def test_objects_of_extensions_are_not_touched(database_url: str, session: Session) -> None:
    owner = session(database_url)
    available = (
        "select name from pg_available_extensions where name in ('pg_stat_statements', 'vector') order by 1 limit 1"
    )
    name = owner.run(available)
    if not name:
        pytest.skip("this server has no extension to try")
    owner.run(f"create extension {name[0][0]}")
    before = (
        "select array_agg(acl order by acl) from (select proacl::text as acl from pg_proc where proacl is not null) a"
    )
    was = owner.run(
        before.replace("proacl is not null", "proacl is not null and pronamespace = 'public'::regnamespace")
    )
    install(database_url)
    assert was == owner.run(
        before.replace("proacl is not null", "proacl is not null and pronamespace = 'public'::regnamespace")
    )


CLAIMS = '{"sub": "11111111-1111-1111-1111-111111111111", "role": "authenticated", "email": "a@b.c", "more": [1]}'


def test_auth_functions_return_the_caller(database_url: str, session: Session) -> None:
    install(database_url)
    caller = session(database_url)
    caller.run("set role anon")
    asked = "select auth.uid()::text, auth.role(), auth.email(), auth.jwt()->>'sub', auth.jwt() is null"
    assert caller.run(asked) == [[None, None, None, None, True]]
    caller.run("select set_config('request.jwt.claims', :c, false)", c=CLAIMS)
    user = "11111111-1111-1111-1111-111111111111"
    assert caller.run(asked) == [[user, "authenticated", "a@b.c", user, False]]
    caller.run("select set_config('request.jwt.claims', '', false)")
    assert caller.run(asked) == [[None, None, None, None, True]]
    other = "22222222-2222-2222-2222-222222222222"
    caller.run(
        f"set request.jwt.claim.sub = '{other}'; set request.jwt.claim.role = 'x'; set request.jwt.claim.email = 'e'"
    )
    assert caller.run(asked)[0][:3] == [other, "x", "e"]


@pytest.mark.parametrize("as_extension", [True, False])
def test_existing_functions_are_kept(request, session: Session, as_extension: bool) -> None:
    url = request.getfixturevalue("extension_url" if as_extension else "database_url")
    owner = session(url)
    owner.run("create schema auth")
    owner.run("create function auth.uid() returns uuid language sql stable as $$ select gen_random_uuid() $$")
    owner.run("create table auth.users (id uuid)")
    body = "select prosrc from pg_proc where oid = 'auth.uid()'::regprocedure"
    install(url, as_extension=as_extension)
    assert owner.run(body) == [[" select gen_random_uuid() "]]
    assert owner.run("select to_regprocedure('auth.role()') is not null") == [[True]]
    if as_extension:
        owner.run("drop extension portico")
        assert owner.run(body) == [[" select gen_random_uuid() "]]


def test_policies_and_rows_outlive_the_extension(extension_url: str, session: Session) -> None:
    install(extension_url, as_extension=True)
    owner = session(extension_url)
    owner.run("create table note (id int, owner uuid)")
    owner.run("alter table note enable row level security")
    owner.run("create policy own on note using (owner = auth.uid())")
    owner.run("create policy folder on storage.objects using ((storage.foldername(name))[1] = auth.uid()::text)")
    owner.run("insert into note values (1, '11111111-1111-1111-1111-111111111111'), (2, gen_random_uuid())")
    owner.run("insert into storage.buckets (id, name) values ('b', 'b')")
    owner.run(
        "insert into storage.objects (bucket_id, name, version)"
        " select 'b', '11111111-1111-1111-1111-111111111111/' || n, n from generate_series(1, 100) n"
    )
    owner.run("update storage.objects set version = 'new' where version = '7'")
    count = "(select count(*) from storage.{})"
    rows = "select " + ", ".join(count.format(table) for table in ("objects", "buckets", "work"))

    def seen() -> list[list[object]]:
        caller = session(extension_url)
        caller.run("set role authenticated")
        caller.run("select set_config('request.jwt.claims', :c, false)", c=CLAIMS)
        return caller.run("select (select array_agg(id) from note), (select count(*) from storage.objects)")

    assert owner.run(rows) == [[100, 1, 1]]
    assert seen() == [[[1], 100]]
    owner.run("drop extension portico")
    assert owner.run(rows) == [[100, 1, 1]]
    assert seen() == [[[1], 100]]
    owner.run("create extension portico")
    assert owner.run(rows) == [[100, 1, 1]]
    assert seen() == [[[1], 100]]
