"""Introspection: how the API describes itself, and pg_graphql's peculiarities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event, Thread
from typing import Any

import pytest
from graphql import FieldNode, GraphQLNamedType, build_client_schema, get_introspection_query, validate_schema

from app.graphql.introspection.description import Describer
from app.graphql.schema.relations import ApiRelation, OwnName
from portico import hookimpl
from tests.graphql.api import Answer, Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_types import shown
from tests.process.running import PATIENCE_S

TABLES = """
create schema other; create schema unasked;
create type mood as enum ('sad', 'ok');
create table account (id int primary key, mood mood, big bigint not null, tags text[]);
create table other.thing (id int primary key, account_id int references account);
create table unasked.stuff (id int primary key);
grant usage on schema other, unasked to anon;
grant select on all tables in schema public, other, unasked to anon;
insert into other.thing values (1, null);
"""
OPTED_IN = """comment on schema public is '@graphql({"introspection": true})';"""
SCHEMAS = ("public", "other", "unasked")
META = {
    f"__{name}"
    for name in ("Directive", "DirectiveLocation", "EnumValue", "Field", "InputValue", "Schema", "Type", "TypeKind")
}
SCALARS = {
    "Int", "Float", "String", "Boolean", "ID", "BigInt", "BigFloat", "UUID", "Date", "Time", "Datetime", "JSON", "Cursor", "Opaque"  # noqa: E501
}  # fmt: skip
LISTED = ("Int", "Float", "String", "Boolean", "UUID", "BigInt", "BigFloat", "Time", "Date", "Datetime")
FILTERS = {f"{name}Filter" for name in SCALARS - {"JSON", "Cursor"}} | {f"{name}ListFilter" for name in LISTED}
ALWAYS = META | SCALARS | FILTERS | {"PageInfo", "FilterIs", "OrderByDirection", "Query", "Node"}
FAMILY = {f"account{suffix}" for suffix in ("", "Edge", "Connection", "Filter", "OrderBy")}


def api_to(reading_api: StartApi, dialect: str, more: str = "", **settings: Any) -> Api:
    return reading_api(TABLES + more, graphql_dialect=dialect, api_schemas=SCHEMAS, **settings)


def type_names(api: Api, **asked: Any) -> list[str]:
    return [each["name"] for each in api.ask("{ __schema { types { name } } }", **asked).data["__schema"]["types"]]


def test_pg_graphql_lists_its_types(reading_api: StartApi) -> None:
    api = api_to(reading_api, "pg_graphql", OPTED_IN)
    found = type_names(api)
    assert set(found) == ALWAYS | FAMILY | {"mood", "moodFilter"}
    assert found == sorted(found)
    assert len(found) == len(set(found))
    assert len(ALWAYS) == 8 + 1 + 14 + 2 + 12 + 10 + 2


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_hidden_objects_keep_their_names(reading_api: StartApi, dialect: str) -> None:
    """Introspection shows the names that queries use, even where something hidden took a name first."""
    names = """
        create table other.pen (id int primary key); create table pen (id int primary key);
        create table other.cap (id int primary key); comment on table other.cap is '@graphql({"name": "capOfOther"})';
        create table cap (id int primary key, account_id int);
        create table box (id int primary key, other int references other.cap, cap_id int references cap);
        comment on constraint box_other_fkey on box is '@graphql({"foreign_name": "cap"})';
        insert into other.cap values (1); insert into cap values (2); insert into box values (1, 1, 2);
        grant select on all tables in schema public, other to anon;
        comment on schema public is '@graphql({"introspection": true})';
        comment on schema other is '@graphql({"introspection": false})';
    """
    api = api_to(reading_api, dialect, names)
    fields = api.ask('{ __type(name: "box") { fields { name type { name } } } }').data["__type"]["fields"]
    (link,) = (each["name"] for each in fields if each["type"]["name"] == "cap")
    assert link == "capByCapId"
    assert api.ask(f"{{ boxByPk(id: 1) {{ cap {{ __typename }} {link} {{ __typename }} }} }}").data == {
        "boxByPk": {"cap": {"__typename": "capOfOther"}, link: {"__typename": "cap"}}
    }
    # If two relations have the same name, only the first is exposed. Here that one is hidden, and the second is still
    # left out.
    assert "pen" not in type_names(api)


@pytest.mark.parametrize("is_hidden", [False, True])
def test_errors_do_not_suggest_hidden_names(reading_api: StartApi, is_hidden: bool) -> None:
    api = reading_api(f"""
        create schema other;
        create type other.grade as enum ('good', 'bad');
        create table account (id int primary key);
        create table other.invoice (id int primary key, account_id int references account, grade other.grade);
        grant usage on schema other to anon;
        grant select on account, other.invoice to anon;
        comment on schema other is '@graphql({{"introspection": {str(not is_hidden).lower()}}})';
    """, api_schemas=("public", "other"))  # fmt: skip
    for query, variables in (
        ("{ invoiceCollectio { edges { cursor } } }", None),
        ("{ accountCollection { edges { node { invoiceCollectio { edges { cursor } } } } } }", None),
        ("{ invoiceCollection(filter: {grade: {eq: goo}}) { edges { cursor } } }", None),
        ("query ($g: grade) { invoiceCollection(filter: {grade: {eq: $g}}) { edges { cursor } } }", {"g": "goo"}),
        ("query ($f: accountFilter) { accountCollection(filter: $f) { __typename } }", {"f": {"invoiceCollectio": {}}}),
    ):  # fmt: skip
        message = api.ask(query, variables).message
        assert ("Did you mean" in message) is not is_hidden, message


def test_the_standard_lists_its_types(reading_api: StartApi) -> None:
    api = api_to(reading_api, "standard")
    others = {
        name + suffix
        for name in ("thing", "stuff")
        for suffix in ("", "Edge", "Connection", "Filter", "OrderBy", "KeyInput", "Column")
    }
    named = {"mood", "moodFilter", "thingManyOrderBy", "thingManyFilter", "thingAggregateFilter"}
    named |= {"accountKeyInput", "accountColumn"}
    assert set(type_names(api)) == ALWAYS | FAMILY | named | others
    hidden = api_to(reading_api, "standard", """comment on schema other is '@graphql({"introspection": false})';""")
    assert not {name for name in type_names(hidden) if name.startswith("thing")}
    assert "stuff" in type_names(hidden)
    assert "account" in type_names(hidden)
    # Hidden types can still be queried.
    query = "{ thingCollection { edges { node { account { id } } } } }"
    assert hidden.ask(query).data == {"thingCollection": {"edges": [{"node": {"account": None}}]}}


def test_schemas_without_opting_in_are_hidden(reading_api: StartApi) -> None:
    off = api_to(reading_api, "pg_graphql")
    answer = off.ask("{ __schema { queryType { name } } thingByPk(id: 1) { id } __typename }")
    assert answer.message == 'Unknown field "__schema" on type Query'
    assert answer.body["data"] == {"thingByPk": {"id": 1}, "__typename": "Query"}
    on = api_to(reading_api, "pg_graphql", OPTED_IN)
    query = '{ __type(name: "%s") { name fields { name } } }'
    assert on.ask(query % "thing").data == {"__type": None}
    assert on.ask(query % "nothing").data == {"__type": None}
    account = [each["name"] for each in on.ask(query % "account").data["__type"]["fields"]]
    assert account == ["nodeId", "id", "mood", "big", "tags"]
    root = [each["name"] for each in on.ask(query % "Query").data["__type"]["fields"]]
    assert [name for name in root if not name.startswith("__")] == ["accountByPk", "accountCollection", "node"]
    assert on.ask("{ thingByPk(id: 1) { id account { id } } }").data == {"thingByPk": {"id": 1, "account": None}}


def test_introspection_describes_a_relation(reading_api: StartApi) -> None:
    for dialect in ("standard", "pg_graphql"):
        api = api_to(reading_api, dialect, OPTED_IN)
        query = """query ($name: String!) { __type(name: $name) { kind name description fields { name args { name
          defaultValue type { ...t } } type { ...t } }
          inputFields { name type { ...t } } interfaces { name } possibleTypes { name } } }
        fragment t on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }"""

        def fields(name: str, api: Api = api, query: str = query) -> dict[str, str]:
            type_ = api.ask(query, {"name": name}).data["__type"]
            return {each["name"]: shown(each["type"]) for each in type_["fields"] or type_["inputFields"]}

        extended = dialect == "standard"
        further = {"countUpTo": "Int!"} if extended else {}
        assert fields("accountConnection") == {"edges": "[accountEdge!]!", "pageInfo": "PageInfo!"} | further
        assert fields("accountEdge") == {"cursor": "String!", "node": "account!"}
        assert fields("PageInfo") == {
            "endCursor": "String", "hasNextPage": "Boolean!", "hasPreviousPage": "Boolean!", "startCursor": "String"
        }  # fmt: skip
        assert fields("Node") == {"nodeId": "ID!"}
        assert list(fields("account"))[:5] == ["nodeId", "id", "mood", "big", "tags"]
        assert fields("account")["big"] == "BigInt!"
        assert fields("account")["tags"] == "[String]"
        query_type = api.ask(query, {"name": "Query"}).data["__type"]
        by_name = {each["name"]: each for each in query_type["fields"]}
        arguments = {each["name"]: shown(each["type"]) for each in by_name["accountCollection"]["args"]}
        assert arguments == {
            "first": "Int", "last": "Int", "before": "Cursor", "after": "Cursor", "offset": "Int",
            "filter": "accountFilter", "orderBy": "[accountOrderBy!]",
            **({"distinctOn": "[accountColumn!]"} if extended else {}),
        }  # fmt: skip
        assert list(arguments)[:7] == ["first", "last", "before", "after", "offset", "filter", "orderBy"]
        assert shown(by_name["accountCollection"]["type"]) == "accountConnection!"
        assert shown(by_name["accountByPk"]["type"]) == "account"
        assert {each["name"]: shown(each["type"]) for each in by_name["accountByPk"]["args"]} == {"id": "Int!"}
        assert {each["name"]: shown(each["type"]) for each in by_name["node"]["args"]} == {"nodeId": "ID!"}
        node = api.ask(query, {"name": "Node"}).data["__type"]
        shown_types = ["account"] if dialect == "pg_graphql" else ["account", "stuff", "thing"]
        assert [each["name"] for each in node["possibleTypes"]] == shown_types
        assert node["kind"] == "INTERFACE"
        assert [each["name"] for each in api.ask(query, {"name": "account"}).data["__type"]["interfaces"]] == ["Node"]


def test_introspection_describes_the_schema(reading_api: StartApi) -> None:
    api = api_to(reading_api, "pg_graphql", OPTED_IN)
    query = """{ __schema { description queryType { name } mutationType { name } subscriptionType { name }
      directives { name locations isRepeatable args { name type { kind ofType { name } } } } } }"""
    assert api.ask(query).data["__schema"] == {
        "description": "Represents the GraphQL schema of the database",
        "queryType": {"name": "Query"},
        "mutationType": None,
        "subscriptionType": None,
        "directives": [
            {
                "name": name,
                "locations": ["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"],
                "isRepeatable": False,
                "args": [{"name": "if", "type": {"kind": "NON_NULL", "ofType": {"name": "Boolean"}}}],
            }
            for name in ("include", "skip")
        ],
    }


def test_pg_graphql_keeps_its_oddities(reading_api: StartApi) -> None:
    api = api_to(reading_api, "pg_graphql", OPTED_IN)
    data = api.ask("""{ __schema { __typename directives { __typename } queryType { __typename } }
      account: __type(name: "account") { __typename interfaces { name } enumValues { name } inputFields { name }
        possibleTypes { name }
        fields { __typename args { __typename } type { __typename name ofType { __typename } } isDeprecated
          deprecationReason } } }""").data
    data |= api.ask("""{ mood: __type(name: "mood") { interfaces { name } fields { name } enumValues {
        __typename name isDeprecated
        deprecationReason } }
      int: __type(name: "Int") { interfaces { name } enumValues { name } fields { name } ofType { name } } }""").data
    assert data["__schema"] == {
        "__typename": "__schema",
        "directives": [{"__typename": "__Directive"}] * 2,
        "queryType": {"__typename": "Query"},
    }
    account = data["account"]
    assert (account["__typename"], account["enumValues"], account["inputFields"], account["possibleTypes"]) == (
        "account",
        [],
        None,
        None,
    )
    assert account["interfaces"] == [{"name": "Node"}]
    assert account["fields"][1] == {
        "__typename": "id", "args": [], "type": {"__typename": None, "name": None, "ofType": {"__typename": "Int"}},
        "isDeprecated": False, "deprecationReason": None,
    }  # fmt: skip
    assert data["mood"] == {
        "interfaces": [],
        "fields": None,
        "enumValues": [
            {"__typename": name, "name": name, "isDeprecated": False, "deprecationReason": None}
            for name in ("sad", "ok")
        ],
    }
    assert data["int"] == {"interfaces": [], "enumValues": [], "fields": None, "ofType": None}


def test_the_standard_has_no_oddities(reading_api: StartApi) -> None:
    api = api_to(reading_api, "standard")
    data = api.ask("""{ __schema { __typename } __type(name: "Int") { __typename interfaces { name } enumValues {
      name } } }""").data
    data |= api.ask("""{ d: __type(name: "OrderByDirection") { enumValues { name } all: enumValues(
        includeDeprecated: true) { name
        isDeprecated deprecationReason } } }""").data
    assert data["__schema"] == {"__typename": "__Schema"}
    assert data["__type"] == {"__typename": "__Type", "interfaces": None, "enumValues": None}
    names = ["AscNullsFirst", "AscNullsLast", "DescNullsFirst", "DescNullsLast"]
    assert [each["name"] for each in data["d"]["enumValues"]] == names
    assert [each["name"] for each in data["d"]["all"]] == [*names, "AscNullFirst"]
    assert data["d"]["all"][-1] == {
        "name": "AscNullFirst",
        "isDeprecated": True,
        "deprecationReason": "Use AscNullsFirst",
    }


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_a_client_can_build_the_schema(reading_api: StartApi, dialect: str) -> None:
    api = api_to(reading_api, dialect, OPTED_IN)
    for options in (
        {},
        {"descriptions": True, "specified_by_url": False, "directive_is_repeatable": True, "schema_description": True},
    ):
        answer = api.ask(get_introspection_query(**options))
        schema = build_client_schema(answer.data)
        assert schema.query_type
        assert "accountCollection" in schema.query_type.fields
        if dialect == "standard":
            assert validate_schema(schema) == []


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_introspection_can_stand_beside_data(reading_api: StartApi, dialect: str) -> None:
    api = api_to(reading_api, dialect, OPTED_IN)
    query = """query ($name: String!, $with: Boolean!) {
      t: __type(name: $name) { ...T kind @include(if: $with) } thingByPk(id: 1) { id } t: __type(name: $name) {
        name } u: __typename }
      fragment T on __Type { name }"""
    for name, with_ in (("account", True), ("account", False), ("mood", True), ("nothing", True)):
        found = api.ask(query, {"name": name, "with": with_}).data
        kind = {"account": "OBJECT", "mood": "ENUM"}.get(name)
        expected = {"name": name, **({"kind": kind} if with_ else {})} if kind else None
        assert found == {"t": expected, "thingByPk": {"id": 1}, "u": "Query"}
        assert list(found) == ["t", "thingByPk", "u"]


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_a_database_without_tables_has_a_schema(reading_api: StartApi, dialect: str) -> None:
    api = reading_api(OPTED_IN, graphql_dialect=dialect)
    fields = api.ask("{ __schema { queryType { fields { name } } types { name } } }").data["__schema"]
    assert [each["name"] for each in fields["queryType"]["fields"]] == ["node"]
    assert {each["name"] for each in fields["types"]} == ALWAYS
    answer = api.ask('{ node(nodeId: "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDFd") { nodeId } }')
    assert answer.message == "Collection referenced by nodeId did not match any known collection"
    assert api.ask("{ __typename }").data == {"__typename": "Query"}


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_nested_introspection_does_not_multiply(reading_api: StartApi, dialect: str) -> None:
    """Fields of types of fields of types multiply the response, so their depth is limited."""
    api = api_to(reading_api, dialect, OPTED_IN)
    query = "{{ __schema {{ types {{ {} name {} }} }} }}".format("fields { type { " * 8, "} }" * 8)
    answer = api.ask(query)
    assert answer.errors
    assert len(str(answer.body)) < 5000


def test_unknown_fields_of_introspection_are_refused(reading_api: StartApi) -> None:
    api = api_to(reading_api, "pg_graphql", OPTED_IN)
    for query in ("{ __schema { x } }", '{ __type(name: "account") { specifiedByUrl } }', "{ __type { name } }"):
        answer = api.ask(query)
        assert answer.errors and answer.status == 200, query  # noqa: PT018
        assert answer.body["data"] is None
    answer = api.ask("{ __schema { x } thingByPk(id: 1) { id } }")
    assert answer.body["data"] == {"thingByPk": {"id": 1}}
    assert "'x'" in answer.message


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_unused_enums_are_listed(start_api: StartApi, dialect: str) -> None:
    api = start_api(
        """comment on schema public is '@graphql({"introspection": true})'; create type unused as enum ('a', 'b');
        create type closed as enum ('c'); revoke usage on type closed from public;
        create table account (id int primary key); grant select on account to anon;""",
        graphql_dialect=dialect,
    )
    found = api.ask('{ __type(name: "unused") { enumValues { name } } }').data["__type"]
    assert found == ({"enumValues": [{"name": "a"}, {"name": "b"}]} if dialect == "pg_graphql" else None)
    assert api.ask('{ __type(name: "closed") { name } }').data["__type"] is None


def test_few_threads_describe_a_schema_at_once(reading_api: StartApi, monkeypatch: pytest.MonkeyPatch) -> None:
    api = reading_api("")
    text, go = Describer.text, Event()

    def text_then(self: Describer, nodes: Sequence[FieldNode], types: Iterable[GraphQLNamedType]) -> Iterator[bytes]:
        go.wait(60)
        return text(self, nodes, types)

    # Holds the descriptions up until all requests have come.
    monkeypatch.setattr(Describer, "text", text_then)
    with ThreadPoolExecutor(4) as threads:
        asked = [
            threads.submit(api.ask, f"{{ __schema {{ types {{ {each} }} }} }}")
            for each in ("name", "kind", "description", "__typename")
        ]
        refused = next(as_completed(asked)).result()
        go.set()
        answers = [each.result() for each in asked]
    assert (refused.code, refused.status) == ("OVERLOADED", 503)
    assert len([each.data for each in answers if each is not refused]) == 3


def test_introspection_and_another_request_make_types_at_once(start_api: StartApi) -> None:
    describing, planning, both = Event(), Event(), Event()

    class Slow:
        """Has the second table's names asked for by a request after introspection has begun, and before it needs them
        too."""

        @staticmethod
        @hookimpl
        def own_type_names_of(relation: ApiRelation) -> list[OwnName]:
            if relation.type_name == "first":
                describing.set()
                planning.wait(1.0)
            if relation.type_name == "second":
                (both if planning.is_set() else planning).set()
                # The other thread gets as far as the same names, unless a lock is in its way.
                both.wait(0.3)
            return []

    api = start_api(
        """
        create schema other; comment on schema other is '@graphql({"introspection": false})';
        create table other.thing (id int primary key);
        create table first (id int primary key);
        create table second (id int primary key, first_id int references first);
        grant usage on schema other to anon; grant select on first, second, other.thing to anon;
        """,
        plugins={"slow": Slow()},
        api_schemas=("public", "other"),
    )
    answers: list[Answer] = []

    def ask(query: str) -> Thread:
        thread = Thread(target=lambda: answers.append(api.ask(query)), daemon=True)
        thread.start()
        return thread

    threads = [ask('{ __type(name: "firstFilter") { inputFields { name } } }')]
    assert describing.wait(PATIENCE_S)
    threads.append(ask("{ secondCollection(filter: {id: {eq: 1}}) { edges { node { id } } } }"))
    for each in threads:
        each.join(PATIENCE_S)
    assert len([each.data for each in answers]) == 2
