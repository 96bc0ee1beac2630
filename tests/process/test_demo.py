"""The demonstration data, and the promises of its banner."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import falcon.testing
import pytest
import requests
from PIL import Image

from app.demo.banner import demo_banner
from app.demo.load import load_demo, report_changes
from app.demo.pictures import store_pictures
from app.discovery import configure, plugin_manager
from app.identity.issuing import make_keys
from app.installation.install import install
from app.settings import Settings
from app.wsgi import create_app
from tests.live.streams import Stream, serving_beside
from tests.postgres_server import PostgresServer
from tests.process.conftest import Portico
from tests.process.running import PATIENCE_S, started

pytestmark = pytest.mark.skipif("TEST_DATABASE_URL" in os.environ, reason="it is for the embedded PostgreSQL")

ADDRESS = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def settings(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    url = postgres.create_database()
    install(url)
    load_demo(url, lambda _line: None)
    keys = make_keys()
    given = {"database_url": url, "jwt_secret": keys.jwt_secret, "anon_key": keys.anon_key}
    settings, plugins = configure({}, given | {"data_dir": str(tmp_path_factory.mktemp("demo"))})
    store_pictures(url, settings, plugins, lambda _line: None)
    return settings


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
    return re.findall(r"^curl .*(?:\n  .*)*", demo_banner(settings, ADDRESS), re.MULTILINE)


def test_the_three_requests_of_the_banner_are_answered(settings: Settings, client: falcon.testing.TestClient) -> None:
    answers = [run(client, curl) for curl in commands(settings)]
    assert len(answers) == 3
    assert not any("errors" in answer for answer in answers), answers
    continents = answers[0]["data"]["continentCollection"]["edges"]
    asia = next(edge["node"] for edge in continents if edge["node"]["name"] == "Asia")
    assert len(continents) == 7
    countries = asia["countryCollection"]["edges"]
    assert countries
    assert all(country["node"]["cityCollection"]["edges"] for country in countries)
    vienna = answers[1]["data"]["cityCollection"]["edges"][0]["node"]
    assert "Hungary" in str(vienna["country"]["neighbours"])


def test_the_live_query_of_the_banner_runs_again_after_a_change(
    settings: Settings, client: falcon.testing.TestClient, tmp_path: Path
) -> None:
    url = settings.database_url or ""
    # The service calls this at each start.
    for _ in range(2):
        report_changes(url)
    banner = demo_banner(replace(settings, live=True), ADDRESS)
    (curl,) = re.findall(r"^curl -s -N .*(?:\n  .*)*", banner, re.MULTILINE)
    assert f"curl -s -N {ADDRESS}/graphql/v1/stream " in curl
    words = shlex.split(curl)
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    given = {"JWT_SECRET": settings.jwt_secret or "", "ANON_KEY": settings.anon_key or ""}
    with serving_beside(url, tmp_path, **given) as live:
        asked = requests.post(live.url, words[-1], headers=headers, stream=True, timeout=PATIENCE_S)
        stream = Stream(asked)
        before = stream.data()["visitCollection"]["totalCount"]
        visit = "mutation { insertIntoVisitCollection(objects: [{cityId: 2761369, stars: 5}]) { affectedCount } }"
        added = client.simulate_post("/graphql/v1", headers=headers, json={"query": visit})
        assert "errors" not in added.json, added.json
        assert stream.data()["visitCollection"]["totalCount"] == before + 1
        removed = "mutation { deleteFromVisitCollection(filter: {note: {is: NULL}}, atMost: 1) { affectedCount } }"
        client.simulate_post("/graphql/v1", headers=headers, json={"query": removed})


def test_rows_depend_on_the_caller(settings: Settings, client: falcon.testing.TestClient) -> None:
    visits = commands(settings)[2]
    keys = tokens(settings)
    anonymous = re.sub(r"  -H 'Authorization: [^']*' \\\n", "", visits)
    bens = visits.replace(keys["Ada"], keys["Ben"])
    assert anonymous != visits
    seen = {name: str(run(client, curl)) for name, curl in (("", anonymous), ("Ada", visits), ("Ben", bens))}
    assert [name for name, text in seen.items() if "The surprise for Ben" in text] == ["Ada"]
    assert [name for name, text in seen.items() if "Looked for a flat" in text] == ["Ben"]
    assert all("Best lunch of the year" in text for text in seen.values())


def test_a_table_exists_only_for_roles_with_rights(settings: Settings, client: falcon.testing.TestClient) -> None:
    visits = commands(settings)[2]
    members = (
        visits[: visits.index("-d ")]
        + "-d "
        + shlex.quote(json.dumps({"query": "{memberCollection{edges{node{name}}}}"}))
    )
    assert run(client, members)["data"]["memberCollection"]["edges"][0] == {"node": {"name": "Ada"}}
    anonymous = re.sub(r"  -H 'Authorization: [^']*' \\\n", "", members)
    assert "memberCollection" in run(client, anonymous)["errors"][0]["message"]


def test_the_demonstration_is_loaded_once(postgres: PostgresServer, settings: Settings) -> None:
    url = settings.database_url or ""
    said: list[str] = []
    load_demo(url, said.append)
    assert said == []
    store_pictures(url, settings, plugin_manager(), said.append)
    assert said == []
    assert postgres.execute("select count(*), count(distinct country_code) > 200 from city", url) == [[34006, True]]
    assert postgres.execute("select bucket_id, count(*) from storage.objects group by 1 order by 1", url) == [
        ["maps", 7],
        ["visits", 5],
    ]


def test_the_map_of_the_banner_is_public(settings: Settings, client: falcon.testing.TestClient) -> None:
    links = re.findall(r"^http://127.0.0.1:8000(/storage/v1/\S+)$", demo_banner(settings, ADDRESS), re.MULTILINE)
    pictures = [Image.open(io.BytesIO(client.simulate_get(link).content)) for link in links]
    assert [(each.format, each.width) for each in pictures] == [("PNG", 1600), ("PNG", 800)]


def test_pictures_depend_on_the_rows_that_the_caller_sees(
    postgres: PostgresServer, settings: Settings, client: falcon.testing.TestClient
) -> None:
    """The place of a visit that is not public is a secret, like its row; members add pictures to their own visits."""
    sql = "select city.name, visit.id from visit join city on city.id = city_id"
    visits = dict(postgres.execute(sql, settings.database_url or ""))
    keys = tokens(settings)
    seen = {
        who: [place for place, visit in visits.items() if _status(client, "GET", key, f"{visit}/map.png") == 200]
        for who, key in keys.items()
    }
    assert {who: sorted(places) for who, places in seen.items()} == {
        "": ["Lima", "Nairobi", "Paris"],
        "Ada": ["Kyoto", "Lima", "Nairobi", "Paris"],
        "Ben": ["Lima", "Nairobi", "Oslo", "Paris"],
    }
    own, other = f"{visits['Kyoto']}/temple.txt", f"{visits['Oslo']}/flat.txt"
    added = [_status(client, "POST", keys["Ada"], each, body=b"A picture") for each in (own, other)]
    assert added == [200, 400]


def tokens(settings: Settings) -> dict[str, str]:
    """The anonymous key, and the tokens of the users by their names."""
    banner = demo_banner(settings, ADDRESS)
    return {"": settings.anon_key or ""} | dict(re.findall(r"^(\w+)'s token: (\S+)$", banner, re.MULTILINE))


def _status(client: falcon.testing.TestClient, method: str, key: str, path: str, **options: Any) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    return client.simulate_request(method, f"/storage/v1/object/visits/{path}", headers=headers, **options).status_code


def test_without_studio_the_demonstration_says_how_to_get_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app", "serve", "--demo", "--port", "0", "--workers", "1"]
    with started(command, tmp_path, DATA_DIR=str(tmp_path / "data")) as process:
        assert process.stdout
        text = ""
        while "pip install ./studio" not in text:
            line = process.stdout.readline()
            assert line, text
            text += line
        assert "Ctrl-C stops." in text
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


def test_a_database_elsewhere_gets_the_demonstration_and_keeps_other_tables(
    postgres: PostgresServer, portico: Portico
) -> None:
    variables = {"DATABASE_URL": postgres.create_database(), "JWT_SECRET": make_keys().jwt_secret}
    loaded = portico("demo", **variables)
    assert "Loaded the demonstration data, 34,006 cities" in loaded.stdout, loaded.stderr
    assert "Stored 12 pictures" in loaded.stdout
    assert portico("demo", **variables).stdout == ""
    mine = postgres.create_database(sql="create table mine (id int); grant select on mine to public")
    refused = portico("demo", DATABASE_URL=mine)
    assert (refused.returncode, "other tables, such as mine" in refused.stderr) == (1, True)
    assert postgres.execute("select to_regnamespace('graphql')", mine) == [[None]]
    assert "set DATABASE_URL" in portico("demo").stderr
