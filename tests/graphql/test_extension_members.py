"""Each member that extensions add works, in any schema in which they are installed: one document for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from graphql import GraphQLEnumType, GraphQLInputObjectType, GraphQLList, GraphQLNonNull, get_named_type

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_operators import types_of
from tests.postgres_server import PostgresServer

SCHEMA = """
create schema "Odd one";
grant usage on schema "Odd one" to anon;
create extension %s schema "Odd one";
set search_path = public, "Odd one";
create table item (id int primary key, %s);
insert into item values (1, %s);
grant select on item to anon;
comment on table item is '@graphql({"aggregate": {"enabled": true}})';
"""
ITEMS = {
    "citext": ("a citext, b citext[]", "'x', '{x}'"),
    "hstore": ("a hstore, b hstore[]", "'x => 1', array['x => 1'::hstore]"),
    "ltree": ("a ltree, b ltree[]", "'x', '{x}'"),
    "pg_trgm": ("a text, b varchar(9), c text[]", "'x', 'x', '{x}'"),
    "postgis": (
        "a geometry, b geometry(point, 4326), c geography(point), d geometry[]",
        "'srid=4326;point(1 2)', 'srid=4326;point(1 2)', 'point(1 2)', array['srid=4326;point(1 2)'::geometry]",
    ),
    "vector": ("a vector(2), b halfvec(2)", "'[1,2]', '[1,2]'"),
}
CONFIGURED = """
create text search configuration "Odd one".plain (copy = simple);
alter text search configuration "Odd one".plain alter mapping for word with "Odd one".unaccent, simple;
comment on table item is '@graphql({"search": {"columns": ["a"], "config": "\\"Odd one\\".plain"}})'
"""
SETTINGS = {"value_types": "geo,ltree,vector"}
VALUES: dict[str, Any] = {
    "Boolean": True, "Float": 1.5, "GeoJSON": {"type": "Point", "coordinates": [1, 2]}, "ID": "", "Int": 1,
    "Ltree": "x", "Opaque": "x=>1", "String": "x", "Vector": [1, 2],
}  # fmt: skip
EXPECTED = {
    "citext": {"eq", "in", "lt", "contains", "like", "distinctFrom", "not"},
    "hstore": {"eq", "in", "distinctFrom"},
    "ltree": {"ancestorOf", "descendantOf", "matches", "lt", "eq"},
    "pg_trgm": {"similar", "wordSimilar"},
    "postgis": {"intersects", "within", "contains", "withinDistance", "eq", "to"},
    "vector": {"to", "by", "eq", "distinctFrom"},
}
"""Some of the members that each extension brings, by its name."""
ARGUMENTS = ("filter", "near", "orderBy")


def examples(type_: Any, deepest: int = 3) -> Iterator[Any]:
    """A value of an input type for each of its members, down to a depth."""
    if isinstance(type_, GraphQLNonNull):
        yield from examples(type_.of_type, deepest)
    elif isinstance(type_, GraphQLList):
        yield from ([each] for each in examples(type_.of_type, deepest))
    elif isinstance(type_, GraphQLInputObjectType):
        yield from _objects(type_, deepest)
    else:
        yield next(iter(type_.values)) if isinstance(type_, GraphQLEnumType) else VALUES[type_.name]


def _objects(type_: GraphQLInputObjectType, deepest: int) -> Iterator[dict[str, Any]]:
    needed = {
        name: next(examples(each.type)) for name, each in type_.fields.items() if isinstance(each.type, GraphQLNonNull)
    }
    if needed:
        yield needed
    for name, each in type_.fields.items():
        if name not in needed and (deepest or not isinstance(get_named_type(each.type), GraphQLInputObjectType)):
            yield from (needed | {name: value} for value in examples(each.type, deepest - 1))


def members_of(value: Any) -> set[str]:
    """The names in a value of an input type."""
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {name for each in below for name in members_of(each)} | set(value if isinstance(value, dict) else ())


def tried(api: Api) -> set[str]:
    """Reads with each example of each argument; the names of the members that were in one."""
    field = types_of(api)["Query"].fields["itemCollection"]
    names: set[str] = set()
    for argument in ARGUMENTS:
        if argument not in field.args:
            continue
        type_ = field.args[argument].type
        query = f"query ($v: {type_}) {{ itemCollection({argument}: $v) {{ edges {{ node {{ id }} }} }} }}"
        for value in examples(type_):
            if "nodeId" not in members_of(value):
                answer = api.ask(query, {"v": value})
                assert "errors" not in answer.body, (value, answer.body["errors"])
                names |= members_of(value)
    return names


@pytest.fixture(scope="module", params=ITEMS)
def extension(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def postgres(extension: str, postgres_with: Callable[[str], PostgresServer]) -> PostgresServer:
    return postgres_with(extension)


def test_each_member_can_be_used(extension: str, reading_api: StartApi) -> None:
    columns, values = ITEMS[extension]
    assert tried(reading_api(SCHEMA % (extension, columns, values), **SETTINGS)) >= EXPECTED[extension]


@pytest.mark.parametrize("extension", ["unaccent"], indirect=True)
def test_a_search_can_use_a_configuration_of_the_extension(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA % ("unaccent", "a text", "'caf\u00e9'") + CONFIGURED)
    query = '{ itemCollection(filter: {search: {plain: "cafe"}}) { edges { node { id } } } }'
    assert api.ask(query).data == {"itemCollection": {"edges": [{"node": {"id": 1}}]}}
