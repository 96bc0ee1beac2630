"""Orders by functions of a row with further arguments."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer

SCHEMA = """
create table town (id int primary key, name text not null);
create table spot (id int primary key, town_id int references town, x int, kind text);
create function apart(spot, x int, scale int default 1) returns int language sql stable
  as 'select abs($1.x - $2) * $3';
comment on function apart is '@graphql({"expose": true, "orderBy": true})';
create function spots_up_to(most int) returns setof spot language sql stable as 'select * from spot where id <= most';
insert into town values (1, 'Oslo'), (2, 'Rome');
insert into spot values (1, 1, 9, 'a'), (2, 1, 4, 'b'), (3, 2, null, 'a'), (4, 2, 6, 'b'), (5, null, 5, 'a'),
                        (6, 1, 6, 'b');
grant select on town, spot to anon;
"""
NEAR = "query ($x: Int!, $to: OrderByDirection!, $after: Cursor, $before: Cursor, $first: Int, $last: Int) { %s }"
SPOTS = (
    "spotCollection(orderBy: [{apart: {x: $x, direction: $to}}], first: $first, after: $after, last: $last,"
    " before: $before) { edges { cursor node { id } } }"
)


@pytest.fixture
def api(start_api: StartApi) -> Api:
    return start_api(SCHEMA)


def ids(connection: Any) -> list[int]:
    return [edge["node"]["id"] for edge in connection["edges"]]


def ordered_ids(api: Api, order: str, collection: str = "spotCollection") -> list[int]:
    arguments = f"orderBy: {order}"
    if "(" in collection:
        collection, given = collection.rstrip(")").split("(")
        arguments = f"{given}, {arguments}"
    return ids(api.ask(f"{{ {collection}({arguments}) {{ edges {{ node {{ id }} }} }} }}").data[collection])


@pytest.mark.parametrize(
    ("x", "to", "expected"),
    [
        (5, "AscNullsLast", [5, 2, 4, 6, 1, 3]),
        (5, "DescNullsFirst", [3, 1, 2, 4, 6, 5]),
        (9, "AscNullsFirst", [3, 1, 4, 6, 5, 2]),
        (9, "DescNullsLast", [2, 5, 4, 6, 1, 3]),
    ],
)
def test_pages_work_in_both_directions(api: Api, x: int, to: str, expected: list[int]) -> None:
    edges = api.ask(NEAR % SPOTS, {"x": x, "to": to}).data["spotCollection"]["edges"]
    assert [edge["node"]["id"] for edge in edges] == expected
    for place, edge in enumerate(edges):
        after = api.ask(NEAR % SPOTS, {"x": x, "to": to, "after": edge["cursor"], "first": 2})
        before = api.ask(NEAR % SPOTS, {"x": x, "to": to, "before": edge["cursor"], "last": 2})
        assert ids(after.data["spotCollection"]) == expected[place + 1 : place + 3]
        assert ids(before.data["spotCollection"]) == expected[max(0, place - 2) : place]


def test_the_order_works_in_every_collection(api: Api) -> None:
    order = "{apart: {x: 5, direction: AscNullsLast}}"
    assert ordered_ids(api, f"[{order}]", "spots_up_to(most: 4)") == [2, 4, 1, 3]
    assert ordered_ids(api, f"[{{kind: AscNullsLast}}, {order}]") == [5, 1, 3, 2, 4, 6]
    assert ordered_ids(api, f"[{order}]", "spotCollection(distinctOn: [kind])") == [5, 2]
    spots = f"spotCollection(orderBy: [{order}]) {{ edges {{ node {{ id }} }} }}"
    towns = api.ask(f"{{ townCollection {{ edges {{ node {{ {spots} }} }} }} }}").data["townCollection"]["edges"]
    assert [ids(each["node"]["spotCollection"]) for each in towns] == [[2, 6, 1], [4, 3]]


def test_missing_arguments_have_defaults_and_null_is_null(api: Api) -> None:
    assert ordered_ids(api, "[{apart: {x: 5, scale: -1, direction: AscNullsLast}}]") == [1, 2, 4, 6, 5, 3]
    assert ordered_ids(api, "[{apart: {x: 5, scale: null, direction: AscNullsLast}}, {x: DescNullsLast}]") == [
        1,
        4,
        6,
        5,
        2,
        3,
    ]
    assert ordered_ids(api, "[{apart: null}]") == [1, 2, 3, 4, 5, 6]
    for given in ("{direction: AscNullsLast}", "{x: 5}", "{x: null, direction: AscNullsLast}", "AscNullsLast"):
        assert api.ask(f"{{ spotCollection(orderBy: [{{apart: {given}}}]) {{ edges {{ cursor }} }} }}").errors


def test_a_variable_may_be_the_whole_order(api: Api) -> None:
    query = "query ($by: [spotOrderBy!]) { spotCollection(orderBy: $by) { edges { node { id } } } }"
    for x, to, expected in (
        (5, "AscNullsLast", [5, 2, 4, 6, 1, 3]),
        (9, "AscNullsLast", [1, 4, 6, 5, 2, 3]),
        (9, "DescNullsLast", [2, 5, 4, 6, 1, 3]),
    ):
        found = api.ask(query, {"by": [{"apart": {"x": x, "direction": to}}]}).data["spotCollection"]
        assert ids(found) == expected


def test_related_rows_can_be_ordered_by_it(start_api: StartApi) -> None:
    api = start_api(
        SCHEMA
        + """create table visit (id int primary key, spot_id int references spot);
        create table note (id int primary key, visit_id int references visit);
        insert into visit values (1, 1), (2, 5), (3, null), (4, 2); insert into note select id, id from visit;
        create policy hidden on spot using (id <> 2); alter table spot enable row level security;
        grant select on visit, note to anon"""
    )
    # A row that a policy hides is missing, and the function is not called for it.
    order = "{spot: {apart: {x: 5, direction: DescNullsLast}}}"
    assert ordered_ids(api, f"[{order}]", "visitCollection") == [1, 2, 3, 4]
    assert ordered_ids(api, f"[{{visit: {order}}}]", "noteCollection") == [1, 2, 3, 4]
    assert ordered_ids(api, f"[{{visit: {order.replace('Desc', 'Asc')}}}]", "noteCollection") == [2, 1, 3, 4]


def test_one_of_several_functions_of_a_name_can_be_exposed(start_api: StartApi) -> None:
    api = start_api(
        SCHEMA
        + """create function apart(spot, x int) returns int language sql stable as 'select 0';
        comment on function apart(spot, int, int) is '@graphql({"expose": true, "orderBy": true, "name": "far"})'"""
    )
    assert members(printed(api), "spotOrderBy") == ["id", "town_id", "x", "kind", "far", "town"]
    assert ordered_ids(api, "[{far: {x: 5, direction: AscNullsLast}}]") == [5, 2, 4, 6, 1, 3]


def test_the_member_has_its_type(api: Api) -> None:
    sdl = printed(api)
    assert members(sdl, "spotOrderBy") == ["id", "town_id", "x", "kind", "apart", "town"]
    assert members(sdl, "spotapartOrderBy") == ["x", "scale", "direction"]


def test_a_missing_privilege_removes_the_member(api: Api, postgres: PostgresServer) -> None:
    changed(postgres, api, "revoke execute on function apart from public")
    assert "apart" not in members(printed(api), "spotOrderBy")
    columns = "revoke select on spot from anon; grant select (id, x) on spot to anon"
    changed(postgres, api, f"grant execute on function apart to anon; {columns}")
    assert members(printed(api), "spotOrderBy") == ["id", "x"]


@pytest.mark.parametrize(
    ("function", "reported"),
    [
        ("f(spot, direction text) returns int language sql stable as 'select 1'", "it has an argument direction"),
        ("f(spot, other town) returns int language sql stable as 'select 1'", "its argument other is public.town"),
        ("f(spot, y int) returns int language sql volatile as 'select 1'", "it is volatile"),
        ("f(spot, y int) returns json language sql stable as $$ select '1'::json $$", "a type without an order"),
        ("f(spot, y int) returns setof int language sql stable as 'select 1'", "it returns a set of values"),
        ("x(spot, y int) returns int language sql stable as 'select 1'", None),
    ],
)
def test_functions_that_cannot_be_ordered_by_have_a_reason(
    start_api: StartApi, function: str, reported: str | None
) -> None:
    name = function.partition("(")[0]
    comment = """comment on function %s is '@graphql({"expose": true, "orderBy": true})'"""
    api = start_api(f"{SCHEMA} create function {function}; {comment % name}")
    assert members(printed(api), "spotOrderBy") == ["id", "town_id", "x", "kind", "apart", "town"]
    notices = api.application.services.engine.role_schemas.of_role("anon").notices
    reasons = [each.reason for each in notices if "it is not in orderBy" in each.reason]
    assert len(reasons) == (reported is not None)
    assert all(str(reported) in each for each in reasons)


@pytest.mark.parametrize("features", [("-relation_orders",), ("-exposed_functions",)])
def test_the_member_does_not_exist_without_the_feature(start_api: StartApi, features: tuple[str, ...]) -> None:
    assert "apart" not in members(printed(start_api(SCHEMA, graphql_features=features)), "spotOrderBy")
