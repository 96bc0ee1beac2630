"""The cost of one request: the response to any document is quick and short."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from time import process_time
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create table item (id int primary key, name text, tags int[], size bigint);
insert into item select n, 'item ' || n from generate_series(1, 5) n;
grant all on item to anon;
"""
SECONDS = 1.5
"""The CPU time that a request may take. An idle machine needs a fifth of it; a busy one needs more."""

MIB = 1_000_000


def filled(item: str, separator: str = ",") -> str:
    return separator.join([item] * (MIB // (len(item) + 1)))


HOSTILE = {
    "unknown members": (
        "query ($x: itemFilter) { itemCollection(filter: $x) { __typename } }",
        '{"x": {' + ",".join(f'"k{number}":1' for number in range(70_000)) + "}}",
    ),
    "lists for numbers": (
        "query ($x: [Int!]) { itemCollection(filter: {id: {in: $x}}) { __typename } }",
        '{"x": [' + filled("[1]") + "]}",
    ),
    "texts for numbers": (
        "query ($x: [Int!]) { itemCollection(filter: {id: {in: $x}}) { __typename } }",
        '{"x": [' + filled('"a"') + "]}",
    ),
    "empty filters": (
        "query ($x: [itemFilter!]) { itemCollection(filter: {or: $x}) { __typename } }",
        '{"x": [' + filled("{}") + "]}",
    ),
    "empty objects": (
        "mutation ($x: [itemInsertInput!]!) { insertIntoitemCollection(objects: $x) { affectedCount } }",
        '{"x": [' + filled("{}") + "]}",
    ),
    "an undeclared variable": ("query { __typename }", '{"x": [' + filled("[]") + "]}"),
    "nested lists": ("query ($x: [Int!]) { __typename }", '{"x": ' + "[" * 400 + "]" * 400 + "}"),
    "objects in a filter": (
        "query ($x: [itemFilter!]) { itemCollection(filter: {and: $x}) { __typename } }",
        '{"x": [' + ",".join(['{"id":{"eq":1}}'] * 9_000) + "]}",
    ),
}


@pytest.fixture(autouse=True, scope="module")
def _only_its_own_garbage() -> Iterator[None]:
    """Keeps what earlier tests left in this process out of the collections that a request sets off."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(params=["standard", "pg_graphql"])
def api(reading_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return reading_api(SCHEMA, graphql_dialect=request.param)


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.timing
def test_variables_of_a_megabyte_are_answered_soon(api: Api, case: str) -> None:
    query, variables = HOSTILE[case]
    api.ask("{ __typename }")
    began = process_time()
    answer = api.post(f'{{"query": {json.dumps(query)}, "variables": {variables}}}')
    assert process_time() - began < SECONDS
    assert len(json.dumps(answer.body)) < 10_000


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("query ($x: [Int!]) { itemCollection(filter: {id: {in: $x}}) { edges { node { id } } } }", [1] * 300_000),
        (
            "query ($x: [String!]) { itemCollection(filter: {name: {in: $x}}) { edges { node { id } } } }",
            ["a"] * 200_000,
        ),
        ("query ($x: Int) { itemCollection(first: $x) { edges { node { id } } } }", 1),
    ],
)
@pytest.mark.timing
def test_long_lists_of_plain_values_are_taken(api: Api, query: str, value: Any) -> None:
    began = process_time()
    assert "itemCollection" in api.ask(query, {"x": value}).data
    assert process_time() - began < SECONDS


def test_an_error_names_the_limit_of_variables(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, variable_limit=3)
    query = "query ($x: itemFilter) { itemCollection(filter: $x) { __typename } }"
    assert api.ask(query, {"x": {"id": {"eq": 1}}}).data
    error = api.ask(query, {"x": {"or": [{"id": {"eq": 1}}]}}).errors[0]
    assert error["message"] == "The variables hold more than 3 lists and objects (VARIABLE_LIMIT)"
    assert error["extensions"]["code"] == "LIMIT_EXCEEDED"


def test_ten_errors_of_variables_are_reported(reading_api: StartApi) -> None:
    query = "query ($x: [Int!]) { itemCollection(filter: {id: {in: $x}}) { __typename } }"
    errors = reading_api(SCHEMA).ask(query, {"x": ["a"] * 1000}).errors
    assert len(errors) == 11
    assert "error limit reached" in errors[-1]["message"]


@pytest.mark.parametrize("misfit", [True, None])
@pytest.mark.parametrize("count", [1, 10, 11, 30])
@pytest.mark.parametrize(("type_", "column"), [("Int", "id"), ("BigInt", "size")])
def test_errors_name_the_position_of_items(
    reading_api: StartApi, type_: str, column: str, misfit: bool | None, count: int
) -> None:
    query = f"query ($x: [{type_}!]) {{ itemCollection(filter: {{{column}: {{in: $x}}}}) {{ __typename }} }}"
    errors = reading_api(SCHEMA).ask(query, {"x": [1] * 50 + [misfit, 1] * count + [1] * 50}).errors
    assert len(errors) == min(count, 11)
    for number, error in enumerate(errors[:10]):
        assert f" at [{50 + 2 * number}]: " in error["message"]


NESTED = """
comment on schema public is '@graphql({"max_rows": 1000})';
create table parent (id int primary key);
create table child (id int primary key, parent_id int references parent, name text);
insert into parent select generate_series(1, 3);
insert into child select n, 1 + n % 3, repeat('x', 1000) from generate_series(1, 300) n;
comment on table child is '@graphql({"aggregate": {"enabled": true}})';
grant all on all tables in schema public to anon;
"""
GROUPS = " fragment G on childConnection { groups(by: [{parent_id: Value}], first: 4) { key { parent_id } } }"
CHILDREN = " fragment C on parent { childCollection(first: 10) { edges { node { id } } } }"


@pytest.mark.parametrize(
    ("query", "nodes"),
    [
        ("{ parentCollection(first: 7) { edges { node { id } } } }", 7),
        ("{ parentCollection(first: 7) { edges { node { ...C } } } }" + CHILDREN, 77),
        ("{ a: parentCollection(first: 7) { totalRows: __typename } b: childCollection { __typename } }", 1007),
        ("{ childCollection(first: 5) { edges { node { parent { id } } } } }", 10),
        ("{ childCollection(first: 5) { edges { node { parent { ...C } } } } }" + CHILDREN, 60),
        ("{ parentByPk(id: 1) { ...C } }" + CHILDREN, 11),
        ("{ parentByKey(key: {id: 1}) { ...C } }" + CHILDREN, 11),
        ('{ node(nodeId: "WyJwdWJsaWMiLCAicGFyZW50IiwgMV0=") { ...C } }' + CHILDREN, 11),
        ("mutation { deleteFromparentByKey(key: {id: 1}) { ...C } }" + CHILDREN, 11),
        ("{ childCollection(first: 5) { ...G edges { node { id } } } }" + GROUPS, 9),
        ("{ parentCollection(first: 7) { edges { node { childCollection(first: 10) { ...G } } } } }" + GROUPS, 105),
        (
            'mutation { updatechildCollection(set: {name: "a"}, filter: {id: {eq: 1}}) { records { parent { id } } } }',
            2,
        ),
        ('mutation { updatechildCollection(set: {name: "a"}, atMost: 40) { records { parent { id } } } }', 80),
        ("mutation { deleteFromparentCollection(atMost: 6) { records { ...C } } }" + CHILDREN, 66),
        ("mutation { insertIntoparentCollection(objects: [{id: 8}, {id: 9}]) { records { ...C } } }" + CHILDREN, 22),
    ],
)
def test_pages_within_pages_are_multiplied(reading_api: StartApi, query: str, nodes: int) -> None:
    api = reading_api(NESTED, node_limit=1)
    error = api.ask(query).errors[0]
    assert error["message"] == f"The operation may return {nodes} rows, more than 1 (NODE_LIMIT)"
    assert error["extensions"]["code"] == "LIMIT_EXCEEDED"


def test_nodes_of_mutations_are_counted_in_each_request(start_api: StartApi) -> None:
    """Their number is not part of the plan, so the second request uses the plan of the first."""
    api = start_api(NESTED, node_limit=30)
    insert = (
        "mutation ($x: [parentInsertInput!]!) { insertIntoparentCollection(objects: $x) { records { ...C } } }"
        + CHILDREN
    )
    assert api.ask(insert, {"x": [{"id": 11}, {"id": 12}]}).data
    assert "may return 33 rows" in api.ask(insert, {"x": [{"id": 13}, {"id": 14}, {"id": 15}]}).message
    of_new = "filter: {id: {gt: 10}}, atMost: $n"
    delete = f"mutation ($n: Int!) {{ deleteFromparentCollection({of_new}) {{ records {{ ...C }} }} }}" + CHILDREN
    assert "may return 33 rows" in api.ask(delete, {"n": 3}).message
    assert len(api.ask(delete, {"n": 2}).data["deleteFromparentCollection"]["records"]) == 2


def test_the_node_limit_is_exact(reading_api: StartApi) -> None:
    query = "{ parentCollection(first: 7) { edges { node { ...C } } } }" + CHILDREN
    assert reading_api(NESTED, node_limit=77).ask(query).data
    assert reading_api(NESTED, node_limit=0).ask(query).data
    assert reading_api(NESTED, graphql_dialect="pg_graphql").ask(query).data


def test_an_answer_above_the_limit_is_never_held_in_memory(reading_api: StartApi) -> None:
    api = reading_api(NESTED, answer_limit=100_000)
    query = "query ($n: Int!) { childCollection(first: $n) { edges { node { name } } } }"
    assert len(api.ask(query, {"n": 50}).data["childCollection"]["edges"]) == 50
    error = api.ask(query, {"n": 150}).errors[0]
    assert error["message"] == "The answer is larger than 100000 bytes (ANSWER_LIMIT)"
    assert error["extensions"]["code"] == "LIMIT_EXCEEDED"
    # The connection stays usable: the response that was too large is read to its end.
    assert len(api.ask(query, {"n": 50}).data["childCollection"]["edges"]) == 50


def test_an_answer_above_the_limit_says_that_the_mutation_is_done(start_api: StartApi) -> None:
    api = start_api(NESTED, answer_limit=100_000)
    change = "mutation { updatechildCollection(set: {parent_id: 1}, atMost: 300) { records { name } } }"
    error = api.ask(change).errors[0]
    assert (
        error["extensions"]["hint"]
        == "The mutation was applied; only its response is too large. Select fewer rows or fields."
    )
    assert api.ask("{ childCollection(filter: {parent_id: {neq: 1}}) { edges { node { id } } } }").data == {
        "childCollection": {"edges": []}
    }


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_an_operation_may_have_two_introspection_fields(reading_api: StartApi, dialect: str) -> None:
    api = reading_api(
        """comment on schema public is '@graphql({"introspection": true})';""" + NESTED.partition(";")[2],
        graphql_dialect=dialect,
    )
    assert api.ask('{ a: __schema { __typename } b: __type(name: "Int") { name } c: __typename }').data
    error = api.ask("{ a: __schema { __typename } b: __schema { __typename } c: __schema { __typename } }").errors[0]
    assert error["message"] == "The operation has more than 2 introspection fields"
    assert error["extensions"]["code"] == "LIMIT_EXCEEDED"


@pytest.mark.timing
def test_introspection_is_cached_under_any_alias(reading_api: StartApi) -> None:
    many = "".join(f"create table t{number} (id int primary key, a int, b text);" for number in range(120))
    api = reading_api(many + "grant all on all tables in schema public to anon;")
    selection = "{ types { name fields { name args { name type { name } } type { name } } } }"
    first = api.ask(f"{{ __schema {selection} }}").data["__schema"]
    began = process_time()
    for number in range(20):
        assert api.ask(f"{{ a{number}: __schema {selection} }}").data[f"a{number}"] == first
    assert process_time() - began < 3 * SECONDS
