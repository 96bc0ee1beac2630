"""The page about vector search: the example finds what the page says."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import ANY

import pytest

from plugins.graphql.vector import METRICS
from tests.docs.blocks import REPOSITORY, blocks
from tests.docs.page_examples import examples_give
from tests.postgres_server import PostgresServer

NEAREST = [
    {"distance": 0, "node": {"title": "Cats"}},
    {"distance": pytest.approx(0.0061, abs=1e-4), "node": {"title": "Dogs"}},
]


@pytest.fixture(scope="module")
def postgres(postgres_with: Callable[[str], PostgresServer]) -> PostgresServer:
    return postgres_with("vector")


def test_the_example_finds_the_named_rows(database_url: str, postgres: PostgresServer) -> None:
    found = {"noteCollection": {"edges": NEAREST, "pageInfo": {"endCursor": ANY, "hasNextPage": True}}}
    shown = blocks("docs/vectors.md", "sql", "graphql")
    examples_give("docs/vectors.md", shown, [found], database_url, postgres, value_types="vector")


def test_every_distance_is_in_the_table() -> None:
    page = (REPOSITORY / "docs" / "vectors.md").read_text()
    assert {name for name in METRICS if f"\n| `{name}`" in page} == set(METRICS)
