"""Every GraphQL example works, in order, on the demonstration data or on the objects that its page creates."""

from __future__ import annotations

import json
import re

from app.demo.banner import USERS
from app.demo.load import load_demo
from app.discovery import plugin_manager
from app.graphql.schema.comments import DIRECTIVES
from app.installation.install import install
from tests.docs.blocks import REPOSITORY, blocks
from tests.graphql.api import Api
from tests.postgres_server import PostgresServer

PAGE = (REPOSITORY / "docs" / "graphql.md").read_text()
EXAMPLE = re.compile(r"```graphql\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)


def test_the_examples_work(database_url: str) -> None:
    install(database_url)
    load_demo(database_url, lambda line: None)
    examples = EXAMPLE.findall(PAGE)
    assert len(examples) == len(blocks("docs/graphql.md", "graphql")) >= 6
    examples += [(each.text, "") for each in blocks("docs/index.md", "graphql")]
    (shown,) = blocks("README.md", "graphql")
    api = Api(database_url)
    try:
        for query, variables in examples:
            answer = api.ask(query, json.loads(variables or "{}"), claims={"sub": USERS[0][1]})
            assert answer.data, query
            assert all(answer.data.values()), query
        assert api.ask(shown.text).data == json.loads(blocks("README.md", "json")[0].text)
    finally:
        api.close()


def test_the_examples_of_directives_work(database_url: str, postgres: PostgresServer) -> None:
    install(database_url)
    for statements in blocks("docs/directives.md", "sql"):
        postgres.execute(statements.text, database_url)
    api = Api(database_url, api_schemas=("library",))
    try:
        query, of_views = blocks("docs/directives.md", "graphql")
        data = api.ask(query.text).data
        sdl = api.ask('{ __type(name: "Author") { fields { name description } } }').data["__type"]["fields"]
    finally:
        api.close()
    api = Api(database_url, api_schemas=("library",), infer_view_keys=True)
    try:
        (shelved,) = api.ask(of_views.text).data["shelvedCollection"]["edges"]
    finally:
        api.close()
    assert shelved["node"]["author"] == {"name": "Ursula", "shelvedCollection": {"edges": [{"node": {"id": 1}}]}}
    assert data["bookCollection"] == {
        "totalCount": 1,
        "edges": [{"node": {"title": "The Dispossessed", "shelf": "B2", "author": {"name": "Ursula"}}}],
    }
    (title,) = data["titleCollection"]["edges"]
    assert title["node"]["author"]["books"]["edges"] == [{"node": {"title": "The Dispossessed"}}]
    assert {"name": "name", "description": "As on the cover"} in sdl
    assert "notes" not in {each["name"] for each in sdl}


def test_each_directive_is_on_its_page() -> None:
    page = (REPOSITORY / "docs" / "directives.md").read_text()
    listed = re.findall(
        r"^\| (schema|relation|column|function|foreign key|unique index|enum|composite|role) \| `(\w+)` \|", page, re.M
    )
    manager = plugin_manager()
    known = [*DIRECTIVES, *(each for plugin in manager.hook.comment_directives() for each in plugin)]
    assert sorted(listed) == sorted((each.on.replace("_", " "), each.key) for each in known)


FILTERS = {
    "numbers, strings, dates and times": ("IntFilter", "FloatFilter", "BigIntFilter", "BigFloatFilter", "DateFilter",
                                          "TimeFilter", "DatetimeFilter"),
    "UUIDs and enums": ("UUIDFilter",),
    "booleans and opaque types": ("BooleanFilter", "OpaqueFilter"),
    "arrays": ("StringListFilter",),
}  # fmt: skip
"""Types of the schema for rows of the page's table of operators."""


def test_the_table_of_operators_is_that_of_the_schema(database_url: str) -> None:
    listed: dict[str, set[str]] = {}
    for names, on in re.findall(r"^\| `([a-zA-Z ]+)` \| (.*) \|$", PAGE, re.M):
        listed.setdefault(on.partition(";")[0].strip(), set()).update(names.split())
    install(database_url)
    api = Api(database_url)
    try:
        types = api.ask("{ __schema { types { name inputFields { name } } } }").data["__schema"]["types"]
    finally:
        api.close()
    operators = {each["name"]: {field["name"] for field in each["inputFields"] or ()} for each in types}
    of_each = listed["each of these types"]
    for on, names in FILTERS.items():
        for name in names:
            assert operators[name] == {*listed[on], *of_each}, f"{name}: the first table of Filters in docs/graphql.md"
    of_strings = {*listed["numbers, strings, dates and times"], *listed["strings"], *of_each}
    assert operators["StringFilter"] == of_strings, "StringFilter: the first table of Filters in docs/graphql.md"
