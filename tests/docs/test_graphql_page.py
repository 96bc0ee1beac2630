"""Every example on the page about the GraphQL API works on the demonstration data, one after the other."""

from __future__ import annotations

import json
import re
from pathlib import Path

from app.demo import load_demo
from app.demo.banner import USERS
from app.installation import install
from tests.graphql.door import Door

PAGE = (Path(__file__).parents[2] / "docs" / "graphql.md").read_text()
EXAMPLE = re.compile(r"```graphql\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)


def test_the_examples_work(database_url: str) -> None:
    install(database_url)
    load_demo(database_url, lambda line: None)
    examples = EXAMPLE.findall(PAGE)
    assert len(examples) >= 6
    door = Door(database_url)
    try:
        for query, variables in examples:
            answer = door.ask(query, json.loads(variables or "{}"), claims={"sub": USERS[0][1]})
            assert answer.data, query
            assert all(answer.data.values()), query
    finally:
        door.close()
