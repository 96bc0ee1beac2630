"""The page about JSON and text search: each example finds what the page says."""

from __future__ import annotations

import json
import re

from tests.docs.blocks import REPOSITORY, blocks
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer

PAGE = (REPOSITORY / "docs" / "searching.md").read_text()
EXAMPLE = re.compile(r"```graphql\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)
DOCUMENT = '{"age": 30, "tags": ["new"], "address": {"city": "San Marino"}}'
ANSWERS = (
    [{"id": 1, "title": "Cats"}],
    [{"data": DOCUMENT, "city": "San Marino"}],
    [{"title": "Cats"}, {"title": "Dogs"}],
)


def test_the_examples_find_the_named_rows(database_url: str, postgres: PostgresServer) -> None:
    (tables,) = blocks("docs/searching.md", "sql")
    postgres.execute(ROLES + tables.text, database_url)
    examples = EXAMPLE.findall(PAGE)
    assert len(examples) == len(blocks("docs/searching.md", "graphql"))
    api = Api(database_url)
    try:
        for (query, variables), expected in zip(examples, ANSWERS, strict=True):
            found = api.ask(query, json.loads(variables or "{}")).data["noteCollection"]["edges"]
            assert [edge["node"] for edge in found] == expected, query
    finally:
        api.close()
