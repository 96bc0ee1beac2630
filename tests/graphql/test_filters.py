"""Filters: every operator, and what null, absent and empty values mean, checked by the ids of the rows found."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from app.query.plan.planning import MAX_CONDITIONS
from tests.graphql.api import Answer, Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create type mood as enum ('sad', 'ok', 'happy');
create table thing (id int primary key, n int, name text, mood mood, tags text[], flag bool, uid uuid, data json,
  day date, short char(3));
insert into thing values
  (1, 10, 'apple', 'sad', '{a,b}', true, '00000000-0000-0000-0000-000000000001', '1', '2020-01-01', 'x'),
  (2, 20, 'Apricot', 'ok', '{b,c}', false, '00000000-0000-0000-0000-000000000002', '2', '2020-01-02', 'y'),
  (3, 30, 'banana', 'happy', '{}', null, null, '3', '2020-01-03', 'xyz'),
  (4, null, null, null, null, true, null, null, null, null),
  (5, 50, '100%_a.c', 'ok', '{a}', false, null, '5', '2019-12-31', '');
create table pair (a int, b text, x int, primary key (a, b));
insert into pair values (1, 'x', 1), (1, 'y', 2), (2, 'x', 3);
create table logic ("and" int, "or" text, "not" bool, id int primary key);
insert into logic values (1, 'a', true, 1), (2, 'b', false, 2);
create table child (id int primary key, thing_id int references thing, n int);
insert into child select i, 1 + i % 3, i from generate_series(1, 6) i;
grant select on all tables in schema public to anon;
"""


@pytest.fixture(params=["standard", "pg_graphql"])
def api(reading_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return reading_api(SCHEMA, graphql_dialect=request.param, root_field_limit=100)


def validates(api: Api) -> bool:
    return api.application.services.settings.graphql_dialect == "standard"


def node_id(*parts: Any) -> str:
    return base64.b64encode(json.dumps(parts).encode()).decode()


def ask(api: Api, filter_: str, variables: Any = None, declared: str = "", table: str = "thing") -> Answer:
    return api.ask(
        f"query {declared} {{ {table}Collection(filter: {filter_}) {{ edges {{ node {{ nodeId }} }} }} }}", variables
    )


def matching_ids(api: Api, filter_: str, variables: Any = None, declared: str = "", table: str = "thing") -> list[Any]:
    edges = ask(api, filter_, variables, declared, table).data[f"{table}Collection"]["edges"]
    keys = [json.loads(base64.b64decode(edge["node"]["nodeId"]))[2:] for edge in edges]
    return [key[0] if len(key) == 1 else tuple(key) for key in keys]


ALL = [1, 2, 3, 4, 5]
FOUND: list[tuple[str, list[int]]] = [
    ("{n: {eq: 20}}", [2]),
    ("{n: {neq: 20}}", [1, 3, 5]),
    ("{n: {lt: 20}}", [1]),
    ("{n: {lte: 20}}", [1, 2]),
    ("{n: {gt: 20}}", [3, 5]),
    ("{n: {gte: 20}}", [2, 3, 5]),
    ("{n: {in: [10, 50, 99]}}", [1, 5]),
    ("{n: {in: 10}}", [1]),
    ("{n: {is: NULL}}", [4]),
    ("{n: {is: NOT_NULL}}", [1, 2, 3, 5]),
    ("{name: {startsWith: \"ap\"}}", [1]),
    ("{name: {startsWith: \"100%_\"}}", [5]),
    ("{name: {startsWith: \"100_\"}}", []),
    ("{name: {like: \"ap%\"}}", [1]),
    ("{name: {like: \"100\\\\%%\"}}", [5]),
    ("{name: {ilike: \"AP%\"}}", [1, 2]),
    ("{name: {regex: \"^a.p\"}}", [1]),
    ("{name: {iregex: \"^AP\"}}", [1, 2]),
    ("{name: {regex: \"a{0}$\"}}", [1, 2, 3, 5]),
    ("{name: {gt: \"b\"}}", [3]),
    ("{name: {in: [\"apple\", \"a,b\", \"{}\"]}}", [1]),
    ("{name: {eq: \"O'Reilly\\\"; drop table thing; --\"}}", []),
    ("{mood: {eq: ok}}", [2, 5]),
    ("{mood: {neq: ok}}", [1, 3]),
    ("{mood: {in: [sad, happy]}}", [1, 3]),
    ("{mood: {in: sad}}", [1]),
    ("{mood: {is: NULL}}", [4]),
    ("{flag: {eq: true}}", [1, 4]),
    ("{flag: {is: NULL}}", [3]),
    ("{uid: {in: [\"00000000-0000-0000-0000-000000000001\"]}}", [1]),
    ("{uid: {neq: \"00000000-0000-0000-0000-000000000001\"}}", [2]),
    ("{tags: {contains: [\"b\"]}}", [1, 2]),
    ("{tags: {contains: \"b\"}}", [1, 2]),
    ("{tags: {contains: []}}", [1, 2, 3, 5]),
    ("{tags: {containedBy: [\"a\", \"b\"]}}", [1, 3, 5]),
    ("{tags: {overlaps: [\"c\", \"a\"]}}", [1, 2, 5]),
    ("{tags: {eq: [\"b\", \"c\"]}}", [2]),
    ("{tags: {eq: \"a\"}}", [5]),
    ("{tags: {eq: []}}", [3]),
    ("{tags: {is: NULL}}", [4]),
    ("{day: {gte: \"2020-01-01\", lt: \"2020-01-03\"}}", [1, 2]),
    ("{short: {eq: \"x\"}}", [1]),
    ("{short: {in: [\"x\", \"xyz\"]}}", [1, 3]),
    # All members of one object must hold.
    ("{n: {gt: 10, lt: 50}}", [2, 3]),
    ("{n: {gt: 10}, flag: {eq: false}}", [2, 5]),
    # and, or, not
    ("{and: [{n: {gt: 10}}, {n: {lt: 50}}]}", [2, 3]),
    ("{and: {n: {eq: 10}}}", [1]),
    ("{or: [{n: {eq: 10}}, {n: {eq: 30}}]}", [1, 3]),
    ("{or: {n: {eq: 10}, flag: {eq: true}}}", [1]),
    ("{not: {n: {eq: 10}}}", [2, 3, 5]),
    ("{not: {n: {gt: 10}, flag: {eq: false}}}", [1, 4]),
    ("{n: {lt: 50}, or: [{n: {eq: 50}}, {flag: {eq: true}}]}", [1]),
    ("{not: {or: [{n: {is: NULL}}, {and: [{n: {gt: 10}}, {not: {n: {eq: 50}}}]}]}}", [1, 5]),
    ("{and: []}", ALL), ("{or: []}", ALL), ("{not: {}}", ALL), ("{}", ALL), ("null", ALL),
    ("{and: [{}]}", ALL), ("{or: [{}]}", ALL), ("{and: [{}, {n: {eq: 10}}]}", [1]), ("{not: {and: []}}", ALL),
    ("{and: null}", ALL), ("{or: null}", ALL), ("{not: null}", ALL),
    # null, absent, empty
    ("{n: null}", ALL), ("{n: {}}", ALL),
    ("{n: {eq: null}}", []), ("{n: {neq: null}}", []), ("{n: {lt: null}}", []), ("{name: {like: null}}", []),
    ("{not: {n: {eq: null}}}", []), ("{or: [{n: {eq: null}}, {id: {eq: 3}}]}", [3]),
    ("{n: {in: []}}", []), ("{n: {in: null}}", []), ("{not: {n: {in: []}}}", ALL),
    ("{tags: {contains: null}}", []), ("{nodeId: null}", ALL), ("{nodeId: {}}", ALL), ("{nodeId: {eq: null}}", []),
    (f'{{nodeId: {{eq: "{node_id("public", "thing", 3)}"}}}}', [3]),
    (f'{{nodeId: {{eq: "{node_id("public", "thing", 99)}"}}}}', []),
    (f'{{nodeId: {{eq: "{node_id("public", "thing", None)}"}}}}', []),
    (f'{{not: {{nodeId: {{eq: "{node_id("public", "thing", 3)}"}}}}}}', [1, 2, 4, 5]),
]  # fmt: skip


def test_filters_find_the_expected_rows(api: Api) -> None:
    # Orders of strings depend on the collation of the database; these do not.
    for filter_, ids in FOUND:
        assert matching_ids(api, filter_) == ids, filter_


def test_variables_mean_the_same_as_literals(api: Api) -> None:
    """A filter in a variable means the same as the literal."""
    from graphql import parse_value, value_from_ast_untyped

    for filter_, ids in FOUND:
        value = value_from_ast_untyped(parse_value(filter_))
        assert matching_ids(api, "$f", {"f": value}, "($f: thingFilter)") == ids, filter_


ABSENT = [
    ("$f", "thingFilter"),
    ("{n: $f}", "IntFilter"),
    ("{n: {eq: $f}}", "Int"),
    ("{n: {lt: $f}}", "Int"),
    ("{n: {in: $f}}", "[Int!]"),
    ("{n: {is: $f}}", "FilterIs"),
    ("{tags: {contains: $f}}", "[String!]"),
    ("{and: $f}", "[thingFilter!]"),
    ("{or: $f}", "[thingFilter!]"),
    ("{not: $f}", "thingFilter"),
    ("{nodeId: $f}", "IDFilter"),
    ("{nodeId: {eq: $f}}", "ID"),
]


def test_missing_variables_have_no_effect(api: Api) -> None:
    for filter_, type_ in ABSENT:
        assert matching_ids(api, filter_, {}, f"($f: {type_})") == ALL, filter_
    assert matching_ids(api, "{n: {gt: $min, lt: $max}}", {"min": 20}, "($min: Int, $max: Int)") == [3, 5]
    assert matching_ids(api, "{n: {gt: $min, lt: $max}}", {"min": 20, "max": None}, "($min: Int, $max: Int)") == []
    assert matching_ids(api, "{n: {gt: $min}}", {}, "($min: Int = 30)") == [5]
    assert matching_ids(api, "{n: {gt: $min}}", {"min": None}, "($min: Int = 30)") == []
    # In a list, a missing variable is not an element.
    assert matching_ids(api, "{n: {in: [$a, 10]}}", {"a": 20}, "($a: Int!)") == [1, 2]


def test_variables_may_be_enums_and_values_of_is(api: Api) -> None:
    assert matching_ids(api, "{n: {is: $is}}", {"is": "NULL"}, "($is: FilterIs)") == [4]
    assert matching_ids(api, "{n: {is: $is}}", {"is": "NOT_NULL"}, "($is: FilterIs)") == [1, 2, 3, 5]
    assert matching_ids(api, "{mood: {eq: $m}}", {"m": "ok"}, "($m: mood)") == [2, 5]
    assert matching_ids(api, "{mood: {in: $m}}", {"m": ["sad", "ok"]}, "($m: [mood!])") == [1, 2, 5]


ERRORS: list[tuple[str, str]] = [
    ("{n: {is: null}}", "Error transpiling Is filter value type"),
    ("{n: {is: BOGUS}}", "Invalid input for FilterIs type"),
    ("{dne_id: 1}", 'Input for type thingFilter contains extra keys ["dne_id"]'),
    ("{dne_id: 1, other: 2, n: 1}", 'Input for type thingFilter contains extra keys ["dne_id", "other"]'),
    ("{n: {between: 1}}", 'Input for type IntFilter contains extra keys ["between"]'),
    ("{uid: {lt: \"x\"}}", 'Input for type UUIDFilter contains extra keys ["lt"]'),
    ("{flag: {neq: true}}", 'Input for type BooleanFilter contains extra keys ["neq"]'),
    ("{data: {eq: \"1\"}}", 'Input for type thingFilter contains extra keys ["data"]'),
    ("{n: 1}", "Invalid input for IntFilter type"),
    ("1", "Invalid input for thingFilter type"),
    ("[]", "Invalid input for thingFilter type"),
    ("{and: [1]}", "Invalid input for thingFilter type"),
    ("{and: [null]}", "Invalid input for NonNull type"),
    ("{n: {in: [1, null]}}", "Invalid input for NonNull type"),
    ("{n: {eq: \"1\"}}", "Invalid input for Int type"),
    ("{mood: {eq: angry}}", "Invalid input for mood type"),
    ("{mood: {in: [ok, \"angry\"]}}", "Invalid input for mood type"),
]  # fmt: skip
NODE_IDS = [
    ("", "Error 4"), ("%", "Error 2"), (base64.b64encode(bytes([200])).decode(), "Error 3"),
    (base64.b64encode(b"{}").decode(), "Error 10"), (node_id("a", "b"), "Error 5"), (node_id(1, "b", 2), "Error 6"),
    (node_id("a", 1, 2), "Error 7"),
]  # fmt: skip


def test_invalid_filters_are_refused(api: Api) -> None:
    for filter_, message in ERRORS:
        answer = ask(api, filter_)
        if validates(api):
            assert answer.errors and answer.status == 200, filter_  # noqa: PT018
            assert all(
                error["extensions"]["code"] in ("GRAPHQL_VALIDATION_FAILED", "BAD_USER_INPUT")
                for error in answer.errors
            )
        else:
            assert answer.message == message, filter_
            assert answer.body["data"] is None
    for value, message in NODE_IDS:
        for text, variables, declared in ((json.dumps(value), None, ""), ("$x", {"x": value}, "($x: ID)")):
            answer = ask(api, f"{{nodeId: {{eq: {text}}}}}", variables, declared)
            assert answer.message == f"Invalid value passed to nodeId argument. {message}", value
    for other in (node_id("public", "pair", 1, "x"), node_id("elsewhere", "thing", 1)):
        assert ask(api, f'{{nodeId: {{eq: "{other}"}}}}').message == "nodeId belongs to a different collection"
    count = ask(api, f'{{nodeId: {{eq: "{node_id("public", "thing", 1, 2)}"}}}}')
    assert count.message == "Primary key column count mismatch. Expected 1, provided 2"


def test_is_null_by_variable_is_an_error(api: Api) -> None:
    answer = ask(api, "{n: {is: $f}}", {"f": None}, "($f: FilterIs)")
    assert answer.message == "Error transpiling Is filter value type"


def test_node_ids_of_two_columns_can_be_filtered(api: Api) -> None:
    id_ = node_id("public", "pair", 1, "y")
    assert matching_ids(api, f'{{nodeId: {{eq: "{id_}"}}}}', table="pair") == [(1, "y")]
    assert matching_ids(api, f'{{or: [{{nodeId: {{eq: "{id_}"}}}}, {{x: {{eq: 3}}}}]}}', table="pair") == [
        (1, "y"),
        (2, "x"),
    ]


def test_columns_named_like_logical_operators_can_be_filtered(api: Api) -> None:
    assert matching_ids(api, "{and: {eq: 1}}", table="logic") == [1]
    assert matching_ids(api, '{or: {eq: "b"}}', table="logic") == [2]
    assert matching_ids(api, "{not: {eq: true}}", table="logic") == [1]


def test_nested_collections_have_filters(api: Api) -> None:
    query = """query ($min: Int) { thingCollection(first: 3) { edges { node { id
      childCollection(filter: {n: {gte: $min}}, orderBy: [{n: DescNullsLast}]) { edges { node { n } } } } } } }"""

    def inner(minimum: int | None) -> list[list[int]]:
        edges = api.ask(query, {} if minimum is None else {"min": minimum}).data["thingCollection"]["edges"]
        return [[each["node"]["n"] for each in edge["node"]["childCollection"]["edges"]] for edge in edges]

    assert inner(4) == [[6], [4], [5]]
    assert inner(None) == [[6, 3], [4, 1], [5, 2]]


@pytest.mark.parametrize("depth", [12, 200])
def test_deep_filters_are_answered_or_refused(api: Api, depth: int) -> None:
    """Only the size of a request limits nesting; a filter that is too deep gives an error."""
    literal = "{not: " * depth + "{n: {eq: 10}}" + "}" * depth
    value: Any = {"n": {"eq": 10}}
    for _ in range(depth):
        value = {"and": [value]}
    for answer in (ask(api, literal), ask(api, "$f", {"f": value}, "($f: thingFilter)")):
        if depth == 12:
            assert [
                json.loads(base64.b64decode(e["node"]["nodeId"]))[2] for e in answer.data["thingCollection"]["edges"]
            ] == [1]
        else:
            assert "errors" not in answer.body or answer.code in ("LIMIT_EXCEEDED", "GRAPHQL_PARSE_FAILED"), answer.body
    assert matching_ids(api, "{n: {eq: 20}}") == [2]


def test_a_regular_expression_that_would_keep_the_database_busy_is_refused(start_api: StartApi) -> None:
    api = start_api("create table word (id int primary key, text text); grant select on word to anon")
    query = "query ($like: String) { wordCollection(filter: {text: {iregex: $like}}) { edges { node { id } } } }"
    assert api.ask(query, {"like": "x" * 1000}).data == {"wordCollection": {"edges": []}}
    refused = api.ask(query, {"like": "x" * 1001})
    assert (refused.code, refused.message) == ("LIMIT_EXCEEDED", "A regular expression has at most 1000 characters")


@pytest.mark.parametrize("each", [{"n": {"eq": 1}}, {}, {"not": {"n": {"is": "NULL"}}}])
def test_a_filter_of_too_many_conditions_is_refused(api: Api, each: object) -> None:
    """Without a limit it would keep the service, and then the database, busy for many seconds."""
    refused = ask(api, "$f", {"f": {"or": [each] * (MAX_CONDITIONS + 1)}}, "($f: thingFilter)")
    assert (refused.code, refused.message) == ("LIMIT_EXCEEDED", "The filters have more than 2000 conditions")
    assert "errors" not in ask(api, "$f", {"f": {"or": [each] * 100}}, "($f: thingFilter)").body


@pytest.mark.parametrize(
    ("filter_", "found"),
    [
        ({"n": {"eq": "1.501"}}, []),
        ({"n": {"gt": "1.499"}}, [1, 2]),
        ({"n": {"lt": "1.501"}}, [1]),
        ({"n": {"in": ["1.496", "2.5"]}}, [2]),
        ({"n": {"lt": "12345678.9"}}, [1, 2]),
        ({"at": {"gt": "2020-01-01T00:00:00.4"}}, [2]),
        ({"at": {"eq": "2020-01-01T00:00:00.4"}}, []),
        ({"at": {"lt": "2020-01-01T00:00:00.4"}}, [1]),
        ({"t": {"gte": "00:00:01.04"}}, [2]),
    ],
)
def test_values_finer_than_the_column_are_not_rounded(
    reading_api: StartApi, filter_: dict[str, object], found: list[int]
) -> None:
    api = reading_api("""
        create table fine (id int primary key, n numeric(5, 2), at timestamp(0), t time(1));
        insert into fine values (1, 1.5, '2020-01-01', '00:00:01'), (2, 2.5, '2020-01-01 00:00:01', '00:00:02');
        grant select on fine to anon;
    """)
    query = "query ($f: fineFilter) { fineCollection(filter: $f) { edges { node { id } } } }"
    edges = api.ask(query, {"f": filter_}).data["fineCollection"]["edges"]
    assert [each["node"]["id"] for each in edges] == found
