"""Many updates in one statement, each of the row that its key names."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.graphql.api import Answer, Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create type mood as enum ('sad', 'happy');
create table account (
  id int primary key, email varchar(9) unique, name text, n numeric(6,2), tags text[] not null default '{}', data jsonb,
  mood mood, unique (name, mood));
create table hidden (id int primary key, owner text, n int);
alter table hidden enable row level security;
create policy own on hidden using (owner = current_setting('request.jwt.claims', true)::json ->> 'sub');
comment on schema public is '@graphql({"inflect_names": true})';
grant all on all tables in schema public to anon, authenticated;
"""
ROWS = """
truncate account, hidden;
insert into account (id, email, name, n, tags, data, mood)
select i, i || '@x', 'name ' || i, i / 2.0, array['t' || i], jsonb_build_object('i', i), 'sad'
from generate_series(1, 9) i;
insert into hidden values (1, 'ann', 1), (2, 'ben', 2);
"""
UPDATE = """mutation ($updates: [AccountKeyedUpdateInput!]!) {
  updateAccountCollectionByKey(updates: $updates) { affectedCount records { id email name n tags data mood } } }"""


@pytest.fixture
def api(writing_api: StartApi) -> Api:
    return writing_api(SCHEMA, ROWS)


def updated(api: Api, updates: Any) -> list[dict[str, Any]]:
    answer = api.ask(UPDATE, {"updates": updates}).data["updateAccountCollectionByKey"]
    assert answer["affectedCount"] == len(answer["records"])
    records: list[dict[str, Any]] = answer["records"]
    return records


def test_each_row_gets_its_own_values(api: Api, postgres: PostgresServer) -> None:
    updates = [
        {"key": {"id": 3}, "set": {"name": "three", "tags": ["a", "b"], "data": '{"x": [1]}'}},
        {"key": {"id": 99}, "set": {"name": "nobody"}},
        {"key": {"id": 1}, "set": {"name": None, "n": "2.345", "mood": "happy"}},
        {"key": {"id": 2}, "set": {}},
    ]
    three, one, two = updated(api, updates)
    assert three == {
        "id": 3, "email": "3@x", "name": "three", "n": "1.50", "tags": ["a", "b"], "data": '{"x": [1]}', "mood": "sad"
    }  # fmt: skip
    assert (one["name"], one["n"], one["mood"], one["tags"]) == (None, "2.35", "happy", ["t1"])
    assert (two["name"], two["n"]) == ("name 2", "1.00")
    assert postgres.execute("select count(*) from account where name = 'name ' || id", api.database_url) == [[7]]


@pytest.mark.parametrize(
    "keys",
    [
        [{"email": "2@x"}, {"email": "1@x"}, {"email": "9@x and much more"}],
        [{"nameAndMood": {"name": f"name {each}", "mood": "sad"}} for each in (2, 1)],
        [{"nodeId": "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDJd"}, {"nodeId": "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDFd"}],
    ],
    ids=["unique", "several columns", "nodeId"],
)
def test_each_kind_of_key_finds_its_row(api: Api, keys: list[Any]) -> None:
    assert [each["id"] for each in updated(api, [{"key": key, "set": {"n": "1"}} for key in keys])] == [2, 1]


def test_literals_may_contain_variables(api: Api) -> None:
    query = """mutation ($id: Int!, $set: AccountUpdateInput!, $name: String) {
        updateAccountCollectionByKey(updates: [
            {key: {id: $id}, set: $set}, {key: {id: 2}, set: {name: $name, mood: happy}}
        ]) { records { id name mood } } }"""
    for given, name in (({}, "name 2"), ({"name": "two"}, "two"), ({"name": None}, None)):
        answer = api.ask(query, {"id": 3, "set": {"mood": "happy"}, **given}).data["updateAccountCollectionByKey"]
        assert answer["records"] == [
            {"id": 3, "name": "name 3", "mood": "happy"}, {"id": 2, "name": name, "mood": "happy"}
        ]  # fmt: skip
    single = api.ask(
        'mutation { updateAccountCollectionByKey(updates: {key: {id: 1}, set: {name: "x"}}) { affectedCount } }'
    )
    assert single.data["updateAccountCollectionByKey"] == {"affectedCount": 1}


def one(**set_: Any) -> dict[str, Any]:
    return {"key": {"id": 1}, "set": set_}


def test_a_variable_within_a_literal_may_set_other_columns_next_time(api: Api) -> None:
    query = """mutation ($set: AccountUpdateInput!) {
      updateAccountCollectionByKey(updates: [{key: {id: 1}, set: $set}]) { records { name n } } }"""
    made = [api.ask(query, {"set": each}).data for each in ({"name": "x"}, {"n": "3"})]
    assert [each["updateAccountCollectionByKey"]["records"] for each in made] == [
        [{"name": "x", "n": "0.50"}], [{"name": "x", "n": "3.00"}]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("updates", "code", "message"),
    [
        ([], "BAD_USER_INPUT", "At least one update must be provided to updates"),
        ([one(), one()], "BAD_USER_INPUT", "At least one mapping must be provided to set"),
        ([one(name="a"), one(name="b")], "BAD_USER_INPUT", "updates names a row twice"),
        (
            [one(name="a"), {"key": {"email": "2@x"}, "set": {}}],
            "BAD_USER_INPUT",
            "The keys of updates name different members: email, id",
        ),
        ([one(name="a")] * 10_001, "LIMIT_EXCEEDED", "updates has more than 10000 rows"),
    ],
    ids=["none", "no values", "twice", "different keys", "too many"],
)
def test_misuse_is_an_error(api: Api, postgres: PostgresServer, updates: Any, code: str, message: str) -> None:
    answer = api.ask(UPDATE, {"updates": updates})
    assert (answer.code, answer.message) == (code, message)
    assert postgres.execute("select name from account where id = 1", api.database_url) == [["name 1"]]


def test_a_value_too_long_is_refused(api: Api) -> None:
    answer = api.ask(UPDATE, {"updates": [one(email="1234567890"), {"key": {"id": 2}, "set": {}}]})
    assert answer.code == "BAD_USER_INPUT"


@pytest.mark.parametrize("value_types", [(), ("domains",)])
@pytest.mark.parametrize(
    ("column", "old", "new"),
    [("n", 1, 5), ("code", "abc", "xyz"), ("mood", "sad", "happy"), ("floor", 1, 7), ("place", "(0,0)", "(1,2)")],
)
def test_a_not_null_column_may_be_missing_in_some_updates(
    start_api: StartApi, column: str, old: Any, new: Any, value_types: Any
) -> None:
    api = start_api(
        """
        create domain number as int not null;
        create domain positive as number check (value > 0);
        create domain code as varchar(3) check (value is not null);
        create type mood as enum ('sad', 'happy');
        create domain felt as mood not null;
        create domain place as point not null;
        create table item (
          id int primary key, n number default 1, code code default 'abc', mood felt default 'sad',
          floor positive default 1, place place default '(0,0)', note text);
        insert into item (id) values (1), (2);
        grant all on item to anon;
        """,
        value_types=value_types,
    )
    query = f"""mutation ($updates: [itemKeyedUpdateInput!]!) {{
      updateitemCollectionByKey(updates: $updates) {{ records {{ {column} note }} }} }}"""

    def answer(value: Any) -> Answer:
        updates = [{"key": {"id": 1}, "set": {column: value}}, {"key": {"id": 2}, "set": {"note": "x"}}]
        return api.ask(query, {"updates": updates})

    assert answer(None).code in ("NOT_NULL_VIOLATION", "CHECK_VIOLATION")
    records = answer(new).data["updateitemCollectionByKey"]["records"]
    assert records == [{column: new, "note": None}, {column: old, "note": "x"}]


def test_a_domain_checks_only_updates_that_set_it(start_api: StartApi) -> None:
    api = start_api("""
        create domain code as varchar(3) not null check (value <> 'bad');
        create table item (id int primary key, code code, note text);
        insert into item values (1, 'a'), (2, 'b');
        grant all on item to anon;""")

    def answer(code: str) -> Answer:
        return api.ask(
            """mutation ($code: Opaque) { updateitemCollectionByKey(updates: [
              {key: {id: 1}, set: {code: $code}}, {key: {id: 2}, set: {note: "x"}}]) { records { code } } }""",
            {"code": code},
        )

    assert answer("bad").code == "CHECK_VIOLATION"
    assert answer("abcd").code == "STRING_DATA_RIGHT_TRUNCATION"
    assert answer("new").data["updateitemCollectionByKey"]["records"] == [{"code": "new"}, {"code": "b"}]


def test_rows_hidden_by_policies_are_left_out(api: Api) -> None:
    query = """mutation { updateHiddenCollectionByKey(updates: [
        {key: {id: 2}, set: {n: 7}}, {key: {id: 2}, set: {n: 8}}, {key: {id: 1}, set: {n: 9}}
        ]) { records { id n } } }"""
    answer = api.ask(query, claims={"sub": "ann"})
    assert answer.data["updateHiddenCollectionByKey"]["records"] == [{"id": 1, "n": 9}]


def test_a_plan_serves_any_number_of_updates(api: Api) -> None:
    plans = api.application.services.engine.plans
    updated(api, [{"key": {"id": each}, "set": {"n": str(each)}} for each in range(2)])
    known = len(plans)
    updated(api, [{"key": {"id": each}, "set": {"n": str(each)}} for each in range(100)])
    assert len(plans) == known
    updated(
        api, [{"key": {"id": each}, "set": {"name": str(each)} if each % 2 else {"n": str(each)}} for each in range(9)]
    )
    assert len(plans) == known + 1


def test_random_updates_equal_single_updates(api: Api, postgres: PostgresServer) -> None:
    chance = random.Random(5)
    state = {each: [f"name {each}", each / 2] for each in range(1, 10)}
    for _ in range(20):
        updates = []
        for key in chance.sample(range(1, 14), chance.randint(1, 6)):
            new = {
                "name": chance.choice([None, f"n{chance.randint(1, 99)} {key}"]),
                "n": chance.choice([None, "1.5", "3"]),
            }
            given = {name: new[name] for name in chance.sample(sorted(new), chance.randint(0, 2))}
            updates.append({"key": {"id": key}, "set": given})
        if not any(each["set"] for each in updates):
            continue
        records = updated(api, updates)
        assert [each["id"] for each in records] == [each["key"]["id"] for each in updates if each["key"]["id"] < 10]
        for each in updates:
            if each["key"]["id"] in state:
                row = state[each["key"]["id"]]
                row[:] = [each["set"].get("name", row[0]), each["set"].get("n", row[1])]
    rows = postgres.execute("select id, name, n::float8 from account order by id", api.database_url)
    assert {key: values for key, *values in rows} == {key: [name, n and float(n)] for key, (name, n) in state.items()}


@pytest.mark.parametrize(("grants", "offered"), [("select, update", True), ("select", False), ("update", False)])
def test_a_missing_privilege_removes_the_member(start_api: StartApi, grants: str, offered: bool) -> None:
    api = start_api(
        f"create table t (id int primary key, n int); grant {grants} on t to anon; grant insert on t to anon"
    )
    made = api.application.services.engine.role_schemas.of_role("anon").graphql
    assert ("tKeyedUpdateInput" in made.type_map) == offered
    assert ("updatetCollectionByKey" in (made.mutation_type.fields if made.mutation_type else ())) == offered


@pytest.mark.parametrize(
    "updates",
    [
        "s", [1], [None], [[]], [{}], [{"key": {"id": 1}}], [{"key": {"id": 1}, "set": None}], [{"key": 1, "set": 2}],
        [{"key": None, "set": {"name": "x"}}], [{"key": {"id": None}, "set": {"name": "x"}}],
        [{"key": {}, "set": {"name": "x"}}, {"key": {"id": 1}, "set": {"name": "x"}}],
        [{"key": {"id": 1}, "set": {"name": "x"}, "more": 1}],
        [{"key": {"id": [1]}, "set": {"name": "x"}}], [{"key": {"id": 1}, "set": {"name": ["x"]}}],
    ],
)  # fmt: skip
def test_malformed_updates_are_refused_even_with_a_known_document(api: Api, updates: Any) -> None:
    updated(api, [{"key": {"id": 1}, "set": {"name": "x"}}])
    error = api.ask(UPDATE, {"updates": updates}).errors[0]
    assert error["extensions"]["code"] == "BAD_USER_INPUT"
    assert error["message"].startswith("Variable '$updates' has invalid value")


@pytest.mark.parametrize("key", [{"name": "x"}, {"name": "x", "mood": None}, {"name": "x", "mood": "sad", "id": 1}, 1])
def test_malformed_keys_of_several_columns_are_refused(api: Api, key: Any) -> None:
    updated(api, [{"key": {"nameAndMood": {"name": "name 1", "mood": "sad"}}, "set": {"n": "1"}}])
    error = api.ask(UPDATE, {"updates": [{"key": {"nameAndMood": key}, "set": {"n": "1"}}]}).errors[0]
    assert error["extensions"]["code"] == "BAD_USER_INPUT"
    assert error["message"].startswith("Variable '$updates' has invalid value")
