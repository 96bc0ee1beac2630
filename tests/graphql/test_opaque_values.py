"""Values of types that only the database knows: any JSON is accepted and arrives unchanged."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Answer, Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create domain document as jsonb;
create domain quantity as numeric;
create table thing (id int primary key, doc document, amount quantity);
insert into thing values (1, '{"a": 1, "b": [{"c": "x"}, null]}', 'NaN'), (2, '{"b": [{"c": "y"}, null]}', 1),
  (3, '[7]', 2);
grant select on thing to anon;
"""


@pytest.fixture(params=["standard", "pg_graphql"])
def api(reading_api: StartApi, request: pytest.FixtureRequest) -> Api:
    return reading_api(SCHEMA, graphql_dialect=request.param)


def ids(answer: Answer) -> list[int]:
    return [edge["node"]["id"] for edge in answer.data["thingCollection"]["edges"]]


def with_filter(filter_: str, declared: str = "") -> str:
    return f"query {declared} {{ thingCollection(filter: {filter_}) {{ edges {{ node {{ id }} }} }} }}"


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({"x": 1, "y": "x"}, [1]),
        # A member whose variable is missing is left out, an item of a list is null.
        ({"y": "y"}, [2]),
        ({"x": 1, "y": "y"}, []),
        ({"x": 1, "y": "x", "z": 5}, []),
    ],
)
def test_literals_may_contain_variables(api: Api, variables: dict[str, Any], found: list[int]) -> None:
    query = with_filter("{doc: {eq: {a: $x, b: [{c: $y}, $z]}}}", "($x: Int, $y: Opaque, $z: Opaque)")
    assert ids(api.ask(query, variables)) == found


def test_a_list_may_contain_a_variable(api: Api) -> None:
    query = with_filter("{doc: {eq: [$x]}}", "($x: Int)")
    assert [ids(api.ask(query, {"x": x})) for x in (7, 8)] == [[3], []]


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("9" * 5000, "The document has a whole number of more than 4300 digits"),
        ("1e400", "Invalid input for Opaque type"),
    ],
    ids=["whole", "real"],
)
def test_numbers_too_large_to_be_read_do_not_become_others(api: Api, number: str, message: str) -> None:
    answer = api.ask(with_filter(f"{{amount: {{eq: {number}}}}}"))
    assert answer.message == message


def test_errors_of_literals_have_locations(reading_api: StartApi) -> None:
    for filter_, column in (("{amount: {eq: 1e400}}", 48), ("{doc: {eq: ENUM}}", 45)):
        (error,) = reading_api(SCHEMA).ask(with_filter(filter_)).errors
        assert error["locations"] == [{"line": 1, "column": column}]


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_a_list_is_the_value_of_a_domain_over_an_array(start_api: StartApi, dialect: str) -> None:
    api = start_api(
        """
        create domain scores as int[]; create domain names as text[]; create domain boxes as box[];
        create table player (id int primary key, scores scores, names names, boxes boxes);
        grant all on player to anon
        """,
        graphql_dialect=dialect,
    )
    query = """mutation ($names: Opaque) { insertIntoplayerCollection(objects: [
        {id: 1, scores: [1, null], names: $names, boxes: ["(1,1),(0,0)"]}, {id: 2, scores: "{3}", names: []}]) {
        records { scores names boxes } } }"""
    names = ["a,b", 'c"d', "NULL", "", None]
    assert api.ask(query, {"names": names}).data["insertIntoplayerCollection"]["records"] == [
        {"scores": [1, None], "names": names, "boxes": ["(1,1),(0,0)"]},
        {"scores": [3], "names": [], "boxes": None},
    ]
    query = "query ($names: Opaque) { playerCollection(filter: {names: {eq: $names}}) { edges { node { id } } } }"
    assert api.ask(query, {"names": names}).data["playerCollection"]["edges"] == [{"node": {"id": 1}}]


COMPOSED = """
create type pair as (a int, doc jsonb, list int[]);
create domain checked as pair check ((value).a > 0);
create domain many as checked[];
create domain grid as int[];
create domain numbers as int2vector;
create domain documents as jsonb[];
create table made (
  id int primary key, one checked, parts checked[], all_of many, grid grid, numbers numbers, documents documents);
insert into made values (1, row(1, '"1"', array[1, null])::pair, array[row(2, '{"x": [1]}', null)::pair::checked, null],
  array[row(3, null, '{}')::pair::checked], '{{1,2},{3,null}}', '1 2', array['{"a": 1}', '[1]']::jsonb[]);
grant all on made to anon;
"""
ALL = "one parts all_of grid numbers documents"


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_values_of_domains_can_be_written_back(start_api: StartApi, dialect: str, postgres: PostgresServer) -> None:
    api = start_api(COMPOSED, graphql_dialect=dialect)
    row = api.ask(f"{{ madeCollection {{ edges {{ node {{ {ALL} }} }} }} }}").data["madeCollection"]["edges"][0]["node"]
    assert row["one"] == {"a": 1, "doc": "1", "list": [1, None]}
    query = f"""mutation ($made: [madeInsertInput!]!) {{
        insertIntomadeCollection(objects: $made) {{ records {{ {ALL} }} }} }}"""
    assert api.ask(query, {"made": [{"id": 2, **row}]}).data["insertIntomadeCollection"]["records"] == [row]
    held = postgres.execute(f"select {ALL.replace(' ', ', ')} from made order by id", api.database_url)
    assert [str(each) for each in held[0]] == [str(each) for each in held[1]]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"b": 1}, "Expected an object with the members a, doc, list, or PostgreSQL's text, such as (1,2), for pair"),
        ([1], "Expected an object with the members a, doc, list, or PostgreSQL's text, such as (1,2), for pair"),
        (7, "Expected an object with the members a, doc, list, or PostgreSQL's text, such as (1,2), for pair"),
    ],
)
def test_an_error_names_the_expected_format(start_api: StartApi, value: Any, message: str) -> None:
    api = start_api(COMPOSED)
    query = "mutation ($one: Opaque) { updatemadeCollection(set: {one: $one}) { affectedCount } }"
    answer = api.ask(query, {"one": value})
    assert answer.message.endswith(message)
    assert api.ask(query, {"one": "(5,,)"}).data["updatemadeCollection"] == {"affectedCount": 1}


def test_hstore_is_an_object(start_api: StartApi, postgres: PostgresServer) -> None:
    if not postgres.has_extension("hstore"):
        pytest.skip("this server has no hstore")
    api = start_api("""create extension hstore; create table prod (id int primary key, attrs hstore, more hstore[]);
        insert into prod values (1, 'a=>1'); grant all on prod to anon;""")
    query = """mutation ($a: Opaque, $m: [Opaque]) {
        updateprodCollection(set: {attrs: $a, more: $m}, filter: {id: {eq: 1}}) { records { attrs more } } }"""
    value = {"a": "1", 'q"\\': " x, y=>z ", "": None}
    for given in (value, {}):
        records = api.ask(query, {"a": given, "m": [given, None]}).data["updateprodCollection"]["records"]
        assert records == [{"attrs": given, "more": [given, None]}]
        found = "query ($a: Opaque!) { prodCollection(filter: {attrs: {eq: $a}}) { edges { node { id } } } }"
        assert api.ask(found, {"a": given}).data["prodCollection"]["edges"] == [{"node": {"id": 1}}]
    assert api.ask(query, {"a": "b=>2"}).data["updateprodCollection"]["records"][0]["attrs"] == {"b": "2"}
    for given in ([1], {"a": {"b": 1}}):
        assert "Expected an object of strings and nulls" in api.ask(query, {"a": given}).message
