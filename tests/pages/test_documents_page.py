"""The lines on the page about documents work, one after the other."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

import pytest

from tests.docs.blocks import blocks
from tests.graphql.api import Api
from tests.packages import node_packages
from tests.pages.demonstration import demonstration
from tests.pages.reader import Reader
from tests.postgres_server import PostgresServer

SHELL = [(each.heading, each.text) for each in blocks("docs/documents.md", "sh")]


@pytest.fixture(scope="module")
def reader(postgres: PostgresServer) -> Iterator[Reader]:
    """With the service of the first block, on the tables of the demonstration and a few rows."""
    with demonstration(postgres, ("Vienna", "Graz")) as opened:
        opened.shell(SHELL[0][1])
        yield opened


def texts_of(heading: str) -> list[str]:
    return [text for under, text in SHELL[1:] if under == heading]


def names(answer: str) -> list[str]:
    return [edge["node"]["name"] for edge in json.loads(answer)["data"]["cityCollection"]["edges"]]


def test_registered_documents_are_run_by_name(reader: Reader) -> None:
    (text,) = texts_of("Registered documents")
    by_path, by_body = reader.shell(text.replace("\ncurl", "\necho\ncurl")).splitlines()
    assert names(by_path) == names(by_body) == ["Graz", "Vienna"]


def test_documents_are_read_from_a_table(reader: Reader) -> None:
    (block,) = blocks("docs/documents.md", "sql")
    reader.run(block)
    api = Api(reader.shell("echo $DATABASE_URL").strip(), documents="table:graphql.documents")
    try:
        answer = api.post(json.dumps({"documentId": "Continents"}))
        assert answer.data["continentCollection"]["edges"] == [{"node": {"name": "Europe"}}]
    finally:
        api.close()


def test_a_schema_and_documents_are_checked_before_a_deploy(reader: Reader) -> None:
    (text,) = texts_of("Before a deploy")
    totals, document = reader.shell(text).splitlines()
    assert totals == "0 breaking, 0 dangerous, 0 safe"
    assert document == "ok    Cities is valid for anon, authenticated, service_role"


def test_an_unchanged_answer_gets_304(reader: Reader) -> None:
    (text,) = texts_of("Caching")
    assert reader.shell(text).strip() == "304 public, max-age=60"


def test_batches_are_answered_as_list_and_lines(reader: Reader) -> None:
    as_list, as_lines = texts_of("Batches")
    continents, cities = json.loads(reader.shell(as_list))
    assert continents["data"]["continentCollection"]["edges"] == [{"node": {"name": "Europe"}}]
    assert len(cities["data"]["cityCollection"]["edges"]) == 2
    lines = [json.loads(each) for each in reader.shell(as_lines).splitlines()]
    assert [each["variableIndex"] for each in lines] == [0, 1]
    assert [len(each["data"]["cityCollection"]["edges"]) for each in lines] == [2, 0]


def test_pages_and_groups_are_sent_as_csv(reader: Reader) -> None:
    of_page, of_groups = (csv.reader(io.StringIO(reader.shell(text))) for text in texts_of("CSV"))
    assert [*of_page] == [
        ["name", "population", "country.name"],
        ["Graz", "200000", "Austria"],
        ["Vienna", "100000", "Austria"],
    ]
    assert [*of_groups] == [
        ["key.country.name", "aggregate.count", "aggregate.sum.population"],
        ["Austria", "2", "300000"],
    ]


def test_automatic_documents_work_with_apollo_client(reader: Reader) -> None:
    (block,) = blocks("docs/documents.md", "js")
    (reader.directory / "node_modules").symlink_to(node_packages() / "node_modules")
    assert reader.program("node", ".mjs", block.text) == "Graz Vienna\n"
