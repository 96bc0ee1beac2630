"""Each member that an extension's types bring works wherever the extension is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from graphql import GraphQLEnumType, GraphQLInputObjectType, GraphQLList, GraphQLNonNull, get_named_type

from tests.graphql.conftest import OpenDoor
from tests.graphql.door import Door
from tests.graphql.test_operators import types_of
from tests.postgres_server import PostgresServer
from tests.system_postgres import server_with

COLUMNS = {
    "citext": ("a citext, b citext[]", "'x', '{y}'"),
    "hstore": ("a hstore, b hstore[]", "'x => 1', array['y => 2'::hstore]"),
    "ltree": ("a ltree, b ltree[]", "'x.y', '{x}'"),
    "pg_trgm": ("a text, b text[]", "'x', '{y}'"),
    "postgis": ("a geometry, b geometry(point, 4326), c geography(point)", "'point(1 2)', 'srid=4326;point(1 2)', 'point(1 2)'"),
    "unaccent": ("a text, b varchar(9)", "'x', 'y'"),
    "vector": ("a vector(2), b halfvec(2)", "'[1,2]', '[1,2]'"),
}  # fmt: skip
SCHEMA = """
create schema "Odd one";
grant usage on schema "Odd one" to anon;
create extension {extension} schema "Odd one";
set search_path = public, "Odd one";
create table item (id int primary key, {columns});
insert into item values (1, {values});
{more}
grant select on item to anon;
comment on table item is '@graphql({{"search": {{"columns": ["a"], "config": "{config}"}}, "aggregate": {{"enabled": true}}}})';
"""
WITHOUT_ACCENTS = """
create text search configuration "Odd one".plain (copy = simple);
alter text search configuration "Odd one".plain alter mapping for word with "Odd one".unaccent, simple;
"""
ON = {"value_types": "geo,ltree,vector", "features": "operators,search"}
POINT = {"type": "Point", "coordinates": [1, 2]}
VALUES: dict[str, Any] = {
    "BigInt": "1", "Boolean": True, "FilterIs": "NOT_NULL", "Float": 1.5, "GeoJSON": POINT, "Int": 1, "Ltree": "x.y",
    "Opaque": "x=>1", "String": "x", "Vector": [1, 2],
}  # fmt: skip
DEEPEST = 3


def examples(type_: Any, deepest: int = DEEPEST) -> Iterator[Any]:
    """A value of an input type for each member that it has, and each below."""
    if isinstance(type_, GraphQLNonNull):
        yield from examples(type_.of_type, deepest)
    elif isinstance(type_, GraphQLList):
        yield from ([each] for each in examples(type_.of_type, deepest))
    elif isinstance(type_, GraphQLInputObjectType):
        yield from _objects(type_, deepest)
    else:
        yield next(iter(type_.values)) if isinstance(type_, GraphQLEnumType) else VALUES[type_.name]


def _objects(type_: GraphQLInputObjectType, deepest: int) -> Iterator[dict[str, Any]]:
    members = type_.fields
    needed = {name: next(examples(each.type)) for name, each in members.items() if isinstance(each.type, GraphQLNonNull)}
    if needed:
        yield needed
    for name, each in members.items():
        if name not in needed and (deepest or not isinstance(get_named_type(each.type), GraphQLInputObjectType)):
            yield from ({**needed, name: value} for value in examples(each.type, deepest - 1))


@pytest.fixture(scope="module", params=COLUMNS)
def door(request: pytest.FixtureRequest, postgres: PostgresServer) -> Iterator[Door]:
    with server_with(request.param, postgres) as server:
        yield from ()


def test_each_member_works_in_an_odd_schema(reading_door: OpenDoor, extension: str) -> None:
    pass
