"""The page about costs: its requests are answered as it says, and its statements run."""

from __future__ import annotations

import json
import re
from typing import Any

from app.installation.install import install
from tests.docs.blocks import REPOSITORY, blocks
from tests.graphql.api import Api
from tests.postgres_server import PostgresServer

PAGE = (REPOSITORY / "docs" / "costs.md").read_text()
SCHEMA = """
create table person (id int primary key, name text);
create table trade (id int primary key, person_id int references person);
insert into person values (1, 'Ann');
insert into trade values (1, 1);
grant all on person, trade to authenticated;
"""


def test_the_requests_are_answered_as_the_page_says(database_url: str, postgres: PostgresServer) -> None:
    install(database_url)
    postgres.execute(SCHEMA, database_url)
    ask_cost, documented_cost, explain, trial, documented_trial = map(
        json.loads, re.findall(r"```json\n(.*?)```", PAGE, re.S)
    )
    api = Api(database_url, dry_run=True)

    def answer(request: Any, role: str = "authenticated") -> Any:
        return api.post(json.dumps(request), role=role).body

    try:
        cost = answer(ask_cost)["extensions"]["cost"]
        assert cost.keys() == documented_cost.keys()
        assert {**cost, "estimate": documented_cost["estimate"]} == documented_cost
        explained = answer(explain, "service_role")
        assert explained["data"] == {"person": None}
        assert explained["extensions"]["explain"][0]["paths"] == [["person"]]
        assert answer(explain)["errors"]
        assert answer(trial) == documented_trial
        assert answer({"query": "{ personByPk(id: 2) { id } }"})["data"] == {"personByPk": None}
    finally:
        api.close()


def test_the_comment_on_a_role_is_understood(postgres: PostgresServer, database_url: str) -> None:
    """In a transaction that is rolled back: roles are those of all tests."""
    postgres.execute("do $$ begin create role anon; exception when duplicate_object then null; end $$")
    for block in blocks("docs/costs.md", "sql"):
        postgres.execute(f"begin; {block.text} rollback", database_url)
    (comment,) = re.findall(r"comment on role anon is '(.*?)';", PAGE)
    listed = dict(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", PAGE, re.M))
    api = Api(database_url)
    try:
        rules = api.application.services.engine.role_schemas.rules.of_comment(comment)
    finally:
        api.close()
    assert rules.problems == ()
    assert rules.directives.keys() == listed.keys()
