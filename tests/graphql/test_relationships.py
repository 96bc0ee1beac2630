"""Relationships: which exist, their names in either dialect, their types, and where they lead."""

from __future__ import annotations

import random

import pytest
from graphql import print_schema

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_types import INTROSPECT, shown

INFLECTED = """comment on schema public is '@graphql({"inflect_names": true, "introspection": true})';"""
PLAIN = """comment on schema public is '@graphql({"introspection": true})';"""
SHOP = """
create table country (id int primary key, name text);
create table person (
  id int primary key, country_id int not null references country, boss_id int references person, birth_country int
    references country);
create table passport (person_id int primary key references person, number text);
create table visa (id int primary key, holder_id int unique references person (id), passport_id int references
  passport (person_id));
create table maybe (id int primary key, person_id int references person);
create unique index on maybe (person_id) where id > 5;
create table expression (id int primary key, person_id int references person);
create unique index on expression ((person_id % 2));
create table stop (line int, number int, name text, primary key (line, number));
create table trip (id int primary key, line int, number int, other_line int, other_number int,
  foreign key (line, number) references stop, foreign key (other_line, other_number) references stop);
create table schedule (line int, number int, minute int, primary key (line, number), foreign key (line, number)
  references stop);
insert into country values (1, 'A'), (2, 'B');
insert into person values (1, 1, null, 2), (2, 1, 1, null), (3, 2, 1, 1);
insert into passport values (1, 'p1');
insert into visa values (1, 1, 1), (2, 2, null);
insert into maybe values (1, 1), (2, 1);
insert into stop values (1, 1, 's11'), (1, 2, 's12'), (2, 1, 's21');
insert into trip values (1, 1, 1, 2, 1), (2, 1, 1, null, null), (3, 1, null, 1, 1);
insert into schedule values (1, 1, 5);
grant select on all tables in schema public to anon;
"""


def fields(api: Api, type_name: str) -> dict[str, str]:
    """The fields of a type that are relationships."""
    described = api.ask(INTROSPECT % type_name).data["__type"]["fields"]
    scalars = ("ID", "Int", "Date", "String", "BigInt", "UUID", "Opaque")
    types = {each["name"]: shown(each["type"]) for each in described}
    return {name: type_ for name, type_ in types.items() if type_.rstrip("!") not in scalars}


def test_relationships_are_named_after_tables(reading_api: StartApi) -> None:
    """In the standard dialect: after the table; if two would have one name, both after their columns."""
    api = reading_api(INFLECTED + SHOP)
    assert fields(api, "Person") == {
        "country": "Country",
        "person": "Person",
        "countryByBirthCountry": "Country",
        "personCollection": "PersonConnection",
        "passport": "Passport",
        "visa": "Visa",
        "maybeCollection": "MaybeConnection",
        "expressionCollection": "ExpressionConnection",
    }
    assert fields(api, "Country") == {
        "personCollectionByCountryId": "PersonConnection",
        "personCollectionByBirthCountry": "PersonConnection",
    }
    assert fields(api, "Visa") == {"person": "Person", "passport": "Passport"}
    assert fields(api, "Passport") == {"person": "Person", "visaCollection": "VisaConnection"}
    assert fields(api, "Trip") == {"stopByLineAndNumber": "Stop", "stopByOtherLineAndOtherNumber": "Stop"}
    assert fields(api, "Stop") == {
        "tripCollectionByLineAndNumber": "TripConnection",
        "tripCollectionByOtherLineAndOtherNumber": "TripConnection",
        "schedule": "Schedule",
    }
    assert fields(api, "Schedule") == {"stop": "Stop"}


def test_relationships_are_named_after_columns_in_pg_graphql(reading_api: StartApi) -> None:
    """In pg_graphql: after the column without its suffix; fields to rows that must exist are NonNull."""
    api = reading_api(INFLECTED + SHOP, graphql_dialect="pg_graphql")
    assert fields(api, "Person") == {
        # country_id is NOT NULL, and no row level security hides a country.
        "country": "Country!",
        "boss": "Person",
        "countryByBirthCountry": "Country",
        "personCollection": "PersonConnection",
        "passport": "Passport",
        "visa": "Visa",
        "maybeCollection": "MaybeConnection",
        "expressionCollection": "ExpressionConnection",
    }
    # The key is single and its column ends in _id, so the way back bears its name: a quirk.
    assert fields(api, "Passport") == {"person": "Person!", "visaCollection": "VisaConnection"}
    assert fields(api, "Visa") == {"holder": "Person", "passport": "Passport"}
    assert fields(api, "Schedule") == {"stop": "Stop!"}


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_a_self_reference_has_fields_in_both_directions(reading_api: StartApi, dialect: str) -> None:
    api = reading_api(
        PLAIN
        + """
        create table thing (id int primary key, above int references thing, twin int unique references thing);
        insert into thing values (1, null, null), (2, 1, 1), (3, 1, 2);
        grant select on thing to anon;
        """,
        graphql_dialect=dialect,
    )
    above = {
        "standard": {"thingByAbove": "thing", "thingCollectionByAbove": "thingConnection"},
        "pg_graphql": {"thing": "thing", "thingCollection": "thingConnection"},
    }
    assert fields(api, "thing") == {"thingByTwin": "thing", "thingWithTwin": "thing", **above[dialect]}
    data = api.ask("{ thingByPk(id: 2) { thingByTwin { id } thingWithTwin { id } } }").data
    assert data == {"thingByPk": {"thingByTwin": {"id": 1}, "thingWithTwin": {"id": 3}}}


def test_names_are_kept_without_inflection(reading_api: StartApi) -> None:
    sql = (
        PLAIN
        + """
        create table "Parent" (id int primary key, "otherId" int);
        create table child_table (id int primary key, "parentId" int references "Parent", parent_id int references
          "Parent");
        grant select on all tables in schema public to anon;
    """
    )
    standard = reading_api(sql)
    assert fields(standard, "child_table") == {"parent": "Parent", "parentByParentId": "Parent"}
    assert fields(standard, "Parent") == {
        "child_tableCollectionByparentId": "child_tableConnection",
        "child_tableCollectionByparent_id": "child_tableConnection",
    }
    peer = reading_api(sql, graphql_dialect="pg_graphql")
    assert fields(peer, "child_table") == {"parent": "Parent", "parentByParentId": "Parent"}


KEYS = (
    "alter table page add foreign key (author_id) references users",
    "alter table page add foreign key (editor_id) references users",
    "alter table page add foreign key (parent_id) references page",
    "alter table page add foreign key (owner) references users",
    "alter table users add foreign key (home_id) references page",
    "alter table users add foreign key (mentor_id) references users",
    "alter table badge add foreign key (user_id) references users",
    "alter table badge add foreign key (giver_id) references users",
)
TABLES = """
create table users (id int primary key, home_id int unique, mentor_id int unique);
create table page (id int primary key, author_id int, editor_id int, parent_id int, owner int, author text);
create table badge (id int primary key, user_id int unique, giver_id int);
grant select on users, page to anon, authenticated;
grant select (id, user_id) on badge to anon; grant select on badge to authenticated;
"""


def test_names_follow_from_the_schema_alone(start_api: StartApi) -> None:
    """Names do not depend on the order in which keys are created, or on which of them a role may read."""
    printed = set()
    for seed in range(6):
        keys = random.Random(seed).sample(KEYS, len(KEYS))
        schemas = start_api(PLAIN + TABLES + ";".join(keys)).application.services.engine.role_schemas
        printed.add(print_schema(schemas.of_role("authenticated").graphql))
        of_all = schemas.of_role("authenticated").graphql.type_map["users"].fields  # type: ignore[attr-defined]
        of_some = schemas.of_role("anon").graphql.type_map["users"].fields  # type: ignore[attr-defined]
        assert set(of_all) - set(of_some) == {"badgeCollectionByGiverId"}
        assert {name: str(each.type) for name, each in of_some.items()}.items() <= {
            name: str(each.type) for name, each in of_all.items()
        }.items()
    assert len(printed) == 1


def test_two_keys_to_one_table_are_named_by_their_columns(reading_api: StartApi) -> None:
    api = reading_api(INFLECTED + TABLES + ";".join(KEYS))
    assert fields(api, "Page") == {
        # The stripped name is a column's, so the whole column is in it.
        "usersByAuthorId": "Users",
        "editor": "Users",
        "usersByOwner": "Users",
        "page": "Page",
        "pageCollection": "PageConnection",
        "usersWithHomeId": "Users",
    }
    assert fields(api, "Users") == {
        "home": "Page",
        "mentor": "Users",
        "usersWithMentorId": "Users",
        "pageCollectionByAuthorId": "PageConnection",
        "pageCollectionByEditorId": "PageConnection",
        "pageCollectionByOwner": "PageConnection",
        "badgeWithUserId": "Badge",
    }


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_a_relation_that_is_left_out_takes_no_names(reading_api: StartApi, dialect: str) -> None:
    """If two relations have the same type name, a role sees one of them, so the fields that lead to them may share a
    name."""
    sql = """
      create schema another;
      create table lab (id int primary key);
      create table request (id int primary key, lab_id int references lab);
      create table another.request (id int primary key, lab_id int references lab);
      insert into lab values (1);
      insert into request values (2, 1);
      insert into another.request values (3, 1);
      comment on schema public is '@graphql({"introspection": true})';
      comment on schema another is '@graphql({"introspection": true})';
      grant usage on schema another to anon, authenticated;
      grant select on lab to anon, authenticated;
      grant select on request to anon;
      grant select on another.request to anon, authenticated;
    """
    api = reading_api(sql, graphql_dialect=dialect, api_schemas=("another", "public"))
    assert fields(api, "lab") == {"requestCollection": "requestConnection"}
    for role, id_ in ("anon", 2), ("authenticated", 3):
        query = "{ labCollection { edges { node { requestCollection { edges { node { id } } } } } } }"
        (lab,) = api.ask(query, role=role).data["labCollection"]["edges"]
        assert lab["node"]["requestCollection"]["edges"] == [{"node": {"id": id_}}], role


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_comments_name_relationships(reading_api: StartApi, dialect: str) -> None:
    sql = (
        INFLECTED
        + """
        create table account (id int primary key);
        create table blog (id int primary key, owner_id int references account, editor_id int unique references
          account);
        comment on constraint blog_owner_id_fkey on blog is
          '@graphql({"foreign_name": "author", "local_name": "blogs"})';
        comment on constraint blog_editor_id_fkey on blog is
          'x @graphql({"foreign_name": "checker", "local_name": "checks"}) y';
        grant select on all tables in schema public to anon;
    """
    )
    api = reading_api(sql, graphql_dialect=dialect)
    assert fields(api, "Blog") == {"author": "Account", "checker": "Account"}
    assert fields(api, "Account") == {"blogs": "BlogConnection", "checks": "Blog"}


SPACED = """
create table person (id int primary key);
create table letter (id int primary key, "From Id" int references person, "to who" int references person,
  constraint both_ways foreign key (id) references person);
comment on constraint both_ways on letter is '@graphql({"foreign_name": "the person", "local_name": "the-letter"})';
create table trip (id int primary key, "Boss Id" int references person, "1Id" int references letter);
create table pair ("a b" int references person, "c-d" int references person, primary key ("a b", "c-d"));
comment on table pair is '@graphql({"junction": true})';
insert into person values (1), (2);
insert into letter values (1, 2, 1);
insert into pair values (1, 2);
create function said(person) returns int language sql stable as 'select 1';
comment on function said(person) is '@graphql({"name": "what he said", "filter": true, "orderBy": true})';
grant select on all tables in schema public to anon;
"""


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_columns_and_comments_may_have_names_that_graphql_does_not_know(reading_api: StartApi, dialect: str) -> None:
    """They are neither in the types of rows nor in those of filters, orders and inserts, all of which stay valid."""
    api = reading_api(PLAIN + SPACED, graphql_dialect=dialect)
    of_trip = {"person": "person", "letter": "letter"}
    assert fields(api, "trip") == of_trip
    first, second = ("personByFromId", "personByToWho") if dialect == "standard" else ("person", "personByToWho")
    assert fields(api, "letter").keys() - {"tripCollection"} == {first, second}
    data = api.ask(f"{{ letterCollection {{ edges {{ node {{ {first} {{ id }} {second} {{ id }} }} }} }} }}").data
    assert data["letterCollection"]["edges"] == [{"node": {first: {"id": 2}, second: {"id": 1}}}]
    backwards = {name for name in fields(api, "person") if name.startswith(("letter", "person"))}
    if dialect == "pg_graphql":
        assert backwards == {"letterCollection", "letterCollectionByToWho"}
        return
    through = {"personCollectionBypairAb", "personCollectionBypairCd"}
    assert backwards == {"letterCollectionByFromId", "letterCollectionByToWho", *through}
    data = api.ask("""{ personCollection(
      filter: {letterCollectionByFromId: {exists: true}}, orderBy: [{letterCollectionByToWho: {count: AscNullsLast}}]
    ) { edges { node { id personCollectionBypairAb { edges { node { id } } } } } } }""").data
    expected = {"id": 2, "personCollectionBypairAb": {"edges": [{"node": {"id": 1}}]}}
    assert data["personCollection"]["edges"] == [{"node": expected}]


def test_relationships_lead_to_their_rows(reading_api: StartApi) -> None:
    api = reading_api(INFLECTED + SHOP)
    query = """{ personCollection { edges { node { id country { name } countryByBirthCountry { name } person { id }
      passport { number visaCollection { edges { node { id } } } } visa { id passport { number } }
      maybeCollection(orderBy: [{id: DescNullsLast}]) { edges { node { id person { id } } } } } } } }"""
    assert [edge["node"] for edge in api.ask(query).data["personCollection"]["edges"]] == [
        {
            "id": 1,
            "country": {"name": "A"},
            "countryByBirthCountry": {"name": "B"},
            "person": None,
            "passport": {"number": "p1", "visaCollection": {"edges": [{"node": {"id": 1}}]}},
            "visa": {"id": 1, "passport": {"number": "p1"}},
            "maybeCollection": {
                "edges": [{"node": {"id": 2, "person": {"id": 1}}}, {"node": {"id": 1, "person": {"id": 1}}}]
            },
        },
        {
            "id": 2,
            "country": {"name": "A"},
            "countryByBirthCountry": None,
            "person": {"id": 1},
            "passport": None,
            "visa": {"id": 2, "passport": None},
            "maybeCollection": {"edges": []},
        },
        {
            "id": 3,
            "country": {"name": "B"},
            "countryByBirthCountry": {"name": "A"},
            "person": {"id": 1},
            "passport": None,
            "visa": None,
            "maybeCollection": {"edges": []},
        },
    ]


def test_keys_of_several_columns_lead_to_their_rows(reading_api: StartApi) -> None:
    api = reading_api(INFLECTED + SHOP)
    query = """{ stopCollection { edges { node { name schedule { minute }
      tripCollectionByLineAndNumber { edges { node { id stopByOtherLineAndOtherNumber { name } } } }
      tripCollectionByOtherLineAndOtherNumber { edges { node { id stopByLineAndNumber { name } } } } } } } }"""
    assert [edge["node"] for edge in api.ask(query).data["stopCollection"]["edges"]] == [
        {
            "name": "s11",
            "schedule": {"minute": 5},
            "tripCollectionByLineAndNumber": {
                "edges": [
                    {"node": {"id": 1, "stopByOtherLineAndOtherNumber": {"name": "s21"}}},
                    {"node": {"id": 2, "stopByOtherLineAndOtherNumber": None}},
                ]
            },
            # One column of a composite key is null: no stop.
            "tripCollectionByOtherLineAndOtherNumber": {"edges": [{"node": {"id": 3, "stopByLineAndNumber": None}}]},
        },
        {
            "name": "s12",
            "schedule": None,
            "tripCollectionByLineAndNumber": {"edges": []},
            "tripCollectionByOtherLineAndOtherNumber": {"edges": []},
        },
        {
            "name": "s21",
            "schedule": None,
            "tripCollectionByLineAndNumber": {"edges": []},
            "tripCollectionByOtherLineAndOtherNumber": {
                "edges": [{"node": {"id": 1, "stopByLineAndNumber": {"name": "s11"}}}]
            },
        },
    ]


def test_related_rows_have_pages(reading_api: StartApi) -> None:
    api = reading_api(INFLECTED + SHOP)
    query = """{ countryCollection { edges { node { name
      a: personCollectionByCountryId(first: 1) { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage
        startCursor endCursor } }
      b: personCollectionByCountryId(first: 1, after: "WzFd") { edges { node { id } }
        pageInfo { hasNextPage hasPreviousPage } }
      c: personCollectionByCountryId(last: 1) { edges { node { id } } pageInfo { hasNextPage hasPreviousPage } }
      d: personCollectionByCountryId(first: 1, offset: 1) { edges { node { id } } pageInfo { hasPreviousPage } }
      e: personCollectionByCountryId(filter: {bossId: {is: NOT_NULL}}, orderBy: [{id: DescNullsLast}])
        { edges { node { id } } }
      f: personCollectionByCountryId(first: 0) { edges { node { id } } pageInfo { hasNextPage startCursor } } } } } }"""
    a, b = (edge["node"] for edge in api.ask(query).data["countryCollection"]["edges"])
    assert a["a"] == {
        "edges": [{"cursor": "WzFd", "node": {"id": 1}}],
        "pageInfo": {"hasNextPage": True, "hasPreviousPage": False, "startCursor": "WzFd", "endCursor": "WzFd"},
    }
    assert a["b"] == {"edges": [{"node": {"id": 2}}], "pageInfo": {"hasNextPage": False, "hasPreviousPage": True}}
    assert a["c"] == {"edges": [{"node": {"id": 2}}], "pageInfo": {"hasNextPage": False, "hasPreviousPage": True}}
    assert a["d"] == {"edges": [{"node": {"id": 2}}], "pageInfo": {"hasPreviousPage": True}}
    assert a["e"] == {"edges": [{"node": {"id": 2}}]}
    assert a["f"] == {"edges": [], "pageInfo": {"hasNextPage": True, "startCursor": None}}
    assert b["a"]["edges"] == [{"cursor": "WzNd", "node": {"id": 3}}]
    # The first row of this parent's rows comes after the cursor, so nothing precedes the page.
    assert b["b"] == {"edges": [{"node": {"id": 3}}], "pageInfo": {"hasNextPage": False, "hasPreviousPage": False}}
    assert b["d"] == {"edges": [], "pageInfo": {"hasPreviousPage": False}}


VIEWS = (
    INFLECTED
    + """
create table account (id int primary key, email text);
create table post (id int primary key, account_id int references account, title text);
create view person as select id as person_id, email from account;
create view article as select id, account_id as writer, title from post union all select 99, 7, 'nobody''s';
create materialized view counted as select account_id, count(*)::int as posts from post group by 1;
create view no_key as select 1 as id;
create view wrong_key as select 1 as id;
create view nulls as select * from (values (1, 'a'), (null, 'b'), (3, 'c')) v(id, name);
comment on view person is '@graphql({"primary_key_columns": ["person_id"], "totalCount": {"enabled": true}})';
comment on view article is '@graphql({"primary_key_columns": ["id"], "foreign_keys": [
  {"local_name": "articles", "local_columns": ["writer"], "foreign_name": "writerOf", "foreign_schema": "public",
   "foreign_table": "person", "foreign_columns": ["person_id"]},
  {"local_columns": ["id"], "foreign_schema": "public", "foreign_table": "post", "foreign_columns": ["id"]},
  {"local_columns": ["nothing"], "foreign_schema": "public", "foreign_table": "post", "foreign_columns": ["id"]},
  {"local_columns": ["id"], "foreign_schema": "public", "foreign_table": "post", "foreign_columns": ["nothing"]},
  {"local_columns": ["id"], "foreign_schema": "elsewhere", "foreign_table": "post", "foreign_columns": ["id"]}]})';
comment on materialized view counted is
  '@graphql({"primary_key_columns": ["account_id"], "name": "Tally", "foreign_keys": [
  {"local_columns": ["account_id"], "foreign_schema": "public", "foreign_table": "person", "foreign_columns":
    ["person_id"]}]})';
comment on view wrong_key is '@graphql({"primary_key_columns": ["id", "nothing"]})';
comment on view nulls is '@graphql({"primary_key_columns": ["id"]})';
insert into account values (1, 'a@x'), (2, 'b@x');
insert into post values (1, 1, 'A'), (2, 1, 'B'), (3, 2, 'C');
refresh materialized view counted;
grant select on all tables in schema public to anon;
"""
)


def test_views_have_relationships(reading_api: StartApi) -> None:
    api = reading_api(VIEWS)
    assert fields(api, "Article") == {"writerOf": "Person", "post": "Post"}
    assert fields(api, "Person") == {"articles": "ArticleConnection", "tallyCollection": "TallyConnection"}
    assert fields(api, "Tally") == {"person": "Person"}
    assert fields(api, "Post") == {"account": "Account", "articleCollection": "ArticleConnection"}
    query = """{ personCollection { totalCount edges { node { nodeId email articles { edges { node { title post {
      title } } } }
        tallyCollection { edges { node { posts } } } } } }
      articleByPk(id: 99) { title writerOf { email } post { id } }
      tallyByPk(accountId: 1) { posts person { email } }
      nullsCollection { edges { node { name } } } }"""
    data = api.ask(query).data
    assert data == {
        "personCollection": {
            "totalCount": 2,
            "edges": [
                {
                    "node": {
                        "nodeId": "WyJwdWJsaWMiLCAicGVyc29uIiwgMV0=",
                        "email": "a@x",
                        "articles": {
                            "edges": [
                                {"node": {"title": "A", "post": {"title": "A"}}},
                                {"node": {"title": "B", "post": {"title": "B"}}},
                            ]
                        },
                        "tallyCollection": {"edges": [{"node": {"posts": 2}}]},
                    }
                },
                {
                    "node": {
                        "nodeId": "WyJwdWJsaWMiLCAicGVyc29uIiwgMl0=",
                        "email": "b@x",
                        "articles": {"edges": [{"node": {"title": "C", "post": {"title": "C"}}}]},
                        "tallyCollection": {"edges": [{"node": {"posts": 1}}]},
                    }
                },
            ],
        },
        "articleByPk": {"title": "nobody's", "writerOf": None, "post": None},
        "tallyByPk": {"posts": 2, "person": {"email": "a@x"}},
        # A row without its key is not in the API.
        "nullsCollection": {"edges": [{"node": {"name": "a"}}, {"node": {"name": "c"}}]},
    }
    names = {each["name"] for each in api.ask('{ __type(name: "Query") { fields { name } } }').data["__type"]["fields"]}
    assert not names & {"noKeyCollection", "wrongKeyCollection", "noKeyByPk", "wrongKeyByPk"}
    node = api.ask('{ node(nodeId: "WyJwdWJsaWMiLCAicGVyc29uIiwgMl0=") { __typename ... on Person { email } } }').data
    assert node == {"node": {"__typename": "Person", "email": "b@x"}}


def test_a_declared_key_may_lead_to_several_rows(reading_api: StartApi) -> None:
    api = reading_api(
        INFLECTED
        + """
        create table word (id int primary key, letter text);
        create table letter (id int primary key, letter text);
        comment on table letter is '@graphql({"foreign_keys": [{"local_columns": ["letter"], "foreign_schema": "public",
          "foreign_table": "word", "foreign_columns": ["letter"]}]})';
        insert into word values (1, 'a'), (2, 'a');
        insert into letter values (1, 'a'), (2, 'a'), (3, null);
        grant select on all tables in schema public to anon;
    """
    )
    data = api.ask(
        "{ letterCollection { edges { node { word { letter } } } } wordCollection { edges { node { letterCollection { edges { node { id } } } } } } }"  # noqa: E501
    ).data
    assert data["letterCollection"]["edges"] == [
        {"node": {"word": {"letter": "a"}}}, {"node": {"word": {"letter": "a"}}}, {"node": {"word": None}}
    ]  # fmt: skip
    assert data["wordCollection"]["edges"][0]["node"]["letterCollection"]["edges"] == [
        {"node": {"id": 1}},
        {"node": {"id": 2}},
    ]


def test_a_deferred_key_may_lead_to_several_rows(start_api: StartApi) -> None:
    api = start_api("""
        create table seat (id int primary key, row_number int);
        create table guest (id int primary key, seat_id int unique deferrable initially deferred references seat);
        insert into seat values (1, 5); insert into guest values (1, 1);
        grant all on seat, guest to anon;
    """)
    data = api.ask("""mutation {
      insertIntoguestCollection(objects: [{id: 2, seat_id: 1}]) { affectedCount }
      updateseatCollection(filter: {guest: {id: {gt: 0}}}, set: {row_number: 6}) { records { guest { seat { id } } } }
      deleteFromguestCollection(filter: {id: {eq: 1}}) { records { seat { guest { seat_id } } } }
    }""").data
    assert data["updateseatCollection"]["records"] == [{"guest": {"seat": {"id": 1}}}]
    assert data["deleteFromguestCollection"]["records"] == [{"seat": {"guest": {"seat_id": 1}}}]
    query = "{ seatCollection(orderBy: [{guest: {id: AscNullsLast}}]) { edges { node { guest { id } } } } }"
    assert api.ask(query).data["seatCollection"]["edges"] == [{"node": {"guest": {"id": 2}}}]


PARTITIONS = (
    INFLECTED
    + """
create table region (id int primary key);
create table event (id int, day date, region_id int not null references region, primary key (id, day)) partition by
  range (day);
create table event_2020 partition of event for values from ('2020-01-01') to ('2021-01-01');
create table event_2021 partition of event for values from ('2021-01-01') to ('2022-01-01') partition by list (id);
create table event_2021_a partition of event_2021 for values in (1, 2);
create table no_key (id int) partition by list (id);
create table no_key_1 partition of no_key for values in (1);
create table note (id int primary key, event_id int, event_day date, foreign key (event_id, event_day) references
  event);
insert into region values (1);
insert into event values (1, '2020-05-05', 1), (1, '2021-05-05', 1);
insert into note values (1, 1, '2021-05-05');
grant select on all tables in schema public to anon;
"""
)


def test_partitions_have_relationships(reading_api: StartApi) -> None:
    standard = reading_api(PARTITIONS)
    assert fields(standard, "Note") == {"event": "Event"}
    assert fields(standard, "Event") == {"region": "Region", "noteCollection": "NoteConnection"}
    assert fields(standard, "Event2020") == {"region": "Region"}
    assert set(fields(standard, "Region")) == {
        "eventCollection", "event2020Collection", "event2021Collection", "event2021ACollection"
    }  # fmt: skip
    query = """{ noteCollection { edges { node { event { day region { id } } } } }
      regionCollection { edges { node { eventCollection { edges { node { day } } } event2020Collection { edges {
        node { day } } } } } } }"""
    assert standard.ask(query).data == {
        "noteCollection": {"edges": [{"node": {"event": {"day": "2021-05-05", "region": {"id": 1}}}}]},
        "regionCollection": {
            "edges": [
                {
                    "node": {
                        "eventCollection": {
                            "edges": [{"node": {"day": "2020-05-05"}}, {"node": {"day": "2021-05-05"}}]
                        },
                        "event2020Collection": {"edges": [{"node": {"day": "2020-05-05"}}]},
                    }
                }
            ]
        },
    }
    peer = reading_api(PARTITIONS, graphql_dialect="pg_graphql")
    names = {
        each["name"] for each in peer.ask('{ __type(name: "Query") { fields { name } } }').data["__type"]["fields"]
    }
    assert "eventCollection" not in names
    assert {"event2020Collection", "event2021ACollection"} <= names
    assert "event2021Collection" not in names
    assert "noKey1Collection" not in names
    assert set(fields(peer, "Region")) == {"event2020Collection", "event2021ACollection"}
    assert peer.ask("{ event2020Collection { edges { node { region { id } } } } }").data == {
        "event2020Collection": {"edges": [{"node": {"region": {"id": 1}}}]}
    }


RIGHTS = (
    INFLECTED
    + """
create table open (id int primary key, hidden_id int, part_id int, secret text);
create table hidden (id int primary key);
create table part (id int primary key, open_id int references open, name text, secret text);
create table guarded (id int primary key);
alter table open add foreign key (hidden_id) references hidden, add foreign key (part_id) references part,
  add guarded_id int not null default 1;
insert into guarded values (1);
alter table open add foreign key (guarded_id) references guarded;
alter table guarded enable row level security;
insert into open values (1, null, null, 's');
insert into part values (1, 1, 'p', 's');
update open set part_id = 1;
grant select (id, hidden_id, part_id, guarded_id) on open to anon;
grant select (id, name) on part to anon;
grant select on guarded to anon;
grant select on open, part to authenticated;
"""
)


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_unreadable_keys_have_no_relationships(reading_api: StartApi, dialect: str) -> None:
    api = reading_api(RIGHTS, graphql_dialect=dialect)
    # part.open_id is not anon's to read, so no way back; a row of guarded may be hidden, so it is nullable.
    assert fields(api, "Open") == {"part": "Part", "guarded": "Guarded"}
    assert fields(api, "Part") == {"openCollection": "OpenConnection"}
    query = "{ openCollection { edges { node { id part { name } guarded { id } } } } }"
    assert api.ask(query).data == {
        "openCollection": {"edges": [{"node": {"id": 1, "part": {"name": "p"}, "guarded": None}}]}
    }
    users = api.ask(INTROSPECT % "Part", role="authenticated").data["__type"]["fields"]
    assert {each["name"] for each in users} >= {"open", "secret"}
    answer = api.ask("{ openCollection { edges { node { secret } } } }")
    assert answer.errors
    assert "permission" not in str(answer.body)
    answer = api.ask("{ guardedCollection { edges { cursor } } }", role="authenticated")
    assert answer.errors[0]["message"].startswith(("Cannot query", "Unknown field"))


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_malformed_directives_are_ignored_and_reported_once(
    reading_api: StartApi, dialect: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A role that may comment on one table cannot break the API for others."""
    base = (
        INFLECTED
        + """
        create table t (id int primary key); create table u (id int primary key, t_id int references t); create
          type e as enum ('a');
        create schema elsewhere; create table elsewhere.t (id int primary key);
        grant select on all tables in schema public to anon;
    """
    )
    for comment, detail in (
        ("""on table t is '@graphql({"foreign_keys": [{"local_columns": "account_id", "foreign_schema": "a",
          "foreign_table": "b", "foreign_columns": ["c"]}]})'""",
          'invalid type: string "account_id", expected a sequence'),
        ("""on table t is '@graphql({"max_rows": -1})'""", "invalid value: integer `-1`, expected u64"),
        ("""on table t is '@graphql({"name": 1})'""", "invalid type: integer `1`, expected a string"),
        (r"""on table t is '@graphql({"description": "\ud800"})'""", "invalid value: half of a surrogate pair"),
        ("""on table t is '@graphql({"name": })'""", "invalid JSON"),
    ):  # fmt: skip
        caplog.clear()
        api = reading_api(f"{base} comment {comment};", graphql_dialect=dialect)
        assert api.ask("{ tCollection { edges { cursor } } }").data
        assert api.ask("{ tCollection { edges { cursor } } }", role="authenticated").body
        assert "relation public.t: its comment directive is left out: " + detail in caplog.text
        assert caplog.text.count(detail) == 1


def test_directives_are_read_only_from_exposed_objects(reading_api: StartApi, caplog: pytest.LogCaptureFixture) -> None:
    fine = reading_api(
        INFLECTED
        + """
        create table t (id int primary key);
        create schema elsewhere; create table elsewhere.t (id int primary key);
        grant select on all tables in schema public to anon;
        comment on table elsewhere.t is '@graphql({"max_rows": -1})';
        comment on column t.id is 'no directive: @graphql'; comment on table t is
          'x @graphql( {"description": "a (b)"} ) y';"""
    )
    assert "errors" not in fine.ask("{ tCollection { edges { cursor } } }").body
    assert "left out" not in caplog.text
