"""Introspection equals that of graphql-core, and does not delay requests for data."""

from __future__ import annotations

import gc
import gzip
import json
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest
from graphql import GraphQLNamedType, execute_sync, get_introspection_query, parse

from app.graphql.schema.api_schema import ApiSchema
from app.packed_text import LEAST
from tests.graphql.api import ANON_KEY, Api
from tests.graphql.conftest import StartApi
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
def test_introspection_equals_that_of_graphql_core(reading_api: StartApi, query: str) -> None:
    api = reading_api(VARIED)
    role_schema = api.application.services.engine.role_schemas.of_role("anon")
    expected = execute_sync(role_schema.anew().graphql, parse(query))
    answer = api.ask(query)
    assert not expected.errors
    assert json.dumps(answer.data) == json.dumps(expected.data)


@contextmanager
def held_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Event, list[ApiSchema]]]:
    """While all types are made, until the event is set; with the schemas for which that was done."""
    going_on, started = Event(), list[ApiSchema]()
    anew = ApiSchema.anew

    def wait(role_schema: ApiSchema) -> ApiSchema:
        started.append(role_schema)
        assert going_on.wait(60)
        return anew(role_schema)

    # Making all types takes milliseconds, too short to send requests meanwhile.
    monkeypatch.setattr(ApiSchema, "anew", wait)
    try:
        yield going_on, started
    finally:
        going_on.set()


def chain(start_api: StartApi) -> Api:
    api = start_api(CHAIN)
    assert api.ask("{ t0Collection { edges { cursor } } }").data
    return api


@pytest.mark.parametrize("query", [ALL_TYPES, UNKNOWN])
def test_new_documents_are_answered_during_introspection(
    start_api: StartApi, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    api = chain(start_api)
    with ThreadPoolExecutor(1) as threads, held_up(monkeypatch) as (going_on, started):
        asked = threads.submit(api.ask, query)
        data = api.ask("{ t7Collection(first: 1) { edges { node { id title } } } }").data
        assert not asked.done()
        going_on.set()
        answer = asked.result(60)
    assert data == {"t7Collection": {"edges": []}}
    assert len(started) == 1
    assert answer.errors if query == UNKNOWN else len(answer.data["__schema"]["types"]) > 10 * TABLES


def test_the_types_that_introspection_needs_are_not_kept(start_api: StartApi) -> None:
    api = chain(start_api)
    schema = api.application.services.engine.role_schemas.of_role("anon").graphql
    before = read_types(schema)
    assert len(api.ask(ALL_TYPES).data["__schema"]["types"]) > 10 * TABLES
    assert read_types(schema) == before
    assert api.ask('{ __type(name: "T7") { fields { name } } }').data["__type"]["fields"][0] == {"name": "nodeId"}
    assert len(read_types(schema) - before) < 30


def test_a_description_of_any_length_is_kept(start_api: StartApi, monkeypatch: pytest.MonkeyPatch) -> None:
    api = start_api(CHAIN, plan_cache_entries=1)
    with held_up(monkeypatch) as (going_on, started):
        going_on.set()
        first = api.ask(get_introspection_query())
        assert api.ask("{ t0Collection { edges { cursor } } }").data
        assert api.ask(get_introspection_query()).data == first.data
    assert len(json.dumps(first.data)) > 10 * LEAST
    assert len(started) == 1


def test_a_long_description_can_stand_beside_other_fields(start_api: StartApi) -> None:
    api = chain(start_api)
    alone = api.ask(ALL_TYPES)
    beside = api.ask(f"{{ n: __typename {ALL_TYPES[1:-1]} t0Collection {{ edges {{ cursor }} }} }}").data
    body = json.dumps({"query": f"{{ n: __typename {ALL_TYPES[1:-1]} m: __typename }}"})
    headers = {"apiKey": ANON_KEY, "Content-Type": "application/json", "Accept-Encoding": "gzip"}
    constant = api.client.simulate_post("/graphql/v1", body=body, headers=headers)
    assert beside["__schema"] == alone.data["__schema"]
    assert json.loads(gzip.decompress(constant.content))["data"] == {"n": "Query", **alone.data, "m": "Query"}
    assert constant.headers["Content-Encoding"] == "gzip"


def test_types_are_freed_once_they_are_described(start_api: StartApi) -> None:
    role_schema = chain(start_api).application.services.engine.role_schemas.of_role("anon").passing()
    gc.disable()
    try:
        living: list[weakref.ref[GraphQLNamedType]] = []
        most = 0
        for type_ in role_schema.each_type():
            living = [each for each in living if each() is not None]
            living.append(weakref.ref(type_))
            most = max(most, len(living))
        assert most < len(role_schema.graphql.type_map) / 3
    finally:
        gc.enable()


def test_each_type_is_found_once(reading_api: StartApi) -> None:
    role_schema = reading_api(VARIED).application.services.engine.role_schemas.of_role("anon")
    names = [each.name for each in role_schema.passing().each_type()]
    assert sorted(names) == sorted(role_schema.anew().graphql.type_map)


def test_an_unknown_name_makes_all_types_once(start_api: StartApi, monkeypatch: pytest.MonkeyPatch) -> None:
    api = chain(start_api)
    with held_up(monkeypatch) as (going_on, started):
        going_on.set()
        for name in ("T1Unknown", "Nothing", "T1Unknown"):
            answer = api.ask(UNKNOWN.replace("T1Unknown", name))
            assert answer.errors[0]["message"].startswith(f"Unknown type '{name}'.")
        assert len(started) == 1
        known = "query ($f: T9Filter) { t9Collection(filter: $f) { edges { cursor } } }"
        assert api.ask(known).data == {"t9Collection": {"edges": []}}
        assert len(started) == 1
