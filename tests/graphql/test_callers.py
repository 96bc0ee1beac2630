"""Callers: roles with different grants, row level security, claims, and settings of a role."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.graphql.api import SERVICE_KEY, Api
from tests.graphql.conftest import ROLES, StartApi
from tests.postgres_server import PostgresServer
from tests.process.running import until

SCHEMA = """
alter role service_role bypassrls;
create table note (id int primary key, owner text, body text, rating int);
insert into note values (1, 'ann', 'a', 5), (2, 'bob', 'b', 4), (3, 'ann', 'c', 3);
alter table note enable row level security;
create policy own on note for select to authenticated using (owner = current_setting('request.jwt.claims',
  true)::json ->> 'sub');
create policy old on note for select to anon using (owner = current_setting('request.jwt.claim.sub', true));
create table public_thing (id int primary key, name text, secret text);
insert into public_thing values (1, 'n', 's');
create view told as select 1 as id, current_user::text as role, current_setting('request.method', true) as method,
  current_setting('request.path', true) as path, current_setting('request.jwt.claims', true) as claims,
  current_setting('statement_timeout') as timeout, current_setting('role') as set_role, session_user::text as login,
  current_setting('transaction_read_only') as read_only;
comment on view told is '@graphql({"primary_key_columns": ["id"]})';
grant select (id, owner, body) on note to anon;
grant select on note to authenticated, service_role;
grant select (id, name) on public_thing to anon;
grant select on public_thing to authenticated;
grant select on told to anon, authenticated, service_role;
"""
NOTES = "{ noteCollection { edges { node { id } } } }"


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA)


@pytest.fixture
def new_role(postgres: PostgresServer) -> Iterator[str]:
    """A role for this test only, which grants it its privileges."""
    name = f'role {uuid.uuid4().hex[:8]} "ü"'
    quoted = '"' + name.replace('"', '""') + '"'
    postgres.execute(f"{ROLES}; create role {quoted}; grant {quoted} to authenticated")
    yield name
    postgres.execute(f"drop role {quoted}")


def ids(answer: Any) -> list[int]:
    return [edge["node"]["id"] for edge in answer.data["noteCollection"]["edges"]]


def test_callers_see_their_own_rows(api: Api) -> None:
    assert ids(api.ask(NOTES)) == []
    assert ids(api.ask(NOTES, claims={"sub": "ann"})) == [1, 3]
    assert ids(api.ask(NOTES, claims={"sub": "bob"})) == [2]
    assert ids(api.ask(NOTES, role="anon", claims={"sub": "bob"})) == [2]
    assert ids(api.ask(NOTES, key=SERVICE_KEY)) == [1, 2, 3]
    # On the same connection, from one to the other and back.
    for _ in range(10):
        assert ids(api.ask(NOTES, claims={"sub": "ann"})) == [1, 3]
        assert ids(api.ask(NOTES)) == []
        assert ids(api.ask(NOTES, claims={"sub": "bob"})) == [2]
    page = '{ noteCollection(first: 1) { pageInfo { hasNextPage } edges { node { id } } } n: node(nodeId: "WyJwdWJsaWMiLCAibm90ZSIsIDJd") { nodeId } noteByPk(id: 2) { id } }'  # noqa: E501
    assert api.ask(page, claims={"sub": "bob"}).data["noteCollection"] == {
        "pageInfo": {"hasNextPage": False},
        "edges": [{"node": {"id": 2}}],
    }
    hidden = api.ask(page, claims={"sub": "ann"}).data
    assert hidden["n"] is None
    assert hidden["noteByPk"] is None
    assert hidden["noteCollection"]["pageInfo"] == {"hasNextPage": True}


def test_callers_see_their_own_columns(api: Api) -> None:
    assert api.ask("{ public_thingCollection { edges { node { id name } } } }").data
    for query in (
        "{ public_thingCollection { edges { node { secret } } } }",
        '{ public_thingCollection(filter: {secret: {eq: "s"}}) { edges { cursor } } }',
        "{ public_thingCollection(orderBy: [{secret: AscNullsLast}]) { edges { cursor } } }",
        "{ noteCollection { edges { node { rating } } } }",
    ):
        answer = api.ask(query)
        assert answer.errors[0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED", answer.body
    assert api.ask("{ public_thingCollection { edges { node { secret } } } }", role="authenticated").data
    # The plan of one role is not the other's.
    for _ in range(3):
        assert api.ask("{ public_thingCollection { edges { node { secret } } } }", role="authenticated").data
        assert api.ask("{ public_thingCollection { edges { node { secret } } } }").errors


def test_a_relation_with_an_unreadable_key_has_no_node_id(reading_api: StartApi) -> None:
    api = reading_api("""
        create table keyless (id int primary key, name text not null, kind text);
        insert into keyless select i, 'n' || i, 'k' || i % 2 from generate_series(1, 4) i;
        grant select (name, kind) on keyless to anon;
    """)
    data = api.ask("""{ keylessCollection(orderBy: [{name: DescNullsLast}], first: 2) { edges { cursor node { name } }
        pageInfo { hasNextPage hasPreviousPage endCursor } } }""").data["keylessCollection"]
    assert [edge["node"]["name"] for edge in data["edges"]] == ["n4", "n3"]
    assert data["pageInfo"]["hasNextPage"]
    after = data["pageInfo"]["endCursor"]
    data = api.ask(
        f'{{ keylessCollection(orderBy: [{{name: DescNullsLast}}], after: "{after}") {{ edges {{ node {{ name }} }} pageInfo {{ hasPreviousPage }} }} }}'  # noqa: E501
    ).data
    assert [edge["node"]["name"] for edge in data["keylessCollection"]["edges"]] == ["n2", "n1"]
    answer = api.ask("{ keylessCollection { edges { node { nodeId } } } }")
    assert answer.errors, "an id would tell the key"
    assert api.ask("{ keylessByPk(id: 1) { name } }").errors


def reported(api: Api, **asked: Any) -> dict[str, Any]:
    query = "{ toldByPk(id: 1) { role method path claims timeout set_role login read_only } }"
    return api.ask(query, **asked).data["toldByPk"]


def test_policies_read_role_claims_and_request(api: Api) -> None:
    anon = reported(api)
    assert (anon["role"], anon["set_role"], anon["method"], anon["path"], anon["timeout"]) == (
        "anon",
        "anon",
        "POST",
        "/graphql/v1",
        "30s",
    )
    assert json.loads(anon["claims"]) == {"role": "anon"}
    claims = {"sub": "ünï 'q' \"d\" \\ $1", "email": "a@b", "nested": {"a": [1, None]}, "aud": "x"}
    user = reported(api, claims=claims)
    assert json.loads(user["claims"]) == {"role": "authenticated", **claims}
    assert user["role"] == "authenticated"
    assert user["login"] not in ("anon", "authenticated")


def test_no_state_reaches_the_next_caller(api: Api) -> None:
    reported(api, claims={"sub": "ann"})
    services = api.application.services
    for _ in range(services.settings.pool_size):
        after = services.engine.database.read(
            "select current_setting('role') || coalesce(current_setting('request.jwt.claims', true), '')"
        )
        assert after == b"none"


def test_any_granted_role_may_be_named_by_a_token(start_api: StartApi, postgres: PostgresServer, new_role: str) -> None:
    """A token may name any role that was granted to one of the API's; it sees what that role was granted."""
    api = start_api(SCHEMA)
    quoted = '"' + new_role.replace('"', '""') + '"'
    postgres.execute(
        f"grant select (id, rating) on note to {quoted}; create policy all_rows on note to {quoted} using (true)",
        api.database_url,
    )
    try:
        answer = api.ask(
            "{ noteCollection(orderBy: [{rating: AscNullsLast}]) { edges { node { id rating } } } }", role=new_role
        )
        assert [edge["node"]["rating"] for edge in answer.data["noteCollection"]["edges"]] == [3, 4, 5]
        assert api.ask("{ noteCollection { edges { node { body } } } }", role=new_role).errors
        assert api.ask("{ toldCollection { edges { cursor } } }", role=new_role).errors
    finally:
        postgres.execute(f"drop policy all_rows on note; drop owned by {quoted}", api.database_url)


def test_a_role_without_privileges_has_an_empty_schema(api: Api, new_role: str) -> None:
    assert api.ask("{ __typename }", role=new_role).data == {"__typename": "Query"}
    assert api.ask(NOTES, role=new_role).errors


def test_settings_of_a_role_apply(start_api: StartApi, postgres: PostgresServer, new_role: str) -> None:
    quoted = '"' + new_role.replace('"', '""') + '"'
    postgres.execute(f"alter role {quoted} set timezone = 'Asia/Tokyo'")
    api = start_api("""
        create table t (id int primary key, at timestamptz default '2020-01-01T00:00:00Z');
        insert into t values (1);
        create view slow as select 1 as id, pg_sleep(60)::text as x;
        comment on view slow is '@graphql({"primary_key_columns": ["id"]})';
    """)
    postgres.execute(f"grant select on all tables in schema public to {quoted}, anon", api.database_url)
    assert api.ask("{ tByPk(id: 1) { at } }", role=new_role).data["tByPk"] == {"at": "2020-01-01T09:00:00+09:00"}
    assert api.ask("{ tByPk(id: 1) { at } }").data["tByPk"] == {"at": "2020-01-01T00:00:00+00:00"}
    postgres.execute(f"alter role {quoted} set statement_timeout = '150ms'")
    api.application.services.engine.schema_cache.reload()
    answer = api.ask("{ slowByPk(id: 1) { x } }", role=new_role)
    assert answer.errors[0]["extensions"]["sqlstate"] == "57014"
    assert answer.body["data"] is None
    postgres.execute(f"drop owned by {quoted}", api.database_url)


def test_the_timeout_of_the_service_ends_a_statement(start_api: StartApi) -> None:
    api = start_api(
        """create view slow as select 1 as id, pg_sleep(60)::text as x;
        comment on view slow is '@graphql({"primary_key_columns": ["id"]})';
        create table fast (id int primary key);
        grant select on slow, fast to anon;""",
        statement_timeout_ms=100,
    )
    answer = api.ask("{ slowByPk(id: 1) { x } }")
    assert answer.errors[0]["extensions"]["sqlstate"] == "57014"
    assert "timeout" in answer.message
    # On a busy machine this sometimes times out too.
    nothing = {"data": {"fastCollection": {"edges": []}}}
    until(lambda: api.ask("{ fastCollection { edges { cursor } } }").body == nothing)


def test_a_role_keeps_its_schema(api: Api) -> None:
    services = api.application.services
    views = {id(services.engine.role_schemas.of_role(role)) for role in ("anon", "authenticated", "service_role")}
    assert len(views) == 3
    assert services.engine.role_schemas.of_role("anon") is services.engine.role_schemas.of_role("anon")


API_ROLES = """
do $$ begin
  if to_regrole('api_editor') is null then create role api_editor; end if;
  if to_regrole('api_stranger') is null then create role api_stranger; end if;
  if to_regrole('api_mighty') is null then create role api_mighty superuser; end if;
  grant api_editor to authenticated;
end $$;
create table item (id int primary key);
grant select on item to anon, api_editor, api_stranger;
"""


@pytest.fixture
def granted(postgres: PostgresServer) -> Iterator[None]:
    """Revokes what API_ROLES grants: other databases of the server have the same roles."""
    yield
    postgres.execute("revoke api_editor from authenticated")


@pytest.mark.usefixtures("granted")
def test_only_allowed_roles_are_accepted_in_tokens(start_api: StartApi) -> None:
    api = start_api(API_ROLES)
    read = "{ itemCollection { edges { node { id } } } }"
    assert api.ask(read, role="api_editor").data is not None
    login = api.application.services.engine.database.target.user
    for role in ("api_stranger", "api_mighty", "pg_database_owner", "pg_read_all_data", login):
        answer = api.ask(read, role=role)
        assert (answer.status, answer.code) == (403, "ROLE_NOT_ALLOWED"), role
    named = start_api(API_ROLES, api_roles="anon,api_stranger,api_mighty")
    assert named.ask(read, role="api_stranger").data is not None
    for role in ("api_editor", "authenticated", "api_mighty"):
        assert named.ask(read, role=role).code == "ROLE_NOT_ALLOWED"


@pytest.mark.usefixtures("granted")
def test_a_role_added_to_the_api_is_known_at_once(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(API_ROLES)
    read = "{ itemCollection { edges { node { id } } } }"
    assert api.ask(read, role="api_stranger").code == "ROLE_NOT_ALLOWED"
    postgres.execute("grant api_stranger to authenticated")
    try:
        assert api.ask(read, role="api_stranger").data is not None
    finally:
        postgres.execute("revoke api_stranger from authenticated")


@pytest.mark.parametrize("setting", ["extra_float_digits = 0", "extra_float_digits = -5", "array_nulls = off"])
def test_values_do_not_depend_on_a_roles_settings(start_api: StartApi, new_role: str, setting: str) -> None:
    quoted = '"' + new_role.replace('"', '""') + '"'
    api = start_api(f"""
        create table t (f float8 primary key, r real, s text, a text[]);
        insert into t select 0.1 + i * 1e-16, i / 7.0 from generate_series(1, 7) i;
        alter role {quoted} set {setting};
        grant all on t to public;
    """)
    found: list[float] = []
    cursor, more = None, True
    while more and len(found) < 20:
        query = "query ($c: Cursor) { tCollection(first: 2, after: $c) { edges { node { f r } } pageInfo { hasNextPage endCursor } } }"  # noqa: E501
        page = api.ask(query, {"c": cursor}, role=new_role).data["tCollection"]
        found += [each["node"]["f"] for each in page["edges"]]
        cursor, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    assert found == [float(f"0.1{i:015}") for i in range(1, 8)]
    query = "query ($f: Float) { tCollection(filter: { f: { eq: $f } }) { edges { node { f nodeId } } } }"
    for value in found:
        [edge] = api.ask(query, {"f": value}, role=new_role).data["tCollection"]["edges"]
        node = "query ($id: ID!) { node(nodeId: $id) { ... on t { f } } }"
        assert api.ask(node, {"id": edge["node"]["nodeId"]}, role=new_role).data["node"] == {"f": value}
    query = "mutation ($o: [tInsertInput!]!) { insertIntotCollection(objects: $o) { records { s r a } } }"
    objects = [{"f": 1, "s": None, "r": None, "a": [None, "NULL"]}, {"f": 2, "s": "NULL", "r": 0.5, "a": None}]
    written = api.ask(query, {"o": objects}, role=new_role).data["insertIntotCollection"]["records"]
    assert written == [{name: each[name] for name in ("s", "r", "a")} for each in objects]


@pytest.mark.parametrize(
    ("style", "read"),
    [("SQL, DMY", "02"), ("Postgres, MDY", "01"), ("German", "02"), ("German, MDY", "01"), ("ISO, DMY", "02")],
)
def test_dates_are_printed_as_iso_with_any_date_style(
    start_api: StartApi, new_role: str, style: str, read: str
) -> None:
    """Before version 18 PostgreSQL reads IST, which it prints for India, as the time of Israel."""
    quoted = '"' + new_role.replace('"', '""') + '"'
    api = start_api(f"""
        create table t (during tstzrange primary key, d daterange);
        insert into t select tstzrange('2020-05-01Z'::timestamptz + i * interval '1h', null)
          from generate_series(1, 3) i;
        alter role {quoted} set datestyle = {style};
        alter role {quoted} set timezone = 'Asia/Kolkata';
        grant all on t to public;
    """)
    found: list[str] = []
    cursor, more = None, True
    while more and len(found) < 9:
        query = "query ($c: Cursor) { tCollection(first: 1, after: $c) { edges { node { nodeId during } } pageInfo { hasNextPage endCursor } } }"  # noqa: E501
        page = api.ask(query, {"c": cursor}, role=new_role).data["tCollection"]
        for each in page["edges"]:
            node = "query ($id: ID!) { node(nodeId: $id) { ... on t { during } } }"
            found.append(api.ask(node, {"id": each["node"]["nodeId"]}, role=new_role).data["node"]["during"])
        cursor, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    assert found == [f'["2020-05-01 {hour}:30:00+05:30",)' for hour in ("06", "07", "08")]
    query = (
        """mutation { insertIntotCollection(objects: [{ during: "empty", d: "[01/02/2020,)" }]) { records { d } } }"""
    )
    [written] = api.ask(query, role=new_role).data["insertIntotCollection"]["records"]
    assert written == {"d": f"[2020-{read}-{'01' if read == '02' else '02'},)"}
