"""Types are made on first use, and do not depend on the order of requests."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from graphql import (
    GraphQLNamedType,
    GraphQLScalarType,
    GraphQLSchema,
    get_named_type,
    print_schema,
    print_type,
    validate_schema,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.lazy_schema import LazyTypes
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

TABLES = 40
CHAIN = f"""
comment on schema public is '@graphql({{"inflect_names": true}})';
do $$ begin
  create table t0 (id int primary key, title text, made timestamptz);
  for number in 1..{TABLES - 1} loop
    execute format('create table t%s (id int primary key, next_id int references t%s, title text, made timestamptz)',
      number, number - 1);
    execute format('comment on table t%s is %L', number, '@graphql({{"aggregate": {{"enabled": true}}}})');
  end loop;
end $$;
insert into t0 values (1, 'a', now());
grant all on all tables in schema public to anon;
"""
VARIED = """
comment on schema public is '@graphql({"inflect_names": true})';
create type mood as enum ('sad', 'happy');
create type address as (street text, zip text);
create table author (id int primary key, name text, mood mood, home address, details jsonb);
create table book (id int primary key, author_id int references author, title text, pages int, unique (title, pages));
create table author_group (id int primary key, author_id int references author);
create table tag (id int primary key, name text);
create table book_tag (book_id int references book, tag_id int references tag, primary key (book_id, tag_id));
comment on table author is '@graphql({"aggregate": {"enabled": true}})';
comment on table book is '@graphql({"aggregate": {"enabled": true}})';
comment on table book_tag is '@graphql({"junction": true})';
create function summary(b book) returns table (words int, told text) language sql stable as 'select 1, ''a''';
comment on function summary is '@graphql({"expose": true})';
grant all on all tables in schema public to anon;
"""
# The types of two junctions and a composite type would all have the same name.
SIMILAR_NAMES = """
create table a (id int primary key);
create table ab (id int primary key);
create table d (id int primary key);
create table bc (a int references a, d int references d, primary key (a, d));
create table c (ab int references ab, d int references d, primary key (ab, d));
comment on table bc is '@graphql({"junction": true})';
comment on table c is '@graphql({"junction": true})';
create type "abcdEdge" as (x int);
create table holder (id int primary key, edge "abcdEdge");
grant all on all tables in schema public to anon;
"""
CASES = [
    (VARIED, {}),
    (VARIED, {"graphql_features": ("none",)}),
    (VARIED, {"graphql_features": ("-keys", "-groups")}),
    (VARIED, {"graphql_dialect": "pg_graphql"}),
    (SIMILAR_NAMES, {}),
]


def fresh(api: Api) -> ApiSchema:
    """A schema whose types are not made yet."""
    known = api.application.services.engine.role_schemas.of_role("anon")
    return ApiSchema(known.view, known.dialect, known.rules, known.remembered)


def read_types(schema: GraphQLSchema) -> set[str]:
    """The types whose fields or members are made, as far as the root types and such types lead to them."""
    ahead: list[Any] = [schema.query_type, schema.mutation_type]
    read: set[str] = set()
    while ahead:
        for field in ahead.pop().fields.values():
            taken = (each.type for each in getattr(field, "args", {}).values())
            types = set(map(get_named_type, (field.type, *taken)))
            made = {each for each in types if "fields" in vars(each) and each.name not in read}
            ahead += made
            read |= {each.name for each in made}
    return read


WALKS: list[tuple[str, dict[str, Any], set[str]]] = [
    ("{ t7Collection(first: 1) { edges { node { id } } } }", {}, {"T7Connection", "T7Edge", "T7"}),
    (
        "query ($f: T8Filter) { t8Collection(filter: $f, first: 1) { edges { cursor } } }",
        {"f": {"title": {"eq": "a"}}},
        {"T8Connection", "T8Edge", "T8Filter", "StringFilter"},
    ),
    ("query ($key: T9KeyInput!) { t9ByKey(key: $key) { id } }", {"key": {"id": 1}}, {"T9", "T9KeyInput"}),
    ("query { node(nodeId: 1) { ...Row } } fragment Row on T11 { title }", {}, {"T11"}),
    ("mutation ($o: [T12InsertInput!]!) { insertIntoT12Collection(objects: $o) { affectedCount } }", {"o": []}, set()),
]


def test_a_request_makes_only_the_types_that_it_uses(start_api: StartApi) -> None:
    api = start_api(CHAIN)
    schema = api.application.services.engine.role_schemas.of_role("anon").graphql
    first = read = read_types(schema)
    for query, variables, walked in WALKS:
        api.ask(query, variables)
        made = read_types(schema) - read
        # An insert also reads the types of its objects' members.
        assert made >= walked if "T12" in query else made == walked
        read = read | made
    assert len(read - first) < 30 < 10 * TABLES < len(schema.type_map)


def test_a_request_makes_only_the_fields_and_columns_that_it_names(start_api: StartApi) -> None:
    api = start_api(CHAIN)
    for query, variables, _ in WALKS[:3]:
        api.ask(query, variables)
    role_schema = api.application.services.engine.role_schemas.of_role("anon")
    with_columns = {each.type_name for each in role_schema.relations if "columns" in vars(each)}
    # Those in the query, and those that rows of these lead to.
    assert {"T7", "T8", "T9"} <= with_columns
    assert len(with_columns) < 12 < len(role_schema.relations)
    unmade = ("T20Connection", "T20InsertResponse", "T20Filter", "T20KeyInput")
    # Types that are not there yet are made as we say.
    assert all(isinstance(role_schema.named(name, GraphQLScalarType), GraphQLScalarType) for name in unmade)


@pytest.fixture(scope="module", params=CASES)
def api(request: pytest.FixtureRequest, reading_api: StartApi) -> Api:
    sql, chosen = request.param
    return reading_api(sql, **chosen)


@settings(deadline=None, max_examples=8)
@given(data=st.data())
def test_the_order_of_requests_makes_no_difference(api: Api, data: st.DataObject) -> None:
    whole, role_schema = fresh(api), fresh(api)
    printed = print_schema(whole.graphql)
    for name in data.draw(st.lists(st.sampled_from([*whole.graphql.type_map, "Missing", "BookMissing"]), max_size=12)):
        found, expected = role_schema.graphql.get_type(name), whole.graphql.get_type(name)
        assert found is None if expected is None else found is not None and print_type(found) == print_type(expected)
    assert print_schema(role_schema.graphql) == printed
    assert set(role_schema.notices) == set(whole.notices)


def test_reading_types_one_by_one_never_makes_all_of_them(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    role_schema = fresh(api)
    # The result would be the same; only the work differs.
    monkeypatch.setattr(LazyTypes, "whole", lambda self: pytest.fail("all types are made"))
    ahead: list[Any] = [
        each for each in (role_schema.graphql.query_type, role_schema.graphql.mutation_type) if each is not None
    ]
    read: set[GraphQLNamedType] = set(ahead)
    while ahead:
        for field in ahead.pop().fields.values():
            taken = (each.type for each in getattr(field, "args", {}).values())
            types = {each for each in map(get_named_type, (field.type, *taken)) if hasattr(each, "fields")}
            ahead += types - read
            read |= types
    assert len(read) > 30


@pytest.mark.parametrize("name", ["Mood", "MoodFilter", "AuthorInsertInput", "BookOrderBy", "Address", "AddressInput"])
def test_the_type_of_a_variable_is_found_without_making_all(
    reading_api: StartApi, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    role_schema = fresh(reading_api(VARIED))
    # The result would be the same; only the work differs.
    monkeypatch.setattr(LazyTypes, "whole", lambda self: pytest.fail("all types are made"))
    role_schema.learn_names((name,))
    assert str(role_schema.graphql.get_type(name)) == name


def test_contested_names_follow_the_order_of_the_whole_schema(reading_api: StartApi) -> None:
    schema = fresh(reading_api(SIMILAR_NAMES)).graphql
    fields = {name: str(get_named_type(schema.type_map[name].fields["dCollection"].type)) for name in ("a", "ab")}  # type: ignore[attr-defined]
    assert fields == {"a": "abcdConnection", "ab": "abcdConnection_"}
    edges = [str(get_named_type(schema.type_map[each].fields["edges"].type)) for each in fields.values()]  # type: ignore[attr-defined]
    assert edges == ["abcdEdge_", "abcdEdge__"]


def test_threads_get_the_same_types(reading_api: StartApi) -> None:
    role_schema = fresh(reading_api(VARIED))
    names = [*fresh(reading_api(VARIED)).graphql.type_map] * 2
    start = Barrier(4)

    def ask(seed: int) -> dict[str, GraphQLNamedType]:
        start.wait()
        return {name: role_schema.graphql.type_map[name] for name in random.Random(seed).sample(names, len(names))}

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(ask, range(4))
    assert all(each[name] is type_ for each in others for name, type_ in first.items())


def test_several_threads_can_make_types_at_once(start_api: StartApi) -> None:
    api = start_api(CHAIN)
    start = Barrier(4)

    def ask(seed: int) -> list[Any]:
        start.wait()
        tables = random.Random(seed).sample(range(1, TABLES), 8)
        queries = [
            f"""query ($f: T{each}ManyFilter, $o: [T{each}OrderBy!]) {{
              t{each}Collection(filter: {{t{each - 1}: {{t{each}Collection: $f}}}}, orderBy: $o) {{
                groups(by: [{{title: Value}}]) {{ aggregate {{ count }} }} }} }}"""
            for each in tables
        ]
        return [api.ask(each, {"f": {"some": {"title": {"eq": "a"}}}}).data for each in queries]

    with ThreadPoolExecutor(4) as pool:
        answers = [answer for some in pool.map(ask, range(4)) for answer in some]
    assert {str(group) for answer in answers for group in answer.values()} == {"{'groups': []}"}
    schema = api.application.services.engine.role_schemas.of_role("anon").graphql
    assert validate_schema(schema) == []
