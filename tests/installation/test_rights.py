"""An installer with limited rights: what is possible is done, the rest is reported, nothing fails half way."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from urllib.parse import quote

import pg8000.native
import pytest

from app.database.url.url import parse_database_url
from app.installation.install import InstallationError, Report, install, uninstall, upgrade
from app.installation.version import VERSION
from tests.installation.conftest import Session, show_files
from tests.postgres_server import PostgresServer


def as_user(url: str, user: str) -> str:
    target = replace(parse_database_url(url), user=user)
    return f"postgresql://{user}@/{quote(target.database)}?host={quote(target.host)}&port={target.port}"


def answered(report: Report) -> str:
    return "\n".join(f"{lack.what} -> {lack.fix}" for lack in report.problems)


@pytest.fixture
def new_login(fresh_server: PostgresServer):
    """A server without the three roles; the function creates a database owned by a role with the given rights."""
    made: list[str] = []

    def make(rights: str) -> str:
        fresh_server.execute(f"create role installer login {rights}")
        made.append(fresh_server.create_database())
        database = parse_database_url(made[-1]).database
        fresh_server.execute(f'alter database "{database}" owner to installer')
        return as_user(made[-1], "installer")

    yield make
    for url in made:
        fresh_server.drop_database(url)
    for role in ("anon", "authenticated", "service_role", "installer"):
        fresh_server.execute(f"drop role if exists {role}")


def test_an_ordinary_owner_installs_what_it_may(new_login, fresh_server: PostgresServer, session: Session) -> None:
    url = new_login("")
    report = install(url)
    assert (report.after, report.by_extension) == (VERSION, False)
    for name in ("anon", "authenticated", "service_role"):
        assert f"the role {name} does not exist" in answered(report)
    assert "create role service_role nologin noinherit bypassrls" in answered(report)
    assert "not counted" in answered(report)
    owner = session(url)
    owner.run("create table note (id int); alter table note enable row level security")
    owner.run("create policy everybody on note using (true)")
    assert owner.run("select graphql.schema_version()") == [[None]]
    assert owner.run("select auth.uid(), storage.foldername('a/b/c.txt')") == [[None, ["a", "b"]]]

    # somebody fixes what was reported; the next run does the rest
    for lack in report.problems:
        if "create role" in lack.fix:
            fresh_server.execute(lack.fix.partition(": ")[2])
    fresh_server.execute("grant anon, authenticated, service_role to installer")
    again = install(url)
    assert "not counted" in answered(again)
    assert len(again.problems) == 1
    owner.run("set role anon")
    owner.run("insert into note values (1)")
    assert owner.run("select count(*) from storage.objects") == [[0]]


def test_a_role_with_createrole_creates_the_roles(new_login, session: Session) -> None:
    url = new_login("createrole")
    report = install(url)
    assert {lack.what.split(":")[0].split(" (")[0] for lack in report.problems} == {
        "service_role does not bypass row level security",
        "changes of the schema are not counted",
    }
    owner = session(url)
    for role in ("anon", "authenticated", "service_role"):
        owner.run(f"set role {role}")
        owner.run("reset role")
    # Not with its rights unless asked, where a membership can say so: from PostgreSQL 16 on.
    option = "(to_jsonb(m) ->> 'inherit_option')::boolean"
    inherits = f"select count(*) from pg_auth_members m where member = 'installer'::regrole and {option}"
    assert owner.run(inherits) == [[0]]
    # the storage API works all the same
    owner.run("set role service_role")
    owner.run("insert into storage.buckets (id, name) values ('b', 'b')")
    owner.run("insert into storage.objects (bucket_id, name, version) values ('b', 'n', '1')")
    owner.run("update storage.objects set version = '2'")
    assert owner.run("select version from storage.work") == [["1"]]
    owner.run("set role authenticated")
    assert owner.run("select count(*) from storage.buckets") == [[0]]
    assert install(url).problems == report.problems
    uninstall(url)
    assert install(url).problems == report.problems


def test_policies_of_a_service_role_without_bypassrls_are_restored(
    new_login, fresh_server: PostgresServer, session: Session
) -> None:
    url = new_login("")
    for role in ("anon", "authenticated", "service_role"):
        fresh_server.execute(f"create role {role} nologin; grant {role} to installer")
    install(url)
    owner = session(url)
    policies = "select tablename, roles from pg_policies where schemaname = 'storage' order by tablename"
    before = owner.run(policies)
    owner.run("drop table storage.objects, storage.access_keys")
    install(url)
    assert len(before) == 9
    assert owner.run(policies) == before


def test_a_role_without_create_is_refused(new_login, fresh_server: PostgresServer) -> None:
    url = new_login("")
    fresh_server.execute("create role stranger login")
    try:
        with pytest.raises(InstallationError, match="stranger may not create schemas") as caught:
            install(as_user(url, "stranger"))
        assert "grant create on database" in (caught.value.hint or "")
        assert not fresh_server.execute("select 1 from pg_namespace where nspname = 'graphql'", url)
    finally:
        fresh_server.execute("drop role stranger")


def test_an_older_server_is_refused(new_login, fresh_server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    # No server is old enough for any other way.
    monkeypatch.setattr(sys.modules[install.__module__], "OLDEST_SERVER", 1_000_000)
    url = new_login("")
    with pytest.raises(InstallationError, match="objects need PostgreSQL 100 or newer; this is PostgreSQL 1"):
        install(url)
    assert not fresh_server.execute("select 1 from pg_namespace where nspname = 'graphql'", url)


def test_objects_of_another_role_are_left_alone(new_login, fresh_server: PostgresServer) -> None:
    url = new_login("createrole")
    install(as_user(url, "postgres"))
    report = install(url)
    assert (report.before, report.after) == (VERSION, VERSION)
    assert "installer may not switch to the role anon" in answered(report)
    with pytest.raises(InstallationError, match="belong to another role"):
        upgrade(url)


@pytest.mark.parametrize(
    "trap",
    [
        "create schema graphql authorization stranger",
        "create schema storage authorization stranger",
        "create schema graphql; create function graphql.count_ddl() returns event_trigger language plpgsql as"
        " 'begin end'; alter function graphql.count_ddl() owner to stranger",
    ],
)
@pytest.mark.parametrize("as_extension", [True, False])
def test_objects_prepared_by_another_role_are_not_used(
    fresh_server: PostgresServer, files, session: Session, trap: str, as_extension: bool
) -> None:
    fresh_server.execute("create role stranger")
    url = fresh_server.create_database()
    try:
        show_files(fresh_server, url, files)
        fresh_server.execute(trap, url)
        with pytest.raises(InstallationError, match="belongs to stranger"):
            install(url, as_extension=as_extension)
        assert not fresh_server.execute("select 1 from pg_extension where extname = 'portico'", url)
    finally:
        fresh_server.drop_database(url)
        fresh_server.execute("drop role stranger")


def test_several_databases_can_be_prepared_at_once(fresh_server: PostgresServer) -> None:
    urls = [fresh_server.create_database() for _ in range(4)]
    reports: list[Report | Exception] = []
    start = threading.Barrier(len(urls))

    def run(url: str) -> None:
        start.wait()
        try:
            reports.append(install(url))
        except Exception as error:
            reports.append(error)

    threads = [threading.Thread(target=run, args=(url,)) for url in urls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(report.after, report.problems) for report in reports if isinstance(report, Report)] == [(VERSION, ())] * 4
    for url in urls:
        fresh_server.drop_database(url)
    for role in ("anon", "authenticated", "service_role"):
        fresh_server.execute(f"drop role {role}")


def test_concurrent_runs_in_one_database_succeed(database_url: str) -> None:
    reports: list[object] = []

    def run() -> None:
        try:
            reports.append(install(database_url).after)
        except Exception as error:
            reports.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reports == [VERSION] * 3


def test_settings_of_the_session_do_not_matter(database_url: str, postgres: PostgresServer) -> None:
    database = parse_database_url(database_url).database
    for setting in (
        "search_path = ''", "default_transaction_read_only = on", "default_transaction_isolation = 'serializable'",
        "statement_timeout = '1ms'", "row_security = off", "standard_conforming_strings = off",
    ):  # fmt: skip
        try:
            postgres.execute(f'alter database "{database}" set {setting}')
        except pg8000.exceptions.DatabaseError:
            continue
    report = install(database_url)
    assert (report.after, report.problems) == (VERSION, ())
