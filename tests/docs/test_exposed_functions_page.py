"""The page about exposed functions: each example gives what the page says."""

from __future__ import annotations

from tests.docs.blocks import blocks
from tests.docs.page_examples import examples_give
from tests.postgres_server import PostgresServer

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
    {"cheer": True, "upset": {"name": "Ben", "mood": "sad"}},
    {
        "cafeCollection": {
            "edges": [{"node": {"name": "Central", "meters": 0}}, {"node": {"name": "Museum", "meters": 1112}}],
            "pageInfo": {"endCursor": "WzExMTIsIDJd", "hasNextPage": True},
        }
    },
)


def test_the_examples_return_their_results(database_url: str, postgres: PostgresServer) -> None:
    shown = blocks("docs/exposed-functions.md", "sql", "graphql")
    examples_give("docs/exposed-functions.md", shown, ANSWERS, database_url, postgres)
