"""Operators of updates: new values made of those that columns have."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create domain positive as int check (value > 0);
create table account (
  id int primary key, hits int, small smallint, big bigint, price numeric, ratio float8, cash money, p positive,
  tags text[], nums int[], grid int[][], docs json[], codes varchar(3)[], data jsonb, plain json,
  vec int2vector);
comment on schema public is '@graphql({"inflect_names": true})';
grant all on account to anon;
"""
ROWS = """
truncate account;
insert into account values (1, 5, 5, 5, 5.5, 0.5, 5, 5, '{a,b,a,null}', '{1,2}', '{{1,2}}', '{1}', '{abc}',
  '{"a": {"b": 1}, "list": [{"x": 1}, 2], "none": null}', '{"a": 1}');
insert into account (id) values (2);
"""


@pytest.fixture
def api(writing_api: StartApi) -> Api:
    return writing_api(SCHEMA, ROWS)


def types(api: Api) -> dict[str, Any]:
    return dict(api.application.services.engine.role_schemas.of_role("anon").graphql.type_map)


def changed(api: Api, arguments: str, fields: str, key: int = 1, variables: Any = None, declared: str = "") -> Any:
    query = f"mutation {declared} {{ updateAccountByKey(key: {{id: {key}}}, {arguments}) {{ {fields} }} }}"
    return api.ask(query, variables).data["updateAccountByKey"]


def document(api: Api, arguments: str, key: int = 1) -> Any:
    return json.loads(changed(api, arguments, "data", key)["data"])


def test_operators_have_arguments_of_their_types(api: Api) -> None:
    made = types(api)
    arguments = made["Mutation"].fields["updateAccountCollection"].args
    assert {name: str(each.type) for name, each in arguments.items()} == {
        "set": "AccountUpdateInput",
        "inc": "AccountIncInput",
        "append": "AccountArrayInput",
        "prepend": "AccountArrayInput",
        "remove": "AccountRemoveInput",
        "merge": "AccountMergeInput",
        "setPath": "[AccountSetPathInput!]",
        "removePath": "[AccountRemovePathInput!]",
        "filter": "AccountFilter",
        "atMost": "Int!",
    }
    assert next(iter(arguments)) == "set"
    assert list(made["AccountIncInput"].fields) == ["id", "hits", "small", "big", "price", "ratio", "cash"]
    assert list(made["AccountArrayInput"].fields) == ["tags", "nums", "docs", "codes"]
    # Documents of json have no equality.
    assert list(made["AccountRemoveInput"].fields) == ["tags", "nums", "codes"]
    assert list(made["AccountMergeInput"].fields) == ["data"]
    assert list(made["AccountJSONColumn"].values) == ["data"]
    assert list(made["AccountSetPathInput"].fields) == ["column", "path", "value"]
    assert list(made["AccountRemovePathInput"].fields) == ["column", "path"]
    by_key = made["Mutation"].fields["updateAccountByKey"].args
    assert list(by_key) == ["key", *list(arguments)[:-2]]


def test_numbers_are_added(api: Api) -> None:
    given = 'inc: {hits: 2, small: -1, big: "3", price: "0.25", ratio: 1, cash: "$1.50"}'
    expected = {"hits": 7, "small": 4, "big": "8", "price": "5.75", "ratio": 1.5, "cash": "$6.50"}
    assert changed(api, given, " ".join(expected)) == expected
    assert changed(api, given, "hits price", key=2) == {"hits": None, "price": None}
    assert api.ask("mutation { updateAccountByKey(key: {id: 1}, inc: {small: 32767}) { id } }").code == (
        "NUMERIC_VALUE_OUT_OF_RANGE"
    )


def test_elements_are_added_to_and_removed_from_arrays(api: Api) -> None:
    assert changed(api, 'append: {tags: ["c", null]}', "tags") == {"tags": ["a", "b", "a", None, "c", None]}
    assert changed(api, 'prepend: {tags: "0"}, append: {nums: [3]}', "tags nums") == {
        "tags": ["0", "a", "b", "a", None, "c", None], "nums": [1, 2, 3]
    }  # fmt: skip
    assert changed(api, 'remove: {tags: ["a", null, "z"], nums: []}', "tags nums") == {
        "tags": ["0", "b", "c"], "nums": [1, 2, 3]
    }  # fmt: skip
    assert changed(api, 'remove: {tags: ["0", "b", "c"]}', "tags") == {"tags": []}
    assert changed(api, "append: {nums: [1]}, remove: {tags: []}", "nums tags", key=2) == {"nums": [1], "tags": None}
    assert changed(api, "prepend: {tags: []}", "tags", key=2) == {"tags": []}
    too_long = api.ask('mutation { updateAccountByKey(key: {id: 1}, append: {codes: ["abcd"]}) { id } }')
    assert too_long.code == "BAD_USER_INPUT"


def test_parts_of_documents_are_set_and_removed(api: Api) -> None:
    whole = {"a": {"b": 1}, "list": [{"x": 1}, 2], "none": None}
    assert document(api, r'merge: {data: "{\"a\": 2, \"c\": null}"}') == {**whole, "a": 2, "c": None}
    set_paths = r"""setPath: [
        {column: data, path: ["list", "0", "x"], value: "\"y\""}, {column: data, path: ["p", "q", "r"], value: null},
        {column: data, path: ["none", "s"], value: "[1]"}, {column: data, path: "a", value: "{}"},
        {column: data, path: ["a", "b"], value: "1"}, {column: data, path: ["list", "-1"], value: "3"}]"""
    expected = {
        "a": {"b": 1}, "list": [{"x": "y"}, 3], "none": {"s": [1]}, "c": None, "p": {"q": {"r": None}}
    }  # fmt: skip
    assert document(api, set_paths) == expected
    removed = 'removePath: [{column: data, path: ["list", "0"]}, {column: data, path: ["p", "q", "r"]}, {column: data, path: ["x", "y"]}]'  # noqa: E501
    assert document(api, removed) == {**expected, "list": [3], "p": {"q": {}}}


@pytest.mark.parametrize("given", ['merge: {data: "{}"}', 'removePath: [{column: data, path: ["a"]}]'])
def test_a_null_document_counts_as_empty(api: Api, given: str) -> None:
    assert document(api, given, key=2) == {}
    assert changed(api, 'set: {data: "null"}', "id", key=2) == {"id": 2}
    assert document(api, given, key=2) == {}


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ("inc: {hits: 1}, set: {hits: 1}", "BAD_USER_INPUT", "hits is given a value by set and by inc"),
        ('append: {tags: "a"}, remove: {tags: "b"}', "BAD_USER_INPUT", "tags is given a value by append and by remove"),
        ("inc: {hits: null}", "BAD_USER_INPUT", "At least one mapping must be provided to set argument"),
        ("set: {}, inc: {}", "BAD_USER_INPUT", "At least one mapping must be provided to set argument"),
        ("set: null", "BAD_USER_INPUT", "At least one mapping must be provided to set argument"),
        ('merge: {data: "[1]"}', "BAD_USER_INPUT", "merge needs a JSON object"),
        ('merge: {data: "{"}', "BAD_USER_INPUT", "merge needs a JSON object"),
        ("setPath: [{column: data, path: []}]", "BAD_USER_INPUT", "A path has no steps"),
        (
            'setPath: [{column: data, path: ["a", "b", "c"], value: null}]',
            "BAD_USER_INPUT",
            "setPath leads through a value of data that is neither object nor array",
        ),
        (
            f"removePath: [{{column: data, path: {json.dumps(['a'] * 101)}}}]",
            "LIMIT_EXCEEDED",
            "The paths have more than 100 steps",
        ),
        (
            'setPath: [{column: data, path: ["list", "x"], value: null}]',
            "INVALID_TEXT_REPRESENTATION",
            'path element at position 1 is not an integer: "x"',
        ),
    ],
)
def test_misuse_is_an_error(api: Api, given: str, code: str, message: str) -> None:
    answer = api.ask(f"mutation {{ updateAccountByKey(key: {{id: 1}}, {given}) {{ id }} }}")
    assert (answer.code, answer.message) == (code, message)


def test_a_document_that_is_no_object_cannot_be_merged(api: Api, postgres: PostgresServer) -> None:
    postgres.execute("update account set data = '[1]' where id = 1", api.database_url)
    answer = api.ask('mutation { updateAccountByKey(key: {id: 1}, merge: {data: "{}"}) { id } }')
    assert (answer.code, answer.message) == ("BAD_USER_INPUT", "data holds no JSON object to merge with")


def test_only_the_length_of_a_path_steers(api: Api) -> None:
    plans = api.application.services.engine.plans
    query = """mutation ($path: [String!]!, $value: JSON) {
        updateAccountByKey(key: {id: 2}, setPath: [{column: data, path: $path, value: $value}]) { data } }"""
    for path, value, expected in ((["a"], "1", {"a": 1}), (["b"], "2", {"a": 1, "b": 2})):
        answer = api.ask(query, {"path": path, "value": value}).data["updateAccountByKey"]
        assert json.loads(answer["data"]) == expected
        known = len(plans) if path == ["a"] else known  # noqa: F821
    assert len(plans) == known
    assert api.ask(query, {"path": ["c", "d"], "value": "2"}).data
    assert len(plans) == known + 1


@pytest.mark.parametrize("path", [True, 1, [1], [True], [None], [["a"]], [{"a": 1}]])
def test_paths_are_checked_with_a_known_plan(api: Api, path: Any) -> None:
    query = """mutation ($path: [String!]!) {
        updateAccountByKey(key: {id: 2}, setPath: [{column: data, path: $path, value: null}]) { data } }"""
    assert api.ask(query, {"path": ["a"]}).data
    assert api.ask(query, {"path": path}).message.startswith("Variable '$path' has invalid value")


@pytest.mark.parametrize(
    ("grants", "arguments"),
    [
        ("select, update", ["set", "inc", "append", "prepend", "remove", "merge", "setPath", "removePath"]),
        ("select, update (n)", ["set", "inc"]),
        ("select, update (t)", ["set", "append", "prepend", "remove"]),
        ("select, update (j)", ["set", "merge", "setPath", "removePath"]),
        ("select (id), update", ["set", "inc"]),
        ("select (id), update (n, t, j)", ["set"]),
    ],
)
def test_a_missing_privilege_removes_the_argument(start_api: StartApi, grants: str, arguments: list[str]) -> None:
    api = start_api(f"create table t (id int primary key, n int, t text[], j jsonb); grant {grants} on t to anon")
    made = types(api)["Mutation"].fields["updatetCollection"].args
    assert list(made) == [*arguments, "filter", "atMost"]
    assert str(made["set"].type) == ("tUpdateInput!" if arguments == ["set"] else "tUpdateInput")


@pytest.mark.parametrize(
    "settings",
    [{"graphql_dialect": "pg_graphql"}, {"graphql_features": ("-update_operators",)}],
    ids=["peer", "off"],
)
def test_the_feature_can_be_left_out(reading_api: StartApi, settings: dict[str, Any]) -> None:
    made = types(reading_api(SCHEMA, **settings))
    assert {name: str(each.type) for name, each in made["Mutation"].fields["updateAccountCollection"].args.items()} == {
        "set": "AccountUpdateInput!", "filter": "AccountFilter", "atMost": "Int!"
    }  # fmt: skip


values = st.recursive(
    st.none() | st.integers(-9, 9) | st.text("ab", max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=3)


def with_part(whole: Any, path: list[str], value: Any) -> Any:
    """The expected result of setPath. Raises TypeError if the path leads through a value that is not an object."""
    if not path:
        return value
    if whole is not None and not isinstance(whole, dict):
        raise TypeError
    return {**(whole or {}), path[0]: with_part((whole or {}).get(path[0]), path[1:], value)}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    whole=st.dictionaries(st.sampled_from("abc"), values, max_size=3),
    entries=st.lists(st.tuples(paths, values), min_size=1, max_size=3),
)
def test_random_paths_equal_the_model(api: Api, whole: dict[str, Any], entries: list[tuple[list[str], Any]]) -> None:
    query = """mutation ($whole: JSON, $paths: [AccountSetPathInput!]) {
        updateAccountByKey(key: {id: 1}, set: {data: $whole}) { id }
        again: updateAccountByKey(key: {id: 1}, setPath: $paths) { data } }"""
    given_paths = [{"column": "data", "path": path, "value": json.dumps(value)} for path, value in entries]
    answer = api.ask(query, {"whole": json.dumps(whole), "paths": given_paths})
    expected: Any = whole
    try:
        for path, value in entries:
            expected = with_part(expected, path, value)
    except TypeError:
        assert answer.code == "BAD_USER_INPUT"
        return
    assert json.loads(answer.data["again"]["data"]) == expected
