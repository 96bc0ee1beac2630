"""Functions that return a row of a relation without a key: a type without ``nodeId``, and nothing that leads to it."""

from __future__ import annotations

import pytest

from app.graphql.schema.api_schema import ApiSchema
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer

SCHEMA = """
create schema closed;
create table account (id int primary key);
create table entry (account_id int references account, what text, secret text);
create table "notAName!" (a int);
create table closed.far (a int);
create function last_entry() returns entry language sql stable security definer as $$ select 1, 'w', 's' $$;
create function entries() returns setof entry language sql stable as 'select * from entry';
create function change_entries() returns setof entry language sql volatile as 'select * from entry';
create function odd() returns "notAName!" language sql stable as 'select 1';
create function far() returns closed.far language sql stable as 'select 1';
create function shout(entry) returns text language sql stable as 'select upper($1.what)';
insert into account values (1);
grant select on all tables in schema public, closed to anon;
"""


@pytest.fixture
def api(start_api: StartApi) -> Api:
    return start_api(SCHEMA, graphql_features=("none",))


def api_of(api: Api) -> ApiSchema:
    return api.application.services.engine.role_schemas.of_role("anon")


def test_rows_without_a_key_have_fields_but_no_collection(api: Api) -> None:
    sdl = printed(api)
    assert members(sdl, "entry") == ["account_id", "what", "secret", "account", "shout"]
    assert members(sdl, "Query") == ["accountByPk", "accountCollection", "last_entry", "node"]
    assert members(sdl, "account") == ["nodeId", "id"]
    assert "entryConnection" not in sdl
    assert "entryFilter" not in sdl
    assert api.ask("{ last_entry { what shout account { id } } }").data == {
        "last_entry": {"what": "w", "shout": "W", "account": {"id": 1}}
    }


def test_select_decides_about_fields(api: Api, postgres: PostgresServer) -> None:
    changed(postgres, api, "revoke select on entry from anon; grant select (what) on entry to anon")
    assert members(printed(api), "entry") == ["what"]
    assert api.ask("{ last_entry { what } }").data == {"last_entry": {"what": "w"}}
    changed(postgres, api, "revoke select (what) on entry from anon")
    sdl = printed(api)
    assert "last_entry" not in sdl
    assert members(sdl, "entry") == []
    assert api.ask("{ last_entry { what } }").body.get("data") is None


def test_a_set_of_rows_without_a_key_is_no_field_with_a_reason(api: Api) -> None:
    said = {notice.subject: notice.reason for notice in api_of(api).notices}
    for name in ("entries", "change_entries"):
        assert said[f"function public.{name}"] == (
            "it is not a field: the rows of its result have no key, which a collection needs"
        )


def test_a_relation_with_a_key_keeps_its_type(start_api: StartApi) -> None:
    api = start_api(
        """create table "thingConnection" (a int); create table thing (id int primary key);
        create function one() returns "thingConnection" language sql stable as 'select 1';
        grant select on all tables in schema public to anon;"""
    )
    sdl = printed(api)
    assert members(sdl, "thingConnection") == ["edges", "pageInfo", "countUpTo"]
    assert "one" not in members(sdl, "Query")
