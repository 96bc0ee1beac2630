"""The examples on the pages about clients work in the actual packages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.docs.blocks import Block, all_blocks, blocks
from tests.packages import node_packages, program, python_packages
from tests.pages.demonstration import demonstration
from tests.pages.reader import Reader
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.long

CITIES = ("Vienna", "Graz", "Linz", "Salzburg", "Innsbruck")
FIRST_FOUR = "Graz Innsbruck Linz Salzburg"


@pytest.fixture(scope="module")
def reader(postgres: PostgresServer) -> Iterator[Reader]:
    """With a service on the tables of the demonstration and a few rows."""
    with demonstration(postgres, CITIES) as opened:
        opened.shell("portico serve")
        yield opened


def texts(found: list[Block]) -> dict[str, str]:
    """Texts by the heading of their section, which has only one in a language."""
    assert len({each.heading for each in found}) == len(found)
    return {each.heading: each.text for each in found}


JAVASCRIPT = texts(blocks("docs/clients.md", "js"))
PYTHON = texts(blocks("docs/clients.md", "python"))
SHELL = texts(blocks("docs/clients.md", "sh"))
GRAPHQL = texts(blocks("docs/clients.md", "graphql"))
CONFIGURATION = texts([each for each in all_blocks("docs/clients.md") if each.language in ("json", "toml")])


def test_each_client_has_a_test() -> None:
    assert set(JAVASCRIPT) == {"Apollo Client", "urql", "Relay"}
    assert set(PYTHON) == {"gql", "ariadne-codegen", "sgqlc"}
    assert set(SHELL) == {"Relay", "TypeScript types", "ariadne-codegen", "sgqlc"}
    assert (set(GRAPHQL), set(CONFIGURATION)) == ({"ariadne-codegen"}, {"Relay", "TypeScript types", "ariadne-codegen"})


def node(reader: Reader, text: str) -> str:
    modules = reader.directory / "node_modules"
    if not modules.exists():
        modules.symlink_to(node_packages() / "node_modules")
    return reader.program("node", ".mjs", text)


@pytest.mark.parametrize("client", ["Apollo Client", "urql"])
def test_the_lines_for_clients_in_javascript_work(reader: Reader, client: str) -> None:
    assert node(reader, JAVASCRIPT[client]) == f"{FIRST_FOUR}\n"


def test_the_lines_for_relay_work(reader: Reader) -> None:
    packages = node_packages()
    (reader.directory / "relay.config.json").write_text(CONFIGURATION["Relay"])
    (reader.directory / "src").mkdir()
    (reader.directory / "src" / "cities.js").write_text(JAVASCRIPT["Relay"])
    # npx would download what is not in its own node_modules.
    compile_ = f"node {packages}/node_modules/relay-compiler/cli.js"
    assert "npx relay-compiler" in SHELL["Relay"]
    reader.shell(SHELL["Relay"].replace("npx relay-compiler", compile_))
    # Does the work of a build tool's plugin: it replaces the tag with the compiler's output.
    artifact = "query from './src/__generated__/citiesQuery.graphql.js'"
    built = re.sub(r"const query = graphql`.*?`", "", JAVASCRIPT["Relay"], flags=re.S).replace(", graphql }", " }")
    assert node(reader, f"import {artifact}\n{built}") == f"{FIRST_FOUR}\n"


def test_the_lines_for_code_generator_work(reader: Reader) -> None:
    reader.shell(SHELL["TypeScript types"])
    (reader.directory / "codegen.json").write_text(CONFIGURATION["TypeScript types"])
    filtered = (
        "query filtered($filter: CityFilter) { cityCollection(filter: $filter) { edges { cursor node { nodeId } } } }"
    )
    live = "subscription live { cityCollection { edges { node { name } } } }"
    (reader.directory / "queries.graphql").write_text(GRAPHQL["ariadne-codegen"] + filtered + live)
    made = reader.shell(f"node {program('codegen.mjs')} codegen.json queries.graphql")
    declared = re.findall(r"^export (?:type|enum) (\w+)", made, flags=re.M)
    assert {"FirstCitiesQuery", "FilteredQuery", "LiveSubscription", "CityFilter", "BigIntFilter"} <= set(declared)
    assert len(declared) == len(set(declared)), "no compiler takes a name that is declared twice"
    assert re.search(r"type BigIntFilter = \{[^}]*\beq\?: string \|", made)
    assert "cursor: string, node: { nodeId: string }" in made


def test_the_lines_for_gql_work(reader: Reader) -> None:
    pytest.importorskip("gql")
    assert reader.program("python", ".py", PYTHON["gql"]) == f"{FIRST_FOUR}\n"


@pytest.mark.parametrize("client", ["ariadne-codegen", "sgqlc"])
def test_the_lines_for_generated_python_work(reader: Reader, client: str) -> None:
    programs = python_packages("ariadne-codegen==0.19.0", "sgqlc==18") / "bin"
    (reader.directory / "pyproject.toml").write_text(CONFIGURATION["ariadne-codegen"])
    (reader.directory / "queries.graphql").write_text(GRAPHQL["ariadne-codegen"])
    ours = reader.shell("printf %s $PATH")
    reader.set(PATH=f"{programs}:{ours}", PYTHONPATH="")
    try:
        reader.shell(SHELL[client])
        assert reader.program("python", ".py", PYTHON[client]) == f"{FIRST_FOUR}\n"
    finally:
        reader.set(PATH=ours)


# The page about Supabase's clients


def test_the_lines_for_supabase_work(reader: Reader) -> None:
    pytest.importorskip("supabase")
    policies, (token_program, client) = (
        blocks("docs/supabase-client.md", "sql"),
        blocks("docs/supabase-client.md", "python"),
    )
    (in_javascript,) = blocks("docs/supabase-client.md", "js")
    for statements in policies:
        reader.run(statements)
    reader.sql("create table article (id int primary key, title text); grant select on article to authenticated;"
               "insert into article values (1, 'Arches')")  # fmt: skip
    token = reader.run(token_program).strip()
    user = re.search(r'user = "(.*)"', token_program.text)
    assert user
    # Node.js 20 has the WebSocket that supabase-js asks for behind this option.
    reader.set(USER_TOKEN=token, USER_ID=user[1], NODE_OPTIONS="--experimental-websocket")
    assert reader.run(client) == "It is you\n"
    file, answer = node(reader, in_javascript.text).splitlines()
    assert file == "It is me"
    assert json.loads(answer)["data"]["articleCollection"]["edges"] == [{"node": {"title": "Arches"}}]
