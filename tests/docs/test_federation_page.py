"""The page about the federation: each example gives what the page says, and its gateway passes on the caller."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.docs.blocks import REPOSITORY, blocks
from tests.docs.page_examples import EXAMPLE, examples_give
from tests.federation.installing import own_plugin
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES
from tests.packages import node_packages
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S

PAGE = "docs/federation.md"
BONN = {"name": "Bonn", "country": {"name": "Germany"}}


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "federation"))


def test_the_examples_return_their_results(database_url: str, postgres: PostgresServer) -> None:
    shown = blocks("docs/federation.md", "sql", "graphql")
    sdl = composed(database_url, postgres, shown[0].text)
    assert head_of_city() in sdl
    lyon = {"name": "Lyon", "country": {"name": "France"}}
    answers: list[Any] = [
        {"_service": {"sdl": sdl}},
        {"_entities": [lyon, {"name": "Ann"}, BONN, None, BONN]},
    ]
    other = postgres.create_database()
    examples_give(PAGE, shown, answers, other, postgres, plugins=own_plugin())


def composed(database_url: str, postgres: PostgresServer, tables: str) -> str:
    postgres.execute(ROLES + tables, database_url)
    api = Api(database_url, own_plugin())
    try:
        sdl: str = api.ask(EXAMPLE.findall((REPOSITORY / PAGE).read_text())[0][0]).data["_service"]["sdl"]
    finally:
        api.close()
    return sdl


def head_of_city() -> str:
    text = (REPOSITORY / PAGE).read_text()
    return next(line for line in text.splitlines() if line.startswith("type City @key"))


def test_the_gateways_data_source_passes_on_the_token(tmp_path: Path) -> None:
    (source,) = blocks("docs/federation.md", "js")
    (tmp_path / "node_modules").symlink_to(node_packages() / "node_modules")
    (tmp_path / "source.mjs").write_text(source.text)
    (tmp_path / "program.mjs").write_text(
        "import { PassedOn } from './source.mjs';"
        "const request = { http: { headers: new Map() } };"
        "new PassedOn({ url: 'http://127.0.0.1' }).willSendRequest({ request, context: { token: 't' } });"
        "console.log(JSON.stringify([...request.http.headers]))"
    )
    done = subprocess.run(
        ["node", "program.mjs"],
        cwd=tmp_path, env={**os.environ, "ANON_KEY": "k"}, capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.stdout == '[["apiKey","k"],["Authorization","Bearer t"]]\n', done.stderr
