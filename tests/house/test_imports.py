"""Which modules may import which, and what the layers below the features may know about them."""

from __future__ import annotations

from functools import cache

from tests.house.imports import Imports, circles, pairs, read_imports, room_of, upward
from tests.house.words import directives_that_enable, strings_with
from tests.process.running import REPOSITORY

PACKAGES = ("app", "plugins", "portico", "schema_cache")

FLOORS: tuple[tuple[str, ...], ...] = (
    ("schema_cache",),
    (
        "app.bounded_cache",
        "app.distribution",
        "app.errors",
        "app.interrupt",
        "app.packed_text",
        "app.random_uuid",
        "app.settings",
        "app.times",
    ),
    ("app.plugin_guard",),
    ("app.http",),
    ("app.server",),
    ("app.entrances", "app.observation"),
    ("app.identity", "app.embedded"),
    ("app.database.identifiers",),
    ("app.database.wire",),
    ("app.database.url",),
    ("app.database.pool",),
    ("app.database.run",),
    ("app.database",),
    ("app.graphql.values",),
    ("app.graphql.schema",),
    ("app.graphql.documents",),
    ("app.graphql.introspection",),
    ("app.installation", "app.storage.bytes"),
    ("app.query.sql",),
    ("app.query.values",),
    ("app.query.plan",),
    ("app.query.filter",),
    ("app.query.read",),
    ("app.query.group",),
    ("app.query.call",),
    ("app.query.write",),
    ("app.query.write.nested",),
    ("app.storage", "app.documents"),
    ("app.pipeline",),
    ("app.faces.shared",),
    ("app.faces.rest",),
    ("app.faces.direct", "app.faces.images", "app.faces.s3", "app.faces.resumable"),
    ("app.services",),
    ("app.hook_results", "app.hooks", "app.metrics"),
    ("app.discovery",),
    ("app.faces.operations",),
    ("app.faces.graphql",),
    ("app.wsgi",),
    ("app.faces.live",),
    ("app.demo",),
    ("app.verification", "app.testing"),
    ("app.commands",),
    ("plugins.graphql", "plugins.service", "plugins.storage"),
    ("app.cli",),
    ("app.__main__",),
    ("portico",),
)
"""The rooms of the house, the lowest first. A file imports from its own room and from lower floors, nothing else.

A room within another one, such as app.query.sql in app.query, is a room of its own. The server is below all products
and knows none of them. The core of the storage is below its faces: it knows no protocol. ``app.hooks`` names in its
types what a plugin is given, so it is above all of that; plugins are above the commands and nothing imports them: they
are found by their entry points.
"""

HOLDERS = {"app", "app.faces", "app.graphql", "app.query", "plugins"}
"""Packages that only hold rooms."""

FEATURE_WORDS = {"insert", "update", "delete", "aggregate"}
"""Words in the names of the types, fields and messages of single features."""


@cache
def repository() -> Imports:
    return read_imports(REPOSITORY, PACKAGES)


def test_there_is_no_import_cycle() -> None:
    whole = read_imports(REPOSITORY, (*PACKAGES, "bench", "federation", "signin", "studio", "telemetry", "tests"))
    assert [sorted(each) for each in circles(whole)] == []


def test_every_file_is_on_a_layer() -> None:
    rooms = {room for floor in FLOORS for room in floor}
    assert {each for each in repository() if room_of(each, rooms) is None} == HOLDERS


def test_there_is_no_upward_import() -> None:
    assert upward(repository(), FLOORS) == []


def test_no_plugin_imports_another_plugin() -> None:
    between = [f"{one} -> {other}" for one, other in pairs(repository()) if is_plugin(one) and is_plugin(other)]
    assert between == []


def test_the_schema_and_the_query_name_no_feature() -> None:
    words = FEATURE_WORDS | directives_that_enable(REPOSITORY / "plugins")
    found = [
        f"{file.relative_to(REPOSITORY)}: {text}"
        for room in ("graphql", "query")
        for file, text in strings_with(words, REPOSITORY / "app" / room)
    ]
    assert found == []


def is_plugin(module: str) -> bool:
    return module.startswith("plugins.")
