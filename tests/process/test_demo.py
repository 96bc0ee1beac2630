"""The demonstration data, and the promises of its banner."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from typing import Any

import falcon.testing
import pytest

from app.demo import demo_banner, load_demo
from app.discovery import configure, plugin_manager
from app.identity.issuing import make_keys
from app.installation import install
from app.settings import Settings
from app.wsgi import create_app
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.skipif("TEST_DATABASE_URL" in os.environ, reason="it is for the embedded PostgreSQL")


@pytest.fixture(scope="module")
def settings(postgres: PostgresServer) -> Settings:
    url = postgres.create_database()
    install(url)
    load_demo(url, lambda _line: None)
    keys = make_keys()
    given = {"database_url": url, "jwt_secret": keys.jwt_secret, "anon_key": keys.anon_key}
    return configure({}, given)[0]


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[falcon.testing.TestClient]:
    application = create_app(settings, plugin_manager())
    yield falcon.testing.TestClient(application.falcon)
    application.close()


def run(client: falcon.testing.TestClient, curl: str) -> Any:
    """The response to the request of a curl command line."""
    words = shlex.split(curl)
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    body = words[words.index("-d") + 1]
    return client.simulate_post("/graphql/v1", headers=headers, body=body).json


def commands(settings: Settings) -> list[str]:
    return re.findall(r"^curl .*(?:\n  .*)*", demo_banner(settings, "http://127.0.0.1:8000"), re.MULTILINE)


def test_the_three_requests_of_the_banner_are_answered(settings: Settings, client: falcon.testing.TestClient) -> None:
    answers = [run(client, curl) for curl in commands(settings)]
    assert len(answers) == 3
    assert not any("errors" in answer for answer in answers), answers
    continents = answers[0]["data"]["continentCollection"]["edges"]
    asia = next(edge["node"] for edge in continents if edge["node"]["name"] == "Asia")
    assert len(continents) == 7
    assert all(country["node"]["cityCollection"]["edges"] for country in asia["countryCollection"]["edges"])
    vienna = answers[1]["data"]["cityCollection"]["edges"][0]["node"]
    assert "Hungary" in str(vienna["country"]["neighbours"])


def test_rows_depend_on_the_caller(settings: Settings, client: falcon.testing.TestClient) -> None:
    visits = commands(settings)[2]
    banner = demo_banner(settings, "http://127.0.0.1:8000")
    tokens = dict(re.findall(r"^(\w+)'s token: (\S+)$", banner, re.MULTILINE))
    anonymous = re.sub(r"  -H 'Authorization: [^']*' \\\n", "", visits)
    bens = visits.replace(tokens["Ada"], tokens["Ben"])
    assert anonymous != visits
    seen = {name: str(run(client, curl)) for name, curl in (("", anonymous), ("Ada", visits), ("Ben", bens))}
    assert [name for name, text in seen.items() if "The surprise for Ben" in text] == ["Ada"]
    assert [name for name, text in seen.items() if "Looked for a flat" in text] == ["Ben"]
    assert all("Best lunch of the year" in text for text in seen.values())


def test_a_table_exists_for_some_only(settings: Settings, client: falcon.testing.TestClient) -> None:
    visits = commands(settings)[2]
    members = (
        visits[: visits.index("-d ")]
        + "-d "
        + shlex.quote(json.dumps({"query": "{memberCollection{edges{node{name}}}}"}))
    )
    assert run(client, members)["data"]["memberCollection"]["edges"][0] == {"node": {"name": "Ada"}}
    anonymous = re.sub(r"  -H 'Authorization: [^']*' \\\n", "", members)
    assert "memberCollection" in run(client, anonymous)["errors"][0]["message"]


def test_it_is_loaded_once(postgres: PostgresServer, settings: Settings) -> None:
    url = settings.database_url or ""
    said: list[str] = []
    load_demo(url, said.append)
    assert said == []
    assert postgres.execute("select count(*), count(distinct country_code) > 200 from city", url) == [[34006, True]]
