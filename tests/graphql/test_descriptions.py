"""DESCRIPTIONS: what comments say of tables, columns and functions, as descriptions."""

from __future__ import annotations

from tests.graphql.conftest import StartApi
from tests.graphql.test_rights import printed

SCHEMA = """
create type mood as enum ('good', 'bad');
create type place as (street text);
create table account (id int primary key, name text, nick text, mood mood, home place);
comment on type mood is 'How one feels';
comment on type place is 'Where one lives @graphql({"name": "Place"})';
comment on column place.street is 'Without the number';
create function shown(account) returns text stable language sql as 'select $1.name';
comment on table account is 'Who may log in @graphql({"totalCount": {"enabled": true}})';
comment on column account.id is '  ';
comment on column account.name is 'As on the passport';
comment on column account.nick is 'Secret @graphql({"description": "What friends say"})';
comment on function shown is 'Both names';
grant select on all tables in schema public to anon;
"""


def test_comments_are_descriptions(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, descriptions="comments")
    reported = api.ask('{ __type(name: "account") { description fields { name description } } }').data["__type"]
    assert reported["description"] == "Who may log in"
    assert {each["name"]: each["description"] for each in reported["fields"]} | {"nodeId": None} == {
        "nodeId": None,
        "id": None,
        "name": "As on the passport",
        "nick": "What friends say",
        "shown": "Both names",
        "mood": None,
        "home": None,
    }
    of_types = api.ask("""{ mood: __type(name: "mood") { description }
      place: __type(name: "Place") { description fields { description } } }""").data
    assert of_types == {
        "mood": {"description": "How one feels"},
        "place": {"description": "Where one lives", "fields": [{"description": "Without the number"}]},
    }
    assert api.ask("{ accountCollection { totalCount } }").data == {"accountCollection": {"totalCount": 0}}


def test_comments_are_no_descriptions_by_default(reading_api: StartApi) -> None:
    sdl = printed(reading_api(SCHEMA))
    assert "As on the passport" not in sdl
    assert "What friends say" in sdl


def test_pg_graphql_has_no_descriptions_from_comments(reading_api: StartApi) -> None:
    assert "As on" not in printed(reading_api(SCHEMA, descriptions="comments", graphql_dialect="pg_graphql"))
