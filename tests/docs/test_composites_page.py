"""The page about composite types: each example gives what the page says."""

from __future__ import annotations

from tests.docs.blocks import blocks
from tests.docs.page_examples import examples_give
from tests.postgres_server import PostgresServer

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


def test_the_examples_return_their_results(database_url: str, postgres: PostgresServer) -> None:
    shown = blocks("docs/composites.md", "sql", "graphql")
    examples_give("docs/composites.md", shown, ANSWERS, database_url, postgres)
