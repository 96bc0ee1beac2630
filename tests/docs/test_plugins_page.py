"""The page about plugins documents every hook with its docstring, and its examples work."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import requests

import portico
from app import hooks
from app.discovery import plugin_manager
from app.wsgi import create_app
from tests.docs.blocks import blocks
from tests.graphql.api import ANON_KEY, Api
from tests.graphql.conftest import start_api as start_api
from tests.process.running import PATIENCE_S, until
from tests.storage.conftest import own_service as own_service
from tests.storage.conftest import storage_database as storage_database
from tests.storage.service import Service, error

PAGE = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text()


def _specifications() -> list[tuple[str, Callable[..., object]]]:
    classes = [each for name, each in vars(hooks).items() if inspect.isclass(each) and name.endswith("Hooks")]
    return [(name, each) for cls in classes for name, each in vars(cls).items() if not name.startswith("_")]


@pytest.mark.parametrize("name", [name for name, _ in _specifications()])
def test_the_page_documents_each_hook(name: str) -> None:
    specification = dict(_specifications())[name]
    arguments = ", ".join(each for each in inspect.signature(specification).parameters if each != "self")
    assert f"### `{name}({arguments})`\n\n{inspect.getdoc(specification)}\n" in PAGE


def _example(number: int) -> ModuleType:
    plugin = ModuleType("example")
    exec(compile(blocks("docs/plugins.md", "python")[number].text, "docs/plugins.md", "exec"), plugin.__dict__)
    return plugin


def _ask_with(plugin: ModuleType, api: Api, query: str) -> Any:
    api.client.app = create_app(api.application.services.settings, plugin_manager({"example": plugin}))
    try:
        return api.ask(query).data
    finally:
        api.client.app.close()


def test_the_first_example_works(start_api: Callable[..., Api]) -> None:
    api = start_api("create table thing (id int primary key, name text); insert into thing values (1, 'quiet'); "
                     "grant select on thing to anon")  # fmt: skip
    data = _ask_with(_example(0), api, "{ thingCollection { edges { node { name shoutedName } } } }")
    assert data["thingCollection"]["edges"] == [{"node": {"name": "quiet", "shoutedName": "QUIET"}}]


def test_a_domain_is_represented_as_its_base_type(start_api: Callable[..., Api]) -> None:
    api = start_api("create domain word as text; create table thing (id int primary key, name word); "
                     "insert into thing values (1, 'yes'), (2, 'no'); grant select on thing to anon")  # fmt: skip
    query = """{ thingCollection(filter: {name: {startsWith: "y"}}, orderBy: [{name: AscNullsLast}]) {
        edges { node { id name } } } }"""
    data = _ask_with(_example(2), api, query)
    assert data["thingCollection"]["edges"] == [{"node": {"id": 1, "name": "yes"}}]


def test_the_example_with_storage_and_a_route_works(
    own_service: Callable[..., Service], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "house")
    service = own_service(plugins={"example": _example(2)})
    service.sql("insert into storage.buckets (id, name) values ('b', 'b')")
    assert service.upload("b/a.txt").status_code == 200
    assert error(service.upload("b/a.exe"))[3] == "No programs, please"
    until(lambda: "ObjectCreated:Post b/a.txt" in caplog.messages)
    assert requests.get(f"{service.url}/house", timeout=PATIENCE_S).json() == {"rooms": 5}


def test_an_application_is_embedded(start_api: Callable[..., Api]) -> None:
    api = start_api()
    application = _example(3).make_application({"DATABASE_URL": api.database_url, "ANON_KEY": ANON_KEY})
    api.client.app = application
    try:
        assert api.ask("{ __typename }").data == {"__typename": "Query"}
    finally:
        application.close()


def test_the_page_lists_each_public_name() -> None:
    listed = PAGE.partition("## Public names")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(\w+)`", listed.partition("| for | names |")[2])) == set(portico.__all__)
