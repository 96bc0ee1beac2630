"""Introspection equals that of graphql-core, and does not delay requests for data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest
from graphql import execute_sync, get_introspection_query, parse

from app.graphql.schema.api_schema import ApiSchema
from tests.graphql.conftest import OpenDoor
from tests.graphql.door import Door
from tests.graphql.test_lazy_schema import CHAIN, TABLES, VARIED, read_types

ALL_TYPES = "{ __schema { types { name fields { name } } } }"
UNKNOWN = "query ($a: T1Unknown) { t1Collection(first: $a) { edges { cursor } } }"


@pytest.mark.parametrize(
    "query",
    [
        get_introspection_query(),
        get_introspection_query(specified_by_url=True, input_value_deprecation=True, schema_description=True),
        """{ __schema { __typename all: types { ...T ...T } directives { locations args { type { kind } } } } }
        fragment T on __Type { __typename name fields(includeDeprecated: true) { a: name type { ofType { name } } }
          possibleTypes { name } ... on __Type @skip(if: true) { kind } isOneOf }""",
    ],
)
def test_introspection_equals_that_of_graphql_core(reading_door: OpenDoor, query: str) -> None:
    door = reading_door(VARIED)
    api = door.application.services.engine.role_schemas.of_role("anon")
    expected = execute_sync(api.anew().graphql, parse(query))
    answer = door.ask(query)
    assert not expected.errors
    assert json.dumps(answer.data) == json.dumps(expected.data)


@contextmanager
def held_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Event, list[ApiSchema]]]:
    """While all types are made, until the event is set; with the schemas for which that was done."""
    going_on, started = Event(), list[ApiSchema]()
    anew = ApiSchema.anew

    def wait(api: ApiSchema) -> ApiSchema:
        started.append(api)
        assert going_on.wait(60)
        return anew(api)

    # Making all types takes milliseconds, too short to send requests meanwhile.
    monkeypatch.setattr(ApiSchema, "anew", wait)
    try:
        yield going_on, started
    finally:
        going_on.set()


def chain(open_door: OpenDoor) -> Door:
    door = open_door(CHAIN)
    assert door.ask("{ t0Collection { edges { cursor } } }").data
    return door


@pytest.mark.parametrize("query", [ALL_TYPES, UNKNOWN])
def test_new_documents_are_answered_during_introspection(
    open_door: OpenDoor, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    door = chain(open_door)
    with ThreadPoolExecutor(1) as threads, held_up(monkeypatch) as (going_on, started):
        asked = threads.submit(door.ask, query)
        data = door.ask("{ t7Collection(first: 1) { edges { node { id title } } } }").data
        assert not asked.done()
        going_on.set()
        answer = asked.result(60)
    assert data == {"t7Collection": {"edges": []}}
    assert len(started) == 1
    assert answer.errors if query == UNKNOWN else len(answer.data["__schema"]["types"]) > 10 * TABLES


def test_the_types_that_introspection_needs_are_not_kept(open_door: OpenDoor) -> None:
    door = chain(open_door)
    schema = door.application.services.engine.role_schemas.of_role("anon").graphql
    before = read_types(schema)
    assert len(door.ask(ALL_TYPES).data["__schema"]["types"]) > 10 * TABLES
    assert read_types(schema) == before
    assert door.ask('{ __type(name: "T7") { fields { name } } }').data["__type"]["fields"][0] == {"name": "nodeId"}
    assert len(read_types(schema) - before) < 30


def test_an_unknown_name_makes_all_types_once(open_door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    door = chain(open_door)
    with held_up(monkeypatch) as (going_on, started):
        going_on.set()
        for name in ("T1Unknown", "Nothing", "T1Unknown"):
            answer = door.ask(UNKNOWN.replace("T1Unknown", name))
            assert answer.errors[0]["message"].startswith(f"Unknown type '{name}'.")
        assert len(started) == 1
        known = "query ($f: T9Filter) { t9Collection(filter: $f) { edges { cursor } } }"
        assert door.ask(known).data == {"t9Collection": {"edges": []}}
        assert len(started) == 1
