"""The page about upserts, keys and operators: each example answers what the page says, one after the other."""

from __future__ import annotations

import json
import re

from app.installation.install import install
from tests.docs.blocks import REPOSITORY, blocks
from tests.graphql.api import Api
from tests.postgres_server import PostgresServer

EXAMPLE = re.compile(r"```graphql\n(.*?)```\n\n```json\n(.*?)```", re.DOTALL)


def test_the_examples_return_the_results_on_the_page(database_url: str, postgres: PostgresServer) -> None:
    install(database_url)
    for statements in blocks("docs/changes.md", "sql"):
        postgres.execute(statements.text, database_url)
    examples = EXAMPLE.findall((REPOSITORY / "docs" / "changes.md").read_text())
    assert len(examples) == len(blocks("docs/changes.md", "graphql")) == 8
    api = Api(database_url)
    try:
        for query, answer in examples:
            assert api.ask(query, role="authenticated").data == json.loads(answer), query
    finally:
        api.close()
