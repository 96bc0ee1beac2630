"""Each hook of the GraphQL API, by a plugin as a stranger writes it: what it adds is in the schema and works."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInt,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLObjectType,
    GraphQLString,
    print_type,
)
from sqlalchemy import func, literal_column, select

from app.commands.notices import left_out
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.name_conflicts import RelationNames
from app.graphql.schema.notices import Notice
from app.graphql.schema.relations import ApiRelation, OwnName
from app.query.call.calls import result_of
from app.query.call.computed_fields import ComputedField
from app.query.read.keys import KEY, KeyPart
from app.query.read.order_terms import ColumnTerm
from app.query.read.ordering import OrderKey
from app.query.read.relationships import Relationship
from app.query.sql.comparison import key_comparison
from portico import (
    ArrayText,
    Directive,
    Fields,
    ItemErrors,
    RequestError,
    Scalar,
    StringText,
    hookimpl,
    json_list,
    scalar_type,
)
from schema_cache.directive_values import Flag
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer

SQL = """
create domain word as text;
create type mood as enum ('calm', 'loud');
create table thing (id int primary key, name text, spot point, said word);
insert into thing values (1, 'a', '(1,2)', 'yes'), (2, 'b', null, null);
create function doubled(thing) returns int stable return $1.id * 2;
create table gone (id int primary key, name text);
insert into gone values (1, 'x'), (2, 'y');
grant all on thing, gone to anon;
comment on table thing is '@graphql({"shout": true})';
comment on schema public is '@graphql({"introspection": true})';
"""
SHOUTED = GraphQLField(GraphQLString, resolve=lambda field, rows: func.upper(rows.column("name")))
THINGS = "{ thingCollection%s { edges { node { id } } } }"


@pytest.fixture(scope="module")
def url(postgres: PostgresServer) -> Iterator[str]:
    made = postgres.create_database(sql=ROLES + SQL)
    yield made
    postgres.drop_database(made)


@pytest.fixture
def api_with(url: str) -> Iterator[Callable[..., Api]]:
    """``api_with(hook=function, ...)``: the API of the shared database, with a plugin of these hooks."""
    opened: list[Api] = []

    def make(**hooks: Callable[..., Any]) -> Api:
        plugin = type("Plugin", (), {name: staticmethod(hookimpl(function)) for name, function in hooks.items()})
        opened.append(Api(url, plugins={"mine": plugin}))
        return opened[-1]

    yield make
    for api in opened:
        api.close()


ApiWith = Callable[..., Api]


def ids(api: Api, arguments: str) -> list[int]:
    data = api.ask(THINGS % arguments).data
    return [edge["node"]["id"] for edge in data["thingCollection"]["edges"]]


def listed(api: Api, name: str) -> str:
    type_ = api.application.services.engine.role_schemas.of_role("anon").graphql.type_map[name]
    return print_type(type_)


def is_first(planning: Any, rows: Any, value: Any) -> Any:
    return rows.column("id") == literal_column("1")


def test_hook_comment_directives(api_with: ApiWith) -> None:
    def shout(relation: Any) -> Fields | None:
        if not relation.directives.get("shout"):
            return None
        return Fields(100, {"loud": SHOUTED})

    api = api_with(comment_directives=lambda: [Directive("relation", "shout", Flag())], node_fields=shout)
    assert api.ask("{ thingByPk(id: 1) { loud } }").data == {"thingByPk": {"loud": "A"}}
    assert api.ask("{ goneByPk(id: 1) { loud } }").code == "GRAPHQL_VALIDATION_FAILED"


def test_hook_value_type(api_with: ApiWith) -> None:
    api = api_with(value_type=lambda api, type_: api.value_type(type_.base) if type_.name == "word" else None)
    assert ids(api, '(filter: {said: {startsWith: "y"}})') == [1]


def test_hook_scalars(api_with: ApiWith) -> None:
    to_text = StringText("Point")
    point = Scalar(scalar_type("Point", to_text, "A place"), to_text, frozenset({"point"}))
    api = api_with(scalars=lambda: [point])
    assert api.ask("{ thingByPk(id: 1) { spot } }").data == {"thingByPk": {"spot": "(1,2)"}}
    assert "  spot: Point\n" in listed(api, "thing")


def test_hook_relation_names(api_with: ApiWith) -> None:
    def names(type_name: str) -> RelationNames:
        return RelationNames(types=("gone",) if type_name == "thing" else ())

    api = api_with(relation_names=names)
    assert api.ask("{ thingByPk(id: 1) { id } }").data == {"thingByPk": {"id": 1}}
    assert api.ask("{ goneByPk(id: 1) { id } }").code == "GRAPHQL_VALIDATION_FAILED"


def names_given(api_with: ApiWith, name: Callable[[ApiRelation], OwnName], **hooks: Any) -> tuple[bool, str]:
    """Whether a request that needs the type with this ``name`` made all types, and its field as it is printed."""

    def fields(api: ApiSchema, relation: ApiRelation) -> Fields:
        said = GraphQLField(GraphQLString, resolve=lambda field, rows: rows.column("id"))
        type_ = api.named(api.own_type_name(*name(relation)), lambda name: GraphQLObjectType(name, {"said": said}))
        return Fields(100, {"extra": GraphQLField(type_, resolve=lambda field, rows: field.json(rows))})

    api = api_with(node_fields=fields, **hooks)
    assert api.ask("{ goneByPk(id: 1) { extra { said } } }").data == {"goneByPk": {"extra": {"said": 1}}}
    thing = api.application.services.engine.role_schemas.of_role("anon").graphql.type_map["thing"]
    return "fields" in vars(thing), next(each for each in listed(api, "gone").splitlines() if "extra" in each)


def test_hook_own_type_names(api_with: ApiWith) -> None:
    def own_name(relation: ApiRelation) -> OwnName:
        return ("extra", relation.relation.oid), "Extra"

    def of_gone(api: ApiSchema) -> list[OwnName]:
        return [own_name(each) for each in api.relations if each.type_name == "gone"]

    def of_all(api: ApiSchema) -> list[OwnName]:
        return [own_name(each) for each in api.relations]

    # Without an announcement the name is given when all types are made, in their order.
    assert names_given(api_with, own_name) == (True, "  extra: Extra_")
    assert names_given(api_with, own_name, own_type_names=of_gone) == (False, "  extra: Extra")
    # If two owners want the name, the first one gets it.
    assert names_given(api_with, own_name, own_type_names=of_all) == (True, "  extra: Extra_")


def test_hook_own_type_names_of(api_with: ApiWith) -> None:
    asked: list[str] = []

    def own_name(relation: ApiRelation) -> OwnName:
        return ("extra", relation.relation.oid), f"{relation.type_name}Extra"

    def of_relation(relation: ApiRelation) -> list[OwnName]:
        asked.append(relation.type_name)
        return [own_name(relation)]

    def of_two(relation: ApiRelation) -> list[OwnName]:
        return [own_name(relation), ("another", f"{relation.type_name}Extra")]

    assert names_given(api_with, own_name, own_type_names_of=of_relation) == (False, "  extra: goneExtra")
    assert asked == ["gone"]
    assert names_given(api_with, own_name, own_type_names_of=of_two) == (True, "  extra: goneExtra")


def test_hook_query_fields(api_with: ApiWith) -> None:
    now = GraphQLField(GraphQLInt, resolve=lambda field, scope: literal_column("6 * 7"))
    api = api_with(query_fields=lambda: Fields(100, {"answer": now}))
    assert api.ask("{ answer }").data == {"answer": 42}


def test_a_root_field_needs_no_database(api_with: ApiWith) -> None:
    """A list of numbers, made of the selected field; as introspection, it is in an operation at most twice."""

    def chunks(field: Any) -> Iterator[bytes]:
        yield b"["
        yield f'1, "{field.key}"'.encode()
        yield b"]"

    numbers = GraphQLField(GraphQLString, extensions={"constant": chunks})
    api = api_with(query_fields=lambda: Fields(100, {"numbers": numbers}))
    things = "thingCollection(first: 1) { edges { node { id } } }"
    for query in ("{ a: numbers }", f"{{ a: numbers {things} }}"):
        assert api.ask(query).data["a"] == [1, "a"]
    assert api.ask("{ a: numbers b: numbers c: numbers }").code == "LIMIT_EXCEEDED"


def test_items_of_a_request_have_their_own_errors(api_with: ApiWith) -> None:
    def odd(values: list[int]) -> dict[int, RequestError]:
        return {at: RequestError("odd", code="ODD", hint="one more") for at, each in enumerate(values) if each % 2}

    def halves(field: Any, scope: None) -> Any:
        given = field.arguments["of"]
        field.planning.item_errors.append(ItemErrors(field.walk.path, given.source, odd))
        values = func.unnest(field.planning.bind(given, ArrayText(str), "integer[]")).alias("value")
        half = literal_column("case value % 2 when 0 then value / 2 end")
        return select(json_list(half)).select_from(values).scalar_subquery()

    of = {"of": GraphQLArgument(GraphQLList(GraphQLInt))}
    api = api_with(query_fields=lambda: Fields(100, {"halves": GraphQLField(GraphQLList(GraphQLInt), of, halves)}))
    query = "query ($of: [Int]) { found: halves(of: $of) }"
    assert api.ask(query, {"of": [2, 4]}).data == {"found": [1, 2]}
    answer = api.ask(query, {"of": [2, 3, 4]})
    assert answer.body == {
        "data": {"found": [1, None, 2]},
        "errors": [{"message": "odd", "path": ["found", 1], "extensions": {"code": "ODD", "hint": "one more"}}],
    }


def test_hook_mutation_fields(api_with: ApiWith) -> None:
    change = GraphQLField(
        GraphQLString, resolve=lambda field, scope: literal_column("set_config('my.word', 'said', true)")
    )
    api = api_with(mutation_fields=lambda: Fields(100, {"say": change}))
    assert api.ask("mutation { say }").data == {"say": "said"}


def test_hook_node_fields(api_with: ApiWith) -> None:
    api = api_with(node_fields=lambda relation: Fields(100, {"shouted": SHOUTED}))
    assert api.ask("{ thingByPk(id: 2) { shouted } }").data == {"thingByPk": {"shouted": "B"}}


def test_a_field_replaces_one_without_a_notice(api_with: ApiWith) -> None:
    for replaces in (True, False):
        named = Fields(100, {"name": SHOUTED}, precedence=2, replaces=replaces)
        api = api_with(node_fields=lambda relation, named=named: named)
        assert api.ask("{ thingByPk(id: 2) { name } }").data == {"thingByPk": {"name": "B"}}
        notices = api.application.services.engine.role_schemas.of_role("anon").notices
        assert any("of two node fields called name" in each.reason for each in notices) is not replaces


def test_hook_column_arguments(api_with: ApiWith) -> None:
    def shortened(field: Any, value: Any, up_to: Any) -> Any:
        return func.left(value, field.planning.bind(up_to, str, "integer"))

    def arguments(type_: Any) -> Fields | None:
        if type_.name != "text":
            return None
        return Fields(100, {"upTo": GraphQLArgument(GraphQLInt, extensions={"part": shortened})})

    api = api_with(column_arguments=arguments)
    asked = "{ thingByPk(id: 1) { name none: name(upTo: 0) all: name(upTo: null) } }"
    assert api.ask(asked).data == {"thingByPk": {"name": "a", "none": "", "all": "a"}}
    assert api.ask("{ thingByPk(id: 1) { id(upTo: 1) } }").code == "GRAPHQL_VALIDATION_FAILED"


def test_hook_advice(api_with: ApiWith) -> None:
    def advice(api: Any, read: Any) -> list[Notice]:
        rows = read("select count(*)::text from gone").decode()
        return [Notice("table public.gone", f"it has {rows} rows")] if "gone" in api.graphql.type_map else []

    findings = left_out(api_with(advice=advice).application.services.engine)
    assert [each.what for each in findings if "it has" in each.what] == ["table public.gone: it has 2 rows"]


def test_hook_relationships(api_with: ApiWith) -> None:
    def relationships(api: Any) -> Mapping[int, Any]:
        thing, gone = (next(each for each in api.relations if each.type_name == name) for name in ("thing", "gone"))
        return {thing.relation.oid: [Relationship("former", thing, gone, (("id", "id"),), ("=",), to_many=False)]}

    api = api_with(relationships=relationships)
    assert api.ask("{ thingByPk(id: 1) { former { id } } }").data == {"thingByPk": {"former": {"id": 1}}}


def test_hook_computed_fields(api_with: ApiWith) -> None:
    def computed(api: Any, relation: Any) -> Mapping[str, ComputedField]:
        (doubled,) = (each for each in api.view.functions if each.name == "doubled")
        result = result_of(api, doubled)
        return {"twice": ComputedField(result, {"filter": True})} if result and relation.type_name == "thing" else {}

    api = api_with(computed_fields=computed)
    assert api.ask("{ thingByPk(id: 1) { twice doubled } }").data == {"thingByPk": {"twice": 2, "doubled": 2}}
    assert ids(api, "(filter: {twice: {eq: 4}})") == [2]


def test_hook_node_interfaces(api_with: ApiWith) -> None:
    def interfaces(api: Any) -> list[GraphQLInterfaceType]:
        fields = {"name": GraphQLField(GraphQLString)}
        return [api.named("Named", lambda name: GraphQLInterfaceType(name, fields))]

    api = api_with(node_interfaces=interfaces)
    assert "type thing implements Named & Node {" in listed(api, "thing")
    query = '{ __type(name: "Named") { possibleTypes { name } } }'
    assert {each["name"] for each in api.ask(query).data["__type"]["possibleTypes"]} == {"thing", "gone"}


def test_hook_connection_fields(api_with: ApiWith) -> None:
    def highest(field: Any, collection: Any) -> Any:
        rows, conditions = collection.all_rows()
        return collection.query(rows, conditions, func.max(rows.column("id"))).scalar_subquery()

    field = GraphQLField(GraphQLInt, resolve=highest)
    api = api_with(connection_fields=lambda relation: Fields(100, {"highest": field}))
    assert api.ask("{ thingCollection(first: 1) { highest } }").data == {"thingCollection": {"highest": 2}}


def test_hook_edge_fields(api_with: ApiWith) -> None:
    field = GraphQLField(
        GraphQLInt, resolve=lambda field, rows: rows.of_row(lambda row: func.pow(row.column("id"), literal_column("2")))
    )
    api = api_with(edge_fields=lambda relation: Fields(100, {"squared": field}))
    edges = api.ask("{ thingCollection { edges { squared node { id } } } }").data["thingCollection"]["edges"]
    assert edges == [{"squared": 1, "node": {"id": 1}}, {"squared": 4, "node": {"id": 2}}]


@pytest.fixture
def counted(url: str, postgres: PostgresServer) -> Iterator[None]:
    postgres.execute('comment on table thing is \'@graphql({"aggregate": {"enabled": true}})\'', url)
    yield
    postgres.execute("comment on table thing is '@graphql({\"shout\": true})'", url)


@pytest.mark.usefixtures("counted")
def test_hook_aggregate_fields(api_with: ApiWith) -> None:
    field = GraphQLField(
        GraphQLInt, resolve=lambda field, rows: func.max(rows.column("id")) - func.min(rows.column("id"))
    )
    api = api_with(aggregate_fields=lambda relation: Fields(100, {"span": field}))
    assert api.ask("{ thingCollection { aggregate { span } } }").data == {"thingCollection": {"aggregate": {"span": 1}}}


@pytest.mark.usefixtures("counted")
def test_hook_group_fields(api_with: ApiWith) -> None:
    field = GraphQLField(GraphQLInt, resolve=lambda field, group: func.sum(group.rows.column("id")))
    api = api_with(group_fields=lambda relation: Fields(100, {"ids": field}))
    found = api.ask("{ thingCollection { groups(by: [{name: Value}]) { ids } } }").data["thingCollection"]["groups"]
    assert found == [{"ids": 1}, {"ids": 2}]


def test_hook_filter_fields(api_with: ApiWith) -> None:
    member = GraphQLInputField(GraphQLBoolean, extensions={"condition": is_first})
    api = api_with(filter_fields=lambda: Fields(100, {"isFirst": member}))
    assert ids(api, "(filter: {not: {isFirst: true}})") == [2]


def test_hook_filter_operators(api_with: ApiWith) -> None:
    def times(planning: Any, compared: Any, operand: Any) -> Any:
        return compared.value == planning.bind(operand, StringText("String"), "int") * literal_column("2")

    def operators(value_type: Any) -> Fields | None:
        member = GraphQLInputField(GraphQLString, extensions={"operator": times})
        return Fields(100, {"isTwice": member}) if value_type.filter == "Int" else None

    assert ids(api_with(filter_operators=operators), '(filter: {id: {isTwice: "1"}})') == [2]


def test_hook_collection_arguments(api_with: ApiWith) -> None:
    argument = GraphQLArgument(GraphQLBoolean, extensions={"condition": is_first})
    api = api_with(collection_arguments=lambda: Fields(100, {"onlyFirst": argument}))
    assert ids(api, "(onlyFirst: true)") == [1]


def test_hook_order_fields(api_with: ApiWith) -> None:
    def fields(api: Any, relation: Any) -> Fields:
        def backwards(value: Any) -> list[OrderKey]:
            column = relation.by_name["id"].column
            return [OrderKey(ColumnTerm(column), key_comparison(api.view, column), descending=True)]

        return Fields(100, {"backwards": GraphQLInputField(GraphQLBoolean, extensions={"order": backwards})})

    assert ids(api_with(order_fields=fields), "(orderBy: [{backwards: true}])") == [2, 1]


def test_hook_insert_fields(api_with: ApiWith) -> None:
    def fields(relation: Any) -> Fields:
        return Fields(100, {"alias": GraphQLInputField(GraphQLString, extensions={"column": relation.by_name["name"]})})

    api = api_with(insert_fields=fields)
    query = 'mutation { insertIntogoneCollection(objects: [{id: 3, alias: "z"}]) { records { name } } }'
    assert api.ask(query).data["insertIntogoneCollection"]["records"] == [{"name": "z"}]


def test_hook_filled_columns(api_with: ApiWith) -> None:
    api = api_with(filled_columns=lambda: {"id"})
    inserted = api.application.services.engine.role_schemas.of_role("anon").graphql.type_map["goneInsertInput"]
    assert str(inserted.fields["id"].type) == "Int"
    answer = api.ask('mutation { insertIntogoneCollection(objects: [{name: "z"}]) { affectedCount } }')
    assert (answer.code, answer.message) == ("BAD_USER_INPUT", "goneInsertInput must have a value for id")


def test_hook_insert_arguments(api_with: ApiWith) -> None:
    def skip(field: Any, statement: Any, value: Any) -> Any:
        return statement.on_conflict_do_nothing()

    argument = GraphQLArgument(GraphQLBoolean, extensions={"alter": skip})
    api = api_with(insert_arguments=lambda: Fields(100, {"skip": argument}))
    query = "mutation { insertIntogoneCollection(objects: [{id: 1}, {id: 4}], skip: true) { affectedCount } }"
    assert api.ask(query).data["insertIntogoneCollection"] == {"affectedCount": 1}


def test_hook_insert_response_fields(api_with: ApiWith) -> None:
    def first(field: Any, inserted: Any) -> Any:
        return func.min(inserted.rows.column("id"))

    made = GraphQLField(GraphQLInt, resolve=first)
    api = api_with(insert_response_fields=lambda: Fields(100, {"firstId": made}))
    query = "mutation { insertIntogoneCollection(objects: [{id: 6}, {id: 5}]) { firstId } }"
    assert api.ask(query).data["insertIntogoneCollection"] == {"firstId": 5}


def test_hook_key_fields(api_with: ApiWith) -> None:
    def fields(api: Any, relation: Any) -> Fields:
        column = relation.by_name["name"]
        part = KeyPart("name", key_comparison(api.view, column.column), column.type.to_text)
        return Fields(100, {"called": GraphQLInputField(GraphQLString, extensions={KEY: (part,)})})

    api = api_with(key_fields=fields)
    assert api.ask('{ goneByKey(key: {called: "y"}) { id } }').data == {"goneByKey": {"id": 2}}


def test_hook_update_arguments(api_with: ApiWith) -> None:
    def shout(field: Any, rows: Any, value: Any) -> Mapping[str, Any]:
        return {"name": func.upper(rows.column("name"))}

    argument = GraphQLArgument(GraphQLBoolean, extensions={"assign": shout})
    api = api_with(update_arguments=lambda: Fields(100, {"shout": argument}))
    query = "mutation { updategoneCollection(set: {}, shout: true, filter: {id: {eq: 1}}) { records { name } } }"
    assert api.ask(query).data["updategoneCollection"]["records"] == [{"name": "X"}]


def test_hook_delete_arguments(api_with: ApiWith) -> None:
    def is_second(planning: Any, rows: Any, value: Any) -> Any:
        return rows.column("id") == literal_column("2")

    argument = GraphQLArgument(GraphQLBoolean, extensions={"condition": is_second})
    api = api_with(delete_arguments=lambda: Fields(100, {"second": argument}))
    query = "mutation { deleteFromgoneCollection(second: true) { records { id } } }"
    assert api.ask(query).data["deleteFromgoneCollection"]["records"] == [{"id": 2}]


def a_mood(api: Any) -> list[Any]:
    return [api.named("Mood", lambda name: GraphQLEnumType(name, {"CALM": None}))]


def test_hook_always_listed_types(api_with: ApiWith) -> None:
    assert listed(api_with(always_listed_types=a_mood), "Mood") == "enum Mood {\n  CALM\n}"


def test_hook_database_types(api_with: ApiWith) -> None:
    assert listed(api_with(database_types=a_mood), "Mood") == "enum Mood {\n  CALM\n}"
