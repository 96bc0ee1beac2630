"""The GraphQL examples of a page, run on the tables of the page: each gives what the page's test expects."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from tests.docs.blocks import REPOSITORY, Block
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer

EXAMPLE = re.compile(r"```graphql\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)
"""A document, and the variables that may follow it."""


def examples_give(
    page: str,
    shown: Sequence[Block],
    answers: Sequence[Any],
    database_url: str,
    postgres: PostgresServer,
    **settings: Any,
) -> None:
    """Asserts that the examples of ``page``, a path below the repository, give ``answers`` in their order; ``shown``
    are its blocks of SQL, which are run first, and of GraphQL. The service has these ``settings``."""
    tables = [each.text for each in shown if each.language == "sql"]
    postgres.execute(ROLES + "".join(tables), database_url)
    examples = EXAMPLE.findall((REPOSITORY / page).read_text())
    assert len(examples) == len(shown) - len(tables)
    api = Api(database_url, **settings)
    try:
        for (query, variables), expected in zip(examples, answers, strict=True):
            assert api.ask(query, json.loads(variables or "{}")).data == expected, query
    finally:
        api.close()
