"""The feature ``composites``: columns of composite types."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import print_type, validate_schema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.counted import counted
from tests.graphql.test_operators import types_of, without_descriptions
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer

SCHEMA = """
create type spot as (lat float8, lon float8);
create type mood as enum ('sad', 'happy');
create domain email as text check (value like '%@%');
create type address as (street text, zip varchar(5), spot spot, tags text[], data jsonb, mood mood, mail email,
  many spot[], big int8, at timestamptz);
create table place (id int primary key, address address, others address[], fixed spot not null default row(1, 2)::spot,
  grid spot[][], unique (fixed, id));
insert into place (id, address, others, fixed) values
  (1, row('High "Street", 1', '12345', row(1.5, null), '{a,NULL}', '{"a": 1}', 'sad', 'a@x',
    array[row(1, 2), null]::spot[], 9007199254740993, '2026-01-01Z'),
    array[row('x', null, null, null, null, null, null, null, null, null), null]::address[], row(1, 2)),
  (2, row(null, null, null, null, null, null, null, null, null, null), '{}', row(null, 2)),
  (3, null, null, row(3, 4));
comment on table place is '@graphql({"aggregate": {"enabled": true}})';
grant all on place to anon;
"""

ADDRESS = """
type address {
  street: String
  zip: String
  spot: spot
  tags: [String]
  data: JSON
  mood: mood
  mail: Opaque
  many: [spot]
  big: BigInt
  at: Datetime
}
"""
FIELDS = "street zip spot { lat lon } tags data mood mail many { lat lon } big at"
NOTHING: dict[str, Any] = dict.fromkeys(("street", "zip", "spot", "tags", "data", "mood", "mail", "many", "big", "at"))


def place(api: Api, id_: int, selected: str) -> Any:
    return api.ask(f"{{ placeByPk(id: {id_}) {{ {selected} }} }}").data["placeByPk"]


# Types


def test_composite_types_become_objects_and_inputs(reading_api: StartApi) -> None:
    types = types_of(reading_api(SCHEMA))
    assert without_descriptions(print_type(types["address"])) == ADDRESS.strip()
    given_ = {name: str(each.type) for name, each in types["addressInput"].fields.items()}
    assert given_["spot"] == "spotInput"
    assert given_["many"] == "[spotInput]"
    assert list(given_) == list(NOTHING)
    fields = {name: str(each.type) for name, each in types["place"].fields.items()}
    assert (fields["address"], fields["others"], fields["fixed"]) == ("address", "[address]", "spot!")
    assert "grid" not in fields
    assert str(types["placeInsertInput"].fields["others"].type) == "[addressInput]"
    assert str(types["placeUpdateInput"].fields["fixed"].type) == "spotInput"


def test_composite_columns_have_no_filters_orders_or_keys(reading_api: StartApi) -> None:
    types = types_of(reading_api(SCHEMA))
    for name in ("placeFilter", "placeOrderBy"):
        assert {"address", "others", "fixed"}.isdisjoint(types[name].fields)
    assert list(types["placeKeyInput"].fields) == ["nodeId", "id"]
    assert list(types["placeGroupBy"].fields) == ["id"]
    assert list(types["placeColumn"].values) == ["id"]


@pytest.mark.parametrize("options", [{"graphql_features": "-composites"}, {"graphql_dialect": "pg_graphql"}])
def test_no_composites_exist_without_the_feature(reading_api: StartApi, options: dict[str, str]) -> None:
    types = types_of(reading_api(SCHEMA, **options))
    assert {"address", "spot", "addressInput"}.isdisjoint(types)
    assert {"address", "others", "fixed"}.isdisjoint(types["place"].fields)


def test_comments_name_and_describe_types(start_api: StartApi) -> None:
    api = start_api(
        SCHEMA
        + """
        create table "Spot" (id int primary key);
        comment on type address is '@graphql({"name": "PostalAddress", "description": "Where it is"})';
        comment on column address.zip is '@graphql({"name": "postCode", "description": "Five digits"})';
        comment on column address.mail is '@graphql({"deprecated": "Write letters"})';
        comment on schema public is '@graphql({"inflect_names": true})';
        grant select on all tables in schema public to anon;
        """
    )
    types = types_of(api)
    assert types["PostalAddress"].description == "Where it is"
    assert types["PostalAddress"].fields["postCode"].description == "Five digits"
    assert types["PostalAddress"].fields["mail"].deprecation_reason == "Write letters"
    assert str(types["PostalAddress"].fields["spot"].type) == "Spot_"
    assert str(types["PostalAddressInput"].fields["spot"].type) == "Spot_Input"
    assert "id" in types["Spot"].fields


DEEP = """
create type l1 as (a int);
create type l2 as (a int, l l1);
create type l3 as (a int, l l2[]);
create type l4 as (a int, l l3);
create type l5 as (a int, l l4);
create type l6 as (a int, l l5);
create table t (id int primary key, five l5, six l6);
insert into t values (1, row(5, row(4, row(3, array[row(2, row(1))]::l2[]))), row(6, null));
grant all on t to anon;
"""


def test_objects_nest_up_to_five_levels(reading_api: StartApi) -> None:
    api = reading_api(DEEP)
    types = types_of(api)
    assert list(types["l6"].fields) == ["a"]
    assert "six" not in types["tInsertInput"].fields
    assert "five" in types["tInsertInput"].fields
    data = api.ask("{ tByPk(id: 1) { five { l { l { l { l { a } } } } } six { a } } }").data["tByPk"]
    assert data == {"five": {"l": {"l": {"l": [{"l": {"a": 1}}]}}}, "six": {"a": 6}}


def test_attributes_that_cannot_be_shown_are_left_out(start_api: StartApi) -> None:
    api = start_api("""
        create schema closed;
        create type closed.secret as (a int);
        create table closed.hidden (a int);
        create type empty as ();
        create type mixed as (row_ closed.hidden, "no name" int, fine closed.secret, shown int, lists int[][]);
        create table t (id int primary key, secret closed.secret, empty empty, mixed mixed);
        insert into t values (1, row(1), row(), row(null, 2, row(3), 4, '{{1,2}}'));
        grant all on t to anon;
    """)
    types = types_of(api)
    assert list(types["t"].fields) == ["nodeId", "id", "mixed"]
    assert list(types["mixed"].fields) == ["shown", "lists"]
    assert list(types["tInsertInput"].fields) == ["id"]
    answer = api.ask("{ tByPk(id: 1) { mixed { shown lists } } }").data["tByPk"]
    assert answer == {"mixed": {"shown": 4, "lists": [[1, 2]]}}
    reported = {each.subject for each in api.application.services.engine.role_schemas.of_role("anon").notices}
    assert {f"attribute public.mixed.{name}" for name in ("row_", "no name", "fine")} <= reported


def test_an_unreadable_column_is_left_out(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    changed(postgres, api, "revoke all on place from anon; grant select (id, fixed), update (address) on place to anon")
    sdl = printed(api)
    assert "address" not in members(sdl, "place")
    assert "address" in members(sdl, "placeUpdateInput")
    assert "fixed" not in members(sdl, "placeUpdateInput")
    update = """mutation {
      updateplaceCollection(set: {address: null}, atMost: 9) { affectedCount records { fixed { lat } } }
    }"""
    assert api.ask(update).data["updateplaceCollection"]["affectedCount"] == 3


def test_columns_of_a_closed_schema_are_left_out(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(
        """
        create schema other; create type other.pair as (a int);
        create table t (id int primary key, pair other.pair);
        grant usage on schema other to anon; grant all on t to anon;
    """,
        api_schemas=("public", "other"),
    )
    assert "pair" in members(printed(api), "t")
    changed(postgres, api, "revoke usage on schema other from anon")
    assert "pair" not in members(printed(api), "t")
    assert "pair" not in members(printed(api), "tInsertInput")
    assert validate_schema(api.application.services.engine.role_schemas.of_role("anon").graphql) == []


def test_an_added_attribute_appears(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    assert place(api, 3, "fixed { lat }") == {"fixed": {"lat": 3}}
    changed(postgres, api, "alter table place drop column grid; alter type spot add attribute height int cascade")
    assert place(api, 3, "fixed { lat height }") == {"fixed": {"lat": 3, "height": None}}
    changed(postgres, api, "alter type spot rename attribute height to up")
    assert place(api, 3, "fixed { up }") == {"fixed": {"up": None}}


# Answers


def test_composite_values_are_read(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    assert place(api, 1, f"address {{ {FIELDS} }} others {{ {FIELDS} }}") == {
        "address": {
            "street": 'High "Street", 1',
            "zip": "12345",
            "spot": {"lat": 1.5, "lon": None},
            "tags": ["a", None],
            "data": '{"a": 1}',
            "mood": "sad",
            "mail": "a@x",
            "many": [{"lat": 1, "lon": 2}, None],
            "big": "9007199254740993",
            "at": "2026-01-01T00:00:00+00:00",
        },
        "others": [NOTHING | {"street": "x"}, None],
    }
    assert place(api, 2, f"address {{ {FIELDS} }} others {{ zip }} fixed {{ lat lon }}") == {
        "address": NOTHING,
        "others": [],
        "fixed": {"lat": None, "lon": 2},
    }
    assert place(api, 3, "address { zip } others { zip }") == {"address": None, "others": None}


def test_parts_of_composites_can_be_selected(reading_api: StartApi) -> None:
    query = """{
      placeByPk(id: 1) { address { __typename ...A } one: address { zip } two: others { s: street __typename } }
    }
    fragment A on address { street spot { x: lat } spot { lon } }"""
    assert reading_api(SCHEMA).ask(query).data["placeByPk"] == {
        "address": {"__typename": "address", "street": 'High "Street", 1', "spot": {"x": 1.5, "lon": None}},
        "one": {"zip": "12345"},
        "two": [{"s": "x", "__typename": "address"}, None],
    }
    assert reading_api(SCHEMA).ask("{ placeByPk(id: 1) { address } }").code == "GRAPHQL_VALIDATION_FAILED"


def test_composite_keys_have_node_ids(start_api: StartApi) -> None:
    api = start_api(
        SCHEMA + "create table t (spot spot primary key); insert into t values (row(1, 2)); grant select on t to anon"
    )
    (edge,) = api.ask("{ tCollection { edges { cursor node { nodeId spot { lon } } } } }").data["tCollection"]["edges"]
    assert edge["node"]["spot"] == {"lon": 2}
    query = f'{{ node(nodeId: "{edge["node"]["nodeId"]}") {{ ...on t {{ spot {{ lat }} }} }} }}'
    assert api.ask(query).data["node"] == {"spot": {"lat": 1}}


# Requests

UPDATE = f"""mutation ($address: addressInput, $others: [addressInput]) {{
  updateplaceCollection(set: {{address: $address, others: $others}}, filter: {{id: {{eq: 3}}}}) {{
    records {{ address {{ {FIELDS} }} others {{ {FIELDS} }} }}
  }}
}}"""


def updated(api: Api, address: Any, others: Any = None) -> Any:
    (record,) = api.ask(UPDATE, {"address": address, "others": others}).data["updateplaceCollection"]["records"]
    return record


TEXT = st.none() | st.text("ab\"\\,(){} \n'é", max_size=6)
SPOTS = st.none() | st.fixed_dictionaries(
    {}, optional={"lat": st.none() | st.integers(-9, 9).map(float), "lon": st.none() | st.just(0.25)}
)
ADDRESSES = st.fixed_dictionaries(
    {},
    optional={
        "street": TEXT,
        "spot": SPOTS,
        "tags": st.none() | st.lists(TEXT, max_size=3),
        "mood": st.sampled_from([None, "sad", "happy"]),
        "many": st.none() | st.lists(SPOTS, max_size=2),
        "big": st.none() | st.integers(-(2**62), 2**62).map(str),
    },
)


def whole(address: Any) -> Any:
    if address is None:
        return None
    filled = NOTHING | address
    spots = [filled["spot"], *(filled["many"] or [])]
    spot, *many = [None if each is None else {"lat": None, "lon": None} | each for each in spots]
    return filled | {"spot": spot, "many": None if filled["many"] is None else many}


def test_written_values_are_read_back(start_api: StartApi) -> None:
    api = start_api(SCHEMA)

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.none() | ADDRESSES, st.none() | st.lists(st.none() | ADDRESSES, max_size=3))
    def check(address: Any, others: Any) -> None:
        expected = {"address": whole(address), "others": others if others is None else [whole(each) for each in others]}
        assert updated(api, address, others) == expected

    check()
    # Nulls and lists that hold one are seen; what is within the values is not.
    assert len(api.application.services.engine.plans) <= 8


def test_literals_may_contain_variables(start_api: StartApi) -> None:
    query = """mutation ($street: String, $lat: Float, $spot: spotInput, $none: String) {
      insertIntoplaceCollection(objects: [
        {id: 7, address: {street: $street, zip: $none, mood: happy, spot: {lat: $lat, lon: 2}, many: [$spot, {lat: 5}]}}
        {id: 8, address: {spot: $spot}, others: {street: "one"}, fixed: $spot}
      ]) { records { id address { street mood spot { lat lon } many { lat lon } } others { street } } }
    }"""
    variables = {"street": "s", "lat": 1, "spot": {"lon": 9}}
    records = start_api(SCHEMA).ask(query, variables).data["insertIntoplaceCollection"]["records"]
    nine = {"lat": None, "lon": 9}
    assert records == [
        {
            "id": 7,
            "address": {
                "street": "s",
                "mood": "happy",
                "spot": {"lat": 1, "lon": 2},
                "many": [nine, {"lat": 5, "lon": None}],
            },
            "others": None,
        },
        {
            "id": 8,
            "address": {"street": None, "mood": None, "spot": nine, "many": None},
            "others": [{"street": "one"}],
        },
    ]


def test_one_variable_may_hold_many_rows(start_api: StartApi) -> None:
    api = start_api(SCHEMA)
    query = """mutation ($rows: [placeInsertInput!]!) {
      insertIntoplaceCollection(objects: $rows) { records { id address { street } others { street } } }
    }"""
    rows = [{"id": n, "address": {"street": f'"{n}'}, "others": [{"street": ","}, None]} for n in range(10, 30)]
    for some in (rows[:2], rows[2:10]):
        assert api.ask(query, {"rows": some}).data["insertIntoplaceCollection"]["records"] == some
    plans = api.application.services.engine.plans
    before = len(plans)
    assert api.ask(query, {"rows": rows[10:]}).data["insertIntoplaceCollection"]["records"] == rows[10:]
    assert len(plans) == before
    updates = [{"key": {"id": n}, "set": {"address": {"street": str(n)}}} for n in (11, 12)]
    query = """mutation ($updates: [placeKeyedUpdateInput!]!) {
      updateplaceCollectionByKey(updates: $updates) { records { address { street zip } } }
    }"""
    made = api.ask(query, {"updates": updates}).data["updateplaceCollectionByKey"]["records"]
    assert made == [{"address": {"street": str(n), "zip": None}} for n in (11, 12)]


def test_elements_are_added_to_arrays(start_api: StartApi) -> None:
    api = start_api(SCHEMA)
    query = """mutation ($id: Int!, $more: [addressInput]) {
      updateplaceByKey(key: {id: $id}, %s: {others: $more}) { others { street zip spot { lat } } }
    }"""

    def left(operation: str, id_: int, more: Any) -> Any:
        row = api.ask(query % operation, {"id": id_, "more": more}).data["updateplaceByKey"]
        return [each and each["street"] for each in row["others"]]

    assert left("append", 1, [{"street": "y", "spot": {"lat": 1}}, None]) == ["x", None, "y", None]
    assert left("prepend", 1, [{"street": "w"}]) == ["w", "x", None, "y", None]
    assert left("append", 3, [{"street": "new"}]) == ["new"]
    # Rows are not found in arrays.
    assert api.ask(query % "remove", {"id": 1, "more": [{"street": "x"}]}).code == "GRAPHQL_VALIDATION_FAILED"


def test_an_input_replaces_the_whole_value(start_api: StartApi) -> None:
    api = start_api(SCHEMA)
    assert updated(api, {"zip": "1", "mood": "sad"})["address"] == NOTHING | {"zip": "1", "mood": "sad"}
    assert updated(api, {"street": "s"})["address"] == NOTHING | {"street": "s"}
    assert updated(api, {})["address"] == NOTHING
    assert updated(api, None)["address"] is None


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ({"road": "x"}, "BAD_USER_INPUT"),
        ("(x)", "BAD_USER_INPUT"),
        ({"street": 1}, "BAD_USER_INPUT"),
        ({"spot": {"lat": "x"}}, "BAD_USER_INPUT"),
        ({"mood": "odd"}, "BAD_USER_INPUT"),
        ({"zip": "123456"}, "STRING_DATA_RIGHT_TRUNCATION"),
        ({"mail": "no address"}, "CHECK_VIOLATION"),
        ({"data": "{"}, "INVALID_TEXT_REPRESENTATION"),
        ({"big": "many"}, "INVALID_TEXT_REPRESENTATION"),
    ],
)
def test_invalid_values_are_refused(reading_api: StartApi, address: Any, code: str) -> None:
    assert reading_api(SCHEMA).ask(UPDATE, {"address": address}).code == code


NUMBERS = """
create type size as (whole int, real float8, yes bool, name text, many int[]);
create table t (id int primary key, one size, several size[]);
insert into t values (1);
grant all on t to anon;
"""


@pytest.mark.parametrize(
    ("declared", "set_", "good", "bad"),
    [
        ("sizeInput", "{one: $x}", {"whole": 1}, {"whole": 2**31}),
        ("sizeInput", "{one: $x}", {"whole": 1}, {"whole": "1"}),
        ("sizeInput", "{one: $x}", {"real": 1}, {"real": 10**400}),
        ("sizeInput", "{one: $x}", {"yes": True}, {"yes": 1}),
        ("sizeInput", "{one: $x}", {"many": [1]}, {"many": [-(2**31) - 1]}),
        ("[sizeInput]", "{several: $x}", [{"whole": 1}], [{"whole": 2**40}]),
        ("tUpdateInput!", "$x", {"one": {"whole": 1}}, {"one": {"whole": 2**31}}),
        ("Int", "{one: {whole: $x}}", 1, 2**31),
        ("[Int]", "{one: {many: $x}}", [1], [2**31]),
        pytest.param("Float", "{several: [{real: $x}]}", 1, 10**400, id="Float"),
    ],
)
def test_errors_are_the_same_with_a_known_plan(
    reading_api: StartApi, declared: str, set_: str, good: Any, bad: Any
) -> None:
    api = reading_api(NUMBERS)
    # There is no such row, so that the API stays as it is.
    query = f"mutation ($x: {declared}) {{ updatetByKey(key: {{id: 9}}, set: {set_}) {{ id }} }}"
    first = api.ask(query, {"x": bad})
    assert first.code == "BAD_USER_INPUT"
    assert "Variable '$x' has invalid value" in first.message
    assert api.ask(query, {"x": good}).data == {"updatetByKey": None}
    assert api.ask(query, {"x": bad}).body == first.body


def test_domains_over_composites_are_objects(start_api: StartApi) -> None:
    sql = """
        create type pair as (a int, b int);
        create domain ordered as pair check ((value).a < (value).b);
        create table t (id int primary key, pair ordered, pairs ordered[]);
        insert into t values (1, row(1, 2), array[row(3, 4)]::ordered[]);
        grant all on t to anon;
    """
    api = start_api(sql, value_types=("domains",))
    query = "mutation ($p: pairInput) { updatetCollection(set: {pair: $p}) { records { pair { b } pairs { a } } } }"
    made = api.ask(query, {"p": {"a": 5, "b": 6}}).data["updatetCollection"]["records"]
    assert made == [{"pair": {"b": 6}, "pairs": [{"a": 3}]}]
    assert api.ask(query, {"p": {"a": 7, "b": 6}}).code == "CHECK_VIOLATION"
    assert str(types_of(start_api(sql))["t"].fields["pair"].type) == "Opaque"


def test_hidden_rows_stay_hidden(start_api: StartApi) -> None:
    api = start_api(SCHEMA + "alter table place enable row level security; create policy p on place using (id = 1)")
    assert place(api, 2, "fixed { lat }") is None
    assert api.ask("mutation { updateplaceCollection(set: {fixed: {}}, atMost: 9) { affectedCount } }").data == {
        "updateplaceCollection": {"affectedCount": 1}
    }


def test_an_update_is_one_flight(start_api: StartApi) -> None:
    with counted(start_api(SCHEMA).database_url) as (api, proxy):
        updated(api, {"street": "a"})
        before = proxy.flights
        assert updated(api, {"street": "b"})["address"]["street"] == "b"
        assert proxy.flights - before == 1
