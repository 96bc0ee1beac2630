"""`_service`: the role's schema with the directives of the federation."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from graphql import (
    DocumentNode,
    NamedTypeNode,
    ObjectTypeDefinitionNode,
    TypeDefinitionNode,
    Visitor,
    parse,
    print_ast,
    visit,
)

from app.installation.scripts import install_script
from app.installation.version import VERSION
from tests.graphql.api import Api
from tests.postgres_server import PostgresServer

Start = Callable[..., Api]

SCHEMA = """
create type mood as enum ('glad', 'sad');
create type place as (x int, y int);
create table country (code text primary key, name text not null, mood mood, place place);
create table city (
  id int primary key, name text not null, country_code text references country, twin uuid unique, founded date unique,
  tags text[] unique, unique (name, country_code)
);
create table note (id int primary key, body text, city_id int references city);
create table log (line text);
create function shout(city) returns text language sql stable as 'select upper($1.name)';
create function latest() returns int language sql stable as 'select 1';
insert into country values ('DE', 'Germany', 'glad', (1, 2));
insert into city values (1, 'Bonn', 'DE');
grant select, insert on all tables in schema public to anon;
"""
LINK = "https://specs.apollo.dev/federation/v2."


class Subgraph:
    """The definitions of a subgraph by name."""

    def __init__(self, api: Api) -> None:
        self.sdl: str = api.ask("{ _service { sdl } }").data["_service"]["sdl"]
        self.document: DocumentNode = parse(self.sdl)
        self.types = {
            each.name.value: each for each in self.document.definitions if isinstance(each, TypeDefinitionNode)
        }

    def directives(self, type_name: str, field: str | None = None) -> list[str]:
        node = self.types[type_name]
        assert hasattr(node, "fields")
        of = node if field is None else next(each for each in node.fields if each.name.value == field)
        return [print_ast(each) for each in of.directives or ()]

    def fields(self, type_name: str) -> set[str]:
        node = self.types[type_name]
        assert isinstance(node, ObjectTypeDefinitionNode)
        return {each.name.value for each in node.fields or ()}


@pytest.fixture
def subgraph(reading: Start) -> Callable[[str], Subgraph]:
    return lambda sql="": Subgraph(reading(SCHEMA + sql))


def test_each_key_of_a_row_is_a_key(subgraph: Callable[..., Subgraph]) -> None:
    found = subgraph()
    assert found.directives("city") == [
        '@key(fields: "id")', '@key(fields: "twin")', '@key(fields: "founded")',
        '@key(fields: "name country_code")', '@key(fields: "nodeId")',
    ]  # fmt: skip
    assert found.directives("country") == ['@key(fields: "code")', '@key(fields: "nodeId")']
    assert found.sdl.startswith(f'extend schema @link(url: "{LINK}')


def test_rows_belong_to_one_subgraph_and_other_objects_to_any(subgraph: Callable[..., Subgraph]) -> None:
    found = subgraph()
    objects = {name for name, node in found.types.items() if isinstance(node, ObjectTypeDefinitionNode)}
    assert {"PageInfo", "cityConnection", "place"} <= objects
    for name in objects - {"Query", "Mutation", "city", "country", "note"}:
        assert found.directives(name) == ["@shareable"], name
    assert found.directives("Query") == found.directives("Mutation") == []


def test_the_gateways_own_parts_are_left_out(subgraph: Callable[..., Subgraph]) -> None:
    found = subgraph()
    assert not {"_Any", "_Entity", "_Service", "Node"} & set(found.types)
    assert not {"_service", "_entities", "node"} & found.fields("Query")
    assert "nodeId" in found.fields("city")
    assert " implements " not in found.sdl


class _UsedTypes(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def enter_named_type(self, node: NamedTypeNode, *_: object) -> None:
        self.names.add(node.name.value)


def test_all_references_are_defined(subgraph: Callable[..., Subgraph]) -> None:
    for sql in ("", LEFT_OUT, HIDDEN):
        found = subgraph(sql)
        used = _UsedTypes()
        visit(found.document, used)
        assert used.names - set(found.types) == {"Int", "String", "Boolean", "ID"}
        assert len(used.names) > 30


LEFT_OUT = """
comment on table country is '@graphql({"unfederated": true})';
comment on column city.twin is '@graphql({"unfederated": true})';
comment on function latest() is '@graphql({"unfederated": true})';
"""


def test_types_and_fields_are_left_out(subgraph: Callable[..., Subgraph], reading: Start) -> None:
    found = subgraph(LEFT_OUT)
    assert [name for name in found.types if name.startswith("country") or name == "place"] == []
    assert not {"country", "twin"} & found.fields("city")
    assert "twin" not in " ".join(found.directives("city"))
    assert not {name for name in found.fields("Query") if name.startswith("country") or name == "latest"}
    assert "country:" not in print_ast(found.types["cityFilter"])
    # Clients that ask the service itself have all of it, and no subgraph refers to the rows.
    api = reading(SCHEMA + LEFT_OUT)
    assert api.ask("{ latest countryCollection { edges { node { code } } } }").data["latest"] == 1
    query = "query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }"
    assert api.ask(query, {"r": [{"__typename": "country", "code": "DE"}]}).message.startswith('"country" is no entity')


HIDDEN = """
comment on table country is '@graphql({"inaccessible": true})';
comment on column city.twin is '@graphql({"inaccessible": true, "tags": ["internal", "a \\"b\\""]})';
comment on column city.name is '@graphql({"shareable": true, "override": "old"})';
comment on table note is '@graphql({"shareable": true, "tags": ["x"]})';
comment on function shout(city) is '@graphql({"override": "old", "inaccessible": true})';
comment on function latest() is '@graphql({"shareable": true})';
"""


def test_comments_apply_directives(subgraph: Callable[..., Subgraph]) -> None:
    found = subgraph(HIDDEN)
    assert found.directives("city", "twin") == ["@inaccessible", '@tag(name: "internal")', '@tag(name: "a \\"b\\"")']
    assert found.directives("city", "name") == ["@shareable", '@override(from: "old")']
    assert found.directives("city", "shout") == ["@inaccessible", '@override(from: "old")']
    assert found.directives("Query", "latest") == ["@shareable"]
    assert found.directives("note")[-2:] == ["@shareable", '@tag(name: "x")']


def test_an_inaccessible_type_hides_the_fields_that_lead_to_it(subgraph: Callable[..., Subgraph]) -> None:
    found = subgraph(HIDDEN)
    assert "@inaccessible" in found.directives("country")
    for name in ("countryConnection", "countryEdge", "countryFilter", "countryInsertInput"):
        assert "@inaccessible" in found.directives(name), name
    assert found.directives("city", "country") == ["@inaccessible"]
    assert found.directives("cityFilter", "country") == ["@inaccessible"]
    for name in ("countryCollection", "countryByPk", "countryByKey"):
        assert found.directives("Query", name) == ["@inaccessible"], name
    assert found.directives("Query", "cityCollection") == []


def test_a_prefix_keeps_the_types_of_two_subgraphs_apart(subgraph: Callable[..., Subgraph]) -> None:
    named = """comment on schema public is '@graphql({"type_prefix": "Shop", "inflect_names": true})';
    comment on table note is '@graphql({"name": "Remark"})';"""
    found = subgraph(named)
    assert {"ShopCity", "ShopCountry", "ShopMood", "ShopPlace", "Remark", "ShopCityConnection"} <= set(found.types)
    assert not {"City", "ShopNote", "ShopRemark"} & set(found.types)
    assert {"shopCityCollection", "remarkCollection", "latest"} <= found.fields("Query")


def test_an_id_is_of_the_type_id(subgraph: Callable[..., Subgraph]) -> None:
    found = subgraph("comment on column city.id is '@graphql({\"id\": true})'")
    city = print_ast(found.types["city"])
    assert "  id: ID!" in city
    assert '@key(fields: "id")' in city


def test_a_hidden_schema_is_not_shown(start: Start) -> None:
    hidden = "comment on schema public is '@graphql({\"introspection\": false})';"
    found = start(SCHEMA + hidden).ask("{ _service { sdl } }").data["_service"]["sdl"]
    assert "city" not in found
    api = start("create table city (id int primary key); grant select on city to anon", graphql_features=["none"])
    assert "_service" in api.ask("{ _service { sdl } }").message


def test_the_schema_follows_the_database(start: Start, postgres: PostgresServer) -> None:
    api = start(SCHEMA + install_script(VERSION))
    assert "population" not in Subgraph(api).sdl
    postgres.execute("alter table city add population int", api.database_url)
    assert "population" in Subgraph(api).sdl


def test_the_schema_is_described_once_in_a_request(reading: Start) -> None:
    api = reading(SCHEMA)
    assert api.ask("{ a: _service { x: sdl __typename } b: _service { sdl } }").data["a"]["__typename"] == "_Service"
    assert api.ask("{ _service { a: sdl b: sdl } }").code == "LIMIT_EXCEEDED"
    assert api.ask("{ a: _service { sdl } b: _service { sdl } c: _service { sdl } }").code == "LIMIT_EXCEEDED"


def test_a_schema_without_rows_has_no_entities(start: Start) -> None:
    api = start("create function latest() returns int language sql stable as 'select 1'")
    assert Subgraph(api).fields("Query") == {"latest"}
    assert "_entities" in api.ask("{ _entities(representations: []) { __typename } }").message


def test_each_role_has_its_own_subgraph(start: Start) -> None:
    api = start(SCHEMA + "revoke select on note from anon; grant select on note to authenticated;")
    assert "note" not in Subgraph(api).types
    as_user = api.ask("{ _service { sdl } }", role="authenticated").data["_service"]["sdl"]
    assert "type note " in as_user


def test_the_dialect_of_pg_graphql_has_no_subgraph(start: Start) -> None:
    api = start(SCHEMA, graphql_dialect="pg_graphql")
    assert 'Unknown field "_service"' in api.ask("{ _service { sdl } }").message
