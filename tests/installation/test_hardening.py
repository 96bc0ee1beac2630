"""Portico on hardened databases: nothing that it needs may rest on a right that PostgreSQL grants by default."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.commands.doctor import findings
from app.commands.finding import Finding
from app.database.url.url import parse_database_url
from app.discovery import configure
from app.installation.install import install, upgrade
from app.installation.version import VERSION
from tests.installation.test_rights import as_user
from tests.postgres_server import PostgresServer
from tests.storage.service import ANON, SERVICE, Service, running, token

ROLES = ("anon", "authenticated", "service_role")
DEFAULTS = {
    "functions": "alter default privileges revoke execute on functions from public",
    "tables": "alter default privileges revoke all on tables from public",
    "sequences": "alter default privileges revoke all on sequences from public",
    "types": "alter default privileges revoke usage on types from public",
    "schemas": "alter default privileges revoke all on schemas from public",
    "functions of the installer": "alter default privileges revoke all on functions from installer",
    "tables of the installer": "alter default privileges revoke all on tables from installer",
    "sequences of the installer": "alter default privileges revoke all on sequences from installer",
    "types of the installer": "alter default privileges revoke all on types from installer",
    "schemas of the installer": "alter default privileges revoke all on schemas from installer",
}
"""Statements that an installer may have run before."""
CLOSED = {
    # Before PostgreSQL 15 the schema belongs to the administrator, who has to let the owner of the database use it.
    "public": "revoke all on schema public from public; grant all on schema public to installer with grant option",
    "database": 'revoke connect, temporary on database "{database}" from public',
}
"""Statements that the administrator of the server may have run before."""
INSTALLERS = {"superuser": "superuser", "owner": "", "managed": "createrole createdb"}
TABLE = """
create table note (
  id int generated always as identity primary key, body text not null, writer text default auth.role());
grant all on note to installer;
alter table note enable row level security;
create policy everybody on note using (true) with check (true);
insert into note (body) values ('one');
"""
POLICY = "storage.foldername(name) = '{}' and storage.operation() is not null and auth.role() is not null"
READ = "{ noteCollection { edges { node { id body } } } }"
WRITE = 'mutation { insertIntonoteCollection(objects: [{body: "two"}]) { affectedCount } }'


@dataclass(frozen=True)
class Place:
    """A database of a hardened server: ``installer`` is the URL of the role that installs, ``login`` the service's."""

    server: PostgresServer
    installer: str
    login: str

    def hardened(self, *names: str) -> None:
        """Run what is named, as who may."""
        database = parse_database_url(self.installer).database
        for name in names:
            if name in CLOSED:
                as_superuser = as_user(self.installer, "postgres")
                self.server.execute(CLOSED[name].format(database=database), as_superuser)
            else:
                self.server.execute(DEFAULTS[name], self.installer)

    def with_login(self) -> None:
        self.server.execute("create role portico_login login")
        self.server.execute(f"grant {', '.join(ROLES)} to portico_login")


@pytest.fixture
def place(fresh_server: PostgresServer, request: pytest.FixtureRequest) -> Iterator[Place]:
    """A database that belongs to an installer of the kind that the test names, on a server without the API's roles."""
    fresh_server.execute(f"create role installer login {INSTALLERS[request.param]}")
    url = fresh_server.create_database()
    fresh_server.execute(f'alter database "{parse_database_url(url).database}" owner to installer')
    if request.param == "owner":
        for role in ROLES:
            attributes = "nologin noinherit" + (" bypassrls" if role == "service_role" else "")
            fresh_server.execute(f"create role {role} {attributes}; grant {role} to installer")
    try:
        yield Place(fresh_server, as_user(url, "installer"), as_user(url, "portico_login"))
    finally:
        fresh_server.drop_database(url)
        for role in (*ROLES, "portico_login", "installer"):
            fresh_server.execute(f"drop role if exists {role}")


def examined(url: str, *, security: bool = False, **settings: object) -> list[Finding]:
    given = {"database_url": url, "jwt_secret": "s" * 32, "anon_key": ANON, "service_role_key": SERVICE, **settings}
    return findings(*configure({}, given), security=security)


def works(place: Place, folder: Path) -> None:
    """Each role of the API reads, writes and stores an object, whichever role the service connects as."""
    place.server.execute(TABLE, place.installer)
    place.server.execute(
        "create policy everybody on storage.objects using (true) with check (true)",
        as_user(place.installer, "postgres"),
    )
    for login in (place.installer, place.login):
        serves(place.server, login, folder)
        assert [each for each in examined(login) if each.is_fatal] == []


def serves(server: PostgresServer, login: str, folder: Path) -> None:
    with running(server, login, folder, shutdown_grace_s=0.1) as service:
        for credential in (ANON, token("authenticated"), SERVICE):
            assert_answered(service, credential)
        bucket = service.bucket(public=True)
        for name, credential in (("anon", ANON), ("user", token("authenticated")), ("service", SERVICE)):
            uploaded = service.upload(f"{bucket}/{name}.txt", name.encode(), credential)
            assert uploaded.status_code == 200, uploaded.text
            assert service.get(f"/object/{bucket}/{name}.txt", credential).text == name
        listed = service.post(f"/object/list/{bucket}", ANON, json={"prefix": ""})
        assert [each["name"] for each in listed.json()] == ["anon.txt", "service.txt", "user.txt"]


def assert_answered(service: Service, credential: str) -> None:
    for document in (READ, WRITE):
        answer = service.post("/graphql/v1", credential, headers={"apikey": ANON}, json={"query": document}).json()
        assert "errors" not in answer, answer


@pytest.mark.parametrize("hardening", [*DEFAULTS, *CLOSED])
@pytest.mark.parametrize("place", ["owner"], indirect=True)
def test_a_hardened_database_works(place: Place, hardening: str, tmp_path: Path) -> None:
    place.hardened(hardening)
    install(place.installer)
    place.with_login()
    works(place, tmp_path)


@pytest.mark.parametrize("place", INSTALLERS, indirect=True)
def test_all_hardenings_together_work(place: Place, tmp_path: Path) -> None:
    place.hardened(*DEFAULTS, *CLOSED)
    report = install(place.installer)
    assert report.after == VERSION
    place.with_login()
    works(place, tmp_path)


@pytest.mark.parametrize("place", INSTALLERS, indirect=True)
def test_doctor_names_what_is_missing_and_a_second_run_grants_it(place: Place) -> None:
    """As in a database that an earlier version installed under hardened defaults."""
    install(place.installer)
    place.with_login()
    place.server.execute(REVOKED, place.installer)
    wrong = [each for each in examined(place.login) if each.is_fatal]
    for role in ROLES:
        (finding,) = [each for each in wrong if each.what.startswith(f"{role} ")]
        for function in ("assert_schema_version", "uid", "foldername"):
            assert function in finding.what
        assert "portico init" in finding.fix
    assert "permission denied for table work" in "".join(each.what for each in wrong)
    assert "the role anon may not execute the function graphql.assert_schema_version(" in "".join(
        str(row[0]) for row in place.server.execute("select what from graphql.missing", place.installer)
    )

    lacking = {each.what for each in install(place.installer).problems}
    assert not [each for each in lacking if "may not" in each]
    assert [each for each in examined(place.login) if each.is_fatal] == []
    place.server.execute(REVOKED, place.installer)
    upgrade(place.installer)
    assert [each for each in examined(place.login) if each.is_fatal] == []
    place.server.execute("revoke usage on schema auth, storage from anon", place.installer)
    assert "permission denied for schema auth" in "".join(each.what for each in examined(place.login) if each.is_fatal)
    install(place.installer)
    assert [each for each in examined(place.login) if each.is_fatal] == []


REVOKED = """
revoke execute on all functions in schema graphql, auth, storage from public;
revoke insert on storage.work from service_role;
"""


@pytest.mark.parametrize("place", ["superuser", "managed"], indirect=True)
def test_a_superuser_grants_bypassrls_to_an_existing_role(place: Place) -> None:
    for role in ROLES:
        place.server.execute(f"create role {role} nologin noinherit", place.installer)
    lacks = [each.what for each in install(place.installer).problems]
    may = place.server.execute("select rolbypassrls from pg_roles where rolname = 'service_role'")
    is_superuser = place.server.execute("select rolsuper from pg_roles where rolname = 'installer'") == [[True]]
    assert may == [[is_superuser]]
    assert bool([each for each in lacks if "does not bypass" in each]) is not is_superuser
    install(as_user(place.installer, "postgres"))
    assert place.server.execute("select rolbypassrls from pg_roles where rolname = 'service_role'") == [[True]]


@pytest.mark.parametrize("place", ["superuser"], indirect=True)
def test_further_roles_of_the_api_are_tried_too(place: Place) -> None:
    install(place.installer)
    place.server.execute("create role editor nologin")
    try:
        place.with_login()
        place.server.execute("grant editor to portico_login")
        roles = (*ROLES, "editor")
        assert "editor may use what its requests use" in {each.what for each in examined(place.login, api_roles=roles)}
        place.server.execute("revoke execute on all functions in schema graphql from public", place.installer)
        found = [each.what for each in examined(place.login, api_roles=roles) if each.is_fatal]
        assert [each for each in found if each.startswith("editor ") and "set_local" in each]
    finally:
        place.server.execute("drop role editor")
