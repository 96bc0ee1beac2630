"""VALUE_TYPES=vector: vectors of pgvector, and collections in the order of the distance from one."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from graphql import print_type

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.counted import counted
from tests.graphql.requests import ask_with
from tests.graphql.test_operators import types_of, without_descriptions
from tests.postgres_server import PostgresServer

SCHEMA = """
create schema "Odd one";
create extension vector schema "Odd one";
grant usage on schema "Odd one" to anon;
create table maker (id int primary key, name text);
create table item (
  id int primary key, name text, maker_id int references maker,
  embedding "Odd one".vector(3), small "Odd one".halfvec(2)
);
insert into maker values (1, 'one'), (2, 'two');
insert into item values
  (1, 'x', 1, '[1,0,0]', '[1,0]'), (2, 'y', 1, '[0,1,0]', '[0,1]'), (3, 'z', 2, '[0,0,1]', null),
  (4, 'xy', 2, '[1,1,0]', '[1,1]'), (5, 'none', 2, null, null), (6, 'x2', 1, '[2,0,0]', null);
alter table item enable row level security;
create policy shown on item to anon using (name is distinct from 'hidden');
insert into item values (7, 'hidden', 1, '[1,0,0]', null);
grant all on maker, item to anon, service_role;
grant usage on schema "Odd one" to service_role;
"""
ON = {"value_types": "vector"}
NEAR = "query ($v: Vector!) { itemCollection(near: {embedding: {to: $v}}) { edges { cursor } } }"


@pytest.fixture(scope="module")
def postgres(postgres_with: Callable[[str], PostgresServer]) -> PostgresServer:
    return postgres_with("vector")


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, **ON)


def near(api: Api, to: Sequence[float], by: str | None = None, **more: Any) -> list[tuple[int, float | None]]:
    query = """
    query ($to: Vector!, $by: VectorDistance, $first: Int, $filter: itemFilter, $orderBy: [itemOrderBy!]) {
      itemCollection(near: {embedding: {to: $to, by: $by}}, first: $first, filter: $filter, orderBy: $orderBy) {
        edges { distance node { id } }
      }
    }"""
    edges = api.ask(query, {"to": to, "by": by, **more}).data["itemCollection"]["edges"]
    return [(each["node"]["id"], each["distance"]) for each in edges]


def test_vectors_have_types_and_near(api: Api) -> None:
    types = types_of(api)
    assert {name: str(types["item"].fields[name].type) for name in ("embedding", "small")} == {
        "embedding": "Vector",
        "small": "Vector",
    }
    assert "embedding" not in types["itemOrderBy"].fields
    printed = [without_descriptions(print_type(types[each])) for each in ("itemNear", "NearVector", "VectorDistance")]
    assert printed == [
        "input itemNear @oneOf {\n  embedding: NearVector\n  small: NearVector\n}",
        "input NearVector {\n  to: Vector!\n  by: VectorDistance\n}",
        "enum VectorDistance {\n  COSINE\n  INNER_PRODUCT\n  L1\n  L2\n}",
    ]
    assert str(types["itemEdge"].fields["distance"].type) == "Float"
    assert "distance" not in types["makerEdge"].fields
    assert "near" not in types["Query"].fields["makerCollection"].args


def test_vectors_are_opaque_without_the_setting(reading_api: StartApi) -> None:
    types = types_of(reading_api(SCHEMA))
    assert str(types["item"].fields["embedding"].type) == "Opaque"
    assert "distance" not in types["itemEdge"].fields


def test_values_are_lists(start_api: StartApi) -> None:
    api = start_api(SCHEMA, **ON)
    added = "mutation ($v: Vector) { insertIntoitemCollection(objects: [{id: 9, embedding: $v, small: [0.5, -2]}]) "
    added += "{ records { embedding small } } }"
    made = api.ask(added, {"v": [0.25, -1, 1e-3]}).data["insertIntoitemCollection"]["records"]
    assert made == [{"embedding": [0.25, -1, 0.001], "small": [0.5, -2]}]
    filtered = "{ itemCollection(filter: {embedding: {eq: [0.25, -1, 0.001]}}) { edges { node { id } } } }"
    assert api.ask(filtered).data["itemCollection"]["edges"] == [{"node": {"id": 9}}]
    changed = "mutation { updateitemCollection(set: {embedding: [1, 2, 3]}, filter: {id: {eq: 9}}) { affectedCount } }"
    assert api.ask(changed).data["updateitemCollection"] == {"affectedCount": 1}


@pytest.mark.parametrize("value", ["[1,2,3]", 1, [True, 1, 2], [None, 1, 2], [[1], 2, 3], {"a": 1}, ["1", 2, 3]])
def test_a_value_that_is_no_list_of_numbers_is_refused(api: Api, value: Any) -> None:
    answer = api.ask(NEAR, {"v": value})
    assert "Invalid input for Vector type. Expected a list of numbers" in answer.message


@pytest.mark.parametrize(
    ("value", "reported"), [([1, 2], "expected 3 dimensions, not 2"), ([], "at least 1 dimension")]
)
def test_a_vector_of_other_dimensions_is_reported(api: Api, value: list[float], reported: str) -> None:
    answer = api.ask(NEAR, {"v": value})
    assert reported in answer.message
    assert answer.errors[0]["extensions"]["sqlstate"].startswith("22")


DISTANCES: Mapping[str, Callable[[Sequence[float], Sequence[float]], float]] = {
    "COSINE": lambda a, b: 1 - sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b),
    "INNER_PRODUCT": lambda a, b: -sum(x * y for x, y in zip(a, b, strict=True)),
    "L1": lambda a, b: sum(abs(x - y) for x, y in zip(a, b, strict=True)),
    "L2": math.dist,
}


@pytest.mark.parametrize("metric", [*DISTANCES, None])
def test_near_orders_by_distance(api: Api, metric: str | None) -> None:
    to = (1, 0.5, 0.25)
    of = {1: (1, 0, 0), 2: (0, 1, 0), 3: (0, 0, 1), 4: (1, 1, 0), 6: (2, 0, 0)}
    distance = DISTANCES[metric or "COSINE"]
    expected = sorted((distance(to, value), id_) for id_, value in of.items())
    found = near(api, to, metric)
    # A row without a vector is the last one, and the hidden row is missing.
    assert [id_ for id_, _ in found] == [*(id_ for _, id_ in expected), 5]
    assert [each for _, each in found] == [*(pytest.approx(each, abs=1e-6) for each, _ in expected), None]


def test_near_orders_before_order_by(api: Api) -> None:
    ids = [id_ for id_, _ in near(api, [1, 0, 0], orderBy=[{"name": "DescNullsLast"}])]
    # 1 and 6 have the same distance, so do 2 and 3.
    assert ids == [6, 1, 4, 3, 2, 5]
    assert [id_ for id_, _ in near(api, [1, 0, 0], filter={"id": {"gt": 1}}, first=2)] == [6, 4]


@pytest.mark.parametrize("metric", DISTANCES)
def test_pages_work_in_both_directions(api: Api, metric: str) -> None:
    arguments = f"near: {{embedding: {{to: [0, 1, 1], by: {metric}}}}}"

    def page(more: str) -> list[tuple[int, str]]:
        query = f"{{ itemCollection({arguments}, {more}) {{ edges {{ cursor node {{ id }} }} }} }}"
        return [(each["node"]["id"], each["cursor"]) for each in api.ask(query).data["itemCollection"]["edges"]]

    whole = page("first: 10")
    assert len(whole) == 6
    forward, cursor = [], ""
    while rows := page(f'first: 1, after: "{cursor}"' if cursor else "first: 1"):
        forward += rows
        cursor = rows[-1][1]
    backward, cursor = [], ""
    while rows := page(f'last: 2, before: "{cursor}"' if cursor else "last: 2"):
        backward = rows + backward
        cursor = rows[0][1]
    assert [each for each, _ in forward] == [each for each, _ in backward] == [each for each, _ in whole]


def test_nested_collections_have_near(api: Api) -> None:
    query = """query ($near: itemNear) { makerCollection { edges { node {
      name itemCollection(near: $near, first: 2) { edges { distance node { name } } }
    } } } }"""
    makers = api.ask(query, {"near": {"small": {"to": [1, 0], "by": "L1"}}}).data["makerCollection"]["edges"]
    found = {
        each["node"]["name"]: [(e["node"]["name"], e["distance"]) for e in each["node"]["itemCollection"]["edges"]]
        for each in makers
    }
    assert found == {"one": [("x", 0), ("y", 2)], "two": [("xy", 1), ("z", None)]}
    without = api.ask(query, {"near": None}).data["makerCollection"]["edges"][0]["node"]["itemCollection"]["edges"]
    assert [each["distance"] for each in without] == [None, None]


def test_a_distance_that_is_no_number_is_null(postgres: PostgresServer, start_api: StartApi) -> None:
    api = start_api(SCHEMA, **ON)
    postgres.execute("insert into item values (8, 'zero', null, '[0,0,0]')", api.database_url)
    assert near(api, [1, 0, 0])[-2:] == [(8, None), (5, None)]


@pytest.mark.parametrize("given", [{}, {"embedding": {"to": [1, 0, 0]}, "small": {"to": [1, 0]}}, {"embedding": None}])
def test_near_takes_exactly_one_column(api: Api, given: Any) -> None:
    answer = api.ask("query ($near: itemNear) { itemCollection(near: $near) { edges { cursor } } }", {"near": given})
    assert len(answer.errors) == 1


def test_requests_that_differ_in_the_vector_share_a_plan(api: Api) -> None:
    plans = api.application.services.engine.plans
    assert near(api, [1, 0, 0], "L2", first=1) == [(1, 0)]
    before = len(plans)
    found = [near(api, to, "L2", first=1) for to in ([0, 1, 0], [0.5, 0, 3.5], [2, 0, 0])]
    assert [id_ for ((id_, _),) in found] == [2, 3, 6]
    assert len(plans) == before


def test_vectors_of_a_closed_schema_can_only_be_read(start_api: StartApi) -> None:
    api = start_api(SCHEMA + 'revoke usage on schema "Odd one" from anon;', **ON)
    types = types_of(api)
    assert str(types["item"].fields["embedding"].type) == "Vector"
    assert "distance" not in types["itemEdge"].fields
    assert "near" not in types["Query"].fields["itemCollection"].args
    assert api.ask("{ itemCollection(first: 1) { edges { node { embedding } } } }").data["itemCollection"]["edges"] == [
        {"node": {"embedding": [1, 0, 0]}}
    ]


def test_distances_need_execute_on_their_functions(start_api: StartApi) -> None:
    taken = """revoke execute on function "Odd one".l1_distance("Odd one".vector, "Odd one".vector),
      "Odd one".l1_distance("Odd one".halfvec, "Odd one".halfvec) from public;"""
    values = types_of(start_api(SCHEMA + taken, **ON))["VectorDistance"].values
    assert list(values) == ["COSINE", "INNER_PRODUCT", "L2"]


def test_near_takes_one_round_trip(start_api: StartApi) -> None:
    with counted(start_api(SCHEMA, **ON).database_url, **ON) as (api, proxy):
        near(api, [1, 0, 0])
        before = proxy.flights
        assert near(api, [0, 1, 0])
        assert proxy.flights - before == 1


def test_an_index_serves_near(postgres: PostgresServer, start_api: StartApi) -> None:
    """An index gives the order of distances; PostgreSQL sorts only rows of the same distance (from 16 on)."""
    api = start_api(SCHEMA, **ON)
    version = int(postgres.execute("show server_version_num")[0][0])  # type: ignore[call-overload]
    if version < 160000:
        pytest.skip("PostgreSQL sorts all rows before version 16")
    rows = ",".join(f"({n}, 'n', 1, '[{random.Random(n).random()},{n % 7},{n % 11}]')" for n in range(100, 3000))
    postgres.execute(
        f"""insert into item values {rows};
            create index on item using hnsw (embedding "Odd one".vector_l2_ops); analyze item""",
        api.database_url,
    )
    query = (
        "{ itemCollection(near: {embedding: {to: [1, 2, 3], by: L2}}, first: 5) { edges { distance node { id } } } }"
    )
    answer = ask_with(api, {"explain": "plan"}, query, role="service_role")
    assert "item_embedding_idx" in str(answer.body["extensions"]["explain"])


def test_an_unreadable_column_is_not_in_near(start_api: StartApi) -> None:
    taken = "revoke select on item from anon; grant select (id, name, small) on item to anon;"
    types = types_of(start_api(SCHEMA + taken, **ON))
    assert list(types["itemNear"].fields) == ["small"]
    assert "embedding" not in types["item"].fields
