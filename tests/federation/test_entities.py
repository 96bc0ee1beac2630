"""`_entities`: rows by any mixture of types and keys, in order, with the rights and limits of any request."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from tests.database.recorder import Recorder
from tests.federation.installing import own_plugin
from tests.graphql.api import ANON_KEY, Answer, Api
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer

Start = Callable[..., Api]

SCHEMA = """
comment on schema public is '@graphql({"inflect_names": true})';
create table country (code text primary key, name text not null);
create table city (
  id int primary key, name text not null, country_code text references country, number bigint unique,
  code uuid unique, founded date unique, unique (name, country_code)
);
create table parcel (city_id int, number numeric, owner text, primary key (city_id, number));
insert into country values ('DE', 'Germany'), ('FR', 'France');
insert into city values
  (1, 'Bonn', 'DE', 9007199254740993, '00000000-0000-0000-0000-00000000000a', '0754-01-01'),
  (2, 'Lyon', 'FR', null, null, null), (3, 'O''Hare "x"', null, -5, null, null);
insert into parcel values (1, 1.50, 'Ann'), (1, 2, 'Ben');
grant select on all tables in schema public to anon;
"""
QUERY = """query ($r: [_Any!]!) { _entities(representations: $r) {
  __typename ... on City { id name country { name } } ... on Country { code name } ... on Parcel { owner } } }"""
BONN = {"__typename": "City", "id": 1, "name": "Bonn", "country": {"name": "Germany"}}
LYON = {"__typename": "City", "id": 2, "name": "Lyon", "country": {"name": "France"}}
FRANCE = {"__typename": "Country", "code": "FR", "name": "France"}


def entities(api: Api, *representations: Any) -> Answer:
    return api.ask(QUERY, {"r": list(representations)})


def of_city(**key: Any) -> dict[str, Any]:
    return {"__typename": "City", **key}


@pytest.fixture
def api(reading: Start) -> Api:
    return reading(SCHEMA)


def test_rows_are_found_by_each_key_in_the_order_of_the_request(api: Api) -> None:
    node_id = api.ask("{ cityByKey(key: {id: 2}) { nodeId } }").data["cityByKey"]["nodeId"]
    found = entities(
        api,
        of_city(id=2),
        {"__typename": "Country", "code": "FR"},
        of_city(number="9007199254740993"),
        of_city(id=99),
        of_city(name="Bonn", countryCode="DE"),
        of_city(nodeId=node_id),
        {"__typename": "Parcel", "cityId": 1, "number": "1.5"},
        of_city(code="00000000-0000-0000-0000-00000000000A"),
        of_city(founded="0754-01-01"),
        of_city(id=2),
    )
    assert found.data["_entities"] == [
        LYON, FRANCE, BONN, None, BONN, LYON, {"__typename": "Parcel", "owner": "Ann"}, BONN, BONN, LYON,
    ]  # fmt: skip


def test_representations_may_be_literals_or_have_variables_inside(api: Api) -> None:
    query = """query ($id: Int, $name: String) { _entities(representations: [
      {__typename: "City", id: $id, extra: {a: [1]}}, {__typename: $name, code: "FR"}]) {
      ... on City { name } ... on Country { name } } }"""
    for number, city in ((1, "Bonn"), (2, "Lyon")):
        data = api.ask(query, {"id": number, "name": "Country"}).data
        assert data["_entities"] == [{"name": city}, {"name": "France"}]
    other = api.ask(query, {"id": 1, "name": "Parcel"})
    assert other.body["data"]["_entities"] == [{"name": "Bonn"}, None]
    assert other.errors[0]["path"] == ["_entities", 1]
    for number, city in ((1, "Bonn"), (2, "Lyon")):
        text = f'{{ _entities(representations: {{__typename: "City", id: {number}}}) {{ ... on City {{ name }} }} }}'
        assert api.ask(text).data["_entities"] == [{"name": city}]
    text = '{ _entities(representations: [{__typename: "Country", code: "DE"}]) { ... on Country { name } } }'
    assert api.ask(text).data["_entities"] == [{"name": "Germany"}]


def test_an_empty_list_is_answered(api: Api) -> None:
    assert entities(api).data == {"_entities": []}


def test_extra_fields_and_further_keys_are_ignored(api: Api) -> None:
    found = entities(api, of_city(id=1, other={"a": 1}, name="Lyon", number=None))
    assert found.data["_entities"] == [BONN]


def test_a_key_with_null_finds_no_row(api: Api) -> None:
    assert entities(api, of_city(number=None), of_city(name='O\'Hare "x"', countryCode=None)).data["_entities"] == [
        None,
        None,
    ]


WRONG = [
    ("x", "A representation must be an object"),
    ({}, "A representation must have a __typename"),
    ({"__typename": 3, "id": 1}, "A representation must have a __typename"),
    ({"__typename": "Query"}, '"Query" is no entity of this subgraph'),
    ({"__typename": "CityConnection", "id": 1}, '"CityConnection" is no entity of this subgraph'),
    (of_city(), "A representation of City must have a key: id, or number, or"),
    (of_city(id=None), "A representation of City must have a key"),
    (of_city(name="Bonn"), "A representation of City must have a key"),
    (of_city(id="1"), "id: Invalid input for Int type"),
    (of_city(id=2**31), "id: Invalid input for Int type"),
    (of_city(id=True), "id: Invalid input for Int type"),
    (of_city(id=[1]), "id: Invalid input for Int type"),
    (of_city(number="1; drop table city"), "number: The value is not valid for the type bigint"),
    (of_city(number="9" * 30), "number: The value is not valid for the type bigint"),
    (of_city(number=1e300), "number: The value is not valid for the type bigint"),
    (of_city(code="x"), "code: The value is not valid for the type uuid"),
    (of_city(nodeId="x"), "nodeId: Invalid value passed to nodeId argument"),
    (of_city(name="a\0b", countryCode="DE"), "name: The value is not valid for the type text"),
    (of_city(name="\ud800", countryCode="DE"), "name: The value is not valid for the type text"),
    ({"__typename": "Parcel", "cityId": 1, "number": "1e"}, "number: The value is not valid for the type numeric"),
    ({"__typename": "Parcel", "cityId": 1, "number": 1}, "number: Invalid input for BigFloat type"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_a_wrong_representation_fails_alone(api: Api, wrong: Any, message: str) -> None:
    for _ in range(2):  # The second time the plan is known.
        found = entities(api, of_city(id=1), wrong, of_city(id=2))
        assert found.status == 200
        assert found.body["data"]["_entities"] == [BONN, None, LYON]
        (error,) = found.errors
        assert error["message"].startswith(message)
        assert error["path"] == ["_entities", 1]
        assert error["extensions"]["code"] == "BAD_USER_INPUT"


def test_an_alias_is_the_path_of_an_error(api: Api) -> None:
    query = """query ($a: [_Any!]!, $b: [_Any!]!) {
      first: _entities(representations: $a) { ... on City { name } }
      second: _entities(representations: $b) { ... on City { name } } }"""
    found = api.ask(query, {"a": [of_city(id=1)], "b": [of_city(id=2), {}]})
    assert found.body["data"] == {"first": [{"name": "Bonn"}], "second": [{"name": "Lyon"}, None]}
    assert [each["path"] for each in found.errors] == [["second", 1]]


@pytest.mark.parametrize("wrong", [None, [None], [[None]]])
def test_null_is_no_representation(api: Api, wrong: Any) -> None:
    assert entities(api, of_city(id=1)).data
    found = api.ask(QUERY, {"r": wrong})
    if wrong == [[None]]:
        assert found.errors[0]["path"] == ["_entities", 0]
    else:
        assert found.code == "BAD_USER_INPUT"


def test_too_many_representations_are_refused(api: Api) -> None:
    most = [of_city(id=1)] * 10_000
    assert len(api.ask(QUERY, {"r": most}).data["_entities"]) == 10_000
    found = api.ask(QUERY, {"r": [*most, of_city(id=1)]})
    assert (found.code, found.message) == ("LIMIT_EXCEEDED", "representations has more than 10000 items")


def test_the_node_limit_counts_representations(start: Start) -> None:
    api = start(SCHEMA, node_limit=100)
    query = "query ($r: [_Any!]!) { _entities(representations: $r) { ... on City { country { name } } } }"
    assert api.ask(query, {"r": [of_city(id=1)] * 50}).data
    found = api.ask(query, {"r": [of_city(id=1)] * 51})
    assert found.code == "LIMIT_EXCEEDED"
    assert found.message.startswith("The operation may return 102 rows, more than 100")
    both = """query ($r: [_Any!]!, $s: [_Any!]!) {
      a: _entities(representations: $r) { ... on City { id } } b: _entities(representations: $s) { ... on City { id } }
      cityCollection(first: 10) { edges { node { id } } } }"""
    assert api.ask(both, {"r": [of_city(id=1)] * 40, "s": [of_city(id=1)] * 50}).data
    assert "may return 101 rows" in api.ask(both, {"r": [of_city(id=1)] * 41, "s": [of_city(id=1)] * 50}).message


def test_a_row_that_a_policy_hides_is_null(start: Start) -> None:
    api = start(
        SCHEMA
        + """
        alter table city enable row level security;
        create policy seen on city for select using (id <> 2 or current_user = 'service_role');
        """
    )
    assert entities(api, of_city(id=1), of_city(id=2), of_city(id=77)).data["_entities"] == [BONN, None, None]


def test_only_keys_that_the_role_may_read_are_keys(start: Start) -> None:
    api = start(
        """create table person (id int primary key, email text unique, name text);
        insert into person values (1, 'ann@example.com', 'Ann');
        create table secret (id int primary key);
        grant select (email, name) on person to anon;"""
    )
    query = "query ($r: [_Any!]!) { _entities(representations: $r) { ... on person { name } } }"
    by = [{"__typename": "person", "email": "ann@example.com"}, {"__typename": "person", "id": 1}]
    found = api.ask(query, {"r": [*by, {"__typename": "secret", "id": 1}]})
    assert found.body["data"]["_entities"] == [{"name": "Ann"}, None, None]
    assert [each["message"] for each in found.errors] == [
        "A representation of person must have a key: email",
        '"secret" is no entity of this subgraph',
    ]


def test_a_declared_key_that_is_not_unique_is_an_error(start: Start) -> None:
    api = start(
        """create table pair (a int primary key, b int); insert into pair values (1, 1), (2, 1), (3, 2);
        create view twins as select a, b from pair;
        comment on view twins is '@graphql({"primary_key_columns": ["b"]})';
        grant select on twins to anon;"""
    )
    query = "query ($r: [_Any!]!) { _entities(representations: $r) { ... on twins { a } } }"
    by = {"__typename": "twins", "b": 2}
    assert api.ask(query, {"r": [by, by]}).data["_entities"] == [{"a": 3}, {"a": 3}]
    assert "not unique" in api.ask(query, {"r": [by, {"__typename": "twins", "b": 1}]}).message


def test_ids_are_strings_and_are_read_from_strings_and_numbers(start: Start) -> None:
    api = start(
        """create table person (id bigint primary key, name text);
        create table tag (id text primary key, owner int unique);
        insert into person values (9007199254740993, 'Ann'); insert into tag values ('7', 3);
        comment on column person.id is '@graphql({"id": true})';
        comment on column tag.id is '@graphql({"id": true})';
        comment on column tag.owner is '@graphql({"id": true})';
        grant select on person, tag to anon;"""
    )
    query = """query ($r: [_Any!]!) { _entities(representations: $r) {
      ... on person { id name } ... on tag { id owner } } }"""
    person, tag = {"__typename": "person"}, {"__typename": "tag"}
    found = api.ask(query, {"r": [{**person, "id": "9007199254740993"}, {**tag, "id": 7}, {**tag, "owner": "3"}]})
    assert found.data["_entities"] == [
        {"id": "9007199254740993", "name": "Ann"}, {"id": "7", "owner": "3"}, {"id": "7", "owner": "3"},
    ]  # fmt: skip
    wrong = api.ask(query, {"r": [{**person, "id": "x"}, {**person, "id": 1.5}, {**tag, "owner": "x"}]})
    assert wrong.body["data"]["_entities"] == [None, None, None]
    assert len(wrong.errors) == 3
    assert api.ask("{ personCollection { edges { node { id } } } }").data["personCollection"]["edges"] == [
        {"node": {"id": "9007199254740993"}}
    ]


def test_the_statement_depends_on_types_and_keys_alone(postgres: PostgresServer) -> None:
    url = postgres.create_database(sql=ROLES + SCHEMA)
    with closing(Recorder(url)) as recorder, closing(Api(recorder.url(), own_plugin())) as api:
        france = {"__typename": "Country", "code": "FR"}
        assert entities(api, of_city(id=1), france).data
        recorder.sent.clear()
        for representations in (
            [france, of_city(id=2)],
            [of_city(id=each) for each in range(100)] + [france] * 30,
            [{}, france, of_city(id=1), of_city(id="wrong")],
        ):
            assert "data" in entities(api, *representations).body
        texts = {text for flight in recorder.sent for text in flight if "representations_" in text}
        flights = [flight for flight in recorder.sent if any("representations_" in text for text in flight)]
    assert len(texts) == 1
    assert len(flights) == 3


def test_it_is_explained_and_has_a_cost(start: Start) -> None:
    api = start(SCHEMA, explain_roles=["anon"])
    asked = {"query": QUERY, "variables": {"r": [of_city(id=1)] * 7}, "extensions": {"explain": "plan"}}
    explained = api.client.simulate_post("/graphql/v1", json=asked, headers={"apiKey": ANON_KEY}).json
    assert "representations_" in explained["extensions"]["explain"][0]["sql"]
    asked["extensions"] = {"cost": True}
    cost = api.client.simulate_post("/graphql/v1", json=asked, headers={"apiKey": ANON_KEY}).json
    assert cost["extensions"]["cost"]["nodes"] == 14
    assert len(cost["data"]["_entities"]) == 7


def test_a_large_request_is_answered_exactly(start: Start) -> None:
    api = start(
        "create table item (id int primary key, name text); insert into item select i, 'n' || i"
        " from generate_series(1, 5000) i; grant select on item to anon"
    )
    numbers = [(each * 7919) % 6000 for each in range(5000)]
    query = "query ($r: [_Any!]!) { _entities(representations: $r) { ... on item { name } } }"
    data = api.ask(query, {"r": [{"__typename": "item", "id": each} for each in numbers]}).data["_entities"]
    assert data == [{"name": f"n{each}"} if 1 <= each <= 5000 else None for each in numbers]
