"""Names: from SQL to GraphQL."""

from __future__ import annotations

import pytest

from app.graphql.schema import names
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi


@pytest.mark.parametrize(
    ("name", "override", "inflected", "verbatim"),
    [
        ("account_holder", None, "AccountHolder", "account_holder"),
        ("blog_BY_email", None, "BlogBYEmail", "blog_BY_email"),
        ("accountHolder", None, "AccountHolder", "accountHolder"),
        ("_x", None, "X", "_x"),
        ("__x__y__", None, "XY", "__x__y__"),
        ("a1_b2", None, "A1B2", "a1_b2"),
        ("a1b", None, "A1b", "a1b"),
        ("1a", None, "1a", "1a"),
        ("ALL_CAPS", None, "ALLCAPS", "ALL_CAPS"),
        ("blog posts", None, "Blog Posts", "blog posts"),
        ("blog-posts", None, "Blog-Posts", "blog-posts"),
        ("über_maß", None, "ÜberMaß", "über_maß"),
        ("ß", None, "SS", "ß"),
        ("_", None, "", "_"),
        ("addresses", None, "Addresses", "addresses"),
        ("account_holder", "kept_As_is", "kept_As_is", "kept_As_is"),
    ],
)
def test_base_names_are_inflected(name: str, override: str | None, inflected: str, verbatim: str) -> None:
    assert names.base(name, override, inflect=True) == inflected
    assert names.base(name, override, inflect=False) == verbatim


def test_names_of_fields_and_functions_are_inflected() -> None:
    assert names.field("owner_ID", None, inflect=True) == "ownerID"
    assert names.field("Owner_Id", None, inflect=False) == "Owner_Id"
    assert names.field("URL", None, inflect=True) == "uRL"
    assert names.field("x", "Given_Name", inflect=True) == "Given_Name"
    assert names.function_field("_full_name", None, inflect=True) == "fullName"
    assert names.function_field("_full_name", None, inflect=False) == "full_name"
    assert names.function_field("__full_name", None, inflect=False) == "_full_name"
    assert names.function_field("FullName", None, inflect=False) == "fullName"


@pytest.mark.parametrize(
    ("name", "valid"),
    [("a", True), ("_", True), ("A_1", True), ("1a", False), ("ä", False), ("", False), ("a b", False), ("a\n", False)],
)
def test_valid_names_are_recognized(name: str, valid: bool) -> None:
    assert names.is_valid(name) is valid


def root_fields(api: Api, type_name: str = "Query") -> list[str]:
    return fields(api, type_name)


def fields(api: Api, type_name: str, of: str = "fields") -> list[str]:
    type_ = api.ask(f'{{ __type(name: "{type_name}") {{ {of} {{ name }} }} }}').data["__type"]
    return [each["name"] for each in type_[of]]


TABLES = """
create table blog_post (id int primary key, "ownerId" int, _hidden text, "Äpfel" int, "two words" int, word_1 text);
comment on column blog_post.word_1 is '@graphql({"name": "First_Word", "description": "The first word"})';
create table "Odd" (id int primary key, "ID" int);
create table "with space" (id int primary key);
create table renamed (id int primary key);
comment on table renamed is 'told @graphql({"name": "user_Account", "description": "People (all)"}) untold';
create table "two words" (id int primary key);
comment on table "two words" is '@graphql({"name": "TwoWords"})';
create table bad_override (id int primary key);
comment on table bad_override is '@graphql({"name": "no name"})';
create type current_mood as enum ('a b', 'ok', 'Not_OK', 'true', '1st');
comment on type current_mood is '@graphql({"name": "Feeling", "mappings": {"a b": "a_b", "1st": "first"}})';
create type plain_mood as enum ('x');
create table moods (id int primary key, one current_mood, two plain_mood);
insert into blog_post ("id", word_1) values (1, 'w');
insert into moods values (1, '1st', 'x'), (2, 'a b', null), (3, 'Not_OK', null);
grant select on all tables in schema public to anon;
"""


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_names_are_kept_without_inflection(reading_api: StartApi, dialect: str) -> None:
    sql = """comment on schema public is '@graphql({"introspection": true, "inflect_names": "true"})';""" + TABLES
    api = reading_api(sql, graphql_dialect=dialect)
    # Only exactly true turns inflection on. Sorted by byte order.
    expected = sorted(
        name + suffix
        for name in ("blog_post", "odd", "user_Account", "twoWords", "moods")
        for suffix in ("ByPk", "Collection", *(["ByKey"] if dialect == "standard" else []))
    )
    assert [name for name in root_fields(api) if not name.startswith("__")] == sorted([*expected, "node"])
    assert fields(api, "blog_post") == ["nodeId", "id", "ownerId", "_hidden", "First_Word"]
    assert fields(api, "Odd") == ["nodeId", "id", "ID"]
    assert fields(api, "moodsFilter", "inputFields") == ["id", "one", "two", "nodeId", "and", "or", "not"]
    types = {each["name"] for each in api.ask("{ __schema { types { name } } }").data["__schema"]["types"]}
    for base in ("blog_post", "Odd", "user_Account"):
        assert {base, f"{base}Connection", f"{base}Edge", f"{base}Filter", f"{base}OrderBy"} <= types
    assert {"Feeling", "FeelingFilter", "plain_mood", "plain_moodFilter"} <= types
    described = api.ask('{ __type(name: "user_Account") { description } }').data["__type"]
    assert described == {"description": "People (all)"}
    columns = api.ask('{ __type(name: "blog_post") { fields { name description } } }').data["__type"]["fields"]
    assert {"name": "First_Word", "description": "The first word"} in columns
    data = api.ask(
        '{ blog_postByPk(id: 1) { First_Word } blog_postCollection(filter: {First_Word: {eq: "w"}}, orderBy: [{First_Word: AscNullsLast}]) { edges { cursor } } }'  # noqa: E501
    ).data
    assert data["blog_postByPk"] == {"First_Word": "w"}
    assert len(data["blog_postCollection"]["edges"]) == 1


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_names_are_inflected(reading_api: StartApi, dialect: str) -> None:
    sql = """comment on schema public is '@graphql({"introspection": true, "inflect_names": true})';""" + TABLES
    api = reading_api(sql, graphql_dialect=dialect)
    expected = sorted(
        name + suffix
        for name in ("blogPost", "odd", "user_Account", "twoWords", "moods")
        for suffix in ("ByPk", "Collection", *(["ByKey"] if dialect == "standard" else []))
    )
    assert [name for name in root_fields(api) if not name.startswith("__")] == sorted([*expected, "node"])
    assert fields(api, "BlogPost") == ["nodeId", "id", "ownerId", "hidden", "First_Word"]
    assert fields(api, "Odd") == ["nodeId", "id", "iD"]
    types = {each["name"] for each in api.ask("{ __schema { types { name } } }").data["__schema"]["types"]}
    assert {"BlogPost", "BlogPostConnection", "BlogPostEdge", "BlogPostFilter", "BlogPostOrderBy"} <= types
    assert {"Feeling", "PlainMood", "PlainMoodFilter"} <= types


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_enum_labels_are_mapped(reading_api: StartApi, dialect: str) -> None:
    sql = """comment on schema public is '@graphql({"introspection": true})';""" + TABLES
    api = reading_api(sql, graphql_dialect=dialect)
    # In the order of the enum; in the dialect pg_graphql a label that is not a GraphQL name is left out.
    made = ["true_"] if dialect == "standard" else []
    assert fields(api, "Feeling", "enumValues") == ["a_b", "ok", "Not_OK", *made, "first"]
    data = api.ask("""{ all: moodsCollection(orderBy: [{one: DescNullsLast}]) { edges { cursor node { one } } }
      first: moodsCollection(filter: {one: {in: [first, a_b]}}) { edges { node { id } } }
      not: moodsCollection(filter: {one: {neq: first}}) { edges { node { id } } } }""").data
    assert [edge["node"]["one"] for edge in data["all"]["edges"]] == ["first", "Not_OK", "a_b"]
    # Cursors hold SQL labels: ["1st", 1]
    assert data["all"]["edges"][0]["cursor"] == "WyIxc3QiLCAxXQ=="
    assert [edge["node"]["id"] for edge in data["first"]["edges"]] == [1, 2]
    assert [edge["node"]["id"] for edge in data["not"]["edges"]] == [2, 3]
    page = api.ask(
        '{ moodsCollection(orderBy: [{one: DescNullsLast}], after: "WyIxc3QiLCAxXQ==") { edges { node { id } } } }'
    ).data
    assert [edge["node"]["id"] for edge in page["moodsCollection"]["edges"]] == [3, 2]


ODD_LABELS = {
    "a-1": "a_1_", "a 1": "a_1__", "a_1": "a_1___", "a.1": "a_1", "1st": "_1st", "null": "null__", "null_": "null_",
    "__x": "_x", "--x": "_x_", "": "value", "é": "value_", "+": "value__", "_": "_", "ok": "ok", "bad": "no_name",
}  # fmt: skip


def test_every_enum_label_has_a_value(writing_api: StartApi) -> None:
    """A label that is not a GraphQL name gets a generated one, also for input; a mapping takes precedence."""
    labels = ", ".join(f"'{label}'" for label in ODD_LABELS)
    sql = f"""create type odd as enum ({labels});
        comment on type odd is '@graphql({{"mappings": {{"a.1": "a_1", "bad": "no name"}}}})';
        create table odds (id int generated always as identity primary key, one odd not null);
        grant all on odds to anon;"""
    api = writing_api(sql, f"truncate odds; insert into odds (one) select unnest(array[{labels}]::odd[])")
    expected = list(ODD_LABELS.values())
    assert fields(api, "odd", "enumValues") == expected
    rows = api.ask("{ oddsCollection(orderBy: [{id: AscNullsLast}]) { edges { node { one } } } }").data
    assert [edge["node"]["one"] for edge in rows["oddsCollection"]["edges"]] == expected
    for value in expected:
        found = api.ask(f"{{ oddsCollection(filter: {{one: {{eq: {value}}}}}) {{ edges {{ node {{ one }} }} }} }}").data
        assert found["oddsCollection"]["edges"] == [{"node": {"one": value}}]
    inserted = api.ask(
        "mutation ($o: [oddsInsertInput!]!) { insertIntooddsCollection(objects: $o) { records { one } } }",
        {"o": [{"one": value} for value in expected]},
    ).data
    assert [each["one"] for each in inserted["insertIntooddsCollection"]["records"]] == expected


def test_enum_values_may_be_strings_in_pg_graphql(reading_api: StartApi) -> None:
    api = reading_api(TABLES, graphql_dialect="pg_graphql")
    for value in ('"first"', "first"):
        assert (
            len(
                api.ask(f"{{ moodsCollection(filter: {{one: {{eq: {value}}}}}) {{ edges {{ cursor }} }} }}").data[
                    "moodsCollection"
                ]["edges"]
            )
            == 1
        )
    assert (
        api.ask('{ moodsCollection(filter: {one: {eq: "1st"}}) { edges { cursor } } }').message
        == "Invalid input for Feeling type"
    )


def test_schemas_have_their_own_rules(reading_api: StartApi) -> None:
    """Each schema has its own rules; tables of schemas that are not exposed are left out."""
    api = reading_api(
        """
        create schema other; create schema hidden; create schema unusable;
        comment on schema other is '@graphql({"inflect_names": true, "max_rows": 1})';
        create table public.own_thing (id int primary key);
        create table other.our_thing (id int primary key, own_thing_id int references public.own_thing, hidden_id int);
        create table hidden.secret (id int primary key);
        create table unusable.thing (id int primary key);
        alter table other.our_thing add foreign key (hidden_id) references hidden.secret;
        insert into public.own_thing values (1), (2);
        insert into other.our_thing values (1, 1), (2, 1);
        grant usage on schema other, hidden to anon;
        grant select on all tables in schema public, other, hidden, unusable to anon;
        """,
        api_schemas=("public", "other", "unusable", "nothing"),
    )
    assert [name for name in root_fields(api) if name.endswith("Collection")] == [
        "ourThingCollection",
        "own_thingCollection",
    ]
    assert fields(api, "OurThing") == ["nodeId", "id", "ownThingId", "hiddenId", "own_thing"]
    data = api.ask(
        "{ own_thingCollection { edges { node { id ourThingCollection { edges { node { id } } } } } } }"
    ).data
    assert data["own_thingCollection"]["edges"] == [
        {"node": {"id": 1, "ourThingCollection": {"edges": [{"node": {"id": 1}}]}}},
        {"node": {"id": 2, "ourThingCollection": {"edges": []}}},
    ]


def test_a_schema_gives_its_types_a_prefix(reading_api: StartApi) -> None:
    sql = """
        create schema shop;
        comment on schema shop is '@graphql({"type_prefix": "Shop"})';
        create type shop."Size" as enum ('s', 'm');
        create type shop."Price" as (amount int);
        create table shop."Item" (id int primary key, size shop."Size", price shop."Price");
        create table shop."Order" (id int primary key, item_id int references shop."Item");
        comment on table shop."Order" is '@graphql({"name": "Purchase"})';
        create table public."Item" (id int primary key);
        grant usage on schema shop to anon;
        grant select on all tables in schema public, shop to anon;
        """
    api = reading_api(sql, api_schemas=("public", "shop"))
    assert [name for name in root_fields(api) if name.endswith("Collection")] == [
        "itemCollection", "purchaseCollection", "shopItemCollection",
    ]  # fmt: skip
    assert fields(api, "ShopItem") == ["nodeId", "id", "size", "price", "purchaseCollection"]
    assert fields(api, "ShopPrice") == ["amount"]
    assert api.ask('{ __type(name: "ShopSize") { kind } }').data["__type"] == {"kind": "ENUM"}
    kept = reading_api(sql, api_schemas=("shop",), graphql_dialect="pg_graphql")
    assert kept.ask("{ itemCollection { edges { node { id } } } }").data == {"itemCollection": {"edges": []}}
