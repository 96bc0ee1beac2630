"""The feature ``search``: text search by the filter's member search, and the order by rank."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
from graphql import print_type
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.commands.notices import left_out
from app.pipeline.engine import make_engine
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.counted import counted
from tests.graphql.test_operators import types_of, without_descriptions
from tests.graphql.test_random_filters import quote
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer, connect

SCHEMA = """
create table note (id int primary key, title varchar(20), body text, document tsvector);
insert into note (id, title, body) select k,
  (array['Cats', 'dogs run', null, 'Running home', 'it''s'])[1 + k % 5],
  (array['a cat and a dog', null, 'The cats ran', 'back\\slash', 'cat cat cat', ''])[1 + k % 6]
from generate_series(1, 30) k;
update note set document = to_tsvector('english', body);
create view entry as select id, document from note;
create table owner (id int primary key, note_id int references note);
insert into owner values (1, 1), (2, 3);
comment on schema public is '@graphql({"max_rows": 100})';
comment on table note is '@graphql({"search": {"columns": ["title", "body"], "config": "english"}})';
comment on view entry is
  '@graphql({"primary_key_columns": ["id"], "search": {"vector": "document", "config": "english"}})';
grant select on all tables in schema public to anon;
"""

SEARCH_FILTER = """
input SearchFilter @oneOf {
  websearch: String
  plain: String
  phrase: String
  prefix: String
}
"""
RANKED = "orderBy: [{searchRank: DescNullsLast}]"
TEXT = "to_tsvector('english', coalesce(title::text, '') || ' ' || coalesce(body, ''))"


def edges(api: Api, arguments: str, variables: Any = None, collection: str = "noteCollection") -> list[tuple[int, str]]:
    query = f"query ($s: SearchFilter) {{ {collection}({arguments}) {{ edges {{ cursor node {{ id }} }} }} }}"
    data = api.ask(query, variables or {}).data
    return [(edge["node"]["id"], edge["cursor"]) for edge in data[collection]["edges"]]


def matching_ids(api: Api, search: Any, collection: str = "noteCollection") -> list[int]:
    return [id_ for id_, _ in edges(api, "filter: {search: $s}", {"s": search}, collection)]


def test_search_has_its_types(reading_api: StartApi) -> None:
    types = types_of(reading_api(SCHEMA))
    assert without_descriptions(print_type(types["SearchFilter"])) == SEARCH_FILTER.strip()
    assert list(types["noteFilter"].fields)[-1] == "search"
    assert str(types["noteOrderBy"].fields["searchRank"].type) == "OrderByDirection"
    assert "search" not in types["ownerFilter"].fields
    assert "searchRank" not in types["ownerOrderBy"].fields


@pytest.mark.parametrize("options", [{"graphql_features": "-search"}, {"graphql_dialect": "pg_graphql"}])
def test_no_search_exists_without_the_feature(reading_api: StartApi, options: dict[str, str]) -> None:
    types = types_of(reading_api(SCHEMA, **options))
    assert "SearchFilter" not in types
    assert "search" not in types["noteFilter"].fields
    assert "searchRank" not in types["noteOrderBy"].fields


KINDS = {
    "websearch": "websearch_to_tsquery",
    "plain": "plainto_tsquery",
    "phrase": "phraseto_tsquery",
}
WORDS = st.lists(
    st.sampled_from(["cat", "Cats", "run", "dog", '"a cat"', "or", "-dog", "it's", "zzz", "&", "\\"]), max_size=4
)


def test_searches_find_the_rows_of_sql(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    database = connect(api.database_url)

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.sampled_from([*KINDS]), WORDS, st.integers(1, 3))
    def check(kind: str, words: list[str], size: int) -> None:
        text = " ".join(words)
        query = f"{KINDS[kind]}('english', {quote(text)})"
        for collection, source, vector in (("noteCollection", "note", TEXT), ("entryCollection", "entry", "document")):
            by = f"ts_rank({vector}, {query}) desc nulls last, id"
            sql = f"select id from {source} where {vector} @@ {query} order by {by}"
            expected = [row[0] for row in database.execute_simple(sql).rows or []]
            search = {"s": {kind: text}}
            everything = edges(api, f"filter: {{search: $s}}, {RANKED}", search, collection)
            assert [id_ for id_, _ in everything] == expected, sql
            assert sorted(expected) == matching_ids(api, search["s"], collection)
            for place, (_, cursor) in enumerate(everything):
                after = edges(
                    api, f'filter: {{search: $s}}, {RANKED}, after: "{cursor}", first: {size}', search, collection
                )
                before = edges(
                    api, f'filter: {{search: $s}}, {RANKED}, before: "{cursor}", last: {size}', search, collection
                )
                assert [id_ for id_, _ in after] == expected[place + 1 : place + 1 + size], sql
                assert [id_ for id_, _ in before] == expected[max(0, place - size) : place], sql

    try:
        check()
    finally:
        database.close()


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("ca", "(title ilike '%ca%' or body ilike '%ca%')"),
        (
            "ca dog",
            "concat(title, ' ', body) ilike '%ca%' and concat(title, ' ', body) ilike '%dog%'",
        ),
        ("back\\sl", "body like 'back%'"),
        ("' | !", "false"),
        ("", "false"),
    ],
)
def test_prefix_finds_words_that_begin_with_it(reading_api: StartApi, text: str, like: str) -> None:
    api = reading_api(SCHEMA)
    database = connect(api.database_url)
    try:
        rows = database.execute_simple(f"select id from note where {like} order by id").rows or []
    finally:
        database.close()
    assert matching_ids(api, {"prefix": text}) == [row[0] for row in rows]


def test_null_has_no_effect(reading_api: StartApi) -> None:
    assert len(matching_ids(reading_api(SCHEMA), None)) == 30


@pytest.mark.parametrize("search", [{}, {"plain": None}, {"plain": "a", "phrase": "a"}, {"plain": 1}, "a"])
def test_search_takes_exactly_one_text(reading_api: StartApi, search: Any) -> None:
    query = "query ($s: SearchFilter) { noteCollection(filter: {search: $s}) { edges { node { id } } } }"
    assert reading_api(SCHEMA).ask(query, {"s": search}).code == "BAD_USER_INPUT"


@pytest.mark.parametrize("kind", [*KINDS, "prefix"])
def test_the_length_of_the_text_is_limited(reading_api: StartApi, kind: str) -> None:
    api = reading_api(SCHEMA)
    assert matching_ids(api, {kind: "zebra " * 166 + "cats"}) == []
    query = "query ($s: SearchFilter) { noteCollection(filter: {search: $s}) { edges { cursor } } }"
    answer = api.ask(query, {"s": {kind: "x" * 1001}})
    assert (answer.code, "at most 1000 characters" in answer.message) == ("LIMIT_EXCEEDED", True)


NEEDED = "searchRank needs search at the top of the filter"


@pytest.mark.parametrize(
    "collection",
    [
        "noteCollection(orderBy: [{searchRank: AscNullsLast}])",
        "noteCollection(filter: null, orderBy: [{searchRank: AscNullsLast}])",
        "noteCollection(filter: {search: null}, orderBy: [{searchRank: AscNullsLast}])",
        'noteCollection(filter: {and: [{search: {plain: "cat"}}]}, orderBy: [{searchRank: AscNullsLast}])',
        'ownerCollection(filter: {note: {search: {plain: "cat"}}}, orderBy: [{note: {searchRank: AscNullsLast}}])',
    ],
)
def test_the_rank_needs_a_search(reading_api: StartApi, collection: str) -> None:
    answer = reading_api(SCHEMA).ask(f"{{ {collection} {{ edges {{ node {{ id }} }} }} }}")
    assert answer.code == "BAD_USER_INPUT"
    assert NEEDED in answer.message


def test_a_taken_name_stays_with_the_column(start_api: StartApi) -> None:
    api = start_api("""
        create table t (id int primary key, search text, "searchRank" int);
        create table "SearchFilter" (id int primary key);
        create table u (id int primary key, search text);
        comment on table t is '@graphql({"search": {"columns": ["search"]}})';
        comment on table u is '@graphql({"search": {"columns": ["search"]}})';
        grant select on all tables in schema public to anon;
    """)
    types = types_of(api)
    assert str(types["tFilter"].fields["search"].type) == "StringFilter"
    query = (
        '{ uCollection(filter: {search: {eq: "a"}}, orderBy: [{searchRank: AscNullsLast}]) { edges { node { id } } } }'
    )
    assert NEEDED in api.ask(query).message


def test_each_column_must_be_readable(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    assert "search" in members(printed(api), "noteFilter")
    changed(postgres, api, "revoke select on note from anon; grant select (id, title) on note to anon")
    sdl = printed(api)
    assert "search" not in members(sdl, "noteFilter")
    assert "searchRank" not in members(sdl, "noteOrderBy")
    assert "search" in members(sdl, "entryFilter")


def test_hidden_rows_are_not_found(start_api: StartApi) -> None:
    api = start_api(SCHEMA + "alter table note enable row level security; create policy p on note using (id = 1)")
    assert matching_ids(api, {"plain": "dog"}) == [1]
    query = '{ ownerCollection(filter: {note: {search: {plain: "cat"}}}) { edges { node { id } } } }'
    assert api.ask(query).data["ownerCollection"]["edges"] == []


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ('{"config": "english"}', "it must name either columns or a vector"),
        ('{"columns": ["title"], "vector": "document"}', "it must name either columns or a vector"),
        ('{"columns": []}', "it must name either columns or a vector"),
        ('{"columns": ["title", "nothing"]}', "there is no column nothing"),
        ('{"columns": ["id"]}', "the column id is not of the type text"),
        ('{"vector": "title"}', "the column title is not of the type tsvector"),
    ],
)
def test_a_directive_without_effect_is_reported(start_api: StartApi, written: str, problem: str) -> None:
    api = start_api(SCHEMA + f"""comment on table note is '@graphql({{"search": {written}}})'""")
    schema = api.application.services.engine.role_schemas.of_role("anon")
    assert "search" not in schema.graphql.type_map["noteFilter"].fields  # type: ignore[attr-defined]
    assert f"its directive search is left out: {problem}" in [each.reason for each in schema.notices]


def test_the_default_configuration_is_used_without_config(start_api: StartApi) -> None:
    api = start_api(SCHEMA + """comment on table note is '@graphql({"search": {"columns": ["title"]}})'""")
    assert matching_ids(api, {"plain": "cats"}) == [5, 10, 15, 20, 25, 30]


def test_an_index_serves_a_search(start_api: StartApi) -> None:
    api = start_api(SCHEMA + f"create index on note using gin ({TEXT});")
    served = (
        "to_tsvector(CAST('english' AS regconfig), "
        "coalesce(CAST(title AS TEXT), '') || ' ' || coalesce(CAST(body AS TEXT), ''))"
    )
    database = connect(api.database_url)
    try:
        database.execute_simple("set enable_seqscan = off")
        sql = f"explain select id from note where {served} @@ plainto_tsquery('english', 'cat')"
        plan = database.execute_simple(sql).rows
    finally:
        database.close()
    assert "Bitmap Index Scan" in str(plan)


def advised(api: Api) -> dict[str, str]:
    services = api.application.services
    with closing(make_engine(services.settings, services.plugins)) as engine:
        findings = left_out(engine)
    return {each.what: each.fix for each in findings if "no index serves its search" in each.what}


def test_doctor_prints_the_index_that_is_missing(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(
        SCHEMA
        + """
        create table "Odd one" (id int primary key, "The text" varchar(9), v tsvector);
        create table other (id int primary key, body text, v tsvector);
        comment on table "Odd one" is '@graphql({"name": "odd", "search": {"columns": ["The text"]}})';
        comment on table other is '@graphql({"search": {"vector": "v"}})';
        grant select on all tables in schema public to anon;
        """
    )
    advice = advised(api)
    postgres.execute(
        "create index on note using gin (to_tsvector('english', coalesce(title, '') || ' ' || coalesce(body, '')))",
        api.database_url,
    )
    assert advised(api) == advice, "an index of varchar as such does not serve it"
    assert sorted(advice) == [
        "table public.Odd one: no index serves its search",
        "table public.note: no index serves its search",
        "table public.other: no index serves its search",
    ]
    odd, *indexes = [advice[name] for name in sorted(advice)]
    assert odd == 'name a text search configuration in the directive search, such as {"config": "english"}'
    for index in indexes:
        postgres.execute(index, api.database_url)
    directives = '{"name": "odd", "search": {"columns": ["The text"], "config": "simple"}}'
    changed(postgres, api, f"""comment on table "Odd one" is '@graphql({directives})'""")
    (last,) = advised(api).values()
    postgres.execute(last, api.database_url)
    assert advised(api) == {}


def test_a_search_is_one_flight(start_api: StartApi) -> None:
    with counted(start_api(SCHEMA).database_url) as (api, proxy):
        search = {"s": {"websearch": "cats -dogs"}}
        edges(api, f"filter: {{search: $s}}, {RANKED}", search)
        before = proxy.flights
        assert edges(api, f"filter: {{search: $s}}, {RANKED}", search)
        assert proxy.flights - before == 1
