"""Databases with Citus, played by PostgreSQL: its catalog is imitated, and what it asks of a service is switched on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.commands.citus_checks import spread
from app.installation.install import install
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer

TABLES = (Path(__file__).parent / "snapshot/cases/distribution/schema.sql").read_text()
POLICIES = """
comment on table author is null;
comment on table book is null;
alter table author enable row level security;
create policy own on author using (tenant_id = nullif(current_setting('request.jwt.claim.tenant', true), '')::int);
insert into genre values (1, 9, 'rare'), (2, 9, 'rare');
grant select on author to service_role;
create function propagated() returns text language sql stable as
  $$ select current_setting('citus.propagate_set_commands', true) $$;
"""
CATALOG = """
set allow_system_table_mods = on;
create table pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid int,
  repmodel "char");
grant select on pg_catalog.pg_dist_partition to public;
create function pg_catalog.column_to_column_name(regclass, text) returns text language sql stable as
  'select attname::text from pg_catalog.pg_attribute where attrelid = $1 and attnum = $2::int';
insert into pg_catalog.pg_dist_partition values
  ('tenant', 'n', null, 2, 't'), ('author', 'h', '1', 7, 's'), ('book', 'h', '1', 7, 's'), ('genre', 'h', '1', 8, 's');
"""
NESTED = "{ authorCollection { edges { node { name bookCollection { edges { node { title } } } } } } }"


@pytest.fixture(scope="module")
def url(postgres: PostgresServer) -> Iterator[str]:
    url = postgres.create_database(sql=ROLES + TABLES + POLICIES)
    install(url)
    postgres.execute(CATALOG, url)
    yield url
    postgres.drop_database(url)


@pytest.fixture(scope="module")
def api(url: str) -> Iterator[Api]:
    api = Api(url, citus_claim="tenant", max_rows=100)
    yield api
    api.close()


def names(api: Api, role: str = "authenticated", **claims: object) -> list[str]:
    edges = api.ask(NESTED, role=role, claims=claims).data["authorCollection"]["edges"]
    return [edge["node"]["name"] for edge in edges]


def test_the_catalog_has_the_distribution_of_tables(api: Api) -> None:
    catalog = api.application.services.engine.schema_cache.current()
    spread = {each.name: each.distribution for each in catalog.relations if each.schema == "public"}
    assert catalog.distributed
    assert spread["tenant"] is None
    assert spread["book_genre"] is None
    assert spread["author"] == spread["book"] != spread["genre"]


def test_settings_are_propagated_to_other_servers(api: Api) -> None:
    assert api.ask("{ propagated }", claims={"tenant": 1}).data == {"propagated": "local"}


def test_the_claim_narrows_reads(api: Api) -> None:
    assert names(api, "service_role") == ["Ann", "Ben", "Cleo"]
    assert names(api, "service_role", tenant=2) == ["Cleo"]
    assert names(api, tenant="1") == ["Ann", "Ben"]
    assert names(api, tenant=2) == ["Cleo"]
    refused = api.ask(NESTED, claims={"tenant": [1]})
    assert (refused.status, refused.code) == (200, "BAD_USER_INPUT")


def test_a_client_cannot_choose_its_claim(api: Api) -> None:
    for variables in ({"@claim": 2}, {"@claim": [2]}, {}):
        edges = api.ask("{ bookCollection { edges { node { title } } } }", variables).data["bookCollection"]["edges"]
        assert [edge["node"]["title"] for edge in edges] == ["A", "B", "C", "D"]


def test_the_claim_narrows_changes(api: Api) -> None:
    changes = """mutation {
      one: updateBookCollection(set: {title: "D"}, atMost: 9) { affectedCount }
      key: updateBookByKey(key: {tenantIdAndId: {tenantId: 1, id: 1}}, set: {title: "X"}) { title }
      gone: deleteFromGenreCollection(atMost: 9, filter: {name: {eq: "rare"}}) { affectedCount }
    }"""
    changed = api.ask(changes, claims={"tenant": 2}).data
    assert changed == {"one": {"affectedCount": 1}, "key": None, "gone": {"affectedCount": 1}}
    assert api.ask("{ bookByPk(tenantId: 1, id: 1) { title } }", claims={"tenant": 2}).data == {"bookByPk": None}


def test_a_failed_mutation_changes_no_shard(api: Api) -> None:
    insert = "insertIntoBookCollection(objects: [{tenantId: 2, id: 9}]) { affectedCount }"
    for _ in range(2):
        failed = api.ask(f"mutation {{ a: {insert} b: {insert} }}", claims={"tenant": 2})
        assert failed.errors[0]["path"] == ["b"]
    books = api.ask("{ bookCollection(filter: {id: {eq: 9}}) { edges { node { id } } } }")
    assert books.data == {"bookCollection": {"edges": []}}


def test_doctor_reports_the_requirements_of_citus(api: Api, postgres: PostgresServer) -> None:
    functions = """
      create function silent() returns bigint language sql stable as 'select count(*) from book';
      create function heard() returns bigint language sql as 'select count(*) from book';
      create function elsewhere() returns bigint language sql stable set search_path = public
        as 'select count(*) from book'"""
    postgres.execute(functions, api.database_url)
    services = api.application.services
    reported = {each.what: each for each in spread(services.settings, services.engine.database)}
    (silent,) = (what for what in reported if "silent()" in what)
    assert "heard()" not in silent
    assert "elsewhere()" not in silent
    (login,) = (what for what in reported if "log in" in what)
    assert "anon, authenticated" in login
    assert not any("set_local" in what or "CITUS" in what for what in reported)
