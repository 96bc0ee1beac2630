"""The pages for newcomers, followed from top to bottom."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.docs.blocks import REPOSITORY, blocks
from tests.pages.reader import Reader
from tests.process.running import open_directory
from tests.sign_in.installing import install_sign_in

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed"),
]
Reading = Callable[..., Reader]


@pytest.fixture
def reading() -> Iterator[Reading]:
    """Makes readers, each in its own directory; all are closed at the end."""
    with open_directory() as directory:
        readers: list[Reader] = []

        def make(database_url: str | None = None) -> Reader:
            readers.append(Reader(directory, database_url))
            return readers[-1]

        yield make
        for reader in readers:
            reader.close()


def size_of_image(path: Path) -> tuple[int, int]:
    with Image.open(path) as image:
        return image.size


@pytest.mark.skipif("TEST_DATABASE_URL" in os.environ, reason="it is for the embedded PostgreSQL")
def test_the_first_five_minutes_work(reading: Reading, tmp_path: Path) -> None:
    reader = reading()
    start, ask, change, compare, sign_up, public, private, store, make, look = blocks(
        "docs/first-five-minutes.md", "sh"
    )
    # demo.sh installs sign-in, too.
    reader.set(PYTHONPATH=f"{install_sign_in(tmp_path)}:{REPOSITORY}")
    token = re.search(r"^Ada's token: (\S+)$", reader.run(start), re.M)
    assert token
    reader.set(ada=token[1])
    cities = json.loads(reader.run(ask))["data"]["cityCollection"]["edges"]
    assert [each["node"]["name"] for each in cities] == ["Shanghai", "Beijing", "Shenzhen"]
    assert json.loads(reader.run(change))["data"]["insertIntoVisitCollection"]["records"][0]["note"] == "Cake"
    hers, everybodys = reader.run(compare).split('}{"data"')
    assert ("Cake" in hers, "Cake" in everybodys) == (True, False)
    assert json.loads(reader.run(sign_up))["data"]["insertIntoVisitCollection"]["records"] == [{"note": "Noodles"}]
    reader.run(public)
    assert [size_of_image(reader.directory / each)[0] for each in ("world.png", "small.webp")] == [1600, 400]
    assert "not found" in reader.run(private)
    assert size_of_image(reader.directory / "kyoto.png") == (600, 600)
    assert "visits/2/postcard.txt" in reader.run(store)
    assert reader.run(make).endswith("Hello from Kyoto\n")
    assert "from public.city" in reader.run(look).lower()


def test_the_demonstration_is_what_demo_sh_serves() -> None:
    """These tests skip the installation that demo.sh does first."""
    assert (REPOSITORY / "demo.sh").read_text().splitlines()[-1] == 'exec "$python" -m app serve --demo "$@"'


def test_the_commands_for_your_own_database_work(reading: Reading, database_url: str) -> None:
    reader = reading(database_url)
    reported = [reader.run(each) for each in blocks("docs/your-database.md", "sh", "sql")]
    assert (Path(reader.directory) / ".env").read_text().count("\n") == 3
    assert any("Portico's objects is installed" in text for text in reported)
    edges = next(json.loads(text) for text in reported if text.startswith('{"data"'))["data"]["articleCollection"][
        "edges"
    ]
    assert edges == [{"node": {"title": "Arches"}}]
    schema, compared = reported[-2:]
    assert "authorId: UUID" in schema
    assert compared.startswith("1 relations, ")
    assert "DIFFERENT" not in compared


def test_the_commands_of_the_readme_work(reading: Reading, database_url: str) -> None:
    reader = reading(database_url)
    # The first two on the page: one is run above, the other runs these tests.
    demo, suite, serve, ask = blocks("README.md", "sh")
    assert (demo.text, suite.text) == ("sh demo.sh\n", "sh test.sh\n")
    reader.run(serve)
    for statements in blocks("README.md", "sql"):
        reader.run(statements)
    assert json.loads(reader.run(ask)) == {"data": {"articleCollection": {"edges": []}}}


def test_the_commands_for_operation_work(reading: Reading, database_url: str) -> None:
    reader = reading(database_url)
    reader.set(DATABASE_URL=database_url)
    reader.shell("portico keys > .env; set -a; . ./.env; portico init")
    reader.shell("portico serve")
    reported = [reader.run(each) for each in blocks("docs/operations.md", "sh")]
    assert json.loads(reported[0].partition("}")[0] + "}") == {"process": "ok", "database": "ok"}
    page = (REPOSITORY / "docs" / "operations.md").read_text()
    names = {_without_suffix(each) for each in re.findall(r"`(portico_\w+)`", page)}
    shown = {_without_suffix(each) for each in re.findall(r"^(?:# TYPE )?(portico_\w+)", reported[1], re.M)}
    # There are no replicas here.
    assert {each for each in names if "_replica_" not in each} == {each for each in shown if "_replica_" not in each}


def _without_suffix(metric: str) -> str:
    """The name without what it has for the kind of its values."""
    return re.sub(r"_(total|bucket|count|sum|created)$", "", metric)
