"""Requests that differ only in values share a plan; a cached plan is never used for another shape."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from app.bounded_cache import BoundedCache
from app.graphql.values.values import Steering, whole_value
from app.graphql.values.variables import errors_of_variables
from app.identity.further_credentials import RequestHead
from app.pipeline import run
from app.pipeline.engine import Engine
from app.pipeline.records import GraphQLRequest
from tests.graphql.api import ANON_KEY, Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create type mood as enum ('sad', 'so so', 'happy');
create table few (id int primary key, name varchar(5), mood mood, price float8, done bool, tags int[]);
create table many (id int primary key, few_id int references few, name text);
comment on table few is '@graphql({"max_rows": 3, "totalCount": {"enabled": true}})';
insert into few select i, 'n' || i % 3, (enum_range(null::mood))[1 + i % 3], i / 2.0, i % 2 = 0, array[i, i + 1]
from generate_series(1, 6) i;
insert into few (id) values (7);
insert into many select i, 1 + i % 7, 'm' || i from generate_series(1, 20) i;
grant select on few, many to anon;
"""


@pytest.fixture(scope="module")
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA)


@pytest.fixture(scope="module")
def loose(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, graphql_dialect="pg_graphql")


def cold(api: Api, query: str, variables: Any) -> Any:
    """The response of the same service with empty caches."""
    engine: Engine = api.application.services.engine
    forgetful = replace(
        engine,
        documents=BoundedCache(1),
        shapes=BoundedCache(1),
        valid_documents=BoundedCache(1),
        steering=BoundedCache(1),
        plans=BoundedCache(1),
    )
    head = RequestHead("POST", "/graphql/v1", {"apikey": ANON_KEY}.get)
    return json.loads(run(GraphQLRequest(query, variables, head=head), forgetful).response.body)


def node_id(*parts: Any) -> str:
    return base64.b64encode(json.dumps(parts).encode()).decode()


def test_a_variable_that_steers_twice_distinguishes_plans(api: Api, loose: Api) -> None:
    """The plan's key contains the value as each use of the variable needs it."""
    sizes = """query ($n: Int) { manyCollection(first: $n) { edges { cursor } } fewCollection(first: $n) { edges { cursor } } }"""  # noqa: E501
    reverse = """query ($n: Int) { fewCollection(first: $n) { edges { cursor } } manyCollection(first: $n) { edges { cursor } } }"""  # noqa: E501
    for query in (sizes, reverse):
        for n in (2, 5, 10, 12, 4):
            data = api.ask(query, {"n": n}).data
            assert (len(data["fewCollection"]["edges"]), len(data["manyCollection"]["edges"])) == (min(n, 3), n)
    # An array of two strings and a number is both a cursor and a nodeId.
    mixed = "{ node(nodeId: $x) { id } manyCollection(after: $x, orderBy: [{name: AscNullsLast}, {id: AscNullsLast}]) { edges { node { id } } } }"  # noqa: E501
    for table in ("few", "many"):
        query = f"query ($x: ID) {mixed}" if table == "few" else f"query ($x: Cursor) {mixed}"
        for relation in ("few", "many"):
            id_ = node_id("public", relation, 4)
            assert loose.ask(query, {"x": id_}).body == cold(loose, query, {"x": id_}), relation


def test_the_type_of_a_node_is_steered(api: Api) -> None:
    query = "query ($x: ID!) { node(nodeId: $x) { __typename nodeId ... on few { price } ... on many { name } } }"
    for table, row in (("few", 1), ("many", 1), ("few", 2), ("many", 3), ("few", 99)):
        answer = api.ask(query, {"x": node_id("public", table, row)})
        assert (answer.data["node"] or {}).get("__typename") == (table if row < 99 else None)
    assert api.ask(query, {"x": node_id("public", "few", 99)}).data == {"node": None}
    assert "did not match any known collection" in api.ask(query, {"x": node_id("public", "nothing", 1)}).message
    assert "count mismatch" in api.ask(query, {"x": node_id("public", "few", 1, 2)}).message


def test_conditions_steer_even_if_the_first_request_skipped_them(api: Api) -> None:
    """The values on which a skipped field depends are added to the key when the field is first included."""
    query = """query ($with: Boolean!, $direction: OrderByDirection) {
      fewCollection(first: 2) @include(if: $with) { edges { node {
        manyCollection(first: 1, orderBy: [{id: $direction}]) { edges { node { id } } } } } }
      manyCollection(first: 1) { edges { node { id } } } }"""
    for with_ in (False, True, False):
        for direction in ("AscNullsLast", "DescNullsLast", "AscNullsLast", None):
            variables = {"with": with_, "direction": direction}
            assert api.ask(query, variables).body == cold(api, query, variables)


def test_a_wrong_value_of_a_skipped_field_is_ignored(api: Api) -> None:
    query = """query ($n: Int, $skip: Boolean!) {
      fewCollection(first: $n) @skip(if: $skip) { edges { cursor } }
      manyCollection(filter: {id: {gt: $n}}, first: 1) { edges { cursor } } }"""
    for variables in (
        {"n": 1, "skip": False},
        {"n": -1, "skip": True},
        {"n": -1, "skip": False},
        {"n": 5, "skip": True},
    ):
        assert api.ask(query, variables).body == cold(api, query, variables)
    assert "errors" not in api.ask(query, {"n": -1, "skip": True}).body


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
@pytest.mark.parametrize(
    ("declared", "field", "good", "bad"),
    [
        ("Int", "fewCollection(filter: {id: {eq: $x}})", [1, -1, 1.0], ["a", True, 1.5, 2**31]),
        ("Int", "fewCollection(first: $x)", [1, -1, -2], ["a", True, 1.5, 2**31]),
        ("Int!", "fewByPk(id: $x)", [1, 2], ["1", False]),
        ("Float", "fewCollection(filter: {price: {eq: $x}})", [1, 1.5], ["a", True]),
        ("Cursor", "fewCollection(after: $x)", [node_id(3), "x", ""], [7, True, ["x"]]),
        ("ID!", "node(nodeId: $x)", [node_id("public", "few", 1), "x", 7], [True, 1.5]),
        ("mood", "fewCollection(filter: {mood: {eq: $x}})", ["sad", "happy"], ["angry", 1]),
        ("OrderByDirection", "fewCollection(orderBy: {id: $x})", ["AscNullsLast", "DescNullsLast"], ["Up", 1]),
        ("[Int!]", "fewCollection(filter: {id: {in: $x}})", [[1, 2], [], 3], [["a"], [True], [None], "a"]),
        ("fewFilter", "fewCollection(filter: $x)", [{"id": {"eq": 1}}, {}], [{"id": {"eq": "1"}}, {"no": 1}, "a"]),
    ],
)
def test_a_variable_that_only_a_skipped_field_has(
    api: Api, loose: Api, dialect: str, declared: str, field: str, good: list[Any], bad: list[Any]
) -> None:
    """It is checked with each request, also if the field was not skipped before."""
    chosen = api if dialect == "standard" else loose
    selection = "edges { cursor }" if "Collection" in field else "__typename"
    query = (
        f"query ($x: {declared}, $skip: Boolean!) {{ {field} @skip(if: $skip) {{ {selection} }} other: __typename }}"
    )
    values = [*((value, True) for value in good), *((value, False) for value in bad)]
    for skip in (True, False, True):
        for value, fits in values * 2:
            variables = {"x": value, "skip": skip}
            answer = chosen.ask(query, variables).body
            assert answer == cold(chosen, query, variables), variables
            if skip:
                assert ("errors" in answer) is (dialect == "standard" and not fits), variables


def test_variables_of_a_plan_are_coerced_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    query = """query ($n: Int, $f: fewFilter, $none: Int, $with: Boolean!) {
      fewCollection(first: $n, filter: $f, offset: $none) { edges { cursor } }
      manyCollection(offset: $none) @include(if: $with) { edges { cursor } } }"""
    judged: list[Any] = []

    def noted(*arguments: Any, **named: Any) -> Any:
        judged.append(arguments)
        return errors_of_variables(*arguments, **named)

    # The package has a function of the module's name.
    # Responses do not show how often variables are checked.
    monkeypatch.setattr(import_module("app.pipeline.plan"), "errors_of_variables", noted)
    for with_ in (True, False):
        for id_ in (1, 2, 3):
            api.ask(query, {"n": 1, "f": {"id": {"eq": id_}}, "none": None, "with": with_})
    assert len(judged) == 2


@pytest.mark.parametrize(
    ("declared", "field", "good", "bad"),
    [
        ("$x: Int", "fewCollection(filter: {id: {eq: $x}}) { edges { cursor } }", 1, 2**31),
        ("$x: Int", "fewCollection(first: $x) { edges { cursor } }", 1, 2**31),
        ("$x: Int", "fewCollection(first: $x) { edges { cursor } }", 1, True),
        ("$x: Int", "fewCollection(offset: $x) { edges { cursor } }", 1, 1.5),
        ("$x: Int", "fewCollection(offset: $x) { edges { cursor } }", 1, 2**31),
        ("$x: Float", "fewCollection(filter: {price: {eq: $x}}) { edges { cursor } }", 1.5, float("inf")),
        ("$x: Float", "fewCollection(filter: {price: {eq: $x}}) { edges { cursor } }", 1.5, "1.5"),
        ("$x: [Int!]", "fewCollection(filter: {id: {in: $x}}) { edges { cursor } }", [1, 2], [1, None]),
        ("$x: [Int!]", "fewCollection(filter: {tags: {contains: $x}}) { edges { cursor } }", [1, 2], [1, None]),
        ("$x: [Int!]", "fewCollection(filter: {id: {in: $x}}) { edges { cursor } }", [1, 2], [1, [2]]),
        ("$x: mood", "fewCollection(filter: {mood: {eq: $x}}) { edges { cursor } }", "sad", "so so"),
        ("$x: [mood!]", "fewCollection(filter: {mood: {in: $x}}) { edges { cursor } }", ["sad"], ["sad", "angry"]),
        ("$x: String", "fewCollection(filter: {name: {eq: $x}}) { edges { cursor } }", "n1", "longer than five"),
        ("$x: Boolean", "fewCollection(filter: {done: {eq: $x}}) { edges { cursor } }", True, 1),
        ("$x: fewFilter", "fewCollection(filter: $x) { edges { cursor } }", {"id": {"eq": 1}}, {"id": {"eq": "1"}}),
        (
            "$x: fewFilter",
            "fewCollection(filter: $x) { edges { cursor } }",
            {"id": {"in": [1]}},
            {"id": {"in": [None]}},
        ),
        ("$x: FilterIs", "fewCollection(filter: {name: {is: $x}}) { edges { cursor } }", "NULL", "NOT NULL"),
        ("$x: ID!", "node(nodeId: $x) { nodeId }", node_id("public", "few", 1), 7),
        ("$x: Boolean!", "fewCollection(first: 1) @skip(if: $x) { edges { cursor } }", False, 0),
        ("$x: Int!", "fewByPk(id: $x) { name }", 1, "1"),
    ],
)
@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_invalid_values_are_refused_with_a_known_plan(
    api: Api, loose: Api, dialect: str, declared: str, field: str, good: Any, bad: Any
) -> None:
    api = api if dialect == "standard" else loose
    query = f"query ({declared}) {{ {field} }}"
    assert api.ask(query, {"x": good}).data
    text = json.dumps({"query": query, "variables": {"x": bad}}).replace("Infinity", "1e999")
    warm = api.post(text).body
    assert warm == cold(api, query, {"x": bad})
    # Where documents are not validated, an enum has all its labels, integers have 64 bits, and keys are just cast.
    is_accepted = dialect == "pg_graphql" and (bad in ("so so", "1") or (bad == 2**31 and "filter" not in field))
    assert ("errors" in warm) != is_accepted


# Random variables, the same query planned cold

DIRECTIONS = st.sampled_from(["AscNullsFirst", "AscNullsLast", "DescNullsFirst", "DescNullsLast", "Bogus", None])
SMALL = st.integers(-1, 8)
FILTERS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.just({}),
        st.fixed_dictionaries({}, optional={
            "id": st.fixed_dictionaries({}, optional={
                "eq": st.one_of(SMALL, st.none()), "in": st.one_of(st.none(), SMALL, st.lists(SMALL, max_size=3)),
                "lt": SMALL, "is": st.sampled_from(["NULL", "NOT_NULL", None, "x"]),
            }),
            "mood": st.fixed_dictionaries({}, optional={
                "eq": st.sampled_from(["sad", "happy", "so so", None, "x"]),
                "in": st.lists(st.sampled_from(["sad", "happy"]), max_size=2),
            }),
            "tags": st.fixed_dictionaries({}, optional={"contains": st.lists(SMALL, max_size=2), "eq": st.none()}),
            "nodeId": st.fixed_dictionaries({}, optional={
                "eq": st.sampled_from([node_id("public", "few", 1), node_id("public", "many", 1), "x", None])}),
        }),
    ),
    lambda inner: st.fixed_dictionaries({}, optional={
        "and": st.one_of(inner, st.lists(inner, max_size=2)), "or": st.lists(inner, max_size=2), "not": inner,
    }),
    max_leaves=4,
)  # fmt: skip
CURSORS = st.one_of(
    st.none(),
    st.sampled_from(["x", node_id(), node_id(3), node_id("n1", 4), node_id(None, 7), node_id(None), node_id(1, 2, 3)]),
)
VARIABLES = st.fixed_dictionaries(
    {},
    optional={
        "first": st.one_of(st.none(), SMALL),
        "last": st.one_of(st.none(), SMALL),
        "cursor": CURSORS,
        "offset": st.one_of(st.none(), SMALL),
        "filter": FILTERS,
        "order": st.one_of(
            st.none(),
            st.fixed_dictionaries({}, optional={"name": DIRECTIONS}),
            st.lists(st.fixed_dictionaries({}, optional={"name": DIRECTIONS, "id": DIRECTIONS}), max_size=2),
        ),
        "skip": st.booleans(),
        "extra": st.integers(),
    },
)
QUERY = """
query ($first: Int, $last: Int = null, $cursor: Cursor, $offset: Int = 0, $filter: fewFilter, $order: [fewOrderBy!],
       $skip: Boolean = false) {
  forward: fewCollection(first: $first, after: $cursor, offset: $offset, filter: $filter, orderBy: $order)
    @skip(if: $skip) {
    edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage } }
  backward: fewCollection(last: $last, before: $cursor, filter: {and: [$filter, {id: {lt: $first}}]}, orderBy: $order) {
    totalCount edges { node { id manyCollection(first: $first) { edges { node { id } } } } } }
}"""
BUSY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_random_variables_are_answered_as_without_plans(api: Api, loose: Api, dialect: str) -> None:
    chosen = api if dialect == "standard" else loose

    @BUSY
    @given(VARIABLES)
    def same(variables: Mapping[str, Any]) -> None:
        assert chosen.ask(QUERY, variables).body == cold(chosen, QUERY, variables)

    same()


# The shape itself

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "scalar", "list", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "list"]), inner, max_size=3),
    max_leaves=6,
)
# Two values that differ in a few scalars. Independent ones seldom have the same shape.
ALMOST_EQUAL = st.recursive(
    JSON.map(lambda value: (value, value)) | st.tuples(st.integers(0, 2) | st.booleans(), st.sampled_from(["", "a"])),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda pairs: ([one for one, _ in pairs], [other for _, other in pairs]))
        | st.dictionaries(st.sampled_from(["a", "b", "list"]), inner, max_size=3).map(
            lambda pairs: (
                {key: one for key, (one, _) in pairs.items()},
                {key: other for key, (_, other) in pairs.items()},
            )
        )
    ),
    max_leaves=3,
)


@settings(max_examples=300, deadline=None)
@given(
    st.tuples(JSON, JSON) | ALMOST_EQUAL,
    st.lists(st.sampled_from([("v",), ("v", "a"), ("v", 0), ("v", 0, "a"), ("v", "a", "b")]), max_size=3),
)
def test_shapes_are_equal_only_if_a_plan_may_be_shared(values: tuple[Any, Any], steered: list[Any]) -> None:
    one, other = values
    steering = Steering()
    for path in steered:
        steering.add(path, whole_value)
    assume(steering.shape(["v"], {"v": one}) == steering.shape(["v"], {"v": other}))
    _check_sharable(one, other)
    for path in steered:
        assert [whole_value(x) for x in _at(one, path[1:])] == [whole_value(x) for x in _at(other, path[1:])]


def _check_sharable(one: Any, other: Any) -> None:
    """Check that two values are equal except for scalars; lists of scalars may differ in length."""
    kinds = [
        dict if isinstance(x, dict) else list if isinstance(x, list) else type(None) if x is None else "scalar"
        for x in (one, other)
    ]
    assert kinds[0] == kinds[1]
    if isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            _check_sharable(one[key], other[key])
    elif isinstance(one, list) and any(isinstance(x, (dict, list)) for x in (*one, *other)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            _check_sharable(a, b)


def _at(value: Any, path: tuple[Any, ...]) -> list[Any]:
    if not path:
        return [value]
    if isinstance(path[0], int):
        return [y for x in value for y in _at(x, path[1:])] if isinstance(value, list) else []
    return _at(value[path[0]], path[1:]) if isinstance(value, dict) and path[0] in value else []
