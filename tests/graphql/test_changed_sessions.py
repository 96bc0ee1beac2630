"""A function that changes its session does not affect the rest of the request, or the request fails as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import ANON_KEY, Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import connect

CHANGES = {
    "client_encoding": "latin1",
    "DateStyle": "german",
    "IntervalStyle": "sql_standard",
    "TimeZone": "Asia/Kolkata",
    "extra_float_digits": "0",
    "bytea_output": "escape",
    "standard_conforming_strings": "off",
    "array_nulls": "off",
    "transform_null_equals": "on",
    "search_path": "nowhere",
    "row_security": "off",
    "role": "authenticated",
    "default_text_search_config": "german",
}
SCHEMA = """
create table note (id int generated always as identity primary key, t text, f float8 default 0.30000000000000004);
create table triggered (id int generated always as identity primary key, t text);
create table guarded (id int primary key, t text);
insert into guarded values (1, 'ä€');
insert into note (t) values ('Ã¤');
create table change (name text, value text, is_local bool);
insert into change values ('timezone', 'UTC', true);
create function change(name text, value text, is_local bool) returns int language plpgsql volatile
  as $$ begin perform set_config(name, value, is_local); return 1; end $$;
create function changing() returns trigger language plpgsql as $$ declare c change; begin
  select * into c from change; perform set_config(c.name, c.value, c.is_local); return new; end $$;
create trigger changing before insert on triggered for each row execute function changing();
create function changed(note) returns int language plpgsql stable
  as $$ declare c change; begin
    select * into c from change; perform set_config(c.name, c.value, c.is_local); return 1; end $$;
create function admits() returns bool language plpgsql stable
  as $$ declare c change; begin
    select * into c from change; perform set_config(c.name, c.value, c.is_local); return true; end $$;
alter table guarded enable row level security;
create policy admits on guarded using (admits());
create function tidy(n int) returns int language plpgsql volatile
  set extra_float_digits = 0 set client_encoding = latin1
  as $$ begin return n; end $$;
grant select, insert on note, triggered, guarded to anon; grant select on change to anon;
"""
CHANGE = """mutation ($n: String!, $v: String!, $l: Boolean!, $t: String!) {
  change(name: $n, value: $v, is_local: $l)
  insertIntonoteCollection(objects: [{t: $t}]) { records { t f } } }"""


@pytest.fixture
def api(start_api: StartApi) -> Api:
    return start_api(SCHEMA, pool_size=1)


def stored(api: Api) -> list[Any]:
    return api.ask('{ noteCollection(filter: {t: {neq: "Ã¤"}}) { edges { node { t } } } }').data["noteCollection"][
        "edges"
    ]


@pytest.mark.parametrize("is_local", [True, False])
@pytest.mark.parametrize(("name", "value"), CHANGES.items())
def test_a_changed_session_fails_the_field(api: Api, name: str, value: str, is_local: bool) -> None:
    answer = api.ask(CHANGE, {"n": name, "v": value, "l": is_local, "t": "ä€"})
    assert answer.code == "SESSION_CHANGED"
    assert name.lower() in answer.message
    assert answer.errors[0]["path"] == ["change"]
    assert stored(api) == []
    # The next request finds the session as it should be.
    insert = 'mutation { insertIntonoteCollection(objects: [{t: "ä€"}]) { records { t f } } }'
    assert api.ask(insert).data["insertIntonoteCollection"]["records"] == [{"t": "ä€", "f": 0.30000000000000004}]


@pytest.mark.parametrize("is_local", ["true", "false"])
@pytest.mark.parametrize(("name", "value"), CHANGES.items())
@pytest.mark.parametrize(
    "document",
    [
        'mutation { insertIntotriggeredCollection(objects: [{t: "ä€"}]) { records { t } } }',
        'mutation { insertIntoguardedCollection(objects: [{id: 2, t: "ä€"}]) { records { t } } }',
        "{ noteCollection { edges { node { changed t f } } } }",
        "{ guardedCollection { edges { node { t } } } }",
    ],
)
def test_triggers_policies_and_functions_of_rows_are_checked(
    reading_api: StartApi, document: str, name: str, value: str, is_local: str
) -> None:
    api = reading_api(SCHEMA, pool_size=1)
    change(api, name, value, is_local)
    answer = api.client.simulate_post("/graphql/v1", json={"query": document}, headers={"apiKey": ANON_KEY})
    (error,) = answer.json["errors"]
    refused = ("INSUFFICIENT_PRIVILEGE", "DATABASE_ERROR", "DATA_EXCEPTION")
    assert error["extensions"]["code"] == "SESSION_CHANGED" or error["extensions"]["code"] in refused, error
    change(api, "application_name", "x", "true")
    assert api.ask("{ guardedCollection { edges { node { t } } } }").data == {
        "guardedCollection": {"edges": [{"node": {"t": "ä€"}}]}
    }


def change(api: Api, name: str, value: str, is_local: str) -> None:
    connection = connect(api.database_url)
    connection.execute_simple(f"update change set name = '{name}', value = '{value}', is_local = {is_local}")
    connection.close()


def test_settings_of_a_function_are_allowed(api: Api) -> None:
    document = 'mutation { tidy(n: 3) insertIntonoteCollection(objects: [{t: "ä€"}]) { records { t f } } }'
    assert api.ask(document).data == {
        "tidy": 3,
        "insertIntonoteCollection": {"records": [{"t": "ä€", "f": 0.30000000000000004}]},
    }


RAISED = {
    "PTSCH": "DATABASE_ERROR",
    "57014": "DATABASE_ERROR",
    "53100": "DATABASE_ERROR",
    "57P01": "DATABASE_ERROR",
    "53300": "DATABASE_ERROR",
    "22P02": "INVALID_TEXT_REPRESENTATION",
    "22012": "DIVISION_BY_ZERO",
    "25006": "READ_ONLY_SQL_TRANSACTION",
}
RAISES = """
create table item (id int primary key);
create function fails(state text, message text) returns int language plpgsql volatile
  as $$ begin raise exception '%', message using errcode = state, hint = 'mine', table = 'item'; end $$;
create function cast_fails(message text) returns int language plpgsql volatile as $$ begin return message::int; end $$;
insert into item values (1);
create function reads(item) returns int language plpgsql stable
  as $$ begin raise exception 'portico: own' using errcode = 'PTSCH'; end $$;
grant select on item to anon;
"""


@pytest.mark.parametrize(("state", "code"), RAISED.items())
@pytest.mark.parametrize("message", ["mine", "portico: mine; x", "portico: conflict: mine; x", "portico session: a"])
def test_sqlstates_that_a_function_raises_are_not_taken_for_the_services(
    reading_api: StartApi, state: str, code: str, message: str
) -> None:
    answer = reading_api(RAISES).ask("mutation ($s: String!, $m: String!) { fails(state: $s, message: $m) }",
                                      {"s": state, "m": message})  # fmt: skip
    (error,) = answer.errors
    assert answer.status == 200
    assert (error["message"], error["extensions"]["code"]) == (message, code)
    assert error["extensions"]["sqlstate"] == state


def test_failures_inside_a_function_are_not_taken_for_the_services(reading_api: StartApi) -> None:
    api = reading_api(RAISES)
    answer = api.ask('mutation { castFails: cast_fails(message: "portico: mine; x") }')
    assert answer.code == "INVALID_TEXT_REPRESENTATION"
    assert api.ask("{ itemCollection { edges { node { reads } } } }").code == "DATABASE_ERROR"
