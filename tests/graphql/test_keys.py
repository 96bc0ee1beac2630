"""Rows by their keys: what a key input is, and reads, updates and deletions of one row by it."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLInputObjectType, print_type

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.counted import counted
from tests.postgres_server import PostgresServer

SCHEMA = """
create type mood as enum ('sad', 'so so');
create table account (
  id int primary key, email text not null unique, "Nick" varchar(5) unique, name text, born date, mood mood,
  tags int[] unique, price numeric(6,2) unique, unique (name, born), unique (mood, id));
create unique index young_name on account (name) where id > 5;
create unique index lower_name on account (lower(name));
create table membership (account_id int, team_id int, role text, primary key (account_id, team_id));
create view accounts as select id, name from account;
comment on view accounts is '@graphql({"primary_key_columns": ["id"]})';
create table hidden (id int primary key, owner text, n int);
alter table hidden enable row level security;
create policy read on hidden for select using (owner = current_setting('request.jwt.claims', true)::json ->> 'sub');
create policy change on hidden for update using (n > 0);
create policy remove on hidden for delete using (n > 0);
comment on schema public is '@graphql({"inflect_names": true})';
grant all on all tables in schema public to anon, authenticated;
"""
ROWS = """
truncate account, membership, hidden;
insert into account values
  (1, 'a@x', 'ann', 'Ann', '2000-01-01', 'sad', '{1,2}', 1.5), (2, 'b@x', null, 'Ben', null, 'so so', null, null);
insert into membership values (1, 2, 'lead'), (2, 1, null);
insert into hidden values (1, 'ann', 1), (2, 'ben', 1), (3, 'ann', 0);
"""


@pytest.fixture
def api(writing_api: StartApi) -> Api:
    return writing_api(SCHEMA, ROWS)


def types(api: Api) -> dict[str, Any]:
    return dict(api.application.services.engine.role_schemas.of_role("anon").graphql.type_map)


def test_keys_have_inputs_and_fields(api: Api) -> None:
    made = types(api)
    key: GraphQLInputObjectType = made["AccountKeyInput"]
    assert key.is_one_of
    assert {name: str(each.type) for name, each in key.fields.items()} == {
        "nodeId": "ID",
        "id": "Int",
        "email": "String",
        "nick": "String",
        "tags": "[Int]",
        "price": "BigFloat",
        "nameAndBorn": "AccountNameAndBornKeyInput",
        "moodAndId": "AccountMoodAndIdKeyInput",
    }
    assert print_type(made["AccountNameAndBornKeyInput"]) == (
        "input AccountNameAndBornKeyInput {\n  name: String!\n  born: Date!\n}"
    )
    assert list(made["AccountsKeyInput"].fields) == ["nodeId", "id"]
    fields = {**made["Query"].fields, **made["Mutation"].fields}
    assert str(fields["accountByKey"].type) == str(fields["updateAccountByKey"].type) == "Account"
    assert str(fields["deleteFromAccountByKey"].type) == "Account"
    assert str(fields["accountByKey"].args["key"].type) == "AccountKeyInput!"
    introspected = api.ask('{ __type(name: "MembershipKeyInput") { isOneOf inputFields { name } } }').data["__type"]
    assert introspected == {"isOneOf": True, "inputFields": [{"name": "nodeId"}, {"name": "accountIdAndTeamId"}]}


@pytest.mark.parametrize(
    "key",
    [
        {"id": 1}, {"email": "a@x"}, {"nick": "ann"}, {"tags": [1, 2]}, {"price": "1.50"},
        {"nameAndBorn": {"name": "Ann", "born": "2000-01-01"}}, {"moodAndId": {"mood": "sad", "id": 1}},
        {"nodeId": "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDFd"},
    ],
)  # fmt: skip
def test_each_key_finds_its_row(api: Api, key: dict[str, Any]) -> None:
    query = "query ($key: AccountKeyInput!) { accountByKey(key: $key) { id name } }"
    assert api.ask(query, {"key": key}).data["accountByKey"] == {"id": 1, "name": "Ann"}


@pytest.mark.parametrize("key", [{"id": 9}, {"nick": "ann and more"}, {"price": "1.5000001e3"}])
def test_a_missing_row_is_null(api: Api, key: dict[str, Any]) -> None:
    query = """mutation ($key: AccountKeyInput!) {
        updateAccountByKey(key: $key, set: {name: "-"}) { id } deleteFromAccountByKey(key: $key) { id } }"""
    assert api.ask(query, {"key": key}).data == {"updateAccountByKey": None, "deleteFromAccountByKey": None}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("key: {}", "GRAPHQL_VALIDATION_FAILED"),
        ("key: {id: null}", "GRAPHQL_VALIDATION_FAILED"),
        ('key: {id: 1, email: "a@x"}', "GRAPHQL_VALIDATION_FAILED"),
        ("key: {moodAndId: {id: 1}}", "GRAPHQL_VALIDATION_FAILED"),
        ('key: {nodeId: "nonsense"}', "BAD_USER_INPUT"),
        ('key: {nodeId: "WyJwdWJsaWMiLCAibWVtYmVyc2hpcCIsIDEsIDJd"}', "BAD_USER_INPUT"),
        ('key: {nodeId: "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDEsIDJd"}', "BAD_USER_INPUT"),
    ],
)
def test_malformed_keys_are_refused(api: Api, arguments: str, code: str) -> None:
    answer = api.ask(f"{{ accountByKey({arguments}) {{ id }} }}")
    assert {each["extensions"]["code"] for each in answer.errors} == {code}


@pytest.mark.parametrize("key", [{}, {"id": None}, {"id": 1, "email": "a@x"}, {"id": 1, "email": None}, None, []])
def test_a_variable_that_is_no_key_is_refused(api: Api, key: Any) -> None:
    answer = api.ask("query ($key: AccountKeyInput!) { accountByKey(key: $key) { id } }", {"key": key})
    assert {each["extensions"]["code"] for each in answer.errors} == {"BAD_USER_INPUT"}


@pytest.mark.parametrize("given", [{}, {"id": None}])
@pytest.mark.parametrize(
    "field",
    [
        "accountByKey(key: {id: $id}) { id }",
        'updateAccountByKey(key: {id: $id}, set: {name: "-"}) { id }',
        "deleteFromAccountByKey(key: {id: $id}) { id }",
        'updateAccountCollectionByKey(updates: [{key: {id: $id}, set: {name: "-"}}]) { affectedCount }',
    ],
)
def test_a_missing_or_null_variable_in_a_key_is_refused(api: Api, field: str, given: dict[str, Any]) -> None:
    kind = "query" if field.startswith("account") else "mutation"
    assert api.ask(f"{kind} ($id: Int) {{ {field} }}", given).code == "BAD_USER_INPUT"


def test_one_row_is_changed(api: Api, postgres: PostgresServer) -> None:
    query = """mutation ($id: Int!) {
        updateMembershipByKey(key: {accountIdAndTeamId: {accountId: $id, teamId: 2}}, set: {role: "member"}) { role }
        updateAccountByKey(key: {id: $id}, set: {name: "Anna"}) { nodeId name }
        deleteFromAccountByKey(key: {email: "b@x"}) { id name } }"""
    assert api.ask(query, {"id": 1}).data == {
        "updateMembershipByKey": {"role": "member"},
        "updateAccountByKey": {"nodeId": "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDFd", "name": "Anna"},
        "deleteFromAccountByKey": {"id": 2, "name": "Ben"},
    }
    assert postgres.execute("select id, name from account", api.database_url) == [[1, "Anna"]]
    assert api.ask("mutation { updateAccountByKey(key: {id: 1}, set: {}) { id } }").code == "BAD_USER_INPUT"


def test_a_row_hidden_by_policies_is_null(api: Api, postgres: PostgresServer) -> None:
    as_ann: Any = {"claims": {"sub": "ann"}}
    for key, seen, changed in ((1, True, True), (2, False, False), (3, True, False)):
        query = f"{{ hiddenByKey(key: {{id: {key}}}) {{ id }} }}"
        assert (api.ask(query, **as_ann).data["hiddenByKey"] is not None) == seen
        query = f"""mutation {{ updateHiddenByKey(key: {{id: {key}}}, set: {{owner: "ann"}}) {{ id }}
            deleteFromHiddenByKey(key: {{id: {key}}}) {{ id }} }}"""
        expected = {"id": key} if changed else None
        data = api.ask(query, **as_ann).data
        assert data == {"updateHiddenByKey": expected, "deleteFromHiddenByKey": expected}
    assert postgres.execute("select id from hidden order by id", api.database_url) == [[2], [3]]


@pytest.mark.parametrize(
    ("grants", "fields"),
    [
        ("select, update, delete", {"tByKey", "updatetByKey", "deleteFromtByKey"}),
        ("select, update", {"tByKey", "updatetByKey"}),
        ("select, delete", {"tByKey", "deleteFromtByKey"}),
        ("select (name), update, delete", set()),
        ("select (code), update (name)", {"tByKey", "updatetByKey"}),
    ],
)
def test_a_missing_privilege_removes_the_key(start_api: StartApi, grants: str, fields: set[str]) -> None:
    api = start_api(f"""
        create table t (id int primary key, code text unique, name text); insert into t values (1, 'c', 'n');
        grant {grants} on t to anon""")
    made = types(api)
    roots = {**made["Query"].fields, **(made["Mutation"].fields if "Mutation" in made else {})}
    assert {each for each in roots if each.endswith("ByKey") and "Collection" not in each} == fields
    assert ("tKeyInput" in made) == bool(fields)
    if fields:
        member = list(made["tKeyInput"].fields)[-1]
        query = "query ($key: tKeyInput!) { tByKey(key: $key) { __typename } }"
        key = {member: 1 if member == "id" else "c"}
        assert api.ask(query, {"key": key}).data == {"tByKey": {"__typename": "t"}}


@pytest.mark.parametrize(
    "settings", [{"graphql_dialect": "pg_graphql"}, {"graphql_features": ("none",)}], ids=["peer", "off"]
)
def test_the_feature_can_be_left_out(reading_api: StartApi, settings: dict[str, Any]) -> None:
    made = types(reading_api(SCHEMA, **settings))
    assert not [name for name in made if name.endswith("KeyInput")]
    assert not [name for type_ in ("Query", "Mutation") for name in made[type_].fields if name.endswith("ByKey")]


def test_changes_by_key_are_one_flight(api: Api) -> None:
    with counted(api.database_url) as (through, proxy):
        query = """mutation ($id: Int!) { a: updateAccountByKey(key: {id: $id}, set: {born: null}) { id }
            b: updateAccountCollectionByKey(updates: [{key: {id: $id}, set: {mood: sad}}]) { affectedCount } }"""
        for number in (1, 2):
            before = proxy.flights
            assert through.ask(query, {"id": number}).data
        assert proxy.flights - before == 1
