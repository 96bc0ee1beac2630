"""The feature ``operators``: not, distinctFrom, and what text can be compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from graphql import print_type
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_random_filters import quote
from tests.postgres_server import PostgresServer, connect

SCHEMA = """
create type mood as enum ('sad', 'happy');
create table note (id int primary key, i int, t text, v varchar(4), m mood, tags text[]);
insert into note
select k, nullif(k % 4, 0), (array['', 'a', 'A_b', '100%', 'b\\c', 'xa_bx', null])[1 + k % 7],
  (array['ab', '%', null])[1 + k % 3], (array['sad', 'happy', null])[1 + k % 3]::mood,
  (array['{}', '{a}', '{a,null}', null])[1 + k % 4]::text[]
from generate_series(1, 40) k;
comment on table note is '@graphql({"max_rows": 100})';
grant select on note to anon;
"""

STRING_FILTER = """
input StringFilter {
  eq: String
  gt: String
  gte: String
  ilike: String
  in: [String!]
  iregex: String
  is: FilterIs
  like: String
  lt: String
  lte: String
  neq: String
  regex: String
  startsWith: String
  distinctFrom: String
  endsWith: String
  iincludes: String
  ilikeAny: [String!]
  includes: String
  likeAny: [String!]
  not: StringFilter
}
"""


def matching_ids(api: Api, filter_: Any) -> list[int]:
    query = "query ($f: noteFilter) { noteCollection(filter: $f) { edges { node { id } } } }"
    return [each["node"]["id"] for each in api.ask(query, {"f": filter_}).data["noteCollection"]["edges"]]


def types_of(api: Api) -> Any:
    return api.application.services.engine.role_schemas.of_role("anon").graphql.type_map


def without_descriptions(sdl: str) -> str:
    lines = [line for line in sdl.splitlines() if line.strip() and '"""' not in line]
    return "\n".join(lines)


def test_further_operators_follow_the_usual_ones(reading_api: StartApi) -> None:
    types = types_of(reading_api(SCHEMA))
    assert without_descriptions(print_type(types["StringFilter"])) == STRING_FILTER.strip()
    assert list(types["moodFilter"].fields) == ["eq", "in", "is", "neq", "distinctFrom", "not"]
    lists = types["StringListFilter"].fields
    assert list(lists) == ["containedBy", "contains", "eq", "is", "overlaps", "distinctFrom", "not"]
    assert str(lists["distinctFrom"].type) == "[String!]"
    assert list(types["IDFilter"].fields) == ["eq"]


def test_each_operator_has_a_description(reading_api: StartApi) -> None:
    types = types_of(reading_api(SCHEMA))
    for filter_ in (
        "BooleanFilter",
        "IDFilter",
        "IntFilter",
        "StringFilter",
        "StringListFilter",
        "moodFilter",
    ):
        undescribed = [name for name, each in types[filter_].fields.items() if not each.description]
        assert undescribed == [], filter_


@pytest.mark.parametrize("options", [{"graphql_features": "-operators"}, {"graphql_dialect": "pg_graphql"}])
def test_no_further_operators_exist_without_the_feature(reading_api: StartApi, options: dict[str, str]) -> None:
    fields = types_of(reading_api(SCHEMA, **options))["StringFilter"].fields
    assert {"not", "distinctFrom", "includes", "likeAny"}.isdisjoint(fields)


LITERAL = {"endsWith": ("like", "%{}"), "includes": ("like", "%{}%"), "iincludes": ("ilike", "%{}%")}
PATTERNS = {"likeAny": "like", "ilikeAny": "ilike"}
COLUMNS: dict[str, tuple[str, list[Any]]] = {
    "i": ("int", [0, 1, 2, 9]),
    "t": ("text", ["", "a", "A_B", "_", "%", "b\\c", "\\", "'"]),
    "v": ("varchar(4)", ["ab", "b", "%"]),
    "m": ("mood", ["sad", "happy"]),
    "tags": ("text[]", [[], ["a"], ["a", "b"]]),
}


@st.composite
def operators(draw: Callable[..., Any], column: str, depth: int = 0) -> tuple[dict[str, Any], str]:
    type_, values = COLUMNS[column]
    members: dict[str, Any] = {}
    parts = []
    names = ["eq", "distinctFrom", "is", *(["not"] if depth < 3 else [])]
    if column in "tv":
        names += [*LITERAL, *PATTERNS]
    for name in draw(st.lists(st.sampled_from(names), min_size=depth and 0, max_size=2, unique=True)):
        value = draw(st.sampled_from([*values, None]))
        if name == "not":
            members[name], inner = draw(operators(column, depth + 1))
            parts += [f"not ({inner})"] if inner else []
        elif name == "is":
            members[name] = "NULL" if value is None else "NOT_NULL"
            parts.append(f"{column} is {members[name].replace('_', ' ')}")
        elif name in LITERAL:
            members[name] = value
            escaped = None if value is None else "".join("\\" + each if each in "\\%_" else each for each in value)
            pattern = None if escaped is None else LITERAL[name][1].format(escaped)
            parts.append(f"{column} {LITERAL[name][0]} {quote(pattern)}::text")
        elif name in PATTERNS:
            members[name] = draw(st.lists(st.sampled_from(["a%", "%b%", "_", "A", ""]), max_size=2))
            parts.append(f"{column} {PATTERNS[name]} any ({quote(members[name])}::text[])")
        else:
            members[name] = value
            symbol = "=" if name == "eq" else "is distinct from"
            parts.append(f"{column} {symbol} {quote(value)}::{type_}")
    return members, " and ".join(f"({part})" for part in parts)


def test_operators_find_the_rows_of_sql(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    database = connect(api.database_url)

    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.sampled_from([*COLUMNS]).flatmap(lambda name: st.tuples(st.just(name), operators(name))))
    def check(case: tuple[str, tuple[dict[str, Any], str]]) -> None:
        column, (members, sql) = case
        rows = database.execute_simple(f"select id from note where {sql or 'true'} order by id").rows or []
        assert matching_ids(api, {column: members}) == [row[0] for row in rows], sql

    try:
        check()
    finally:
        database.close()


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"includes": 1}, "BAD_USER_INPUT"),
        ({"likeAny": ["a", None]}, "BAD_USER_INPUT"),
        ({"not": {"nothing": 1}}, "BAD_USER_INPUT"),
        ({"distinctFrom": ["a"]}, "BAD_USER_INPUT"),
    ],
)
def test_invalid_operands_are_refused(reading_api: StartApi, members: Any, code: str) -> None:
    query = "query ($f: noteFilter) { noteCollection(filter: $f) { edges { node { id } } } }"
    assert reading_api(SCHEMA).ask(query, {"f": {"t": members}}).code == code


def test_each_not_counts_as_a_condition(reading_api: StartApi) -> None:
    many = [{"i": {"not": {"eq": 1}}}] * 1000
    query = "query ($f: noteFilter) { noteCollection(filter: $f) { edges { node { id } } } }"
    answer = reading_api(SCHEMA).ask(query, {"f": {"and": many}})
    assert answer.code == "LIMIT_EXCEEDED"
    assert "2000 conditions" in answer.message


TRIGRAMS = """
create schema extensions;
create function extensions.similarity_op(text, text) returns boolean immutable language sql as 'select $1 = upper($2)';
create function extensions.word_similarity_commutator_op(text, text) returns boolean immutable language sql
  as 'select position($2 in $1) > 0';
create operator extensions.% (leftarg = text, rightarg = text, function = extensions.similarity_op);
create operator extensions.%> (leftarg = text, rightarg = text, function = extensions.word_similarity_commutator_op);
alter extension plpgsql add function extensions.similarity_op(text, text);
alter extension plpgsql add function extensions.word_similarity_commutator_op(text, text);
"""
"""Functions and operators called as those of pg_trgm, which the tests' server need not have; simpler ones."""


def test_similar_text_is_found_with_the_extension(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA + TRIGRAMS + "grant usage on schema extensions to anon")
    assert matching_ids(api, {"t": {"similar": "a"}, "id": {"lte": 9}}) == []
    postgres.execute("update note set t = 'A' where id = 1", api.database_url)
    assert matching_ids(api, {"t": {"similar": "a"}}) == [1]
    assert matching_ids(api, {"t": {"wordSimilar": "A"}, "id": {"lte": 9}}) == [1, 2, 9]
    assert matching_ids(api, {"t": {"wordSimilar": None}}) == []


@pytest.mark.parametrize(
    ("taken", "left"),
    [
        ("", ["similar", "wordSimilar"]),
        ("revoke usage on schema extensions from anon;", []),
        ("revoke execute on function extensions.similarity_op(text, text) from public;", ["wordSimilar"]),
        ("alter extension plpgsql drop function extensions.similarity_op(text, text);", ["wordSimilar"]),
    ],
)
def test_similar_text_needs_the_functions_of_the_extension(start_api: StartApi, taken: str, left: list[str]) -> None:
    api = start_api(SCHEMA + TRIGRAMS + "grant usage on schema extensions to anon;" + taken)
    fields = types_of(api)["StringFilter"].fields
    assert [name for name in fields if name in ("similar", "wordSimilar")] == left
