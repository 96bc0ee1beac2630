"""The page about exposed functions: each example gives what the page says."""

from __future__ import annotations

import json
import re

from tests.docs.blocks import REPOSITORY, blocks
from tests.graphql.conftest import ROLES
from tests.graphql.door import Door
from tests.postgres_server import PostgresServer

PAGE = (REPOSITORY / "docs" / "exposed-functions.md").read_text()
EXAMPLE = re.compile(r"```graphql\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)
ANSWERS = (
    {
        "guests_by_mood": [
            {"mood": "sad", "guests": 1, "names": ["Ben"]},
            {"mood": "happy", "guests": 1, "names": ["Ann"]},
        ],
        "guestCollection": {
            "edges": [{"node": {"greeting": "... Hello, Ann"}}, {"node": {"greeting": "... Hello, Ben"}}]
        },
    },
    {"cheer": True},
)


def test_the_examples_give_what_they_say(database_url: str, postgres: PostgresServer) -> None:
    (tables,) = blocks("docs/exposed-functions.md", "sql")
    postgres.execute(ROLES + tables.text, database_url)
    examples = EXAMPLE.findall(PAGE)
    assert len(examples) == len(blocks("docs/exposed-functions.md", "graphql"))
    door = Door(database_url)
    try:
        for (query, variables), expected in zip(examples, ANSWERS, strict=True):
            assert door.ask(query, json.loads(variables or "{}")).data == expected, query
    finally:
        door.close()
