"""Junctions: collections through a table that joins the rows of two others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.conftest import OpenDoor
from tests.graphql.door import Door
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer

SCHEMA = """
create table account (id int primary key, name text);
create table team (id int primary key, name text);
create table membership (account_id int references account, team_id int references team, role text,
  primary key (account_id, team_id));
create table follow (follower_id int references account, followed_id int references account,
  primary key (follower_id, followed_id));
comment on schema public is '@graphql({"inflect_names": true})';
comment on table team is '@graphql({"totalCount": {"enabled": true}})';
comment on table membership is '@graphql({"junction": true})';
comment on table follow is '@graphql({"junction": true})';
insert into account values (1, 'Ann'), (2, 'Ben'), (3, null);
insert into team values (1, 'red'), (2, 'blue');
insert into membership values (1, 1, 'lead'), (1, 2, null), (2, 1, null);
insert into follow values (1, 2), (1, 3), (2, 1);
grant select on all tables in schema public to anon;
"""


@pytest.fixture
def door(reading_door: OpenDoor) -> Door:
    return reading_door(SCHEMA)


def teams(door: Door, arguments: str = "", selection: str = "edges { node { name } }") -> list[Any]:
    query = f"{{ accountCollection {{ edges {{ node {{ teamCollection{arguments} {{ {selection} }} }} }} }} }}"
    return [each["node"]["teamCollection"] for each in door.ask(query).data["accountCollection"]["edges"]]


def names(door: Door, arguments: str = "") -> list[list[str]]:
    return [[each["node"]["name"] for each in of_one["edges"]] for of_one in teams(door, arguments)]


def test_both_sides_have_a_field(door: Door) -> None:
    assert names(door) == [["red", "blue"], ["red"], []]
    query = (
        "{ teamCollection { edges { node { accountCollection { edges { node { name } membership { role } } } } } } }"
    )
    found = door.ask(query).data["teamCollection"]["edges"]
    assert [each["node"]["accountCollection"]["edges"] for each in found] == [
        [
            {"node": {"name": "Ann"}, "membership": {"role": "lead"}},
            {"node": {"name": "Ben"}, "membership": {"role": None}},
        ],
        [{"node": {"name": "Ann"}, "membership": {"role": None}}],
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('(through: {role: {eq: "lead"}})', [["red"], [], []]),
        ("(through: {role: {is: NULL}})", [["blue"], ["red"], []]),
        ("(through: {})", [["red", "blue"], ["red"], []]),
        ('(filter: {name: {eq: "blue"}})', [["blue"], [], []]),
        ("(orderBy: [{name: AscNullsLast}], first: 1)", [["blue"], ["red"], []]),
        ("(last: 1)", [["blue"], ["red"], []]),
    ],
)
def test_junctions_take_collection_arguments(door: Door, arguments: str, expected: list[list[str]]) -> None:
    assert names(door, arguments) == expected


def test_the_connection_has_all_usual_fields(door: Door) -> None:
    selection = "totalCount countUpTo pageInfo { hasNextPage } edges { cursor membership { role account { name } } }"
    first, *_ = teams(door, "(first: 1)", selection)
    assert (first["totalCount"], first["countUpTo"], first["pageInfo"]) == (2, 2, {"hasNextPage": True})
    (edge,) = first["edges"]
    assert edge["membership"] == {"role": "lead", "account": {"name": "Ann"}}
    (following,) = teams(door, f'(after: "{edge["cursor"]}")')[0]["edges"]
    assert following == {"node": {"name": "blue"}}


def test_a_junction_may_join_one_table_with_itself(door: Door) -> None:
    query = """{ accountCollection(first: 1) { edges { node {
      follows: accountCollectionByFollowFollowedId { edges { node { name } } }
      followers: accountCollectionByFollowFollowerId { edges { node { name } } } } } } }"""
    (edge,) = door.ask(query).data["accountCollection"]["edges"]
    assert edge["node"] == {
        "follows": {"edges": [{"node": {"name": "Ben"}}, {"node": {"name": None}}]},
        "followers": {"edges": [{"node": {"name": "Ben"}}]},
    }


def test_types_do_not_depend_on_further_columns(open_door: OpenDoor, postgres: PostgresServer) -> None:
    door = open_door(SCHEMA)
    types = ["AccountMembershipTeamConnection", "AccountMembershipTeamEdge", "TeamMembershipAccountConnection"]
    before = [members(printed(door), each) for each in types]
    assert before[:2] == [["edges", "pageInfo", "totalCount", "countUpTo"], ["cursor", "node", "membership"]]
    changed(postgres, door, "alter table membership drop column role")
    assert [members(printed(door), each) for each in types] == before


def test_a_taken_name_gets_a_suffix(open_door: OpenDoor) -> None:
    door = open_door(SCHEMA + "alter table team add account_id int references account;")
    own = members(printed(door), "Account")
    assert "teamCollection" in own
    assert "teamCollectionByMembership" in own
    assert "accountCollection" in members(printed(door), "Team")


def test_names_do_not_depend_on_what_a_role_may_read(open_door: OpenDoor, postgres: PostgresServer) -> None:
    door = open_door(
        SCHEMA
        + """create table badge (account_id int references account, team_id int references team,
          primary key (account_id, team_id)); comment on table badge is '@graphql({"junction": true})';"""
    )
    assert "teamCollectionByMembership" in members(printed(door), "Account")
    assert "teamCollectionByBadge" not in members(printed(door), "Account")
    changed(postgres, door, "alter table team add account_id int references account; drop table badge")
    assert "teamCollectionByMembership" in members(printed(door), "Account")
    changed(postgres, door, "revoke select on team from anon; grant select (id, name) on team to anon")
    assert [each for each in members(printed(door), "Account") if each.startswith("team")] == [
        "teamCollectionByMembership"
    ]


def test_a_unique_key_makes_a_junction_too(open_door: OpenDoor) -> None:
    other = "alter table membership drop constraint membership_pkey; alter table membership add id serial primary key;"
    door = open_door(f"{SCHEMA} {other} alter table membership add unique (team_id, account_id);")
    found = teams(door, "", "edges { node { name } membership { role id } }")
    assert found[1]["edges"] == [{"node": {"name": "red"}, "membership": {"role": None, "id": 3}}]


@pytest.mark.parametrize(
    "sql",
    [
        "alter table membership drop constraint membership_pkey; alter table membership add id int primary key",
        "alter table membership drop constraint membership_team_id_fkey",
        "alter table membership add other int references team",
    ],
)
def test_other_tables_are_no_junctions(open_door: OpenDoor, sql: str) -> None:
    door = open_door(SCHEMA + "delete from membership;" + sql)
    assert "MembershipTeam" not in printed(door)


def test_a_missing_privilege_removes_the_field(open_door: OpenDoor, postgres: PostgresServer) -> None:
    door = open_door(SCHEMA)
    assert "teamCollection" in members(printed(door), "Account")
    for revoked, granted in (
        ("membership", "grant select (account_id, role) on membership to anon"),
        ("team", "grant select (name) on team to anon"),
    ):
        changed(postgres, door, f"revoke select on {revoked} from anon; {granted}")
        assert "teamCollection" not in members(printed(door), "Account")
        changed(postgres, door, f"grant select on {revoked} to anon")


def test_hidden_rows_are_left_out(open_door: OpenDoor, postgres: PostgresServer) -> None:
    door = open_door(SCHEMA)
    changed(
        postgres,
        door,
        """alter table membership enable row level security; create policy m on membership using (role is null);""",
    )
    assert names(door) == [["blue"], ["red"], []]
    changed(postgres, door, "alter table team enable row level security; create policy t on team using (id = 1)")
    assert names(door) == [[], ["red"], []]


def test_pg_graphql_has_no_junctions(reading_door: OpenDoor) -> None:
    assert "MembershipTeam" not in printed(reading_door(SCHEMA, graphql_dialect="pg_graphql"))
