"""Cursors visit every row exactly once, in any order of any type; nodeIds lead back to their row for any key."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

UUIDS = [f"'00000000-0000-0000-0000-00000000000{i}'" for i in range(1, 4)]
KEYS: dict[str, tuple[str, list[str]]] = {
    # A key's type, and values in SQL
    "smallint": ("int2", ["-1", "0", "7"]),
    "bigint": ("int8", ["'9223372036854775807'", "'-9223372036854775808'", "'9007199254740993'"]),
    "numeric": ("numeric", ["1.10", "123456789012345678901234567890.123", "'NaN'", "'Infinity'", "-0.5"]),
    "decimal": ("numeric(6,2)", ["1.1", "2"]),
    "real": ("float4", ["0.1", "1e30", "'NaN'", "'-Infinity'"]),
    "double": ("float8", ["0.1", "1e300", "'NaN'", "'Infinity'", "3.0000000000000004"]),
    "boolean": ("bool", ["true", "false"]),
    "text": ("text", ["'a'", "''", "'with \"quotes\" and \\ and ''single'''", "'ünï ☃ 😀'", "e'tab\\tnew\\nline'", "'null'", "'1'", "'[1]'"]),  # noqa: E501
    "varchar": ("varchar(5)", ["'abc'", "'äöüßé'"]),
    "fixed": ("char(4)", ["'a'", "'ab'", "'abcd'"]),
    "byte": ('"char"', ["'a'", "'b'"]),
    "uuid": ("uuid", UUIDS),
    "date": ("date", ["'2020-02-29'", "'infinity'", "'0044-03-15 BC'"]),
    "time": ("time", ["'12:30:00.123456'", "'24:00'"]),
    "timetz": ("timetz", ["'12:30+02'", "'12:30-05'"]),
    "timestamp": ("timestamp", ["'2020-01-01 00:00:00.000001'", "'-infinity'"]),
    "timestamptz": ("timestamptz", ["'2020-01-01 00:00:00.000001+00'", "'infinity'", "'2020-06-01 12:00:00+02'"]),
    "interval": ("interval", ["'1 day'", "'25 hours'", "'-3 months 2 days 01:00'"]),
    "bytea": ("bytea", ["'\\x00ff'", "'\\x'"]),
    "inet": ("inet", ["'10.0.0.1/8'", "'::1'"]),
    "enum": ("mood", ["'so so'", "'happy'"]),
    "domain": ("positive", ["1", "2"]),
    "bits": ("bit(3)", ["'101'", "'000'"]),
    "money": ("money", ["'1.50'", "'-1000'"]),
    "range": ("int4range", ["'[1,5)'", "'(,3)'", "'empty'"]),
    "ints": ("int[]", ["'{1,2}'", "'{}'", "'{{1},{2}}'", "'{1,null}'"]),
    "texts": ("text[]", ["array['a,b', '\"', '\\', 'null', '']", "array['a', null]"]),
    "jsonb": ("jsonb", ["'{\"a\": [1.10, null, \"x\"]}'", "'\"text\"'", "'1'", "'true'", "'[]'"]),
    "oid": ("oid", ["1", "4294967295"]),
    "name": ("name", ["'a'", "'b c'"]),
}  # fmt: skip
SCHEMA = (
    "create type mood as enum ('so so', 'happy'); create domain positive as int check (value > 0);"
    + "".join(
        f"""create table key_{name} (k {type_} primary key, other int);
        insert into key_{name} select v, 1 from (values {", ".join(f"({value}::{type_})" for value in values)}) as x(v);
        create table pair_{name} (a {type_}, b int, c text, primary key (a, b));
        insert into pair_{name} select k, n, null from key_{name}, generate_series(1, 2) n;"""
        for name, (type_, values) in KEYS.items()
    )
    + "grant select on all tables in schema public to anon;"
)


@pytest.fixture(scope="module")
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, root_field_limit=200)


@pytest.mark.parametrize("table", ["key", "pair"])
def test_node_ids_find_rows_with_unusual_keys(api: Api, table: str) -> None:
    for name, (_, values) in KEYS.items():
        type_name = f"{table}_{name}"
        everything = api.ask(f"{{ {type_name}Collection {{ edges {{ node {{ nodeId }} }} }} }}").data
        ids = [edge["node"]["nodeId"] for edge in everything[f"{type_name}Collection"]["edges"]]
        assert len(set(ids)) == len(values) * (1 if table == "key" else 2), name
        assert all(json.loads(base64.b64decode(id_, validate=True))[:2] == ["public", type_name] for id_ in ids)
        for id_ in ids:
            query = f"""query ($id: ID!) {{ node(nodeId: $id) {{ nodeId }}
              {type_name}Collection(filter: {{nodeId: {{eq: $id}}}}) {{ edges {{ node {{ nodeId }} }} }} }}"""
            data = api.ask(query, {"id": id_}).data
            assert data == {
                "node": {"nodeId": id_},
                f"{type_name}Collection": {"edges": [{"node": {"nodeId": id_}}]},
            }, name


@pytest.mark.parametrize("table", ["key", "pair"])
@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_cursors_continue_at_unusual_keys(api: Api, table: str, backward: bool) -> None:
    for name in KEYS:
        type_name = f"{table}_{name}Collection"
        page = "edges { cursor node { nodeId } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }"
        everything = api.ask(f"{{ {type_name} {{ edges {{ node {{ nodeId }} }} }} }}").data[type_name]["edges"]
        arguments = "last: 1, before: $c" if backward else "first: 1, after: $c"
        query = f"query ($c: Cursor) {{ {type_name}({arguments}) {{ {page} }} }}"
        cursor, seen = None, []
        while True:
            found = api.ask(query, {"c": cursor}).data[type_name]
            seen += [edge["node"]["nodeId"] for edge in found["edges"]]
            assert len(found["edges"]) == 1 and found["pageInfo"]["startCursor"] == found["edges"][0]["cursor"], name  # noqa: PT018
            cursor = found["pageInfo"]["endCursor"]
            if not found["pageInfo"]["hasPreviousPage" if backward else "hasNextPage"]:
                break
            assert len(seen) <= len(everything), name
        expected = [edge["node"]["nodeId"] for edge in everything]
        assert seen == (expected[::-1] if backward else expected), name


# Orders by several columns with nulls, of types whose text and order are not trivial

COLUMNS = {
    "i": ["1", "2", "null"],
    "t": ["'a'", "'B'", "''", "null"],
    "f": ["'NaN'", "0.1", "-1e10", "null"],
    "n": ["1.0", "1.00", "'NaN'", "null"],
    "ts": ["'2020-01-01 00:00+00'", "'infinity'", "null"],
    "iv": ["'24 hours'", "'1 day'", "'-1 month'", "null"],
    "m": ["'sad'", "'happy'", "null"],
    "b": ["true", "false", "null"],
    "c": ["'a'", "'a '", "'b'", "null"],
}
ORDERED = (
    """
create type feeling as enum ('sad', 'happy');
create table mixed (a int, z text, i int, t text, f float8, n numeric, ts timestamptz, iv interval, m feeling, b
  bool, c char(3),
  primary key (z, a));
comment on table mixed is '@graphql({"max_rows": 100})';
select setseed(0.5);
"""
    + " ".join(
        "insert into mixed values ({}, 'z{}', {});".format(
            number,
            number % 3,
            ", ".join(values[(number * 7 + shift * 3) % len(values)] for shift, values in enumerate(COLUMNS.values())),
        )
        for number in range(1, 25)
    )
    + "grant select on mixed to anon;"
)
DIRECTIONS = st.sampled_from(["AscNullsFirst", "AscNullsLast", "DescNullsFirst", "DescNullsLast"])
ORDERS = st.lists(st.tuples(st.sampled_from([*COLUMNS, "a", "z"]), DIRECTIONS), max_size=4)


def walk(api: Api, order: list[tuple[str, str]], size: int, backward: bool) -> list[Any]:
    ordering = [{column: direction} for column, direction in order]
    arguments = "last: $n, before: $c" if backward else "first: $n, after: $c"
    query = f"""query ($n: Int, $c: Cursor, $o: [mixedOrderBy!]) {{ mixedCollection({arguments}, orderBy: $o) {{
      edges {{ node {{ a }} }} pageInfo {{ startCursor endCursor hasNextPage hasPreviousPage }} }} }}"""
    cursor, seen = None, []
    for _ in range(30):
        page = api.ask(query, {"n": size, "c": cursor, "o": ordering}).data["mixedCollection"]
        found = [edge["node"]["a"] for edge in page["edges"]]
        assert 0 < len(found) <= size
        seen = found + seen if backward else seen + found
        info = page["pageInfo"]
        if not info["hasPreviousPage" if backward else "hasNextPage"]:
            return seen
        assert info["hasNextPage" if backward else "hasPreviousPage"] is (cursor is not None)
        cursor = info["startCursor" if backward else "endCursor"]
    raise AssertionError("the pages never end")


def test_random_orders_visit_each_row_once(reading_api: StartApi, postgres: Any) -> None:
    api = reading_api(ORDERED)

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(ORDERS, st.integers(3, 11), st.booleans())
    def check(order: list[tuple[str, str]], size: int, backward: bool) -> None:
        clauses = [
            f"{column} {'desc' if direction.startswith('Desc') else 'asc'} nulls {'first' if 'First' in direction else 'last'}"  # noqa: E501
            for column, direction in order
        ]
        expected = [
            row[0]
            for row in postgres.execute(
                f"select a from mixed order by {', '.join([*clauses, 'z', 'a'])}", api.database_url
            )
        ]
        assert walk(api, order, size, backward) == expected

    check()


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_primary_keys_find_their_rows(reading_api: StartApi, dialect: str) -> None:
    api = reading_api(
        SCHEMA + """comment on schema public is '@graphql({"introspection": true})';""", graphql_dialect=dialect
    )
    fields = {
        each["name"] for each in api.ask('{ __type(name: "Query") { fields { name } } }').data["__type"]["fields"]
    }
    lookups = {
        name.removeprefix("key_").removesuffix("ByPk")
        for name in fields
        if name.startswith("key_") and name.endswith("ByPk")
    }
    assert lookups == {"smallint", "bigint", "text", "varchar", "fixed", "uuid"}
    for query in (
        "key_smallintByPk(k: -1)", 'key_bigintByPk(k: "9223372036854775807")', 'key_textByPk(k: "")', 'key_varcharByPk(k: "äöüßé")',  # noqa: E501
        'key_fixedByPk(k: "a")', f"key_uuidByPk(k: {UUIDS[0].replace(chr(39), chr(34))})", 'pair_textByPk(b: 1, a: "null")',  # noqa: E501
    ):  # fmt: skip
        assert api.ask(f"{{ x: {query} {{ nodeId }} }}").data["x"], query
    # A key with too many values is refused.
    answer = api.ask('{ key_varcharByPk(k: "abcdef") { k } x: key_fixedByPk(k: "ab  x") { k } }')
    assert answer.errors[0]["message"] == "Invalid input for String type. Maximum character length 5"
    assert api.ask('{ key_varcharByPk(k: "abc") { k } }').data == {"key_varcharByPk": {"k": "abc"}}
    answer = api.ask('{ key_uuidByPk(k: "no uuid") { nodeId } }')
    assert answer.errors[0]["extensions"]["sqlstate"] == "22P02"
    missing = api.ask('{ pair_textByPk(a: "a") { b } }')
    if dialect == "pg_graphql":
        assert missing.message == "Missing primary key column(s): b"
        assert api.ask("{ pair_textByPk { b } }").message == "Missing primary key column(s): a, b"
    else:
        assert missing.errors[0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


REPEATING = """
create table entry (number int, word text);
insert into entry values (1, 'a'), (1, 'b'), (2, 'c');
create view listed as select * from entry;
comment on view listed is '@graphql({"primary_key_columns": ["number"]})';
create view apart as select * from entry;
comment on view apart is '@graphql({"primary_key_columns": ["number", "word"]})';
grant all on entry, listed, apart to anon;
"""


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_a_declared_key_of_several_rows_is_an_error(reading_api: StartApi, dialect: str) -> None:
    api = reading_api(REPEATING, graphql_dialect=dialect)
    edges = api.ask("{ listedCollection { edges { node { nodeId word } } } }").data["listedCollection"]["edges"]
    twice, _, once = (json.dumps(edge["node"]["nodeId"]) for edge in edges)
    fields = ["%s: node(nodeId: {}) {{ ... on listed {{ word }} }}", "%s: listedByPk(number: {}) {{ word }}"]
    queries = [(fields[0], twice, once), (fields[1], 1, 2)]
    if dialect == "standard":
        queries += [(f"%s: listedByKey(key: {{{{{name}: {{}}}}}}) {{{{ word }}}}", several, one)
                    for name, several, one in (("number", 1, 2), ("nodeId", twice, once))]  # fmt: skip
    for field, several, one in queries:
        answer = api.ask(f"{{ {field.format(several) % 'a'} }}")
        assert (answer.code, answer.message) == ("BAD_USER_INPUT", "The declared key of listed is not unique"), field
        assert answer.errors[0]["path"] == ["a"]
        assert "primary_key_columns" in answer.errors[0]["extensions"]["hint"]
        both = api.ask(f"{{ {field.format(one) % 'a'} {field.format(3 if one == 2 else one) % 'b'} }}").data
        assert both == {"a": {"word": "c"}, "b": None if one == 2 else {"word": "c"}}


def test_a_change_by_an_ambiguous_key_is_undone(start_api: StartApi) -> None:
    api = start_api(REPEATING)
    for number, expected in ((1, None), (2, {"word": "x"})):
        for change in (
            'updatelistedByKey(key: {number: %d}, set: {word: "x"})',
            "deleteFromlistedByKey(key: {number: %d})",
        ):
            answer = api.ask(f"mutation {{ row: {change % number} {{ word }} }}")
            if expected is None:
                assert answer.message == "The declared key of listed is not unique"
            else:
                assert answer.data["row"] == expected
    many = api.ask(
        'mutation { updatelistedCollectionByKey(updates: [{key: {number: 1}, set: {word: "x"}}]) { affectedCount } }'
    )
    assert many.message == "updates names a row twice, or the declared key of listed is not unique"
    nodes = api.ask("{ apartCollection { edges { node { word } } } }").data["apartCollection"]["edges"]
    assert [edge["node"]["word"] for edge in nodes] == ["a", "b"]
