"""A database not designed for this API: if one relation is unusual, the others are still served."""

from __future__ import annotations

import base64
import json
import logging
import time
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

ODD = r"""
create table ordinary (id int primary key, name text);
insert into ordinary values (1, 'one'), (2, 'two');
-- Names that the API, GraphQL or SQL has a use for.
create table node (id int primary key, node_id int, "nodeId" text);
create table query (id int primary key);
create table "Query" (id int primary key);
create table mutation (id int primary key);
create table "Mutation" (id int primary key);
create table "Subscription" (id int primary key);
create table page_info (id int primary key);
create table "PageInfo" (id int primary key);
create table "Node" (id int primary key);
create table "String" (id int primary key);
create table "Int" (id int primary key);
create table "IntFilter" (id int primary key);
create table "OrderByDirection" (id int primary key);
create table "__Type" (id int primary key);
create table "__hidden" (id int primary key, "__secret" int);
create table "ordinaryEdge" (id int primary key);
create table "Ordinary" (id int primary key);
create table "select" ("from" int primary key, "where" text, "order" int, "limit" text, "user" text, "group" int);
insert into "select" values (1, 'w', 1, 'l', 'u', 1);
-- Names that are not GraphQL names.
create table "with space" (id int primary key);
create table "quo""te" (id int primary key, ordinary_id int references ordinary);
create table "ta'ble" (id int primary key);
create table "пример" (id int primary key);
create table "100%" (id int primary key);
create table "semi;colon--" (id int primary key);
create table "1st" (id int primary key);
create table "a.b" (id int primary key, "c.d" int, "e:f" int, "g%h" int, "i""j" int, "k'l" text, "m\n" int, "{o}"
  int, "$1" int, ":p" int, "%(q)s" int);
insert into "a.b" values (1, 2, 3, 4, 5, 'six', 7, 8, 9, 10, 11);
comment on table "a.b" is '@graphql({"name": "ab"})';
comment on column "a.b"."c.d" is '@graphql({"name": "cd"})'; comment on column "a.b"."e:f" is
  '@graphql({"name": "ef"})';
comment on column "a.b"."g%h" is '@graphql({"name": "gh"})'; comment on column "a.b"."i""j" is
  '@graphql({"name": "ij"})';
comment on column "a.b"."k'l" is '@graphql({"name": "kl"})'; comment on column "a.b"."m\n" is
  '@graphql({"name": "mn"})';
comment on column "a.b"."{o}" is '@graphql({"name": "o"})'; comment on column "a.b"."$1" is '@graphql({"name": "one"})';
comment on column "a.b".":p" is '@graphql({"name": "p"})'; comment on column "a.b"."%(q)s" is '@graphql({"name": "q"})';
create table quoted ("Id" int primary key, "Mixed Case" text, "UPPER" int references quoted, ordinary int
  references ordinary);
insert into quoted values (1, 'm', 1, 2);
comment on table "quo""te" is '@graphql({"name": "quote"})';
insert into "quo""te" values (1, 1);
-- Columns that collide with names that the SQL has.
create table names (id int primary key, position int, count int, "row" int, one int, page_1 int, picked_1 int,
  names_1 int, item int, anon_1 int);
insert into names values (1, 1, 2, 3, 4, 5, 6, 7, 8, 9), (2, 1, 2, 3, 4, 5, 6, 7, 8, 9), (3, 1, 2, 3, 4, 5, 6, 7, 8, 9);
comment on table names is '@graphql({"totalCount": {"enabled": true}})';
create table page_1 (id int primary key, page_1 int references page_1);
insert into page_1 values (1, 1);
create function whole(names) returns int language sql stable as 'select $1.position + $1.count + $1."row"';
-- No key, no columns, only columns that cannot be shown.
create table no_key (id int);
create table no_columns ();
create type composite as (a int, b text);
create table only_composite (c composite, primary key (c));
create table composite_beside (id int primary key, c composite, cs composite[]);
insert into composite_beside values (1, row(1, 'x'), array[row(1, 'x')::composite]);
-- Columns of odd kinds.
create domain email as text check (value like '%@%');
create domain code as varchar(3) not null default 'abc';
create table kinds (id bigint generated always as identity primary key, a int default 1, twice int generated always
  as (a * 2) stored,
  e email, c code, r daterange, m int4multirange, p point, xs int[][], v vector_like, u unknown_enum);
-- Enums called like types of the API.
create table enums (id int primary key, a "Int_", b "Node_", c "OrderBy", d "ordinaryFilter", e "empty", f
  "no names", g "Datetime_", h "UUIDList");
insert into enums (id) values (1);
-- The same GraphQL name from two columns, two tables, a table and a column.
comment on column ordinary.name is '@graphql({"name": "id"})';
create table twins (id int primary key, a int, b int);
comment on column twins.a is '@graphql({"name": "same"})'; comment on column twins.b is '@graphql({"name": "same"})';
insert into twins values (1, 1, 2);
-- Keys of several columns and of odd types.
create table self (id int primary key, parent_id int references self, left_id int references self, right_id int
  references self);
insert into self values (1, 1, 1, 1);
create unlogged table unlogged (id int primary key);
create table inherited (extra int) inherits (ordinary);
create view broken as select 1 / (id - 1) as id from ordinary;
comment on view broken is '@graphql({"primary_key_columns": ["id"]})';
create view uncommented as select * from ordinary;
create rule "_RETURN" as on select to no_columns do instead select 1 as x;
create sequence a_sequence;
create temporary view temporary as select 1 as id;
grant select on all tables in schema public to anon;
"""
TYPES = """
create type vector_like as enum ('a'); create type unknown_enum as enum ('1', '2 3');
create type "Int_" as enum ('a'); create type "Node_" as enum ('a'); create type "OrderBy" as enum ('a');
create type "ordinaryFilter" as enum ('a'); create type "empty" as enum (); create type "no names" as enum ('a');
create type "Datetime_" as enum ('a'); create type "UUIDList" as enum ('a');
comment on type "Int_" is '@graphql({"name": "Int"})'; comment on type "Node_" is '@graphql({"name": "Node"})';
comment on type "OrderBy" is '@graphql({"name": "OrderByDirection"})'; comment on type "Datetime_" is
  '@graphql({"name": "Datetime"})';
"""
# A table cannot be turned into a view any more.
ODD = TYPES + "\n".join(line for line in ODD.splitlines() if "_RETURN" not in line)


@pytest.fixture(params=["standard", "pg_graphql"])
def api(reading_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return reading_api(
        """comment on schema public is '@graphql({"introspection": true})';""" + ODD, graphql_dialect=request.param
    )


def is_standard(api: Api) -> bool:
    return bool(api.application.services.settings.graphql_dialect == "standard")


def names_of(api: Api, what: str) -> set[str]:
    return {
        each["name"]
        for each in api.ask("{ __schema { types { name } queryType { fields { name } } } }").data["__schema"][what]
    }


def root_names(api: Api) -> set[str]:
    fields = api.ask('{ __type(name: "Query") { fields { name } } }').data["__type"]["fields"]
    return {each["name"] for each in fields}


def field_names(api: Api, type_name: str) -> list[str]:
    return [
        each["name"]
        for each in api.ask("query ($n: String!) { __type(name: $n) { fields { name } } }", {"n": type_name}).data[
            "__type"
        ]["fields"]
    ]


def rows(api: Api, field: str, selection: str, arguments: str = "") -> list[Any]:
    data = api.ask(f"{{ {field}{arguments} {{ edges {{ node {{ {selection} }} }} }} }}").data
    return [edge["node"] for edge in data[field]["edges"]]


def test_ordinary_objects_are_served(api: Api) -> None:
    # If two columns have the same field name, the later one is kept.
    assert rows(api, "ordinaryCollection", "id") == [{"id": "one"}, {"id": "two"}]
    assert rows(api, "nodeCollection", "id") == []
    assert rows(api, "page_infoCollection", "id") == []
    assert rows(api, "selectCollection", "from where order limit user group", '(filter: {where: {eq: "w"}}, orderBy: [{order: DescNullsLast}])') == [  # noqa: E501
        {"from": 1, "where": "w", "order": 1, "limit": "l", "user": "u", "group": 1}
    ]  # fmt: skip
    taken = {
        "Query",
        "Mutation",
        "Subscription",
        "PageInfo",
        "Node",
        "String",
        "Int",
        "IntFilter",
        "OrderByDirection",
        "__Type",
    }
    collections = {name for name in root_names(api) if name.endswith("Collection")}
    assert not collections & {
        f"{name[0].lower()}{name[1:]}Collection" for name in taken - {"Node", "Query", "Mutation"}
    }
    assert not {name for name in collections if " " in name or "%" in name}
    assert ("__hiddenCollection" in collections) is (api.application.services.settings.graphql_dialect == "pg_graphql")
    assert not collections & {
        "no_keyCollection",
        "no_columnsCollection",
        "uncommentedCollection",
        "temporaryCollection",
    }


def test_the_first_of_two_with_one_name_is_kept(api: Api) -> None:
    # ordinary came before Ordinary and ordinaryEdge, node before Node.
    assert field_names(api, "ordinary")[:2] == ["nodeId", "id"]
    data = api.ask("{ ordinaryCollection { edges { node { __typename nodeId } } } }").data["ordinaryCollection"][
        "edges"
    ]
    assert data[0]["node"] == {"__typename": "ordinary", "nodeId": "WyJwdWJsaWMiLCAib3JkaW5hcnkiLCAxXQ=="}
    assert field_names(api, "twins") == ["nodeId", "id", "same"]
    assert rows(api, "twinsCollection", "same") == [{"same": 2}]
    assert rows(api, "twinsCollection", "same", "(filter: {same: {eq: 2}})") == [{"same": 2}]


def test_a_column_called_node_id_gives_way_to_the_global_id(api: Api) -> None:
    assert field_names(api, "node")[:3] == ["nodeId", "id", "node_id"]
    described = api.ask("""{ f: __type(name: "nodeFilter") { inputFields { name type { name } } }
      o: __type(name: "nodeOrderBy") { inputFields { name } } }""").data
    assert {"name": "nodeId", "type": {"name": "IDFilter"}} in described["f"]["inputFields"]
    assert described["o"]["inputFields"] == [{"name": "id"}, {"name": "node_id"}]


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_relationships_and_computed_fields_give_way_to_the_global_id(reading_api: StartApi, dialect: str) -> None:
    api = reading_api(
        """comment on schema public is '@graphql({"introspection": true})';
        create table "nodeId" (id int primary key);
        create table t (id int primary key, "nodeId" int, other int references "nodeId");
        create function "nodeId"(t) returns text language sql stable as 'select null::text';
        insert into "nodeId" values (1);
        insert into t values (1, 1, 1);
        grant select on all tables in schema public to anon;""",
        graphql_dialect=dialect,
    )
    assert field_names(api, "t") == ["nodeId", "id", "other", "nodeIdByOther"]
    data = api.ask("{ tCollection { edges { node { nodeId nodeIdByOther { id } } } } }").data
    row = {"nodeId": base64.b64encode(b'["public", "t", 1]').decode(), "nodeIdByOther": {"id": 1}}
    assert data["tCollection"]["edges"] == [{"node": row}]


def test_names_that_need_quotes_work(api: Api) -> None:
    selection = "id cd ef gh ij kl mn o one p q nodeId"
    values = {"id": 1, "cd": 2, "ef": 3, "gh": 4, "ij": 5, "kl": "six", "mn": 7, "o": 8, "one": 9, "p": 10, "q": 11,
              "nodeId": base64.b64encode(b'["public", "a.b", 1]').decode()}  # fmt: skip
    filters = ", ".join(f"{name}: {{eq: {json.dumps(value)}}}" for name, value in values.items() if name != "nodeId")
    orders = ", ".join(f"{{{name}: AscNullsLast}}" for name in values if name != "nodeId")
    assert rows(api, "abCollection", selection) == [values]
    assert rows(api, "abCollection", selection, f"(filter: {{{filters}}}, orderBy: [{orders}], last: 1)") == [values]
    assert rows(api, "quoteCollection", "ordinary { id }") == [{"ordinary": {"id": "one"}}]
    assert rows(api, "ordinaryCollection", "quoteCollection { edges { node { id } } }", "(first: 1)") == [
        {"quoteCollection": {"edges": [{"node": {"id": 1}}]}}
    ]
    # ByPk and nodeId of a mixed-case key.
    data = api.ask("{ quotedByPk(Id: 1) { nodeId UPPER quotedCollection { edges { node { Id } } } } }").data[
        "quotedByPk"
    ]
    assert data == {
        "nodeId": "WyJwdWJsaWMiLCAicXVvdGVkIiwgMV0=",
        "UPPER": 1,
        "quotedCollection": {"edges": [{"node": {"Id": 1}}]},
    }
    assert api.ask('{ node(nodeId: "WyJwdWJsaWMiLCAicXVvdGVkIiwgMV0=") { nodeId } }').data["node"]
    # A column named like the table that it references keeps its name, or the field to the row replaces it.
    found = field_names(api, "quoted")
    if is_standard(api):
        assert found[:4] == ["nodeId", "Id", "UPPER", "ordinary"]
        assert "ordinaryByOrdinary" in found
    else:
        assert found[:4] == ["nodeId", "Id", "UPPER", "quoted"]
        assert "ordinaryByOrdinary" not in found


def test_columns_named_like_parts_of_the_sql_work(api: Api) -> None:
    selection = "edges { cursor node { id position count row one page_1 picked_1 names_1 item anon_1 whole } } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }"  # noqa: E501
    for arguments in ("first: 1", "last: 1", "first: 1, offset: 1", 'after: "WzFd", first: 1', 'before: "WzNd"'):
        page = api.ask(f"{{ namesCollection({arguments}) {{ {selection} }} }}").data["namesCollection"]
        for edge in page["edges"]:
            values = dict(edge["node"])
            assert values.pop("id") in (1, 2, 3)
            assert list(values.values()) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 6]
        assert page["totalCount"] == 3
        assert page["pageInfo"]["startCursor"] == page["edges"][0]["cursor"]
    field, value = ("page_1", 1) if is_standard(api) else ("page_1 { id }", {"id": 1})
    assert rows(
        api,
        "page_1Collection",
        f"{field} page_1Collection(first: 1) {{ pageInfo {{ hasNextPage }} edges {{ node {{ {field} }} }} }}",
    ) == [
        {
            "page_1": value,
            "page_1Collection": {"pageInfo": {"hasNextPage": False}, "edges": [{"node": {"page_1": value}}]},
        }
    ]


def test_unusual_columns_are_shown_or_left_out(api: Api) -> None:
    assert field_names(api, "kinds") == ["nodeId", "id", "a", "twice", "e", "c", "r", "m", "p", "xs", "v", "u"]
    if is_standard(api):
        assert field_names(api, "composite_beside") == ["nodeId", "id", "c", "cs"]
        both = {"c": {"a": 1, "b": "x"}, "cs": [{"b": "x"}]}
        assert rows(api, "composite_besideCollection", "id c { a b } cs { b }") == [{"id": 1, **both}]
    else:
        assert field_names(api, "composite_beside") == ["nodeId", "id"]
        assert rows(api, "composite_besideCollection", "id") == [{"id": 1}]
    assert rows(api, "kindsCollection", "nodeId") == []
    answer = api.ask('{ kindsCollection(filter: {e: {eq: "no mail"}}) { edges { cursor } } }')
    assert "errors" not in answer.body or answer.errors[0]["extensions"]["sqlstate"] == "23514"


def test_enums_named_like_other_types_get_other_names(api: Api) -> None:
    found = set(field_names(api, "enums"))
    assert {"nodeId", "id"} <= found
    fields = api.ask('{ __type(name: "enums") { fields { name type { name kind } } } }').data["__type"]["fields"]
    types = {each["name"]: each["type"]["name"] for each in fields if each["type"]["name"]}
    # An enum cannot have a name that is taken already: its columns are opaque.
    assert {types[name] for name in "abcdg"} == {"Opaque"}
    columns = " ".join(sorted(types))
    assert rows(api, "enumsCollection", columns)[0]["a"] is None
    for column in "abcdg":
        assert rows(api, "enumsCollection", "id", f"(filter: {{{column}: {{is: NULL}}}})") == [{"id": 1}]
    int_filter = api.ask('{ __type(name: "IntFilter") { inputFields { name type { name } } } }').data["__type"][
        "inputFields"
    ]
    assert {"name": "eq", "type": {"name": "Int"}} in int_filter
    extended = api.application.services.engine.role_schemas.of_role("anon").dialect.extended
    assert len(int_filter) == (10 if extended else 8)


def test_self_references_are_fields(api: Api) -> None:
    found = [name for name in field_names(api, "self") if name not in ("nodeId", "id")]
    assert len(found) == 3 + 6
    links = [name for name in found if not name.endswith("_id")]
    for name in links:
        selection = f"{name} {{ edges {{ node {{ id }} }} }}" if "Collection" in name else f"{name} {{ id }}"
        row = rows(api, "selfCollection", selection)[0][name]
        assert row in ({"id": 1}, {"edges": [{"node": {"id": 1}}]})


def test_a_failing_view_reports_its_error(api: Api) -> None:
    answer = api.ask("{ brokenCollection { edges { node { id } } } }")
    assert answer.errors[0]["extensions"]["sqlstate"] == "22012"
    assert answer.body["data"] is None
    assert rows(api, "ordinaryCollection", "id", "(first: 1)") == [{"id": "one"}]


def simplest(type_: Any) -> str:
    """The shortest value of a filter's member that has an effect, if there is one."""
    members = {each["name"] for each in type_["inputFields"] or ()}
    if not members:
        return "true"
    return "{is: NULL}" if "is" in members else "{exists: true}" if "exists" in members else "{}"


def test_every_listed_field_can_be_queried(api: Api) -> None:
    """Each root collection with every scalar field of its rows, filtered by each member and ordered by each column."""
    for name in sorted(root_names(api)):
        if not name.endswith("Collection") or name == "brokenCollection":
            continue
        type_name = api.ask(f"{{ {name} {{ __typename }} }}").data[name]["__typename"].removesuffix("Connection")
        described = api.ask("""query ($n: String!, $f: String!) {
          row: __type(name: $n) { fields { name type { kind name ofType { kind } } } } filter: __type(name: $f) {
            inputFields { name type { name inputFields { name } } } } }""",
          {"n": type_name, "f": f"{type_name}Filter"}).data  # fmt: skip
        scalars = [
            field["name"] for field in described["row"]["fields"]
            if "OBJECT" not in (field["type"]["kind"], (field["type"]["ofType"] or {}).get("kind"))
        ]  # fmt: skip
        filters = ", ".join(
            f"{{{each['name']}: {simplest(each['type'])}}}" for each in described["filter"]["inputFields"]
            if each["type"]["name"] and each["name"] not in ("nodeId", "and", "or", "not")
        )  # fmt: skip
        assert (  # noqa: PT018
            scalars
            and "errors"
            not in api.ask(
                f"{{ {name}(filter: {{or: [{filters}]}}) {{ edges {{ node {{ {' '.join(scalars)} }} }} }} }}"
            ).body
        ), name


def test_the_widest_tables_are_served(reading_api: StartApi) -> None:
    """As many columns as PostgreSQL allows, all selected at once, in a row, a collection and a relationship."""
    columns = 1590
    api = reading_api(
        f"""create table wide (id int primary key, parent_id int references wide, {", ".join(f"c{i} int" for i in
          range(columns))});
        insert into wide (id, parent_id, c0, c{columns - 1}) values (1, 1, 7, 8);
        grant select on wide to anon;""",
        field_limit=20_000, token_limit=20_000,
    )  # fmt: skip
    for count in (49, 50, 51, 100, 101, 201, columns):
        names = [f"c{i}" for i in range(count - 1)] + [f"c{columns - 1}"]
        text = " ".join(names)
        data = api.ask(
            f"{{ wideByPk(id: 1) {{ {text} wideCollection {{ edges {{ node {{ {text} }} }} }} wide {{ {text} }} }} wideCollection {{ edges {{ node {{ {text} }} }} }} }}"  # noqa: E501
        ).data
        expected = {**dict.fromkeys(names), "c0": 7, f"c{columns - 1}": 8}
        assert {name: data["wideByPk"][name] for name in names} == expected
        assert list(data["wideByPk"])[:-2] == names
        assert data["wideByPk"]["wide"] == expected
        assert data["wideByPk"]["wideCollection"]["edges"] == data["wideCollection"]["edges"] == [{"node": expected}]


def test_many_aliases_and_root_fields_are_answered(reading_api: StartApi) -> None:
    api = reading_api(
        "create table t (id int primary key); insert into t values (1); grant select on t to anon;",
        root_field_limit=300,
        alias_limit=3000,
    )
    many = " ".join(f"a{i}: startCursor" for i in range(120))
    data = api.ask(f"{{ tCollection {{ pageInfo {{ {many} }} }} }}").data
    assert set(data["tCollection"]["pageInfo"].values()) == {"WzFd"}
    assert len(data["tCollection"]["pageInfo"]) == 120
    data = api.ask("{{ {} }}".format(" ".join(f"r{i}: tByPk(id: {i}) {{ id }}" for i in range(250)))).data
    assert data["r1"] == {"id": 1}
    assert data["r2"] is None
    assert len(data) == 250
    edges = " ".join(f"e{i}: edges {{ node {{ id }} }}" for i in range(120))
    assert len(api.ask(f"{{ tCollection {{ {edges} }} }}").data["tCollection"]) == 120


@pytest.mark.timing
def test_a_chain_of_a_thousand_tables_is_served(reading_api: StartApi, caplog: pytest.LogCaptureFixture) -> None:
    """The schema of many tables that all refer to the next one is built, in a thread like those that serve requests."""
    count = 1000
    columns = ", ".join(f"c{i} text" for i in range(15))
    api = reading_api(f"""
        do $$ begin
          execute 'create table t0 (id int primary key, {columns})';
          for i in 1..{count - 1} loop
            execute format('create table t%s (id int primary key, next_id int references t%s, {columns})', i, i - 1);
          end loop;
        end $$;
        insert into t0 values (1);
        insert into t1 values (1, 1);
        grant select on all tables in schema public to anon;
    """)
    from concurrent.futures import ThreadPoolExecutor

    began = time.perf_counter()
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(
            api.ask, "{ t1Collection { edges { node { t0 { id t1Collection { edges { node { id } } } } } } } }"
        ).result()
    assert first.data["t1Collection"]["edges"][0]["node"]["t0"] == {
        "id": 1,
        "t1Collection": {"edges": [{"node": {"id": 1}}]},
    }
    built = time.perf_counter() - began
    began = time.perf_counter()
    types = names_of(api, "types")
    introspected = time.perf_counter() - began
    assert len(types) > 5 * count
    caplog.set_level(logging.INFO)
    logging.getLogger("tests").info("1,000 tables: first answer %.2f s, introspection %.2f s", built, introspected)
    # Seconds on a busy machine with two cores; the point is that it does not grow with the square of the tables.
    assert built < 20
    assert introspected < 10


SILENT = """
create table keyless_thing (id int); create table has_key (id int primary key); create view counted as select count(*);
create function shouted(text) returns text language sql stable as 'select upper($1)';
create function twice(n int) returns int language sql stable as 'select $1 * 2';
create function twice(n text) returns text language sql stable as 'select $1 || $1';
create function nothing_much() returns void language sql stable as 'select';
grant all on all tables in schema public to anon, service_role;
"""


EXPOSE = '; {"expose": true} in its comment may make it one: docs/exposed-functions.md'


def test_no_comment_is_recommended_if_functions_cannot_be_exposed(reading_api: StartApi) -> None:
    api = reading_api(SILENT, graphql_features="-exposed_functions")
    for query in ("{ twice }", "{ nothing_much }"):
        message = api.ask(query, role="service_role").message
        assert "it is not a field: " in message
        assert EXPOSE not in message


def test_errors_for_service_role_say_why_something_is_missing(reading_api: StartApi) -> None:
    api = reading_api(SILENT)
    for query, reason in (
        ("{ keyless_thingCollection { __typename } }", "it has no primary key, which identifies rows; add one"),
        ("{ countedCollection { __typename } }", "it has no primary key, which identifies rows; comment it with"),
        ("{ shouted }", "it is not a field: an argument has no name"),
        ("{ twice }", "it is not a field: it has overloads, and a field has only one set of arguments" + EXPOSE),
        ("{ nothing_much }", "it is not a field: it returns void" + EXPOSE),
    ):
        assert f"is not in the API: {reason}" in api.ask(query, role="service_role").message
        assert "is not in the API" not in api.ask(query).message
    assert "is not in the API" not in api.ask("{ nothing }", role="service_role").message
