"""Names that look like something else in SQL: each means the object with that name."""

from __future__ import annotations

import base64
import json
from contextlib import closing

import pytest

from app.database import parse_database_url
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

NAMES = (
    "t%(p1)s",
    "t$1",
    "t:p1",
    "t?",
    "t%s",
    "t%%s",
    "t__[POSTCOMPILE_p1]",
    "t[_POSITION]",
    "t{p1}",
    "t'||'1",
    't"x"',
    "t\\p1",
    "t--",
    "t/*",
    "t;",
    "t",
    "t\n",
    "tſ",
)
"""Parameter markers of every style, what SQLAlchemy puts in their place for a while, quotes and comments, and names
that regular expressions take for plain ones."""


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def one_table(number: int, name: str) -> str:
    return f"""
        create table {quoted(name)} (id int primary key, {quoted("c" + name)} text);
        comment on table {quoted(name)} is '@graphql({{"name": "T{number}"}})';
        comment on column {quoted(name)}.{quoted("c" + name)} is '@graphql({{"name": "value"}})';
        insert into {quoted(name)} values (1, 'of {number}'), (2, 'of {number}');
    """


@pytest.fixture
def api(start_api: StartApi) -> Api:
    tables = "".join(one_table(number, name) for number, name in enumerate(NAMES))
    return start_api(tables + "grant all on all tables in schema public to anon;")


def test_each_name_means_its_own_table(api: Api) -> None:
    for number in range(len(NAMES)):
        arguments = 'filter: {id: {eq: $id}, value: {neq: "x"}}'
        query = f"query ($id: Int) {{ t{number}Collection({arguments}) {{ edges {{ node {{ id value }} }} }} }}"
        found = api.ask(query, {"id": 2}).data
        assert found == {f"t{number}Collection": {"edges": [{"node": {"id": 2, "value": f"of {number}"}}]}}


def test_each_name_can_be_written_to(api: Api) -> None:
    for number in range(len(NAMES)):
        inserted = f"insertIntoT{number}Collection(objects: [{{id: 3, value: $value}}]) {{ records {{ id value }} }}"
        changed = (
            f"updateT{number}Collection(filter: {{id: {{eq: 1}}}}, set: {{value: $value}}) {{ records {{ id value }} }}"
        )
        answer = api.ask(f"mutation ($value: String) {{ {inserted} {changed} }}", {"value": json.dumps(number)})
        assert answer.data == {
            f"insertIntoT{number}Collection": {"records": [{"id": 3, "value": str(number)}]},
            f"updateT{number}Collection": {"records": [{"id": 1, "value": str(number)}]},
        }


def test_each_keyword_names_a_column(start_api: StartApi, postgres: PostgresServer) -> None:
    words = [str(word) for [word] in postgres.execute("select word from pg_get_keywords() where catcode <> 'U'")]
    columns = ", ".join(f'"{word}" text' for word in words)
    api = start_api(f"create table t (id int primary key, {columns}); grant all on t to anon;")
    for start in range(0, len(words), 50):
        some = words[start : start + 50]
        given, selected = ", ".join(f"{word}: $value" for word in some), " ".join(some)
        inserted = f"insertIntotCollection(objects: [{{id: {start}, {given}}}]) {{ records {{ {selected} }} }}"
        changed = f"updatetCollection(filter: {{id: {{eq: {start}}}}}, set: {{{given}}}) {{ records {{ {selected} }} }}"
        for change in (inserted, changed):
            [answer] = api.ask(f"mutation ($value: String) {{ {change} }}", {"value": "given"}).data.values()
            assert answer == {"records": [dict.fromkeys(some, "given")]}


@pytest.mark.parametrize("of", ["database", "role"])
def test_names_work_where_backslashes_escape(start_api: StartApi, postgres: PostgresServer, of: str) -> None:
    """PostgreSQL before version 19 reads constants this way, with a setting."""
    name = "t\\b'\\"
    url = start_api(one_table(0, name) + "grant all on all tables in schema public to anon;").database_url
    database = f'database "{parse_database_url(url).database}"'
    whose = database if of == "database" else f"role anon in {database}"
    postgres.execute(f"alter {whose} set standard_conforming_strings = off", url)
    with closing(Api(url)) as api:
        found = api.ask("{ t0Collection(first: 1) { edges { node { nodeId value } } } }").data
        [node] = [each["node"] for each in found["t0Collection"]["edges"]]
        assert json.loads(base64.b64decode(node["nodeId"])) == ["public", name, 1]
        again = api.ask("query ($id: ID!) { node(nodeId: $id) { nodeId } }", {"id": node["nodeId"]}).data
    assert again == {"node": {"nodeId": node["nodeId"]}}


OWN_FUNCTIONS = (
    "array_agg", "array_ndims", "bool_and", "cardinality", "convert_to", "count", "current_setting", "encode",
    "json_agg", "json_array_elements", "json_build_array", "json_typeof", "jsonb_array_elements",
    "jsonb_build_array", "jsonb_typeof", "max", "min", "octet_length", "row_number", "set_config", "string_agg", "sum",
    "to_json", "translate", "unnest",
)  # fmt: skip
"""PostgreSQL's functions that Portico's SQL calls."""

WITH_CHILDREN = """
create table parent (id int primary key, name text unique, n int, big bigint, tags text[], data jsonb);
comment on table parent is e'@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
create table child (id int generated always as identity primary key, parent_id int references parent, name text);
insert into parent values (1, 'one', 5, 7, '{a}', '{"a": 1}'), (2, 'two', 5, 8, '{}', '[1]');
grant all on all tables in schema public to anon;
"""
READING = """{ parentCollection(first: 1, filter: { data: { contains: "{\\"a\\": 1}" } }) {
    totalCount aggregate { count sum { n big } max { name } countDistinct { n name } }
    edges { cursor node { id name tags childCollection { edges { node { id } } } } }
    pageInfo { hasNextPage endCursor } groups(by: [{ n: Value }]) { key { n } aggregate { count } } } }"""
WRITING = """mutation ($objects: [parentInsertInput!]!) {
    insertIntoparentCollection(objects: $objects, onConflict: { constraint: parent_pkey }) {
        affectedCount insertedCount records { id name } existing { id name } }
    nested: insertIntoparentCollection(objects: [
        { id: 5, name: "five", childCollection: { objects: [{ name: "a" }, { name: "b" }] } }]) {
        records { id childCollection { edges { node { name } } } } }
    updateparentByKey(key: { id: 1 }, append: { tags: ["b"] }, remove: {}) { tags }
    updateparentCollectionByKey(updates: [{ key: { id: 2 }, set: { n: 6 } }]) { records { n } }
    deleteFromchildCollection(filter: { name: { eq: "a" } }) { affectedCount } }"""
OBJECTS = [{"id": 1, "name": "x"}, {"id": 3, "name": "three"}, {"id": 4, "name": None}]


@pytest.mark.parametrize("base", ["int", "bigint", "text", "jsonb", "boolean"])
def test_types_may_have_the_names_of_functions(start_api: StartApi, base: str) -> None:
    """To PostgreSQL ``count(x)`` is a cast as well, where ``count`` is a type."""
    domains = "".join(f'create domain "{name}" as {base};' for name in OWN_FUNCTIONS)
    plain, odd = start_api(WITH_CHILDREN), start_api(WITH_CHILDREN + domains)
    for query, variables in ((READING, None), (WRITING, {"objects": OBJECTS}), (READING, None)):
        assert odd.ask(query, variables).data == plain.ask(query, variables).data


def test_better_fitting_functions_do_not_replace_built_in_ones(start_api: StartApi) -> None:
    theirs = "".join(
        f"create function {call} returns {result} language plpgsql as $$ begin raise 'called'; end $$;"
        for call, result in (
            ("to_json(int)", "json"), ("to_json(text)", "json"), ("to_json(bigint)", "json"),
            ("unnest(text[])", "setof text"), ("cardinality(int[])", "int"),
            ("jsonb_build_array(text, text, int)", "jsonb"), ("json_build_array(text)", "json"),
        )
    )  # fmt: skip
    aggregates = """
        create function first_of(json, json) returns json language sql as 'select $1';
        create function none_of(int, int) returns int language sql as 'select -1';
        create aggregate json_agg(json) (sfunc = first_of, stype = json);
        create aggregate count(int) (sfunc = none_of, stype = int, initcond = '-1');
    """
    plain, odd = start_api(WITH_CHILDREN), start_api(WITH_CHILDREN + theirs + aggregates)
    for query, variables in ((READING, None), (WRITING, {"objects": OBJECTS}), (READING, None)):
        assert odd.ask(query, variables).data == plain.ask(query, variables).data
