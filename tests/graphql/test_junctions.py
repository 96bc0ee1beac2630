"""Junctions: collections through a table that joins the rows of two others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
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
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA)


def teams(api: Api, arguments: str = "", selection: str = "edges { node { name } }") -> list[Any]:
    query = f"{{ accountCollection {{ edges {{ node {{ teamCollection{arguments} {{ {selection} }} }} }} }} }}"
    return [each["node"]["teamCollection"] for each in api.ask(query).data["accountCollection"]["edges"]]


def names(api: Api, arguments: str = "") -> list[list[str]]:
    return [[each["node"]["name"] for each in of_one["edges"]] for of_one in teams(api, arguments)]


def test_both_sides_have_a_field(api: Api) -> None:
    assert names(api) == [["red", "blue"], ["red"], []]
    query = (
        "{ teamCollection { edges { node { accountCollection { edges { node { name } membership { role } } } } } } }"
    )
    found = api.ask(query).data["teamCollection"]["edges"]
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
def test_junctions_take_collection_arguments(api: Api, arguments: str, expected: list[list[str]]) -> None:
    assert names(api, arguments) == expected


def test_the_connection_has_all_usual_fields(api: Api) -> None:
    selection = "totalCount countUpTo pageInfo { hasNextPage } edges { cursor membership { role account { name } } }"
    first, *_ = teams(api, "(first: 1)", selection)
    assert (first["totalCount"], first["countUpTo"], first["pageInfo"]) == (2, 2, {"hasNextPage": True})
    (edge,) = first["edges"]
    assert edge["membership"] == {"role": "lead", "account": {"name": "Ann"}}
    (following,) = teams(api, f'(after: "{edge["cursor"]}")')[0]["edges"]
    assert following == {"node": {"name": "blue"}}


def test_a_junction_may_join_one_table_with_itself(api: Api) -> None:
    query = """{ accountCollection(first: 1) { edges { node {
      follows: accountCollectionByFollowFollowedId { edges { node { name } } }
      followers: accountCollectionByFollowFollowerId { edges { node { name } } } } } } }"""
    (edge,) = api.ask(query).data["accountCollection"]["edges"]
    assert edge["node"] == {
        "follows": {"edges": [{"node": {"name": "Ben"}}, {"node": {"name": None}}]},
        "followers": {"edges": [{"node": {"name": "Ben"}}]},
    }


def test_types_do_not_depend_on_further_columns(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    types = ["AccountMembershipTeamConnection", "AccountMembershipTeamEdge", "TeamMembershipAccountConnection"]
    before = [members(printed(api), each) for each in types]
    assert before[:2] == [["edges", "pageInfo", "totalCount", "countUpTo"], ["cursor", "node", "membership"]]
    changed(postgres, api, "alter table membership drop column role")
    assert [members(printed(api), each) for each in types] == before


def test_a_taken_name_gets_a_suffix(start_api: StartApi) -> None:
    api = start_api(SCHEMA + "alter table team add account_id int references account;")
    own = members(printed(api), "Account")
    assert "teamCollection" in own
    assert "teamCollectionByMembership" in own
    assert "accountCollection" in members(printed(api), "Team")


def test_names_do_not_depend_on_what_a_role_may_read(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(
        SCHEMA
        + """create table badge (account_id int references account, team_id int references team,
          primary key (account_id, team_id)); comment on table badge is '@graphql({"junction": true})';"""
    )
    assert "teamCollectionByMembership" in members(printed(api), "Account")
    assert "teamCollectionByBadge" not in members(printed(api), "Account")
    changed(postgres, api, "alter table team add account_id int references account; drop table badge")
    assert "teamCollectionByMembership" in members(printed(api), "Account")
    changed(postgres, api, "revoke select on team from anon; grant select (id, name) on team to anon")
    assert [each for each in members(printed(api), "Account") if each.startswith("team")] == [
        "teamCollectionByMembership"
    ]


def test_a_unique_key_makes_a_junction_too(start_api: StartApi) -> None:
    other = "alter table membership drop constraint membership_pkey; alter table membership add id serial primary key;"
    api = start_api(f"{SCHEMA} {other} alter table membership add unique (team_id, account_id);")
    found = teams(api, "", "edges { node { name } membership { role id } }")
    assert found[1]["edges"] == [{"node": {"name": "red"}, "membership": {"role": None, "id": 3}}]


@pytest.mark.parametrize(
    "sql",
    [
        "alter table membership drop constraint membership_pkey; alter table membership add id int primary key",
        "alter table membership drop constraint membership_team_id_fkey",
        "alter table membership add other int references team",
    ],
)
def test_other_tables_are_no_junctions(start_api: StartApi, sql: str) -> None:
    api = start_api(SCHEMA + "delete from membership;" + sql)
    assert "MembershipTeam" not in printed(api)


def test_a_missing_privilege_removes_the_field(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    assert "teamCollection" in members(printed(api), "Account")
    for revoked, granted in (
        ("membership", "grant select (account_id, role) on membership to anon"),
        ("team", "grant select (name) on team to anon"),
    ):
        changed(postgres, api, f"revoke select on {revoked} from anon; {granted}")
        assert "teamCollection" not in members(printed(api), "Account")
        changed(postgres, api, f"grant select on {revoked} to anon")


def test_hidden_rows_are_left_out(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    changed(
        postgres,
        api,
        """alter table membership enable row level security; create policy m on membership using (role is null);""",
    )
    assert names(api) == [["blue"], ["red"], []]
    changed(postgres, api, "alter table team enable row level security; create policy t on team using (id = 1)")
    assert names(api) == [[], ["red"], []]


def test_pg_graphql_has_no_junctions(reading_api: StartApi) -> None:
    assert "MembershipTeam" not in printed(reading_api(SCHEMA, graphql_dialect="pg_graphql"))
