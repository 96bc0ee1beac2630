"""Which modules may import which, and what the layers below the features may know about them."""

from __future__ import annotations

from tests.house.imports import Imports, circles, pairs, read_imports, room_of, upward
from tests.house.words import directives_that_enable, strings_with
from tests.process.running import REPOSITORY

PACKAGES = ("app", "plugins", "portico", "schema_cache")

FLOORS: tuple[tuple[str, ...], ...] = (
    ("schema_cache",),
    ("app.bounded_cache", "app.errors", "app.interrupt", "app.http.client", "app.settings"),
    ("app.plugin_guard",),
    ("app.entrances", "app.observation"),
    ("app.identity", "app.embedded"),
    ("app.database",),
    ("app.graphql", "app.installation", "app.storage.bytes"),
    ("app.query", "app.storage", "app.documents"),
    ("app.pipeline", "app.storage.http"),
    ("app.faces.rest", "app.faces.s3"),
    ("app.faces.images",),
    ("app.faces.resumable",),
    ("app.services",),
    ("app.hook_results", "app.hooks", "app.metrics"),
    ("app.discovery",),
    ("app.resources",),
    ("app.wsgi",),
    ("app.server",),
    ("app.faces.live",),
    ("app.demo",),
    ("app.verification",),
    ("app.commands",),
    ("plugins.graphql", "plugins.service", "plugins.storage"),
    ("app.cli",),
    ("app.__main__", "app.testing"),
    ("portico",),
)
"""The rooms of the house, the lowest first. A file imports from its own room and from lower floors, nothing else.

A room within another one, such as app.faces.rest in app.storage, is a room of its own. The core of the storage is
below its faces: it knows no protocol. ``app.hooks`` names in its types what a plugin is given, so it is above all of
that; plugins are above the commands and known by nobody: they are found by their entry points.
"""

HOLDERS = {"app", "plugins"}
"""Packages that only hold rooms."""

FEATURE_WORDS = {"insert", "update", "delete", "aggregate"}
"""What the names of types, fields and messages of single features are made of."""


def repository() -> Imports:
    return read_imports(REPOSITORY, PACKAGES)


def test_no_import_cycle() -> None:
    whole = read_imports(REPOSITORY, (*PACKAGES, "bench", "studio", "telemetry", "tests"))
    assert [sorted(each) for each in circles(whole)] == []


def test_every_file_stands_on_a_floor() -> None:
    rooms = {room for floor in FLOORS for room in floor}
    assert {each for each in repository() if room_of(each, rooms) is None} == HOLDERS


def test_no_import_leads_upward() -> None:
    assert upward(repository(), FLOORS) == []


def test_no_plugin_imports_another_plugin() -> None:
    between = [f"{one} -> {other}" for one, other in pairs(repository()) if is_plugin(one) and is_plugin(other)]
    assert between == []


def test_the_schema_and_the_query_know_no_single_feature() -> None:
    words = FEATURE_WORDS | directives_that_enable(REPOSITORY / "plugins")
    found = [
        f"{file.relative_to(REPOSITORY)}: {text}"
        for room in ("graphql", "query")
        for file, text in strings_with(words, REPOSITORY / "app" / room)
    ]
    assert found == []


def is_plugin(module: str) -> bool:
    return module.startswith("plugins.")
