"""Databases with Citus, played by PostgreSQL: its catalog is imitated, and what it asks of a service is switched on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.commands.citus_checks import claims, spread
from app.installation.install import install
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES
from tests.graphql.requests import ask_with
from tests.postgres_server import PostgresServer

TABLES = (Path(__file__).parent / "snapshot/cases/distribution/schema.sql").read_text()
POLICIES = """
comment on table author is null;
comment on table book is null;
alter table author enable row level security;
create policy own on author using (tenant_id = nullif(current_setting('request.jwt.claim.tenant', true), '')::int);
insert into genre values (1, 9, 'rare'), (2, 9, 'rare');
grant select on author to service_role;
-- In the group of the tenants, as Citus puts tables by default, but by another column.
create table device (id int primary key, label text);
insert into device values (1, 'lamp'), (2, 'fan');
grant select on device to authenticated;
-- PostgreSQL has no plan for such a join, and refuses it as Citus does.
create view pairs as select a.id, b.id as other from author a full join author b on a.id < b.id;
comment on view pairs is '@graphql({"primary_key_columns": ["id"]})';
grant select on pairs to authenticated, service_role;
create function propagated() returns text language sql stable as
  $$ select current_setting('citus.propagate_set_commands', true) $$;
create function sequence() returns text language sql as
  $$ select current_setting('citus.multi_shard_modify_mode', true) $$;
"""
CATALOG = """
set allow_system_table_mods = on;
create table pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid int,
  repmodel "char");
grant select on pg_catalog.pg_dist_partition to public;
create function pg_catalog.column_to_column_name(regclass, text) returns text language sql stable as
  'select attname::text from pg_catalog.pg_attribute where attrelid = $1 and attnum = $2::int';
insert into pg_catalog.pg_dist_partition values
  ('tenant', 'n', null, 2, 't'), ('author', 'h', '1', 7, 's'), ('book', 'h', '1', 7, 's'), ('genre', 'h', '1', 8, 's'),
  ('device', 'h', '1', 7, 's');
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


def test_a_list_of_one_value_shares_its_plan_with_no_other_list(api: Api) -> None:
    text = "query ($t: [Int!]) { authorCollection(filter: { tenantId: { in: $t } }) { edges { node { name } } } }"
    for tenants, expected in (
        ([1], ["Ann", "Ben"]),
        ([2], ["Cleo"]),
        ([1, 2], ["Ann", "Ben", "Cleo"]),
        (2, ["Cleo"]),
        ([], []),
        ([2], ["Cleo"]),
        (None, []),
    ):
        literal = text.replace("query ($t: [Int!]) ", "").replace("$t", json.dumps(tenants))
        for answer in (api.ask(text, {"t": tenants}, role="service_role"), api.ask(literal, role="service_role")):
            assert [edge["node"]["name"] for edge in answer.data["authorCollection"]["edges"]] == expected


def test_several_changes_are_made_in_sequence(api: Api) -> None:
    assert api.ask("mutation { sequence }").data == {"sequence": None}
    assert api.ask("mutation { sequence again: sequence }").data == {"sequence": "sequential", "again": "sequential"}


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


def test_the_claim_does_not_narrow_tables_distributed_by_another_column(api: Api) -> None:
    devices = api.ask("{ deviceCollection { edges { node { id } } } }", claims={"tenant": 2}).data["deviceCollection"]
    assert [edge["node"]["id"] for edge in devices["edges"]] == [1, 2]
    (found,) = claims(api.application.services.settings, api.application.services.engine)
    assert found.mark == "note"
    assert found.what.endswith("another column: public.device")


def test_a_setting_names_the_column_of_the_claim(url: str) -> None:
    settings = {"citus_claim": "organisation", "max_rows": 100}
    nothing, by_column = Api(url, **settings), Api(url, citus_claim_column="tenant_id", **settings)
    try:
        assert names(nothing, "service_role", organisation=2) == ["Ann", "Ben", "Cleo"]
        (found,) = claims(nothing.application.services.settings, nothing.application.services.engine)
        assert found.is_fatal
        assert names(by_column, "service_role", organisation=2) == ["Cleo"]
    finally:
        nothing.close()
        by_column.close()


def test_a_table_that_becomes_distributed_is_noticed(api: Api, postgres: PostgresServer) -> None:
    cache = api.application.services.engine.schema_cache
    before = cache.current()
    assert cache.refresh_if_changed(thorough=False) is before
    added = "insert into pg_catalog.pg_dist_partition values ('book_genre', 'h', '1', 7, 's')"
    postgres.execute(added, api.database_url)
    try:
        spread = {each.name: each.distribution for each in cache.refresh_if_changed(thorough=False).relations}
        assert spread["book_genre"] == spread["book"]
    finally:
        removed = "delete from pg_catalog.pg_dist_partition where logicalrelid = 'book_genre'::regclass"
        postgres.execute(removed, api.database_url)
        cache.refresh_if_changed(thorough=False)


def test_a_statement_that_citus_refuses_has_our_error_and_is_explained(api: Api) -> None:
    text = "{ pairsCollection { edges { node { id } } } }"
    (error,) = api.ask(text, role="service_role").errors
    assert error["extensions"]["code"] == "NOT_ON_THIS_CLUSTER"
    assert error["path"] == ["pairsCollection"]
    answer = ask_with(api, {"explain": "plan"}, text, role="service_role")
    (entry,) = answer.body["extensions"]["explain"]
    assert entry["sql"].startswith("SELECT ")
    assert (entry["plan"], entry["error"]) == (None, error["message"])


def test_doctor_reports_the_requirements_of_citus(api: Api, postgres: PostgresServer) -> None:
    functions = """
      create function silent() returns setof book language sql stable as 'select * from book';
      create function heard() returns setof book language sql as 'select * from book';
      create function one() returns bigint language sql stable as 'select count(*) from book';
      create function other() returns setof text language sql stable as $$ select 'notebook' $$;
      create function elsewhere() returns setof book language sql stable set search_path = public
        as 'select * from book';
      create policy "of books" on book_genre using (exists (select from book b where b.id = book_id))"""
    postgres.execute(functions, api.database_url)
    services = api.application.services
    reported = {each.what: each for each in spread(services.settings, services.engine.database)}
    (silent,) = (what for what in reported if "silent()" in what)
    assert not any(each in silent for each in ("heard()", "one()", "other()", "elsewhere()"))
    (login,) = (what for what in reported if "log in" in what)
    assert "anon, authenticated" in login
    (mixed,) = (what for what in reported if "policies" in what and "local" in what)
    assert '"of books" on book_genre' in mixed
    assert not any("set_local" in what or "CITUS" in what for what in reported)


def test_a_read_of_tables_without_policies_does_not_propagate_settings(postgres: PostgresServer) -> None:
    # Without `portico init` there is no function that propagates them.
    url = postgres.create_database(sql=ROLES + TABLES + POLICIES)
    postgres.execute(CATALOG, url)
    api = Api(url, max_rows=100)
    authors = "{ authorCollection { edges { node { name } } } }"
    pairs = "{ pairsCollection { edges { node { id } } } }"
    propagating = [(authors, "authenticated"), ("{ propagated }", "service_role"), (pairs, "service_role")]
    try:
        assert len(api.ask(authors, role="service_role").data["authorCollection"]["edges"]) == 3
        for text, role in propagating:
            assert api.ask(text, role=role).errors[0]["message"] == 'schema "graphql" does not exist'
    finally:
        api.close()
        postgres.drop_database(url)
