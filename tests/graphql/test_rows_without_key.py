"""Functions that return a row of a relation without a key: a type without ``nodeId``, and nothing that leads to it."""

from __future__ import annotations

import pytest

from app.graphql.schema.api_schema import ApiSchema
from tests.graphql.conftest import OpenDoor
from tests.graphql.door import Door
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
def door(open_door: OpenDoor) -> Door:
    return open_door(SCHEMA, graphql_features=("none",))


def api_of(door: Door) -> ApiSchema:
    return door.application.services.engine.role_schemas.of_role("anon")


def test_rows_without_a_key_have_fields_but_no_collection(door: Door) -> None:
    sdl = printed(door)
    assert members(sdl, "entry") == ["account_id", "what", "secret", "account", "shout"]
    assert members(sdl, "Query") == ["accountByPk", "accountCollection", "last_entry", "node"]
    assert members(sdl, "account") == ["nodeId", "id"]
    assert "entryConnection" not in sdl
    assert "entryFilter" not in sdl
    assert door.ask("{ last_entry { what shout account { id } } }").data == {
        "last_entry": {"what": "w", "shout": "W", "account": {"id": 1}}
    }


def test_select_decides_about_fields(door: Door, postgres: PostgresServer) -> None:
    changed(postgres, door, "revoke select on entry from anon; grant select (what) on entry to anon")
    assert members(printed(door), "entry") == ["what"]
    assert door.ask("{ last_entry { what } }").data == {"last_entry": {"what": "w"}}
    changed(postgres, door, "revoke select (what) on entry from anon")
    sdl = printed(door)
    assert "last_entry" not in sdl
    assert members(sdl, "entry") == []
    assert door.ask("{ last_entry { what } }").body.get("data") is None


def test_a_set_of_rows_without_a_key_is_no_field_with_a_reason(door: Door) -> None:
    said = {notice.subject: notice.reason for notice in api_of(door).notices}
    for name in ("entries", "change_entries"):
        assert said[f"function public.{name}"] == (
            "it is not a field: the rows of its result have no key, which a collection needs"
        )


def test_a_relation_with_a_key_keeps_its_type(open_door: OpenDoor) -> None:
    door = open_door(
        """create table "thingConnection" (a int); create table thing (id int primary key);
        create function one() returns "thingConnection" language sql stable as 'select 1';
        grant select on all tables in schema public to anon;"""
    )
    sdl = printed(door)
    assert members(sdl, "thingConnection") == ["edges", "pageInfo", "countUpTo"]
    assert "one" not in members(sdl, "Query")
