"""VALUE_TYPES: ranges, network addresses, intervals and bytes have their own GraphQL types and filters."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any

import pytest
from graphql import print_type
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_operators import types_of, without_descriptions
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer, connect

SCHEMA = """
create type float_range as range (subtype = float8);
create schema closed;
create type closed.secret_range as range (subtype = int4);
create table thing (
  id int primary key, days daterange, own float_range, secret closed.secret_range, slots int4range[],
  host inet unique, net cidr, span interval unique, spans interval[], data bytea unique, parts bytea[]
);
insert into thing values
  (1, '[2026-01-01,2026-02-01)', '[1,2]', '[1,2)', '{"[1,3)","[5,6)"}', '10.0.0.1', '10.0.0.0/8',
   '1 year 2 mons 3 days 04:05:06.5', '{1 day,NULL}', '\\x00ff', '{"\\\\x01",NULL}'),
  (2, '[2026-02-01,2026-03-01)', '[3,4]', null, '{}', '192.168.1.0/24', '192.168.0.0/16',
   '-00:00:00.25', '{}', '', '{}'),
  (3, 'empty', null, null, null, '::1', null, '0', null, null, null),
  (4, null, null, null, null, null, null, null, null, null, null);
create function span_of(thing) returns interval language sql stable as 'select $1.span';
comment on function span_of is '@graphql({"filter": true, "orderBy": true})';
create sequence called;
create function next_span() returns interval language sql volatile as $$ select nextval('called') * interval '1 day' $$;
create function same(span interval) returns interval language sql stable as 'select $1';
grant usage on sequence called to anon;
grant all on thing to anon;
"""
ON = {"value_types": "all"}
ALL = "days own secret slots host net span spans data parts span_of"


def matching_ids(api: Api, filter_: Any) -> list[int]:
    query = "query ($f: thingFilter) { thingCollection(filter: $f) { edges { node { id } } } }"
    return [each["node"]["id"] for each in api.ask(query, {"f": filter_}).data["thingCollection"]["edges"]]


# Types

TYPES = {
    "days": ("Range", "RangeFilter"),
    "own": ("Range", "RangeFilter"),
    "secret": ("Range", None),
    "slots": ("[Range]", None),
    "host": ("Inet", "InetFilter"),
    "net": ("Inet", "InetFilter"),
    "span": ("Interval", "IntervalFilter"),
    "spans": ("[Interval]", None),
    "data": ("Base64", "Base64Filter"),
    "parts": ("[Base64]", None),
    "span_of": ("Interval", "IntervalFilter"),
}
CHOICES = {
    "ranges": ("days", "own", "secret", "slots"),
    "network": ("host", "net"),
    "interval": ("span", "spans", "span_of"),
    "bytes": ("data", "parts"),
}


@pytest.mark.parametrize("name", [*CHOICES, "all"])
def test_each_is_chosen_by_its_name(reading_api: StartApi, name: str) -> None:
    types = types_of(reading_api(SCHEMA, value_types=name))
    fields, filters = types["thing"].fields, types["thingFilter"].fields
    chosen = {*TYPES} if name == "all" else {*CHOICES[name]}
    assert {each: str(fields[each].type) for each in chosen} == {each: TYPES[each][0] for each in chosen}
    shown = {each: str(filters[each].type) if each in filters else None for each in chosen}
    assert shown == {each: TYPES[each][1] for each in chosen}
    assert {str(fields[each].type).strip("[]") for each in TYPES if each not in chosen} <= {"Opaque"}


@pytest.mark.parametrize("options", [{}, {**ON, "graphql_dialect": "pg_graphql"}])
def test_values_are_opaque_by_default(reading_api: StartApi, options: dict[str, str]) -> None:
    types = types_of(reading_api(SCHEMA, **options))
    assert {str(types["thing"].fields[each].type).strip("[]") for each in TYPES} == {"Opaque"}
    assert not {"Range", "Inet", "Interval", "Base64", "RangeFilter"} & types.keys()


FILTERS = {
    "RangeFilter": "eq in is neq contains containedBy overlaps adjacent before after distinctFrom not",
    "InetFilter": "eq in is neq lt lte gt gte within contains overlaps distinctFrom not",
    "IntervalFilter": "eq in is neq lt lte gt gte distinctFrom not",
    "Base64Filter": "eq in is neq distinctFrom not",
}


def test_filters_have_their_members(reading_api: StartApi) -> None:
    types = types_of(reading_api(SCHEMA, **ON))
    assert {name: " ".join(types[name].fields) for name in FILTERS} == FILTERS
    assert without_descriptions(print_type(types["Base64Filter"])) == (
        "input Base64Filter {\n  eq: Base64\n  in: [Base64!]\n  is: FilterIs\n  neq: Base64\n"
        "  distinctFrom: Base64\n  not: Base64Filter\n}"
    )


def test_a_relation_keeps_its_name(reading_api: StartApi) -> None:
    sql = 'create table "Range" (id int primary key, days daterange); grant select on "Range" to anon;'
    types = types_of(reading_api(sql, **ON))
    assert str(types["Range"].fields["days"].type) == "Range_"
    assert str(types["RangeFilter"].fields["days"].type) == "RangeFilter_"
    assert "contains" in types["RangeFilter_"].fields


# Values


def test_values_are_printed(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, **ON)
    query = f"{{ thingCollection {{ edges {{ node {{ {ALL} }} }} }} }}"
    first, second, third, fourth = (each["node"] for each in api.ask(query).data["thingCollection"]["edges"])
    assert first == {
        "days": "[2026-01-01,2026-02-01)",
        "own": "[1,2]",
        "secret": "[1,2)",
        "slots": ["[1,3)", "[5,6)"],
        "host": "10.0.0.1",
        "net": "10.0.0.0/8",
        "span": "P1Y2M3DT4H5M6.5S",
        "spans": ["P1D", None],
        "data": "AP8=",
        "parts": ["AQ==", None],
        "span_of": "P1Y2M3DT4H5M6.5S",
    }
    assert (second["span"], second["spans"], second["data"], second["parts"]) == ("PT-0.25S", [], "", [])
    assert (third["days"], third["span"], third["host"]) == ("empty", "PT0S", "::1")
    assert set(fourth.values()) == {None}


def test_a_function_is_called_once(start_api: StartApi) -> None:
    api = start_api(SCHEMA, **ON)
    assert [api.ask("mutation { next_span }").data["next_span"] for _ in range(3)] == ["P1D", "P2D", "P3D"]
    assert api.ask('{ same(span: "PT90M") }').data == {"same": "PT1H30M"}


def test_written_values_are_read_back(start_api: StartApi) -> None:
    api = start_api(SCHEMA, **ON)
    given_values = {
        "days": "[2027-01-01,2027-01-02)", "own": "(,5)", "slots": ["[1,2)", None], "host": "fe80::/10",
        "net": "fe80::/10", "span": "P1M-2DT3S", "spans": ["PT0S", None], "data": "a" * 400, "parts": ["", None],
    }  # fmt: skip
    insert = "mutation ($o: thingInsertInput!) { insertIntothingCollection(objects: [$o]) { records { %s } } }"
    asked = " ".join(given_values)
    answer = api.ask(insert % asked, {"o": {"id": 9, **given_values}})
    assert answer.data["insertIntothingCollection"]["records"] == [given_values]
    update = (
        "mutation ($s: thingUpdateInput!) { updatethingCollection(set: $s, filter: {id: {eq: 9}}) { records { %s } } }"
    )
    given_values["span"] = given_values["data"] = None
    answer = api.ask(update % asked, {"s": {"span": None, "data": None}})
    assert answer.data["updatethingCollection"]["records"] == [given_values]


@pytest.mark.parametrize(
    ("member", "code", "message"),
    [
        ('{data: {eq: "a"}}', "BAD_USER_INPUT", "Invalid input for Base64 type"),
        ('{data: {eq: "YWI-"}}', "BAD_USER_INPUT", "Invalid input for Base64 type"),
        ('{data: {eq: "YW\\nI="}}', "BAD_USER_INPUT", "Invalid input for Base64 type"),
        ("{data: {eq: 5}}", "BAD_USER_INPUT", "Invalid input for Base64 type"),
        ("{span: {eq: 5}}", "BAD_USER_INPUT", "Invalid input for Interval type"),
        ("{host: {in: [{}]}}", "BAD_USER_INPUT", "Invalid input for Inet type"),
        ("{days: {overlaps: []}}", "BAD_USER_INPUT", "Invalid input for Range type"),
        ('{span: {eq: "soon"}}', "INVALID_DATETIME_FORMAT", "invalid input syntax for type interval"),
        ('{host: {within: "here"}}', "INVALID_TEXT_REPRESENTATION", "invalid input syntax for type inet"),
        ('{days: {contains: "[2026-02-01,2026-01-01)"}}', "DATA_EXCEPTION", "range lower bound must be less"),
    ],
)
def test_invalid_values_are_refused(reading_api: StartApi, member: str, code: str, message: str) -> None:
    answer = reading_api(SCHEMA, **ON).ask(f"{{ thingCollection(filter: {member}) {{ edges {{ cursor }} }} }}")
    assert message in answer.message
    assert answer.code in (code, "GRAPHQL_VALIDATION_FAILED")


# Filters


@pytest.mark.parametrize(
    ("filter_", "ids"),
    [
        ({"days": {"eq": "[2026-01-01,2026-01-31]"}}, [1]),
        ({"days": {"neq": "empty"}}, [1, 2]),
        ({"days": {"in": ["empty", "[2026-02-01,2026-03-01)"]}}, [2, 3]),
        ({"days": {"is": "NULL"}}, [4]),
        ({"days": {"contains": "[2026-01-05,2026-01-05]"}}, [1]),
        ({"days": {"contains": "empty"}}, [1, 2, 3]),
        ({"days": {"containedBy": "[2026-01-01,)"}}, [1, 2, 3]),
        ({"days": {"overlaps": "[2026-01-31,2026-02-01]"}}, [1, 2]),
        ({"days": {"adjacent": "[2026-03-01,)"}}, [2]),
        ({"days": {"before": "[2026-02-01,)"}}, [1]),
        ({"days": {"after": "(,2026-01-31]"}}, [2]),
        ({"days": {"contains": None}}, []),
        ({"days": {"not": {"overlaps": "[2026-01-01,2026-01-02)"}}}, [2, 3]),
        ({"days": {"distinctFrom": "empty"}}, [1, 2, 4]),
        ({"own": {"contains": "[1.5,1.5]"}}, [1]),
        ({"own": {"after": "[,2.5]"}}, [2]),
        ({"host": {"eq": "10.0.0.1/32"}}, [1]),
        ({"host": {"gt": "10.0.0.1"}}, [2, 3]),
        ({"host": {"lte": "192.168.1.0/24"}}, [1, 2]),
        ({"host": {"within": "10.0.0.0/8"}}, [1]),
        ({"host": {"within": "192.168.1.0/24"}}, [2]),
        ({"host": {"contains": "192.168.1.77"}}, [2]),
        ({"host": {"overlaps": "192.168.0.0/16"}}, [2]),
        ({"net": {"contains": "10.1.2.3/16"}}, [1]),
        ({"net": {"eq": "10.1.2.3/8"}}, []),
        ({"net": {"within": "10.1.2.3/8"}}, [1]),
        ({"net": {"in": ["10.0.0.0/8", "192.168.0.0/16"]}}, [1, 2]),
        ({"span": {"eq": "P14M3DT4H5M6.5S"}}, [1]),
        ({"span": {"lt": "PT0S"}}, [2]),
        ({"span": {"gte": "0"}}, [1, 3]),
        ({"span_of": {"lt": "PT0S"}}, [2]),
        ({"data": {"eq": "AP8="}}, [1]),
        ({"data": {"neq": ""}}, [1]),
        ({"data": {"in": ["", "AP8="]}}, [1, 2]),
        ({"data": {"distinctFrom": ""}}, [1, 3, 4]),
    ],
)
def test_filters_find_the_expected_rows(reading_api: StartApi, filter_: Any, ids: list[int]) -> None:
    assert matching_ids(reading_api(SCHEMA, **ON), filter_) == ids


def test_values_can_be_keys(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, **ON)
    query = "query ($k: thingKeyInput!) { thingByKey(key: $k) { id } }"
    for key in ({"host": "::1"}, {"span": "PT0S"}):
        assert api.ask(query, {"k": key}).data == {"thingByKey": {"id": 3}}
    assert api.ask(query, {"k": {"data": "AP8="}}).data == {"thingByKey": {"id": 1}}


@pytest.mark.parametrize("column", ["days", "own", "host", "net", "span", "data", "span_of"])
def test_pages_are_ordered_by_values(reading_api: StartApi, column: str) -> None:
    api = reading_api(SCHEMA, **ON)
    order = f"orderBy: [{{{column}: DescNullsLast}}]"

    def edges(arguments: str) -> list[Any]:
        query = f"{{ thingCollection({order}, {arguments}) {{ edges {{ cursor node {{ id }} }} }} }}"
        return api.ask(query).data["thingCollection"]["edges"]

    whole = [each["node"]["id"] for each in edges("first: 9")]
    paged, after = [], ""
    for _ in range(4):
        (edge,) = edges(f"first: 1{after}")
        paged.append(edge["node"]["id"])
        after = f', after: "{edge["cursor"]}"'
    assert paged == whole
    assert whole[-1] == 4


# Rights


def test_an_unreadable_column_is_left_out(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA, **ON)
    assert "days" in members(printed(api), "thingFilter")
    changed(postgres, api, "revoke select on thing from anon; grant select (id, host) on thing to anon")
    sdl = printed(api)
    assert members(sdl, "thing") == ["nodeId", "id", "host"]
    assert members(sdl, "thingFilter")[:2] == ["id", "host"]
    assert not members(sdl, "RangeFilter")


def test_rows_hidden_by_a_policy_are_not_found(start_api: StartApi) -> None:
    policy = "alter table thing enable row level security; create policy odd on thing to anon using (id % 2 = 1);"
    api = start_api(SCHEMA + policy, **ON)
    assert matching_ids(api, {"host": {"within": "0.0.0.0/0"}}) == [1]
    assert matching_ids(api, {"days": {"after": "(,2026-01-31]"}}) == []


# Against PostgreSQL, and models

PARTS = st.integers(-400, 400)
PROPERTIES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_intervals_are_printed_as_postgresql_does(start_api: StartApi, postgres: PostgresServer) -> None:
    """With IntervalStyle = iso_8601, for a role with any style."""
    api = start_api(SCHEMA, **ON)
    changed(
        postgres,
        api,
        """do $$ begin
      execute format('alter role anon in database %I set intervalstyle = sql_standard', current_database());
    end $$""",
    )
    connection = connect(api.database_url)
    connection.execute_simple("set intervalstyle = 'iso_8601'")

    @PROPERTIES
    @given(PARTS, PARTS, st.integers(-(10**13), 10**13))
    def check(months: int, days: int, microseconds: int) -> None:
        # PostgreSQL 13 takes no more than an int4 of microseconds.
        seconds, rest = divmod(abs(microseconds), 10**6)
        text = f"{months} mons {days} days {'-' if microseconds < 0 else ''}{seconds}.{rest:06} s"
        ((expected,),) = connection.execute_simple(f"select '{text}'::interval::text").rows
        assert api.ask("query ($s: Interval!) { same(span: $s) }", {"s": expected}).data == {"same": expected}

    check()
    connection.close()


NETWORKS = st.builds(
    lambda address, bits: str(ipaddress.ip_network((address & 0xFFFF0000, bits), strict=False)),
    st.integers(0, 2**32 - 1).map(lambda number: number & 0x03030000),
    st.sampled_from([0, 8, 14, 15, 16]),
)
RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "within": lambda left, right: left.subnet_of(right),
    "contains": lambda left, right: left.supernet_of(right),
    "overlaps": lambda left, right: left.overlaps(right),
}


def test_filters_of_networks_equal_the_model(writing_api: StartApi, postgres: PostgresServer) -> None:
    api = writing_api(SCHEMA, "truncate thing", **ON)

    @PROPERTIES
    @given(st.lists(NETWORKS, min_size=1, max_size=6), NETWORKS)
    def check(networks: list[str], operand: str) -> None:
        rows = ", ".join(f"({number}, '{each}')" for number, each in enumerate(networks))
        postgres.execute(f"truncate thing; insert into thing (id, net) values {rows}", api.database_url)
        for name, holds in RELATIONS.items():
            expected = [
                number
                for number, each in enumerate(networks)
                if holds(ipaddress.ip_network(each), ipaddress.ip_network(operand))
            ]
            assert matching_ids(api, {"net": {name: operand}}) == expected

    check()
