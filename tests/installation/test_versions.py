"""Both ways to install, and every upgrade path to the newest version, give the same objects."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest

from app.installation import scripts
from app.installation.install import InstallationError, Report, install, upgrade
from app.installation.install import uninstall as uninstall_from
from app.installation.missing import storage_damage
from app.installation.scripts import install_script, upgrade_path, versions
from app.installation.state import outdated, read_state
from app.installation.version import VERSION, precedence
from tests.installation.catalog import describe, members
from tests.installation.conftest import OLDEST, Session
from tests.postgres_server import PostgresServer

VIEW = (
    "select name, default_version, installed_version, comment from graphql.available_extensions where name = 'portico'"
)


def ask(session, query):
    """One value, as Database.read gives it."""
    value = session.run(query)[0][0]
    return None if value is None else str(value).encode()


@pytest.fixture
def newest(postgres: PostgresServer, session: Session):
    """The objects of the newest version, installed by its script."""
    url = postgres.create_database()
    install(url, as_extension=False)
    yield describe(session(url))
    postgres.drop_database(url)


def test_the_constant_the_control_file_and_the_scripts_agree() -> None:
    control = (scripts.DIRECTORY / "portico.control").read_text()
    assert re.search(r"^default_version = '(.+)'$", control, re.M)[1] == VERSION == versions()[-1]
    for version in versions():
        assert f"values ('{version}', '{version}')" in install_script(version)
        assert upgrade_path(version, VERSION) is not None, f"no way from {version}"
    assert upgrade_path(VERSION, OLDEST) is None
    assert versions()[0] == OLDEST
    assert precedence("1.10.0") > precedence("1.9.9")


def test_init_is_idempotent(database_url: str, session: Session, newest) -> None:
    first = install(database_url, as_extension=False)
    assert (first.before, first.after, first.by_extension, first.problems) == (None, VERSION, False, ())
    reader = session(database_url)
    reader.run("insert into storage.buckets (id, name) values ('b', 'b')")
    again = install(database_url, as_extension=False)
    assert (again.before, again.after) == (VERSION, VERSION)
    assert describe(reader) == newest
    assert reader.run("select id from storage.buckets") == [["b"]]


def test_init_restores_dropped_objects(database_url: str, session: Session, newest) -> None:
    install(database_url, as_extension=False)
    owner = session(database_url)
    owner.run("drop event trigger portico_count_ddl")
    owner.run("drop function auth.email()")
    owner.run("drop trigger protect_objects_delete on storage.objects")
    lacks = {lack.what for lack in install(database_url, as_extension=False).problems}
    assert not lacks
    assert describe(owner) == newest


def test_init_enables_the_event_triggers(database_url: str, session: Session, newest) -> None:
    install(database_url, as_extension=False)
    owner = session(database_url)
    owner.run("alter event trigger portico_count_ddl disable")
    owner.run("alter event trigger portico_count_drop enable replica")
    (lack,) = owner.run("select fix from graphql.missing")
    assert lack == ["a superuser: run portico init, or create extension portico, once more"]
    assert not install(database_url, as_extension=False).problems
    assert describe(owner) == newest


DAMAGE = (
    "alter table storage.access_keys disable row level security",
    "alter table storage.objects disable trigger protect_version_on_update",
    "drop trigger list_replaced_blob_on_delete on storage.objects",
    "alter table storage.buckets drop constraint buckets_pkey cascade",
    "alter table storage.work drop constraint work_kind_check",
    "drop index storage.bucketid_objname",
    "drop table storage.upload_parts",
)


@pytest.mark.parametrize("command", [install, upgrade])
def test_dropped_objects_of_the_storage_are_reported_and_restored(
    database_url: str, session: Session, newest, command: Callable[[str], Report]
) -> None:
    install(database_url, as_extension=False)
    owner = session(database_url)
    for sql in DAMAGE:
        owner.run(sql)
    reported = {what for (what,) in owner.run("select what from graphql.missing")}
    assert reported == set(storage_damage(partial(ask, owner)))
    assert reported == {
        "the table storage.access_keys has row level security disabled, so its policies protect nothing",
        "the trigger protect_version_on_update of the table storage.objects is disabled",
        "the trigger list_replaced_blob_on_delete of the table storage.objects does not exist",
        "the table storage.buckets lacks the constraint buckets_pkey",
        "the table storage.objects lacks the constraint objects_bucketId_fkey",
        "the table storage.uploads lacks the constraint uploads_bucket_id_fkey",
        "the table storage.versions lacks the constraint versions_bucket_id_fkey",
        "the table storage.work lacks the constraint work_kind_check",
        "the index storage.bucketid_objname does not exist",
        "the table storage.upload_parts does not exist",
        "the index storage.upload_parts_version does not exist",
    }
    assert not command(database_url).problems
    assert describe(owner) == newest


def test_rows_that_violate_a_dropped_constraint_are_reported(database_url: str, session: Session) -> None:
    install(database_url, as_extension=False)
    owner = session(database_url)
    owner.run("alter table storage.work drop constraint work_kind_check")
    owner.run("insert into storage.work (kind, bucket_id, name, event) values ('nonsense', 'b', 'n', '{}')")
    owner.run("alter table storage.buckets disable row level security")
    (lack,) = install(database_url, as_extension=False).problems
    assert lack.what == "the table storage.work lacks the constraint work_kind_check"
    assert "alter table storage.work add constraint work_kind_check check" in lack.fix


def test_an_upgrade_restores_dropped_objects(database_url: str, session: Session, newest) -> None:
    install(database_url, version=OLDEST, as_extension=False)
    owner = session(database_url)
    owner.run("drop table storage.work")
    assert not upgrade(database_url).problems
    assert describe(owner) == newest


def test_a_restored_table_has_its_grants_and_indexes(database_url: str, session: Session, newest) -> None:
    install(database_url, as_extension=False)
    owner = session(database_url)
    owner.run("revoke insert on storage.buckets from anon")
    owner.run("drop table storage.objects, storage.upload_parts, storage.work")
    owner.run("drop index storage.uploads_name")
    assert not install(database_url, as_extension=False).problems
    assert owner.run("select has_table_privilege('anon', 'storage.buckets', 'insert')") == [[False]]
    owner.run("drop table storage.buckets, storage.objects, storage.uploads, storage.upload_parts, storage.versions")
    install(database_url, as_extension=False)
    assert describe(owner) == newest


@pytest.mark.parametrize("command", ["init", "upgrade"])
@pytest.mark.parametrize("as_extension", [True, False])
def test_missing_members_of_a_version_are_added(
    request, session: Session, newest, as_extension: bool, command: str
) -> None:
    """As in a database that was made by a version from before its release."""
    url = request.getfixturevalue("extension_url" if as_extension else "database_url")
    install(url, as_extension=as_extension)
    owner = session(url)
    whole = members(owner)
    if as_extension:
        owner.run("alter extension portico drop function graphql.set_local(text[], text[])")
    owner.run("drop function graphql.set_local(text[], text[])")
    # The script adds what is missing, and the next time makes what it finds a member of the extension.
    for _ in range(2):
        report = install(url, as_extension=as_extension) if command == "init" else upgrade(url)
        assert (report.after, report.by_extension) == (VERSION, as_extension)
        assert describe(owner) == newest
    assert members(owner) == whole
    uninstall_from(url)
    assert owner.run("select to_regnamespace('graphql')") == [[None]]


def test_missing_objects_are_reported(database_url: str, session: Session) -> None:
    install(database_url, as_extension=False)
    owner = session(database_url)
    assert owner.run("select * from graphql.missing") == []
    owner.run("drop event trigger portico_count_drop")
    owner.run("drop function auth.email()")
    reported = " ".join(what for what, _ in owner.run("select what, fix from graphql.missing"))
    assert "not counted" in reported
    assert "auth.email()" in reported


def test_create_extension_creates_the_same_objects_as_init(extension_url: str, session: Session, newest) -> None:
    owner = session(extension_url)
    owner.run("create extension portico")
    assert describe(owner) == newest
    assert members(owner) == [
        "event trigger portico_count_ddl",
        "event trigger portico_count_drop",
        "function graphql.assert_schema_version(bigint)",
        "function graphql.count_change()",
        "function graphql.count_ddl()",
        "function graphql.count_drop()",
        "function graphql.schema_version()",
        "function graphql.set_local(text[],text[])",
        "schema graphql",
        "table graphql.installation",
        "table graphql.schema_change",
        "view graphql.available_extensions",
        "view graphql.missing",
        "view graphql.private_relations",
        "view graphql.storage_damage",
    ]


def test_a_superuser_gets_the_extension_if_the_server_has_its_files(extension_url: str, session: Session) -> None:
    report = install(extension_url)
    assert (report.after, report.by_extension) == (VERSION, True)
    assert install(extension_url).by_extension


def test_an_initialized_database_becomes_the_extension(extension_url: str, session: Session, newest) -> None:
    install(extension_url, as_extension=False)
    owner = session(extension_url)
    before = owner.run("select graphql.schema_version()")
    owner.run("create extension portico")
    assert describe(owner) == newest
    assert owner.run("select graphql.schema_version()") != before
    owner.run("drop extension portico")
    assert owner.run("select to_regnamespace('graphql'), to_regclass('storage.objects') is not null") == [[None, True]]


@pytest.mark.parametrize("way", ["alter extension portico update", "drop extension portico; create extension portico"])
def test_every_upgrade_path_leads_to_the_same_objects(extension_url: str, session: Session, newest, way: str) -> None:
    owner = session(extension_url)
    owner.run(f"create extension portico version '{OLDEST}'")
    for command in way.split("; "):
        owner.run(command)
    assert describe(owner) == newest
    fresh = session(extension_url)
    fresh.run("drop extension portico")
    fresh.run("create extension portico")
    assert describe(fresh) == newest


def test_the_extension_is_upgraded(extension_url: str, session: Session, newest) -> None:
    owner = session(extension_url)
    owner.run(f"create extension portico version '{OLDEST}'")
    belongs = members(owner)
    report = upgrade(extension_url)
    assert (report.before, report.after, report.by_extension) == (OLDEST, VERSION, True)
    assert describe(owner) == newest
    assert set(belongs) < set(members(owner))


def test_objects_without_the_extension_are_upgraded(database_url: str, session: Session, newest) -> None:
    install(database_url, version=OLDEST, as_extension=False)
    owner = session(database_url)
    owner.run("insert into storage.buckets (id, name) values ('b', 'b')")
    owner.run("insert into storage.objects (bucket_id, name, version) values ('b', 'n', 'v')")
    before = owner.run("select graphql.schema_version()")
    report = upgrade(database_url)
    assert (report.before, report.after, report.by_extension) == (OLDEST, VERSION, False)
    assert describe(owner) == newest
    assert owner.run("select graphql.schema_version()") != before
    assert owner.run("select name, version, is_delete_marker from storage.objects") == [["n", "v", False]]
    assert upgrade(database_url).before == VERSION


def test_an_older_version_is_reported_and_left_as_it_is(database_url: str, session: Session) -> None:
    install(database_url, version=OLDEST, as_extension=False)
    reader = session(database_url)
    report = install(database_url)
    assert (report.before, report.after) == (OLDEST, OLDEST)
    assert "portico upgrade" in (report.notice or "")
    state = read_state(lambda query: ask(reader, query))
    assert (state.version, state.storage_version, state.counting) == (OLDEST, OLDEST, True)
    assert OLDEST in (outdated(state) or "")
    assert reader.run(VIEW)[0][:3] == ["portico", VERSION, OLDEST]


def test_a_newer_version_is_left_alone(database_url: str, session: Session) -> None:
    install(database_url, as_extension=False)
    owner = session(database_url)
    owner.run("update graphql.installation set version = '99.0.0'")
    assert "newer" in (install(database_url).notice or "")
    with pytest.raises(InstallationError, match=r"no upgrade from version 99\.0\.0"):
        upgrade(database_url)


def test_an_upgrade_of_nothing_is_refused(database_url: str, session: Session) -> None:
    reader = session(database_url)
    state = read_state(lambda query: ask(reader, query))
    assert (state.version, outdated(state)) == (None, None)
    with pytest.raises(InstallationError, match="Portico is not installed"):
        upgrade(database_url)
    with pytest.raises(InstallationError, match=r"no version 0\.0\.1"):
        install(database_url, version="0.0.1")
    assert uninstall_from(database_url).before is None


def test_the_views_show_the_installed_version(extension_url: str, postgres: PostgresServer, session: Session) -> None:
    system = VIEW.replace("graphql.", "pg_")
    reader = session(extension_url)
    comment = "Portico: what its GraphQL and object storage APIs keep in the database"
    assert reader.run(system) == [["portico", VERSION, None, comment]]
    reader.run(f"create extension portico version '{OLDEST}'")
    assert reader.run(system) == reader.run(VIEW) == [["portico", VERSION, OLDEST, comment]]
    reader.run("alter extension portico update")
    assert reader.run(system) == reader.run(VIEW) == [["portico", VERSION, VERSION, comment]]
    reader.run("set role anon")
    assert reader.run(VIEW) == [["portico", VERSION, VERSION, comment]]
    elsewhere = postgres.create_database()
    install(elsewhere, as_extension=False)
    assert session(elsewhere).run(VIEW) == [["portico", VERSION, VERSION, comment]]
    plpgsql = "select installed_version is not null from graphql.available_extensions where name = 'plpgsql'"
    assert session(elsewhere).run(plpgsql) == [[True]]
    postgres.drop_database(elsewhere)


@pytest.mark.parametrize("as_extension", [True, False])
def test_uninstall_keeps_objects_of_users(request, session: Session, as_extension: bool) -> None:
    url = request.getfixturevalue("extension_url" if as_extension else "database_url")
    install(url, as_extension=as_extension)
    owner = session(url)
    owner.run("create table public.t (id int, owner uuid)")
    owner.run("create policy p on public.t using (owner = auth.uid())")
    uninstall_from(url)
    assert owner.run("select to_regnamespace('graphql')") == [[None]]
    assert owner.run("select count(*) from pg_event_trigger") == [[0]]
    assert owner.run("select count(*) from pg_policy") == [[1]]
    assert owner.run("select to_regclass('storage.objects') is not null") == [[True]]
    owner.run("create table public.u (id int)")
    assert install(url, as_extension=as_extension).after == VERSION


def test_schema_versions_never_repeat_after_drop_and_create(database_url: str, session: Session) -> None:
    owner = session(database_url)
    seen = []
    for _ in range(3):
        install(database_url, as_extension=False)
        owner.run("create table public.t (id int)")
        seen.append(owner.run("select graphql.schema_version()")[0][0])
        owner.run("drop table public.t")
        uninstall_from(database_url)
    assert sorted(set(seen)) == seen
