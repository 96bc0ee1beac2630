"""VALUE_TYPES=domains: domains have the GraphQL type of what they are made of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_operators import types_of
from tests.graphql.test_rights import members, printed

SCHEMA = """
create domain email as text not null check (value like '%@%');
create domain work_email as email check (value like '%.com');
create domain code as varchar(4);
create domain points as bigint;
create domain words as text[];
create domain document as jsonb;
create type mood as enum ('sad', 'happy');
create domain state as mood;
create schema closed;
create domain closed.secret as int;
create table person (
  id int primary key, email email, work work_email, code code, points points, words words, mails email[],
  document document, state state, secret closed.secret
);
create function shout(address email) returns email language sql stable as 'select upper($1)::email';
create function contact(person) returns email language sql stable as 'select $1.email';
comment on function contact is '@graphql({"filter": true, "orderBy": true})';
insert into person values (1, 'a@x', 'a@x.com', 'abcd', 9007199254740993, '{a,b}', '{a@x}', '{"a": 1}', 'sad', 1),
  (2, 'b@x', 'b@x.com', 'ab', 1, '{}', '{}', null, 'happy', 2);
grant all on person to anon;
"""
ON = {"value_types": "domains"}


def matching_ids(api: Api, filter_: Any) -> list[int]:
    query = "query ($f: personFilter) { personCollection(filter: $f) { edges { node { id } } } }"
    return [each["node"]["id"] for each in api.ask(query, {"f": filter_}).data["personCollection"]["edges"]]


TYPES = {
    "email": ("String", "StringFilter"),
    "work": ("String", "StringFilter"),
    "code": ("String", "StringFilter"),
    "points": ("BigInt", "BigIntFilter"),
    "words": ("[String]", "StringListFilter"),
    "mails": ("[String]", "StringListFilter"),
    "document": ("JSON", "JSONFilter"),
    "state": ("mood", "moodFilter"),
    "secret": ("Int", None),
}


def test_the_types_are_those_of_the_base(reading_api: StartApi) -> None:
    types = types_of(reading_api(SCHEMA, **ON))
    fields, filters = types["person"].fields, types["personFilter"].fields
    assert {name: str(fields[name].type) for name in TYPES} == {name: type_ for name, (type_, _) in TYPES.items()}
    shown = {name: str(filters[name].type) if name in filters else None for name in TYPES}
    assert shown == {name: filter_ for name, (_, filter_) in TYPES.items()}
    assert str(types["personInsertInput"].fields["email"].type) == "String"
    assert str(types["Query"].fields["shout"].type) == "String"


@pytest.mark.parametrize("options", [{}, {**ON, "graphql_dialect": "pg_graphql"}])
def test_domains_are_opaque_by_default(reading_api: StartApi, options: dict[str, str]) -> None:
    fields = types_of(reading_api(SCHEMA, **options))["person"].fields
    assert {str(fields[name].type) for name in ("email", "work", "points", "words", "document")} == {"Opaque"}


def test_values_are_those_of_the_base(reading_api: StartApi) -> None:
    query = '{ personByPk(id: 1) { email work code points words mails document state part: document(at: ["a"]) } }'
    assert reading_api(SCHEMA, **ON).ask(query).data["personByPk"] == {
        "email": "a@x",
        "work": "a@x.com",
        "code": "abcd",
        "points": "9007199254740993",
        "words": ["a", "b"],
        "mails": ["a@x"],
        "document": '{"a": 1}',
        "state": "sad",
        "part": "1",
    }


@pytest.mark.parametrize(
    ("filter_", "ids"),
    [
        ({"email": {"eq": "a@x"}}, [1]),
        ({"email": {"eq": "no address"}}, []),
        ({"email": {"in": ["b@x", "no address"]}}, [2]),
        ({"email": {"distinctFrom": "no address"}}, [1, 2]),
        ({"work": {"startsWith": "a"}}, [1]),
        ({"code": {"eq": "longer than four"}}, []),
        ({"points": {"gt": "1"}}, [1]),
        ({"words": {"contains": ["a"]}}, [1]),
        ({"mails": {"contains": ["no address"]}}, []),
        ({"mails": {"eq": []}}, [2]),
        ({"document": {"hasKey": "a"}}, [1]),
        ({"document": {"path": [{"at": ["a"], "number": {"eq": "1"}}]}}, [1]),
        ({"state": {"eq": "happy"}}, [2]),
        ({"contact": {"neq": "no address"}}, [1, 2]),
    ],
)
def test_filters_are_those_of_the_base(reading_api: StartApi, filter_: Any, ids: list[int]) -> None:
    assert matching_ids(reading_api(SCHEMA, **ON), filter_) == ids


def test_pages_are_ordered_by_domains(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, **ON)
    for order in ("email", "points", "state", "contact"):
        direction = "DescNullsLast"
        page = "edges { cursor node { id } }"
        first = api.ask(f"{{ personCollection(orderBy: [{{{order}: {direction}}}], first: 1) {{ {page} }} }}").data
        (edge,) = first["personCollection"]["edges"]
        after = f'orderBy: [{{{order}: {direction}}}], after: "{edge["cursor"]}"'
        second = api.ask(f"{{ personCollection({after}) {{ {page} }} }}").data["personCollection"]["edges"]
        assert {edge["node"]["id"], second[0]["node"]["id"]} == {1, 2}
        assert len(second) == 1


def test_the_domain_checks_written_values(start_api: StartApi) -> None:
    api = start_api(SCHEMA, **ON)

    def insert(values: str) -> Any:
        return api.ask(
            f"mutation {{ insertIntopersonCollection(objects: [{{{values}}}]) {{ records {{ email code }} }} }}"
        )

    written = insert('id: 3, email: "c@x", work: "c@x.com", code: "abcd"').data["insertIntopersonCollection"]["records"]
    assert written == [{"email": "c@x", "code": "abcd"}]
    assert insert('id: 4, email: "no address", work: "c@x.com"').code == "CHECK_VIOLATION"
    assert insert('id: 4, email: "d@x", work: "c@x.com", code: "abcde"').code == "STRING_DATA_RIGHT_TRUNCATION"


def test_a_null_of_a_not_null_domain_is_shown(start_api: StartApi) -> None:
    """The NOT NULL of a domain does not hold for rows of an outer join, so the field is nullable."""
    api = start_api(
        SCHEMA
        + """
        create view maybe as select n as id, p.email from generate_series(1, 3) n left join person p on p.id = n;
        comment on view maybe is '@graphql({"primary_key_columns": ["id"]})';
        grant select on maybe to anon;
        """,
        **ON,
    )
    assert api.ask("{ maybeByPk(id: 3) { email } }").data == {"maybeByPk": {"email": None}}


def test_a_domain_whose_type_cannot_be_shown_stays_opaque(reading_api: StartApi) -> None:
    sql = """
        create domain spot as point;
        create table t (id int primary key, at spot);
        grant select on t to anon;
    """
    api = reading_api(sql, **ON)
    assert str(types_of(api)["t"].fields["at"].type) == "Opaque"
    assert "at" in members(printed(api), "t")


KEYED = """
create type mood as enum ('sad', 'happy');
create domain state as mood;
create domain email as text check (value like '%@%');
create table person (state state, email email unique, primary key (state, email));
create view feeling as select state from person;
create function state_of(person) returns state language sql stable as 'select $1.state';
comment on function state_of is '@graphql({"orderBy": true})';
insert into person values ('happy', 'b@x'), ('sad', 'c@x'), ('happy', 'a@x');
grant all on person, feeling to anon;
"""


@pytest.mark.parametrize("options", [{}, ON])
@pytest.mark.parametrize("order", ["", "orderBy: [{state_of: AscNullsLast}],"])
def test_a_domain_over_an_enum_can_be_a_key(reading_api: StartApi, options: dict[str, Any], order: str) -> None:
    api = reading_api(KEYED, **options)
    seen, after = [], ""
    for _ in range(3):
        query = f"{{ personCollection({order} first: 1{after}) {{ edges {{ cursor node {{ email nodeId }} }} }} }}"
        (edge,) = api.ask(query).data["personCollection"]["edges"]
        email, node_id = edge["node"]["email"], edge["node"]["nodeId"]
        assert api.ask(f'{{ node(nodeId: "{node_id}") {{ ...on person {{ email }} }} }}').data["node"] == {
            "email": email
        }
        seen.append(email)
        after = f', after: "{edge["cursor"]}"'
    assert seen == ["c@x", "a@x", "b@x"]


@pytest.mark.parametrize("options", [{}, ON, {"graphql_dialect": "pg_graphql"}])
def test_a_domain_over_an_enum_that_the_role_may_not_name_can_be_a_key(
    reading_api: StartApi, options: dict[str, Any]
) -> None:
    api = reading_api(
        """
        create schema closed;
        create type closed.mood as enum ('sad', 'happy');
        create domain state as closed.mood;
        create table person (state state primary key, email text);
        insert into person values ('sad', 'c@x'), ('happy', 'b@x');
        grant all on person to anon;
        """,
        **options,
    )
    seen, after = [], ""
    for _ in range(2):
        query = f"{{ personCollection(first: 1{after}) {{ edges {{ cursor node {{ email nodeId }} }} }} }}"
        (edge,) = api.ask(query).data["personCollection"]["edges"]
        node = f'{{ node(nodeId: "{edge["node"]["nodeId"]}") {{ ...on person {{ email }} }} }}'
        assert api.ask(node).data["node"] == {"email": edge["node"]["email"]}
        seen.append(edge["node"]["email"])
        after = f', after: "{edge["cursor"]}"'
    assert seen == ["b@x", "c@x"]


@pytest.mark.parametrize("options", [{}, ON, {"graphql_dialect": "pg_graphql"}])
def test_a_domain_over_an_enum_is_compared(reading_api: StartApi, options: dict[str, Any]) -> None:
    api = reading_api(KEYED, **options)
    query = "query ($f: personFilter) { personCollection(filter: $f) { edges { node { email } } } }"
    rows = api.ask(query, {"f": {"state": {"eq": "sad"}}}).data["personCollection"]["edges"]
    assert [row["node"]["email"] for row in rows] == ["c@x"]


def test_a_domain_can_be_a_key(reading_api: StartApi) -> None:
    api = reading_api(KEYED, **ON)
    query = "query ($key: personKeyInput!) { personByKey(key: $key) { state email } }"
    happy = {"state": "happy", "email": "a@x"}
    assert api.ask(query, {"key": {"email": "a@x"}}).data == {"personByKey": happy}
    assert api.ask(query, {"key": {"stateAndEmail": happy}}).data == {"personByKey": happy}
    assert api.ask(query, {"key": {"email": "no address"}}).data == {"personByKey": None}
