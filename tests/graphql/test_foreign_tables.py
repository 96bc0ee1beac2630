"""Foreign tables: rows of another server, here this server's own by way of postgres_fdw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create extension postgres_fdw;
do $$ begin
  execute format('create server other foreign data wrapper postgres_fdw options (host %L, port %L, dbname %L)',
    split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
  execute format('create user mapping for public server other options (user %L, password_required %L)',
    current_user, 'false');
end $$;
create schema elsewhere;
create table elsewhere.person (id int primary key, name varchar(20) not null, city_id int);
create table city (id int primary key, name text);
create foreign table person (id int not null, name varchar(20) not null, city_id int)
  server other options (schema_name 'elsewhere');
comment on foreign table person is '@graphql({"primary_key_columns": ["id"], "totalCount": {"enabled": true},
  "foreign_keys": [{"local_columns": ["city_id"], "foreign_schema": "public", "foreign_table": "city",
                    "foreign_columns": ["id"]}]})';
create foreign table without_key (id int) server other options (schema_name 'elsewhere', table_name 'person');
create table elsewhere.log (id int);
create function elsewhere.write() returns int language sql as 'insert into elsewhere.log values (1) returning id';
create view elsewhere.writing as select elsewhere.write() as id;
create foreign table writing (id int not null) server other options (schema_name 'elsewhere');
comment on foreign table writing is '@graphql({"primary_key_columns": ["id"]})';
grant select on city, without_key, writing to anon;
grant select, insert, update, delete on person to anon;
"""
ROWS = """
truncate elsewhere.person, city;
insert into city values (1, 'Lisbon'), (2, 'Oslo');
insert into elsewhere.person values (1, 'Ada', 1), (2, 'Bo', 1), (3, 'Cy', null);
"""


@pytest.fixture(scope="module")
def postgres(postgres_with: Callable[[str], PostgresServer]) -> PostgresServer:
    return postgres_with("postgres_fdw")


@pytest.fixture
def api(writing_api: StartApi, postgres: PostgresServer) -> Api:
    if postgres.socket_dir is None:
        pytest.skip("this server may ask for a password that a foreign server would need to know")
    return writing_api(SCHEMA, ROWS)


def names(answer: Any) -> list[str]:
    return [edge["node"]["name"] for edge in answer["edges"]]


def test_foreign_tables_are_read(api: Api) -> None:
    data = api.ask("""{
      personCollection(first: 2, orderBy: [{name: DescNullsLast}]) {
        totalCount pageInfo { hasNextPage endCursor } edges { node { nodeId name city { name } } } }
      personByPk(id: 2) { name }
      cityCollection(filter: {name: {eq: "Lisbon"}}) {
        edges { node { personCollection(filter: {id: {gt: 1}}) { edges { node { name } } } } } }
    }""").data
    people = data["personCollection"]
    assert people["totalCount"] == 3
    assert people["pageInfo"]["hasNextPage"] is True
    assert [edge["node"]["city"] for edge in people["edges"]] == [None, {"name": "Lisbon"}]
    assert names(people) == ["Cy", "Bo"]
    assert data["personByPk"] == {"name": "Bo"}
    assert names(data["cityCollection"]["edges"][0]["node"]["personCollection"]) == ["Bo"]
    after = api.ask(
        """query ($after: Cursor, $id: ID!) {
          personCollection(after: $after, orderBy: [{name: DescNullsLast}]) { edges { node { name } } }
          node(nodeId: $id) { ... on person { name } } }""",
        {"after": people["pageInfo"]["endCursor"], "id": people["edges"][0]["node"]["nodeId"]},
    ).data
    assert names(after["personCollection"]) == ["Ada"]
    assert after["node"] == {"name": "Cy"}


def test_foreign_tables_are_written(api: Api, postgres: PostgresServer) -> None:
    data = api.ask("""mutation {
      insertIntopersonCollection(objects: [{id: 4, name: "Di", city_id: 2}]) { records { name city { name } } }
      updatepersonCollection(set: {name: "Eve"}, filter: {id: {lte: 2}}, atMost: 2) { affectedCount }
      deleteFrompersonCollection(filter: {id: {eq: 3}}) { records { name } }
    }""").data
    assert data == {
        "insertIntopersonCollection": {"records": [{"name": "Di", "city": {"name": "Oslo"}}]},
        "updatepersonCollection": {"affectedCount": 2},
        "deleteFrompersonCollection": {"records": [{"name": "Cy"}]},
    }
    rows = postgres.execute("select id, name from elsewhere.person order by id", api.database_url)
    assert rows == [[1, "Eve"], [2, "Eve"], [4, "Di"]]


def test_a_failure_on_the_other_server_undoes_everything(api: Api, postgres: PostgresServer) -> None:
    answer = api.ask("""mutation {
      deleteFrompersonCollection(filter: {id: {eq: 3}}) { affectedCount }
      insertIntopersonCollection(objects: [{id: 1, name: "again"}]) { affectedCount } }""")
    assert answer.errors[0]["extensions"]["sqlstate"] == "23505"
    assert "INSERT" not in str(answer.body)
    assert postgres.execute("select count(*) from elsewhere.person", api.database_url) == [[3]]


def test_a_foreign_table_without_a_key_is_not_in_the_api(api: Api) -> None:
    assert "without_keyCollection" in api.ask("{ without_keyCollection { edges { cursor } } }").message


def test_a_query_changes_nothing_on_the_other_server(api: Api, postgres: PostgresServer) -> None:
    answer = api.ask("{ writingCollection { edges { node { id } } } }")
    assert answer.errors or answer.data == {"writingCollection": {"edges": [{"node": {"id": 1}}]}}
    assert postgres.execute("select count(*) from elsewhere.log", api.database_url) == [[0]]
