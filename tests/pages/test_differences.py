"""The statements about each dialect on the page about pg_graphql are true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer

SCHEMA = """
create table person (id int primary key, name varchar(3));
create table paper (id int primary key, author int references person, editor int references person, score int);
create table word (spelling varchar(9) primary key);
create table secret (id int primary key, hidden int);
create table reading (id int, at date, primary key (id, at)) partition by range (at);
create table reading_2026 partition of reading for values from ('2026-01-01') to ('2027-01-01');
create table blank (id int generated always as identity primary key, body text default 'x');
comment on table secret is '@graphql({"aggregate": {"enabled": true}})';
insert into person values (1, 'Ann');
insert into paper values (1, 1, 1, 5), (2, 1, null, null), (3, 1, 1, null);
insert into word values ('yes');
grant select on person, paper, word, reading, reading_2026, blank to anon;
grant select (id) on secret to anon;
grant insert, update on person, blank to anon;
"""


@pytest.fixture(scope="module")
def database(postgres: PostgresServer) -> Iterator[str]:
    url = postgres.create_database(sql=ROLES + SCHEMA)
    yield url
    postgres.drop_database(url)


@pytest.fixture(params=["standard", "pg_graphql"])
def api(request: pytest.FixtureRequest, database: str) -> Iterator[Api]:
    opened = Api(database, graphql_dialect=request.param)
    yield opened
    opened.close()


def test_errors_have_codes(api: Api) -> None:
    refused = api.ask('mutation { insertIntopersonCollection(objects: [{id: 1, name: "Bob"}]) { affectedCount } }')
    assert (refused.code, refused.errors[0]["extensions"]["constraint"]) == ("UNIQUE_VIOLATION", "person_pkey")


def test_a_varchar_key_has_by_pk(api: Api) -> None:
    assert api.ask('{ wordByPk(spelling: "yes") { spelling } }').data["wordByPk"] == {"spelling": "yes"}


def test_length_is_counted_in_characters(api: Api) -> None:
    changed = api.ask('mutation { updatepersonCollection(set: {name: "äöü"}) { affectedCount } }')
    assert changed.data["updatepersonCollection"]["affectedCount"] == 1


def test_every_row_is_reached_by_cursors(api: Api) -> None:
    seen, after = [], None
    for _ in range(3):
        page: Any = api.ask(
            "query ($after: Cursor) { paperCollection(first: 1, after: $after, orderBy: [{score: AscNullsLast}])"
            " { edges { node { id } } pageInfo { endCursor } } }",
            {"after": after},
        ).data["paperCollection"]
        seen += [edge["node"]["id"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
    assert seen == [1, 2, 3]


def test_empty_objects_are_valid(api: Api) -> None:
    assert (
        len(
            api.ask("{ paperCollection(filter: {and: [{}]}) { edges { node { id } } } }").data["paperCollection"][
                "edges"
            ]
        )
        == 3
    )
    added = api.ask("mutation { insertIntoblankCollection(objects: [{}]) { records { body } } }").data
    assert added["insertIntoblankCollection"]["records"] == [{"body": "x"}]


def test_the_default_of_a_variable_applies_to_include(api: Api) -> None:
    query = "query ($off: Boolean = true) { paperByPk(id: 1) { id score @skip(if: $off) } }"
    assert api.ask(query).data["paperByPk"] == {"id": 1}


def test_hidden_columns_have_no_aggregates(api: Api) -> None:
    assert api.ask("{ secretCollection { aggregate { sum { hidden } } } }").errors
    assert not api.ask("{ secretCollection { aggregate { count } } }").errors


def test_no_field_of_two_keys_disappears(api: Api) -> None:
    keys = api.ask("{ paperByPk(id: 1) { __typename } }").data and api.application.services.engine
    fields = set(keys.role_schemas.of_role("anon").graphql.type_map["paper"].fields)
    leading = sorted(name for name in fields if name.startswith("person"))
    assert len(leading) == 2
    selection = " ".join(f"{name} {{ id }}" for name in leading)
    answer = api.ask(f"{{ paperByPk(id: 1) {{ {selection} }} }}").data["paperByPk"]
    assert answer == {name: {"id": 1} for name in leading}


# Where the dialects differ


def test_the_standard_differs_as_listed(api: Api) -> None:
    standard = api.application.services.settings.graphql_dialect == "standard"
    undeclared = api.ask("{ paperByPk(id: $id) { id } }", {"id": 1})
    assert bool(undeclared.errors) == standard
    partly = api.ask("{ nothing paperByPk(id: 1) { id } }")
    assert (partly.body.get("data") is None) == standard
    assert bool(api.ask("{ __schema { types { name } } }").errors) != standard
    parent = api.ask("{ readingCollection { edges { node { id } } } }")
    assert bool(parent.errors) != standard
    several = api.ask(
        "{ paperCollection(orderBy: [{score: AscNullsLast, id: DescNullsLast}]) { edges { node { id } } } }"
    )
    assert bool(several.errors) == standard
    alias = api.ask("{ paperCollection(orderBy: [{score: AscNullFirst}]) { edges { node { id } } } }")
    assert bool(alias.errors) != standard
    row = api.ask("{ paperByPk(id: 1) { id ... on Node { nodeId } } }").data["paperByPk"]
    assert ("nodeId" in row) == standard
