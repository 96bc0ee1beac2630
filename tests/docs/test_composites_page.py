"""The page about composite types: each example gives what the page says."""

from __future__ import annotations

import json
import re

from tests.docs.blocks import REPOSITORY, blocks
from tests.graphql.conftest import ROLES
from tests.graphql.door import Door
from tests.postgres_server import PostgresServer

PAGE = (REPOSITORY / "docs" / "composites.md").read_text()
EXAMPLE = re.compile(r"```graphql\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)
YORK = {"street": "1 High Street", "spot": {"lat": 53.96, "lon": -1.08}}
ANSWERS = (
    {
        "shopCollection": {
            "edges": [{"node": {"address": YORK, "branches": []}}, {"node": {"address": None, "branches": None}}]
        }
    },
    {
        "updateshopCollection": {
            "records": [
                {
                    "address": {"street": "3 Mill Lane", "city": None, "spot": {"lat": 53.8}},
                    "branches": [{"city": "Leeds"}],
                }
            ]
        }
    },
)


def test_the_examples_give_what_they_say(database_url: str, postgres: PostgresServer) -> None:
    (tables,) = blocks("docs/composites.md", "sql")
    postgres.execute(ROLES + tables.text, database_url)
    examples = EXAMPLE.findall(PAGE)
    assert len(examples) == len(blocks("docs/composites.md", "graphql"))
    door = Door(database_url)
    try:
        for (query, variables), expected in zip(examples, ANSWERS, strict=True):
            assert door.ask(query, json.loads(variables or "{}")).data == expected, query
    finally:
        door.close()
