"""The page for those who come from Hasura or PostGraphile: each example gives what is expected."""

from __future__ import annotations

from tests.docs.blocks import blocks
from tests.docs.page_examples import examples_give
from tests.postgres_server import PostgresServer

PAGE = "docs/moving-from-hasura-postgraphile.md"

ANSWERS = (
    {
        "taskCollection": {
            "edges": [
                {"node": {"id": 2, "title": "Draw", "account": {"name": "Ann"}}},
                {"node": {"id": 1, "title": "Paint", "account": {"name": "Ann"}}},
            ],
            "totalCount": 2,
            "aggregate": {"max": {"hits": 0}},
        },
        "taskByPk": {"title": "Sing"},
    },
    {
        "insertIntotaskCollection": {"records": [{"id": 4, "title": "Dance"}]},
        "updatetaskByKey": {"done": True, "hits": 1},
        "updatetaskCollection": {"affectedCount": 2},
        "deleteFromtaskByKey": {"title": "Sing"},
    },
)


def test_the_examples_return_their_results(database_url: str, postgres: PostgresServer) -> None:
    shown = blocks("docs/moving-from-hasura-postgraphile.md", "sql", "graphql")
    examples_give(PAGE, shown, ANSWERS, database_url, postgres)
