"""The page about places and shapes: the examples find what the page says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from plugins.graphql.geo import RELATIONS
from tests.docs.blocks import REPOSITORY, blocks
from tests.docs.page_examples import examples_give
from tests.postgres_server import PostgresServer

NEAREST = [
    {
        "distance": pytest.approx(337, abs=1),
        "node": {"name": "Central", "spot": {"type": "Point", "coordinates": [16.3655, 48.2104]}},
    },
    {
        "distance": pytest.approx(1109, abs=5),
        "node": {"name": "Museum", "spot": {"type": "Point", "coordinates": [16.3665, 48.2003]}},
    },
]


@pytest.fixture(scope="module")
def postgres(postgres_with: Callable[[str], PostgresServer]) -> PostgresServer:
    return postgres_with("postgis")


def test_the_examples_find_the_named_rows(database_url: str, postgres: PostgresServer) -> None:
    shown = blocks("docs/places.md", "sql", "graphql")
    answers = [
        {"cafeCollection": {"edges": NEAREST}},
        {"cafeCollection": {"edges": [{"node": {"name": "Central"}}]}},
    ]
    examples_give("docs/places.md", shown, answers, database_url, postgres, value_types="geo")


def test_every_filter_is_in_the_table() -> None:
    page = (REPOSITORY / "docs" / "places.md").read_text()
    assert {name for name in (*RELATIONS, "withinDistance") if f"\n| `{name}" in page} == {*RELATIONS, "withinDistance"}
