"""The page about vector search: the example finds what the page says."""

from __future__ import annotations

import json

import pytest

from plugins.graphql.vector import METRICS
from tests.docs.blocks import REPOSITORY, blocks
from tests.graphql.conftest import ROLES
from tests.graphql.door import Door
from tests.postgres_server import PostgresServer


def test_the_example_finds_what_it_says(database_url: str, postgres: PostgresServer) -> None:
    if not postgres.execute("select from pg_available_extensions where name = 'vector'"):
        pytest.skip("needs the extension vector")
    (tables,) = blocks("docs/vectors.md", "sql")
    (query,) = blocks("docs/vectors.md", "graphql")
    (variables,) = blocks("docs/vectors.md", "json")
    postgres.execute(ROLES + tables.text, database_url)
    door = Door(database_url, value_types="vector")
    try:
        found = door.ask(query.text, json.loads(variables.text)).data["noteCollection"]
    finally:
        door.close()
    assert [each["node"]["title"] for each in found["edges"]] == ["Cats", "Dogs"]
    assert found["edges"][0]["distance"] == 0
    assert found["pageInfo"]["hasNextPage"] is True


def test_every_distance_is_in_the_table() -> None:
    page = (REPOSITORY / "docs" / "vectors.md").read_text()
    assert {name for name in METRICS if f"\n| `{name}`" in page} == set(METRICS)
