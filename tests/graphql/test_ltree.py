"""VALUE_TYPES=ltree: paths of labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_operators import types_of
from tests.postgres_server import PostgresServer

SCHEMA = """
create schema "Odd one";
create extension ltree schema "Odd one";
grant usage on schema "Odd one" to anon;
create table plant (id int primary key, path "Odd one".ltree, paths "Odd one".ltree[]);
insert into plant values
  (1, 'plants', '{plants,animals.cats}'), (2, 'plants.trees', null), (3, 'plants.trees.oak', null),
  (4, 'plants.herbs.mint', null), (5, null, null), (6, '', null), (7, 'trees', null);
grant all on plant to anon;
"""
ON = {"value_types": "ltree"}


@pytest.fixture(scope="module")
def postgres(postgres_with: Callable[[str], PostgresServer]) -> PostgresServer:
    return postgres_with("ltree")


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, **ON)


def matching_ids(api: Api, filter_: Any, order: str = "AscNullsFirst") -> list[int]:
    query = f"query ($f: plantFilter) {{ plantCollection(filter: $f, orderBy: [{{path: {order}}}]) {{ edges {{"
    edges = api.ask(f"{query} node {{ id }} }} }} }}", {"f": filter_}).data["plantCollection"]["edges"]
    return [each["node"]["id"] for each in edges]


def test_ltree_has_a_type_and_operators(api: Api, reading_api: StartApi) -> None:
    types = types_of(api)
    assert (str(types["plant"].fields["path"].type), str(types["plant"].fields["paths"].type)) == ("Ltree", "[Ltree]")
    operators = "eq in is neq lt lte gt gte ancestorOf descendantOf matches distinctFrom not"
    assert set(types["LtreeFilter"].fields) == set(operators.split())
    assert str(types_of(reading_api(SCHEMA))["plant"].fields["path"].type) == "Opaque"


@pytest.mark.parametrize(
    ("operator", "operand", "ids"),
    [
        ("eq", "plants.trees", [2]),
        ("in", ["plants", "trees"], [1, 7]),
        ("descendantOf", "plants.trees", [2, 3]),
        ("ancestorOf", "plants.trees.oak", [6, 1, 2, 3]),
        ("gt", "plants.trees", [3, 7]),
        ("matches", "plants.*{1}", [2]),
        ("matches", "*.oak|mint", [4, 3]),
        ("matches", "*.TREES@.*", [2, 3, 7]),
        ("descendantOf", None, []),
        ("matches", None, []),
    ],
)
def test_operators_find_the_expected_rows(api: Api, operator: str, operand: Any, ids: list[int]) -> None:
    assert matching_ids(api, {"path": {operator: operand}}) == ids


def test_values_are_strings_with_an_order(start_api: StartApi) -> None:
    api = start_api(SCHEMA, **ON)
    assert matching_ids(api, {}, "DescNullsLast") == [7, 3, 2, 4, 1, 6, 5]
    added = "mutation ($p: Ltree) { insertIntoplantCollection(objects: [{id: 9, path: $p, paths: [$p]}]) "
    made = api.ask(added + "{ records { path paths } } }", {"p": "a.b"}).data["insertIntoplantCollection"]
    assert made["records"] == [{"path": "a.b", "paths": ["a.b"]}]


@pytest.mark.parametrize(
    ("filter_", "reported", "code"),
    [
        ({"path": {"eq": "a..b"}}, "ltree syntax error", "SYNTAX_ERROR"),
        ({"path": {"eq": 1}}, "Invalid input for Ltree type", "BAD_USER_INPUT"),
        ({"path": {"matches": "a.{"}}, "lquery syntax error", "SYNTAX_ERROR"),
        ({"path": {"matches": "*.a.*.a.*.a.*.a.*"}}, "at most 4 levels", "LIMIT_EXCEEDED"),
        ({"path": {"matches": "a{,9}." * 4 + "a{2}"}}, "at most 4 levels", "LIMIT_EXCEEDED"),
    ],
)
def test_invalid_values_are_refused(api: Api, filter_: Any, reported: str, code: str) -> None:
    query = "query ($f: plantFilter) { plantCollection(filter: $f) { edges { node { id } } } }"
    answer = api.ask(query, {"f": filter_})
    assert reported in answer.message
    assert answer.errors[0]["extensions"]["code"] == code


def test_accepted_patterns_are_cheap(postgres: PostgresServer, start_api: StartApi) -> None:
    api = start_api(SCHEMA, **ON, statement_timeout_ms=20_000)
    long = ".".join("a" * 100)
    postgres.execute(f"insert into plant values (10, '{long}', null)", api.database_url)
    assert matching_ids(api, {"path": {"matches": "*.a.*.a.*.a.*.b"}}) == []
