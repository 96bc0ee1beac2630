"""Random filters find the same rows as the equivalent SQL."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import connect

SCHEMA = """
create type mood as enum ('sad', 'so so', 'happy');
comment on type mood is '@graphql({"mappings": {"so so": "so_so"}})';
create table sample (id int primary key, i int, big bigint, f float8, n numeric, t text, v varchar(4), b bool, m
  mood, d date,
  ts timestamptz, ti time, u uuid, tags text[], nums int[]);
insert into sample
select k, nullif(k % 5, 0), nullif(k % 4, 1) * 3000000000, nullif(k % 3, 2) / 2.0, nullif(k % 7, 3) / 4.0,
  (array['', 'a', 'A_b', '100%', 'b\\c', null])[1 + k % 6], (array['ab', 'abcd', null])[1 + k % 3], (array[true,
    false, null])[1 + k % 3],
  (array['sad', 'so so', 'happy', null])[1 + k % 4]::mood, (array['2020-01-01', '2020-06-01', null])[1 + k % 3]::date,
  (array['2020-01-01T00:00:00Z', '2020-01-01T01:00:00Z', null])[1 + k % 3]::timestamptz, (array['10:00', '23:59',
    null])[1 + k % 3]::time,
  (array['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002', null])[1 + k % 3]::uuid,
  (array['{}', '{a}', '{a,b}', '{"x,y",null}', null])[1 + k % 5]::text[], (array['{}', '{1}', '{1,2}', null])[1 + k
    % 4]::int[]
from generate_series(1, 40) k;
comment on table sample is '@graphql({"max_rows": 100})';
grant select on sample to anon;
"""
Sql = str
Condition = tuple[dict[str, Any], Sql]


def quote(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"array[{', '.join(map(quote, value))}]"
    return "e'" + str(value).replace("\\", "\\\\").replace("'", "''") + "'"


VALUES: dict[str, tuple[str, st.SearchStrategy[Any]]] = {
    "i": ("int", st.integers(-1, 6)),
    "big": ("bigint", st.sampled_from(["0", "3000000000", "6000000000", 9000000000])),
    "f": ("float8", st.sampled_from([0, 0.5, 0.25, -1e300])),
    "n": ("numeric", st.sampled_from(["0", "0.25", "1.000", "-1"])),
    "t": ("text", st.sampled_from(["", "a", "A_b", "100%", "b\\c", "'", "%", "_"])),
    "v": ("varchar(4)", st.sampled_from(["ab", "abcd", "zz"])),
    "b": ("bool", st.booleans()),
    "m": ("mood", st.sampled_from(["sad", "so_so", "happy"])),
    "d": ("date", st.sampled_from(["2020-01-01", "2020-03-01"])),
    "ts": ("timestamptz", st.sampled_from(["2020-01-01T00:00:00Z", "2020-01-01T01:00:00+01:00"])),
    "ti": ("time", st.sampled_from(["10:00", "23:59:00"])),
    "u": ("uuid", st.sampled_from(["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000009"])),
}
SYMBOLS = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
PATTERNS = {"like": "like", "ilike": "ilike", "regex": "~", "iregex": "~*", "startsWith": "^@"}
COMPARED = {"b": ("eq",), "m": ("eq", "neq"), "u": ("eq", "neq")}


def label(value: Any) -> Any:
    return "so so" if value == "so_so" else value


@st.composite
def comparisons(draw: Callable[..., Any]) -> Condition:
    column = draw(st.sampled_from([*VALUES]))
    type_, values = VALUES[column]
    kinds = ["is", *COMPARED.get(column, SYMBOLS)]
    if column != "b":
        kinds.append("in")
    if column in ("t", "v"):
        kinds += PATTERNS
    members: dict[str, Any] = {}
    parts = []
    for operator in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=2, unique=True)):
        if operator == "is":
            members[operator] = draw(st.sampled_from(["NULL", "NOT_NULL"]))
            parts.append(f"{column} is {members[operator].replace('_', ' ')}")
        elif operator == "in":
            chosen = draw(st.one_of(st.none(), values, st.lists(values, max_size=3)))
            members[operator] = chosen
            items = chosen if isinstance(chosen, list) or chosen is None else [chosen]
            right = "null" if items is None else quote([label(item) for item in items])
            parts.append(f"{column} = any ({right}::{type_}[])")
        elif operator in PATTERNS:
            members[operator] = draw(st.sampled_from(["a%", "%b%", "A", "^a", "b\\\\", "1", "[ab]", "", None]))
            parts.append(f"{column}::text {PATTERNS[operator]} {quote(members[operator])}::text")
        else:
            members[operator] = draw(st.one_of(values, st.none()) if draw(st.integers(0, 5)) == 0 else values)
            parts.append(f"{column} {SYMBOLS[operator]} {quote(label(members[operator]))}::{type_}")
    return {column: members}, " and ".join(parts)


@st.composite
def lists(draw: Callable[..., Any]) -> Condition:
    column, type_, values = draw(
        st.sampled_from([("tags", "text[]", ["a", "b", "x,y", ""]), ("nums", "int[]", [1, 2, 3])])
    )
    operator = draw(st.sampled_from(["contains", "containedBy", "overlaps", "eq"]))
    chosen = draw(st.one_of(st.none(), st.sampled_from(values), st.lists(st.sampled_from(values), max_size=2)))
    items = chosen if isinstance(chosen, list) or chosen is None else [chosen]
    symbol = {"contains": "@>", "containedBy": "<@", "overlaps": "&&", "eq": "="}[operator]
    return {column: {operator: chosen}}, f"{column} {symbol} {quote(items)}::{type_}"


def join(conditions: list[Condition], word: str) -> Sql:
    return f" {word} ".join(f"({sql})" for _, sql in conditions) or "true"


def nest(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    many = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        many.map(lambda some: ({"and": [filter_ for filter_, _ in some]}, join(some, "and"))),
        many.map(lambda some: ({"or": [filter_ for filter_, _ in some]}, join(some, "or"))),
        inner.map(lambda one: ({"or": one[0]}, one[1])),
        inner.map(lambda one: ({"not": one[0]}, f"not ({one[1]})")),
        st.tuples(comparisons(), inner).map(
            lambda two: ({**two[0][0], "not": two[1][0]}, f"({two[0][1]}) and not ({two[1][1]})")
        ),
    )


FILTERS = st.recursive(st.one_of(comparisons(), lists()), nest, max_leaves=6)


def literal(value: Any, name: str = "") -> str:
    """A value in GraphQL's syntax; the values of enums without quotes."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(
                f"{key}: {literal(item, 'enum' if key == 'is' else key if name != 'm' else name)}"
                for key, item in value.items()
            )
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(literal(item, name) for item in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and name not in ("enum", "m"):
        return json.dumps(value)
    return str(value)


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_random_filters_find_the_rows_of_sql(reading_api: StartApi, dialect: str) -> None:
    api: Api = reading_api(SCHEMA, graphql_dialect=dialect)
    database = connect(api.database_url)

    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(FILTERS)
    def check(condition: Condition) -> None:
        filter_, sql = condition
        rows = database.execute_simple(f"select id from sample where {sql} order by id").rows or []
        expected = [row[0] for row in rows]
        selection = "edges { node { id } }"
        by_variable = api.ask(
            f"query ($f: sampleFilter) {{ sampleCollection(filter: $f) {{ {selection} }} }}", {"f": filter_}
        )
        assert [edge["node"]["id"] for edge in by_variable.data["sampleCollection"]["edges"]] == expected, sql
        by_literal = api.ask(f"{{ sampleCollection(filter: {literal(filter_)}) {{ {selection} }} }}")
        assert by_literal.data == by_variable.data, sql

    try:
        check()
    finally:
        database.close()
